"""Every strategy is a function of its calls and its seed, so that the recorded calls bring it back."""

from __future__ import annotations

import random
from math import ceil
from typing import Any

import numpy as np
import pytest
from call_records import Call, Suggesting, drain, end, gated_crawl, go_on, play
from strategies_web import TOPIC, write_web
from strategy_pages import ManualGate

from bizcrawl.collection.resume import RecordedCall
from bizcrawl.reasons import Reason
from bizcrawl.replay import replay
from bizcrawl.robots.tags import FOLLOWS_ALL
from bizcrawl.strategies import GivesByName, Strategy
from bizcrawl.strategies.apprentice import Apprentice
from bizcrawl.strategies.table import STRATEGIES, make_strategy
from bizcrawl.strategies.verifying import Verifying
from bizcrawl.topic import Topic
from contexts.stored import to_bytes
from testbed.pagegraph import PageGraph
from testbed.pagegraph_folder import open_graph

EXACT = ["apprentice", "intelligent", "pagerank", "random", "shark-search", "fish-search"]
"""Strategies that a replay brings back to the last bit, though hosts had to wait."""


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> PageGraph:
    return open_graph(write_web(tmp_path_factory.mktemp("web") / "web.warc.gz"))


def started(name: str) -> Strategy:
    """A new strategy; small numbers let everything happen that happens seldom."""
    often: dict[str, dict[str, Any]] = {"intelligent": {"refresh": 7}, "pagerank": {"frequency": 7}}
    strategy = make_strategy(name, random.Random(9), **often.get(name, {}))
    strategy.start(TOPIC)
    return strategy


@pytest.mark.parametrize("name", [*STRATEGIES])
def test_a_strategy_goes_on_after_a_replay_as_if_nothing_had_happened(name: str, graph: PageGraph) -> None:
    first, again = started(name), started(name)
    play(again, go_on(first, graph, 12, seed=1), graph)
    assert len(first) == len(again)
    assert go_on(first, graph, 12, seed=2) == go_on(again, graph, 12, seed=2)


@pytest.mark.parametrize("name", [*STRATEGIES])
def test_after_a_crawl_with_hosts_that_wait_visits_alone_bring_back_what_waits(
    name: str, graph: PageGraph
) -> None:
    """Which URL came next depended on time, so `next` is not repeated; nothing is lost or given out twice."""
    gate, first, again = ManualGate(), started(name), started(name)
    calls, given = list[Call](), set[str]()
    for _ in range(15):
        gate.time_s += 1.0
        for link in first.next(2, gate):
            gate.waits_until_s[link.url.split("/")[2]] = gate.time_s + 2.5
            given.add(link.url)
            calls.append(end(link.url, first, graph))
    assert len(given) > 10
    play(again, calls, graph)
    rest = {link.url for link in drain(again)}
    assert not rest & given
    assert rest == {link.url for link in drain(first)}


@pytest.mark.parametrize("name", [*STRATEGIES])
def test_a_strategy_that_gives_by_name_is_told_what_was_in_hand(name: str, graph: PageGraph) -> None:
    first, again = started(name), started(name)
    assert isinstance(again, GivesByName) is (name in {*EXACT, "infospiders"})
    play(again, gated_crawl(first, graph, 60), graph)
    if name in EXACT:
        assert drain(again) == drain(first)
    elif isinstance(again, GivesByName):
        # who has the turn is a guess where several agents have the same link
        assert len(drain(again)) == pytest.approx(len(drain(first)), abs=3)


def verifying(name: str) -> Verifying:
    strategy = Verifying(make_strategy(name, random.Random(9)), Suggesting(), 0.5)
    strategy.start(TOPIC)
    return strategy


@pytest.mark.parametrize("name", [*STRATEGIES])
def test_suggestions_are_given_out_once_and_repeated(name: str, graph: PageGraph) -> None:
    first, again = verifying(name), verifying(name)
    calls = go_on(first, graph, 25, seed=1)
    given = " ".join(what for kind, what in calls if kind == "next").split()
    assert len(given) > 30
    assert len(given) == len(set(given))
    play(again, calls, graph)
    assert go_on(first, graph, 12, seed=2) == go_on(again, graph, 12, seed=2)


@pytest.mark.parametrize("name", ["best-first", "apprentice", "dom"])
def test_a_suggestion_is_not_given_out_again_by_the_strategy_within(name: str) -> None:
    strategy = Verifying(make_strategy(name, random.Random(0)), Suggesting([TOPIC.seeds[1]]), 0.5)
    strategy.start(TOPIC)
    first, second, third = TOPIC.seeds
    assert [link.url for link in strategy.next(4)] == [second, first, third]


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_suggestions_get_their_share_of_the_picks_from_the_first_on_while_there_are_any(share: float) -> None:
    """docs/companies.md: half of the budget of `discover` (--verify-share)."""
    met = [f"http://met.example/{n}" for n in range(60)]
    wanted = [f"http://wanted.example/{n}" for n in range(12)]
    strategy = Verifying(make_strategy("breadth-first", random.Random(0)), Suggesting(wanted), share)
    strategy.start(Topic("t", tuple(met), "pumps"))
    picked = []
    for _ in range(60):
        (link,) = strategy.next(1)
        picked.append("wanted" in link.url)
        strategy.fail(link.url, Reason.TIMEOUT)
    through = int(len(wanted) / share)
    assert [sum(picked[:n]) for n in range(1, through + 1)] == [
        ceil(share * n) for n in range(1, through + 1)
    ]
    assert sum(picked) == len(wanted)
    assert len(strategy) == len(met) + len(wanted) - 60


def outcomes(strategy: Strategy) -> np.ndarray:
    """All that an apprentice has learned from followed links."""
    assert isinstance(strategy, Apprentice)
    return strategy.correction._products


@pytest.mark.parametrize("with_suggestions", [False, True])
def test_a_gated_crawl_that_is_resumed_has_learned_what_it_had_learned(
    with_suggestions: bool, graph: PageGraph
) -> None:
    make = verifying if with_suggestions else started
    first, again = make("apprentice"), make_strategy("apprentice", random.Random(9))
    within = again
    if with_suggestions:
        again = Verifying(again, Suggesting(), 0.5)
    calls = [("start", ""), *gated_crawl(first, graph, 140)]
    back = replay((recorded(call, graph) for call in calls), TOPIC, again, gated=True, heed=FOLLOWS_ALL)
    if isinstance(first, Verifying):
        first = first.within
    assert outcomes(within)[-2, -2] > 40, "outcomes enough to correct the weights"
    assert np.array_equal(outcomes(within), outcomes(first))
    assert isinstance(first, Apprentice)
    assert isinstance(within, Apprentice)
    assert np.array_equal(within.correction.weights, first.correction.weights)
    assert not np.array_equal(within.correction.weights, first.correction._prior)
    assert list(within.frontier) == list(first.frontier)
    ended = {url for kind, url in calls if kind in {"visit", "fail"}}
    given = [url for kind, urls in calls if kind == "give" for url in urls.split()]
    assert len(given) == len(set(given))
    assert list(back.leased) == [url for url in given if url not in ended]


def recorded(call: Call, graph: PageGraph) -> RecordedCall:
    """A call as a collection tells of it."""
    kind, what = call
    if kind == "give":
        return RecordedCall("next", "", 2, tuple(what.split()), None, "", None, "")
    if kind == "fail":
        return RecordedCall("fail", what, 0, (), Reason.HTTP_ERROR, "", None, "")
    if kind == "start":
        return RecordedCall("start", "", 0, (), None, "", None, "")
    number = graph.outcome(what)
    assert not isinstance(number, Reason)
    page = graph.page(number, what)
    return RecordedCall("visit", what, 0, (), None, page.final_url, to_bytes(page.tree), "")
