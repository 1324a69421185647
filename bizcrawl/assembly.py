"""All parts of a crawl, put together: which of them needs which other is said here and nowhere else."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from bizcrawl.admission import Admission
from bizcrawl.collection.robots_files import host_rows
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.questions import question_of
from bizcrawl.companies.suggestions import Suggestions
from bizcrawl.crawl import Crawl, Fetch
from bizcrawl.download import Rules, download
from bizcrawl.earlier_crawl import EarlierCrawl
from bizcrawl.harvest import Harvested, Harvester
from bizcrawl.journal import CollectionJournal
from bizcrawl.parts import heed_of, make_rules, politeness_of, predicate_of, with_browser, with_record
from bizcrawl.plan import Plan
from bizcrawl.politeness import Politeness
from bizcrawl.relevance.predicates import Predicate, row_of
from bizcrawl.so_far import RankingSoFar
from bizcrawl.strategies import ScoredLink, Strategy
from bizcrawl.strategies.hub_seeking import hub_score
from bizcrawl.strategies.table import make_strategy
from bizcrawl.strategies.verifying import SUGGESTED, Verifying
from bizcrawl.tally import Tally
from bizcrawl.urls import host_of
from bizcrawl.web import Failure, Web
from bizcrawl.web.polite import PoliteWeb
from bizcrawl.web.rendering_counts import RenderingCounts
from bizcrawl.workers import usual_count
from contexts.tidy import Tidier

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Assembly:
    """What a crawl is made of."""

    web: Web
    in_browser: RenderingCounts
    politeness: Politeness | None
    earlier: EarlierCrawl | None
    admission: Admission
    strategy: Strategy
    suggestions: Suggestions | None
    harvester: Harvester
    journal: CollectionJournal
    crawl: Crawl


def assemble(
    plan: Plan,
    collection: Collection,
    web: Web,
    observe: Callable[[Tally], None],
    clock: Callable[[], float],
) -> Assembly:
    """The parts of a crawl, each with those that it needs."""
    web, in_browser = with_browser(web, plan)
    web = with_record(web, plan)
    politeness = politeness_of(plan, clock)
    if politeness is not None:
        web = PoliteWeb(web, politeness)
    earlier = _earlier(plan)
    rules = make_rules(plan, web, politeness)
    if earlier is not None:
        rules = replace(rules, conditions=earlier.conditions)
    admission, predicate = Admission(rules), predicate_of(plan)
    strategy, suggestions = _strategy(plan, admission, predicate)
    journal = CollectionJournal(
        collection,
        plan.topic,
        clock=clock,
        relevant=_relevance(predicate, lambda: crawl.tally),
        hub_score=hub_score,
        fate=admission.fate,
        hosts=lambda: host_rows(rules.robots),
    )
    harvester = Harvester(
        worker_count(plan),
        cast(Tidier, plan.tidier),
        plan.options.get("aggregation", "parent"),
        heed_of(plan),
        journal.has_room,
    )
    crawl = Crawl(
        plan.topic,
        strategy,
        fetching(web, rules, harvester, earlier, lambda url: crawl.has_like(url)),  # noqa: PLW0108 - there is no crawl yet
        journal,
        plan.budget,
        connections=plan.connections,
        gate=politeness,
        clock=clock,
        observe=_observer(plan, collection, suggestions, observe),
    )
    crawl.tally.relevant = None if predicate is None else 0
    return Assembly(
        web, in_browser, politeness, earlier, admission, strategy, suggestions, harvester, journal, crawl
    )


def worker_count(plan: Plan) -> int:
    """How many processes tidy pages: by the number of processors, and none where pages come one by one.

    A single processor gets one too, because only a process of its own can be ended in the middle of a page.
    """
    if plan.workers is not None:
        return plan.workers
    return usual_count() if plan.gated else 0


def _strategy(
    plan: Plan, admission: Admission, predicate: Predicate | None
) -> tuple[Strategy, Suggestions | None]:
    """The strategy that was asked for, and the suggestions that share its budget, if any do."""
    strategy = make_strategy(
        plan.strategy,
        random.Random(plan.random_seed),
        admits=admission,
        is_good=None if predicate is None else lambda page: predicate(row_of(page)),
        **dict[str, Any](plan.options),
    )
    if not plan.verify_share:
        return strategy, None
    suggestions = Suggestions(plan.topic)
    return Verifying(strategy, suggestions, plan.verify_share), suggestions


def _observer(
    plan: Plan, collection: Collection, suggestions: Suggestions | None, observe: Callable[[Tally], None]
) -> Callable[[Tally], None]:
    """What observes the crawl: `observe`, for a discovery by way of the ranking so far."""
    if suggestions is None or not plan.command.startswith("discover"):
        return observe
    return RankingSoFar(collection, suggestions, question_of(plan.command), plan.budget.pages, observe)


def _earlier(plan: Plan) -> EarlierCrawl | None:
    """The crawl that is repeated, if its collection is still there."""
    if not plan.since:
        return None
    if not Path(plan.since).exists():
        log.warning("%s is not there any more: all pages are fetched anew", plan.since)
        return None
    return EarlierCrawl(Path(plan.since))


def fetching(
    web: Web, rules: Rules, harvester: Harvester, earlier: EarlierCrawl | None, seen: Callable[[str], bool]
) -> Fetch:
    async def fetch(link: ScoredLink) -> Harvested | Failure:
        # what the answer needs may lie as deep as it likes
        depth = 0 if SUGGESTED in link.parts else link.depth
        outcome = await download(link.url, web, rules, depth=depth, seen=seen)
        if isinstance(outcome, Failure):
            return outcome
        if outcome.unchanged and earlier is not None:
            return earlier.page(outcome, harvester.aggregation, harvester.heed)
        harvested = await harvester.harvest(outcome)
        if rules.politeness and (isinstance(harvested, Failure) or harvested.took_too_long):
            rules.politeness.count_stall(host_of(outcome.final_url))
        return harvested

    return fetch


Relevance = Callable[[ScoredLink, Harvested], bool | None]


def _relevance(predicate: Predicate | None, tally: Callable[[], Tally]) -> Relevance:
    """The predicate, asked about a page as a row, with what the response says too; its good pages are counted
    for the harvest rate (R115).
    """

    def relevant(link: ScoredLink, harvested: Harvested) -> bool | None:
        if predicate is None:
            return None
        status = harvested.response.status
        row = row_of(harvested.page, status=status, depth=link.depth, bytes=harvested.body_bytes)
        if good := predicate(row):
            tally().relevant = (tally().relevant or 0) + 1
        return good

    return relevant
