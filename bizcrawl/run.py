"""A plan becomes a running crawl, and that an end. The same function begins a crawl and goes on with one."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field

from bizcrawl.admission import Admission
from bizcrawl.assembly import assemble, worker_count
from bizcrawl.collection.opinions import opinions_kept
from bizcrawl.collection.resume import Resumption
from bizcrawl.collection.rows import CrawlRow
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.suggestions import Suggestions
from bizcrawl.crawl import Crawl
from bizcrawl.frontier import Frontier
from bizcrawl.garbage import collected_seldom, keep_large_blocks_apart
from bizcrawl.harvest import WORKER_MODULES
from bizcrawl.interrupting import interruptible
from bizcrawl.judging import heed_the_analyst
from bizcrawl.plan import Plan
from bizcrawl.reasons import Reason
from bizcrawl.replay import bring_back
from bizcrawl.strategies import Strategy, dropped_by
from bizcrawl.strategies.verifying import Verifying
from bizcrawl.tally import Stop, Tally
from bizcrawl.web import Web
from bizcrawl.web.rendering_counts import RenderingCounts
from bizcrawl.workers import prepare_workers


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
    """Load what a crawl needs first, in another process, while the caller opens the web."""
    if worker_count(plan):
        prepare_workers(WORKER_MODULES)


async def run(
    plan: Plan,
    collection: Collection,
    web: Web,
    *,
    resumption: Resumption | None = None,
    observe: Callable[[Tally], None] = lambda _tally: None,
    again: Callable[[int, int], None] = lambda _done, _pages: None,
    leave: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.monotonic,
) -> Ended:
    """Crawl as planned, or go on with what was planned.

    Closes the web, not the collection. Before a crawl goes on, `again` is told how many of its pages it has
    gone through once more, and how many there are. `leave` is called before a second Ctrl-C ends the process.
    """
    try:
        parts = assemble(plan, collection, web, observe, clock)
    except BaseException:
        await web.close()
        raise
    crawl, strategy = parts.crawl, parts.strategy
    keep_large_blocks_apart()
    try:
        with collected_seldom():
            if resumption is not None:
                bring_back(plan, collection, resumption, strategy, crawl, parts.politeness, again)
                parts.journal.resumed(resumption.elapsed_s)
            _begin_with_opinions(collection, crawl)
            heed_the_analyst(collection, crawl)
            with interruptible(crawl, leave):
                stop = await crawl.run()
    finally:
        collection.judge = None
        parts.harvester.close()
        if parts.earlier is not None:
            parts.earlier.close()
        await parts.web.close()
    return Ended(
        stop,
        crawl.tally,
        _refused(parts.admission, strategy),
        strategy,
        _gave_way(strategy),
        parts.in_browser,
        # the collection has the links that were left alone too
        met=None if plan.nofollow else parts.suggestions,
    )


def _refused(admission: Admission, strategy: Strategy) -> dict[Reason, int]:
    """Links that never entered the frontier, or lost their place in it, by reason."""
    refused = dict(admission.refused)
    if dropped := dropped_by(strategy):
        refused[Reason.FRONTIER_FULL] = dropped
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
