"""Crawling a page graph in virtual time, by the papers' rules.

Only good pages count against the budget; stale links fall away when they are met (R56, A36); a page that is
reached by two URLs counts once; excluded pages are refused. The strategy is the one that crawls the live Web,
and it is called as the crawl with one connection calls it, so that both visit the same pages in the same
order (R136).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bizcrawl.garbage import collected_seldom
from bizcrawl.reasons import Reason
from bizcrawl.scope import Exclusions
from bizcrawl.strategies import ScoredLink, Strategy, dropped_by
from bizcrawl.topic import Topic
from bizcrawl.urls import host_of
from testbed.pagegraph import PageGraph, SimulatedPage


@dataclass(slots=True)
class Visits:
    """What a simulated crawl visited, in order."""

    urls: list[str] = field(default_factory=list)
    """As they were asked for."""
    final_urls: list[str] = field(default_factory=list)
    """After redirects."""
    pages: list[int] = field(default_factory=list)
    """Numbers of the pages in the graph."""
    turned_away: Counter[Reason] = field(default_factory=Counter)
    """URLs that brought no good page, by reason; links dropped from a full frontier too."""

    def __len__(self) -> int:
        return len(self.pages)


Observer = Callable[[ScoredLink, SimulatedPage], None]


@collected_seldom()
def simulate(
    graph: PageGraph,
    topic: Topic,
    strategy: Strategy,
    pages: int,
    excluded: Iterable[str] = (),
    observe: Observer | None = None,
) -> Visits:
    """Crawl up to `pages` good pages; `observe` is told of each before the strategy is."""
    refused = _refusal(Exclusions.of(excluded))
    visits = Visits()
    seen: set[int] = set()
    strategy.start(topic)
    while len(visits) < pages and (links := strategy.next(1)):
        for link in links:
            page = graph.outcome(link.url, refused)
            if not isinstance(page, Reason) and page in seen:
                page = Reason.SEEN_AS_OTHER_URL
            if isinstance(page, Reason):
                visits.turned_away[page] += 1
                strategy.fail(link.url, page)
                continue
            seen.add(page)
            good = graph.page(page, link.url)
            visits.urls.append(link.url)
            visits.final_urls.append(good.final_url)
            visits.pages.append(page)
            if observe:
                observe(link, good)
            strategy.visit(good)
    if dropped := dropped_by(strategy):
        visits.turned_away[Reason.FRONTIER_FULL] = dropped
    return visits


def _refusal(exclusions: Exclusions) -> Callable[[str], Reason | None]:
    """The ruling of exclusions; of single URLs that are excluded only the hosts are looked at closely."""
    hosts = {host_of(url) for url in exclusions.keys}
    if exclusions.hosts or exclusions.domains:
        return lambda url: exclusions.ruling(url).reason
    return lambda url: exclusions.ruling(url).reason if host_of(url) in hosts else None
