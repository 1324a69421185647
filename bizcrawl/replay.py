"""Bring a strategy back to where it was, by playing to it the calls that the collection recorded.

See docs/decisions/resume-by-replay.md. Without a gate every call is repeated and the state is the same to
the last bit. With one, which URL came next depended on time: then the strategy is told which URLs it gave
out, if it can be (`GivesByName`); for any other what was in hand simply still waits in the frontier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field

from bizcrawl.collection.opinions import opinion_of
from bizcrawl.collection.resume import (
    RecordedCall,
    Resumption,
    pages_of_hosts,
    recorded_calls,
    relevant_pages,
)
from bizcrawl.collection.stored_values import tree_in
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.opinions import Judged
from bizcrawl.crawl import Crawl
from bizcrawl.errors import BizcrawlError
from bizcrawl.page import TidiedPage
from bizcrawl.parts import heed_of
from bizcrawl.plan import Plan
from bizcrawl.politeness import Politeness
from bizcrawl.reasons import Reason
from bizcrawl.robots.tags import Heed, followed
from bizcrawl.strategies import GivesByName, ScoredLink, Strategy
from bizcrawl.tally import Tally
from bizcrawl.topic import Topic
from bizcrawl.web import Failure
from contexts.links import links


def bring_back(
    plan: Plan,
    collection: Collection,
    resumption: Resumption,
    strategy: Strategy,
    crawl: Crawl,
    politeness: Politeness | None,
    again: Callable[[int, int], None] = lambda _done, _pages: None,
) -> None:
    """Put strategy, crawl and the budgets of hosts to where the collection's record ends. `again` is told
    after each page how many were visited once more, and how many there are.
    """

    def observe(done: int) -> None:
        again(done, resumption.pages)

    with closing(collection.cursor()) as con:
        calls = recorded_calls(con, resumption.crawl)
        back = replay(calls, plan.topic, strategy, gated=plan.gated, heed=heed_of(plan), observe=observe)
        if crawl.tally.relevant is not None:
            back.tally.relevant = relevant_pages(con, resumption.crawl)
        if politeness is not None:
            politeness.resume_from(pages_of_hosts(con, resumption.crawl))
    back.tally.body_bytes, back.tally.elapsed_s = resumption.body_bytes, resumption.elapsed_s
    back.tally.unchanged = resumption.unchanged
    crawl.resume_from(back.tally, back.stored, back.leased.values(), started=back.started)


@dataclass(slots=True)
class Replayed:
    """What a crawl needs to go on."""

    tally: Tally = field(default_factory=Tally)
    started: bool = False
    """Whether the strategy had been told of the topic when the crawl ended."""
    stored: list[str] = field(default_factory=list)
    """URLs and final URLs of the pages that the collection holds."""
    leased: dict[str, ScoredLink] = field(default_factory=dict)
    """What was in hand, in the order in which it was given out."""


def replay(
    calls: Iterable[RecordedCall],
    topic: Topic,
    strategy: Strategy,
    *,
    gated: bool,
    heed: Heed,
    observe: Callable[[int], None] = lambda _pages: None,
) -> Replayed:
    """Play recorded calls to a new strategy. Raises `BizcrawlError` if it answers otherwise than it did.

    `observe` is told after each page how many were visited.
    """
    result = Replayed()
    for call in calls:
        if call.kind == "start":
            strategy.start(topic)
            result.started = True
        elif call.kind == "next":
            if not gated:
                _next(call, strategy, result)
            elif isinstance(strategy, GivesByName):
                result.leased.update((link.url, link) for link in strategy.give(call.given))
        elif call.kind == "visit":
            _visit(call, topic, strategy, result, heed)
            observe(result.tally.pages)
        elif opinion := opinion_of(call.kind, call.url, call.given, call.detail):
            # said before the start, it is told with all that stands when the crawl does start
            if result.started and isinstance(strategy, Judged):
                strategy.judge(opinion)
        else:
            reason = call.reason or Reason.CONNECTION
            strategy.fail(call.url, reason)
            result.leased.pop(call.url, None)
            result.tally.count_failure(call.url, Failure(call.url, reason, call.detail), topic.seed_urls)
    return result


def _next(call: RecordedCall, strategy: Strategy, result: Replayed) -> None:
    given = strategy.next(call.n)
    if tuple(link.url for link in given) != call.given:
        raise BizcrawlError(
            "the strategy does not repeat what it did in this crawl: it or a file that it reads was changed; "
            "start again with `bizcrawl discover` or `bizcrawl crawl`"
        )
    result.leased.update((link.url, link) for link in given)


def _visit(call: RecordedCall, topic: Topic, strategy: Strategy, result: Replayed, heed: Heed) -> None:
    if call.tree is None:  # they are stored in one transaction, but the analyst may delete what he likes
        raise BizcrawlError(
            f"{call.url} was visited in this crawl and is not in the collection any more, or without its tag "
            "tree, so that the crawl can't go on; start another with `bizcrawl discover` or `bizcrawl crawl`"
        )
    tree = tree_in(call.tree, call.final_url)
    spoilt: list[str] = []
    found = followed(links(tree, call.final_url, spoilt), tree, heed)
    page = TidiedPage(call.url, call.final_url, found.links, tree)
    strategy.visit(page)
    result.tally.count_page(page, topic.seed_hosts, len(found.left_alone), len(spoilt))
    result.stored += (call.url, call.final_url)
    result.leased.pop(call.url, None)
