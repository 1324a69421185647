"""Processor time of a strategy: its own work counts, and what every crawler asks of a page does not (R57)."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence, Set

from small_web import TOPIC

from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import ScoredLink
from bizcrawl.strategies.table import STRATEGIES, make_strategy
from contexts.links import Link
from contexts.tagtree import TagTree
from contexts.vectors import Floats, Query
from testbed.pagegraph import PageGraph
from testbed.simulate import simulate
from testbed.strategy_time import TimedStrategy

WORK_S = 0.05


def work() -> None:
    end_s = time.thread_time() + WORK_S
    while time.thread_time() < end_s:
        pass


class SlowPage:
    """A page of which each answer takes a while."""

    url = final_url = "http://seed-a.example/"
    links: Sequence[Link] = ()

    def __init__(self, page: Page) -> None:
        self._page = page

    @property
    def tree(self) -> TagTree:
        work()
        return self._page.tree

    @property
    def stems(self) -> Sequence[str]:
        work()
        return self._page.stems

    @property
    def link_hosts(self) -> Set[str]:
        work()
        return self._page.link_hosts

    def similarity(self, query: Query) -> float:
        work()
        return self._page.similarity(query)

    def context_similarities(self, query: Query, aggregation: str) -> Floats:
        work()
        return self._page.context_similarities(query, aggregation)


class Curious:
    """A strategy that asks a page for everything, and thinks for a while of its own if it is told to."""

    def __init__(self, thinks: bool) -> None:
        self._thinks = thinks

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        query = TOPIC.topic.query
        assert set(page.stems) == set(page.tree.stems)
        assert page.similarity(query) > 0
        assert len(page.link_hosts) <= len(page.context_similarities(query, "parent"))
        if self._thinks:
            work()
        return []


def test_only_what_a_strategy_does_itself_counts(small_graph: PageGraph) -> None:
    used_s = {}
    for thinks in (False, True):
        timed = TimedStrategy(Curious(thinks))  # type: ignore[arg-type]
        timed.visit(SlowPage(small_graph.page(0)))  # five answers
        used_s[thinks] = timed.used_s
    assert 0 <= used_s[False] < WORK_S
    assert WORK_S <= used_s[True] < 2 * WORK_S


def test_a_strategy_that_is_timed_visits_the_same_pages(small_graph: PageGraph) -> None:
    for name in STRATEGIES:
        plain, timed = make_strategy(name, random.Random(1)), make_strategy(name, random.Random(1))
        expected = simulate(small_graph, TOPIC.topic, plain, 9)
        assert simulate(small_graph, TOPIC.topic, TimedStrategy(timed), 9).urls == expected.urls


def test_what_a_full_frontier_dropped_is_told_of_a_strategy_that_is_timed_too(small_graph: PageGraph) -> None:
    plain, timed = (make_strategy("best-first", random.Random(1), max_frontier=1) for _ in range(2))
    expected = simulate(small_graph, TOPIC.topic, plain, 9).turned_away
    assert simulate(small_graph, TOPIC.topic, TimedStrategy(timed), 9).turned_away == expected
    assert expected[Reason.FRONTIER_FULL]
