"""A plan becomes a running crawl: every part is made here, from the plan alone, and put together.

The same function begins a crawl and goes on with one.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from bizcrawl.admission import Admission
from bizcrawl.collection.earlier_crawl import EarlierCrawl
from bizcrawl.collection.opinions import opinions_kept
from bizcrawl.collection.resume import Resumption
from bizcrawl.collection.robots_files import host_rows
from bizcrawl.collection.rows import CrawlRow
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.questions import question_of
from bizcrawl.companies.suggestions import Suggestions
from bizcrawl.crawl import Crawl, Fetch
from bizcrawl.download import Rules, download
from bizcrawl.frontier import Frontier
from bizcrawl.garbage import collected_seldom, keep_large_blocks_apart
from bizcrawl.harvest import WORKER_MODULES, Harvested, Harvester
from bizcrawl.interrupting import interruptible
from bizcrawl.journal import CollectionJournal
from bizcrawl.judging import heed_the_analyst
from bizcrawl.parts import heed_of, make_rules, politeness_of, predicate_of, with_browser, with_record
from bizcrawl.plan import Plan
from bizcrawl.reasons import Reason
from bizcrawl.relevance.predicates import Predicate, row_of
from bizcrawl.replay import bring_back
from bizcrawl.so_far import RankingSoFar
from bizcrawl.strategies import Bounded, ScoredLink, Strategy
from bizcrawl.strategies.hub_seeking import hub_score
from bizcrawl.strategies.table import make_strategy
from bizcrawl.strategies.verifying import SUGGESTED, Verifying
from bizcrawl.tally import Stop, Tally
from bizcrawl.urls import host_of
from bizcrawl.web import Failure, Web
from bizcrawl.web.polite import PoliteWeb
from bizcrawl.web.rendering_counts import RenderingCounts
from bizcrawl.workers import prepare_workers, usual_count
from contexts.tidy import Tidier

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a crawl ended."""

    stop: Stop
    tally: Tally
    refused: dict[Reason, int]
    """Links that never entered the frontier, by reason."""
    strategy: Strategy
    """As the crawl left it, with what it has learned."""
    gave_way: int
    """Picks from a host that was among the last D asked, because no other was ready (R14, A14)."""
    in_browser: RenderingCounts = field(default_factory=RenderingCounts)
    """What became of the pages that a browser was asked for."""
    met: Suggestions | None = None
    """What is known of the pages of this crawl, if suggestions had a share in it and saw all links."""


def crawl_row(plan: Plan) -> CrawlRow:
    """The plan as the collection keeps it."""
    budget = {
        "pages": plan.budget.pages,
        "minutes": plan.budget.minutes,
        "body_bytes": plan.budget.body_bytes,
    }
    return CrawlRow(
        command=plan.command,
        topic=plan.topic,
        strategy=plan.strategy,
        strategy_options=plan.options,
        settings={"plan": plan.to_json()},
        budget={name: value for name, value in budget.items() if value is not None},
        random_seed=plan.random_seed,
        gated=plan.gated,
    )


def prepare(plan: Plan) -> None:
    """Begin with what a crawl needs first, in another process, while the caller opens the web."""
    if _workers(plan):
        prepare_workers(WORKER_MODULES)


async def run(
    plan: Plan,
    collection: Collection,
    web: Web,
    *,
    resumption: Resumption | None = None,
    observe: Callable[[Tally], None] = lambda _tally: None,
    leave: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.monotonic,
) -> Ended:
    """Crawl as planned, or go on with what was planned.

    Closes the web, not the collection. `leave` is called before a second Ctrl-C ends the process.
    """
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
    harvester = Harvester(
        _workers(plan), cast(Tidier, plan.tidier), plan.options.get("aggregation", "parent"), heed_of(plan)
    )
    journal = CollectionJournal(
        collection,
        plan.topic,
        clock=clock,
        relevant=_relevance(predicate, lambda: crawl.tally),
        hub_score=hub_score,
        fate=admission.fate,
        hosts=lambda: host_rows(rules.robots),
    )
    crawl = Crawl(
        plan.topic,
        strategy,
        _fetching(web, rules, harvester, earlier, lambda url: crawl.has_like(url)),  # noqa: PLW0108 - there is no crawl yet
        journal,
        plan.budget,
        connections=plan.connections,
        gate=politeness,
        clock=clock,
        observe=_observer(plan, collection, suggestions, observe),
    )
    crawl.tally.relevant = None if predicate is None else 0
    keep_large_blocks_apart()
    try:
        if resumption is not None:
            bring_back(plan, collection, resumption, strategy, crawl, politeness)
            journal.resumed(resumption.elapsed_s)
        _begin_with_opinions(collection, crawl)
        heed_the_analyst(collection, crawl)
        with interruptible(crawl, leave), collected_seldom():
            stop = await crawl.run()
    finally:
        collection.judge = None
        harvester.close()
        if earlier is not None:
            earlier.close()
        await web.close()
    return Ended(
        stop,
        crawl.tally,
        _refused(admission, strategy),
        strategy,
        _gave_way(strategy),
        in_browser,
        met=None if plan.nofollow else suggestions,  # the collection has the links that were left alone too
    )


def _strategy(
    plan: Plan, admission: Admission, predicate: Predicate | None
) -> tuple[Strategy, Suggestions | None]:
    """The strategy that was asked for, and the suggestions that have a share in it, if any have."""
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
    """Who looks at the crawl: who is not ranked at the end is not ranked before it."""
    if suggestions is None or not plan.command.startswith("discover"):
        return observe
    return RankingSoFar(collection, suggestions, question_of(plan.command), plan.budget.pages, observe)


def _refused(admission: Admission, strategy: Strategy) -> dict[Reason, int]:
    """Links that never entered the frontier, or lost their place in it, by reason."""
    refused = dict(admission.refused)
    if isinstance(strategy, Bounded) and strategy.dropped:
        refused[Reason.FRONTIER_FULL] = strategy.dropped
    return refused


def _gave_way(strategy: Strategy) -> int:
    """See `Ended.gave_way`; 0 for strategies that keep their URLs in another way than a `Frontier`."""
    frontier = getattr(strategy.within if isinstance(strategy, Verifying) else strategy, "frontier", None)
    return frontier.relaxed if isinstance(frontier, Frontier) else 0


def _begin_with_opinions(collection: Collection, crawl: Crawl) -> None:
    """Let a crawl that has not started begin with what the analyst has said already."""
    if not crawl.started:
        with closing(collection.cursor()) as con:
            opinions = opinions_kept(con)
        for opinion in opinions:
            crawl.judge(opinion)


def _workers(plan: Plan) -> int:
    """Processes for tidying: as many as there are processors, none where pages come one by one.

    On one processor too, for only a process of its own can be ended in the middle of a page.
    """
    if plan.workers is not None:
        return plan.workers
    return usual_count() if plan.gated else 0


def _earlier(plan: Plan) -> EarlierCrawl | None:
    """The crawl that is repeated, if its collection is still there."""
    if not plan.since:
        return None
    if not Path(plan.since).exists():
        log.warning("%s is not there any more: all pages are fetched anew", plan.since)
        return None
    return EarlierCrawl(Path(plan.since))


def _fetching(
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
