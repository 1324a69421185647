"""What a simulated crawl is worth to a search: the choice decides what is bred (R121, M14)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from testbed.evolve.roulette import Crawl
from testbed.evolve.scenario import Scenario

EXPLORATION = 0.5
"""Share of `discovery` that new relevant sites earn against relevant pages."""

Fitness = Callable[[Scenario, Crawl, int], float]
"""From a scenario, a crawl of it and the number of pages that it was allowed to a number from 0 to 1."""


def harvest(scenario: Scenario, crawl: Crawl, pages: int) -> float:
    """GoodPageCount / TotalPageCount (R121, eq. 1)."""
    return sum(scenario.scores[page] > 0 for page in crawl.pages) / max(1, len(crawl))


def targets(scenario: Scenario, crawl: Crawl, pages: int) -> float:
    """Share of the topic's target sites of which a page was visited: recall by site (A18)."""
    found = {scenario.hosts[page] for page in crawl.pages} & scenario.target_hosts
    return len(found) / max(1, len(scenario.target_hosts))


def sites(scenario: Scenario, crawl: Crawl, pages: int) -> float:
    """Distinct sites with a relevant page, for each page visited."""
    found = {scenario.hosts[page] for page in crawl.pages if scenario.scores[page] > 0}
    return len(found) / max(1, len(crawl))


def discovery(scenario: Scenario, crawl: Crawl, pages: int) -> float:
    """Harvest and new relevant sites together: rewards exploration, which the paper missed (R130, M14)."""
    return (1 - EXPLORATION) * harvest(scenario, crawl, pages) + EXPLORATION * sites(scenario, crawl, pages)


FITNESSES: Mapping[str, Fitness] = {
    "harvest": harvest,
    "targets": targets,
    "sites": sites,
    "discovery": discovery,
}
