"""Every strategy is a function of its calls and its seed, so that the recorded calls bring it back."""

from __future__ import annotations

import random

import pytest
from strategies_web import TOPIC, write_web
from strategy_pages import ManualGate

from bizcrawl.reasons import Reason
from bizcrawl.strategies import Strategy
from bizcrawl.strategies.table import STRATEGIES, make_strategy
from testbed.pagegraph import PageGraph
from testbed.pagegraph_build import open_graph

Call = tuple[str, str]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> PageGraph:
    return open_graph(write_web(tmp_path_factory.mktemp("web") / "web.warc.gz"))


def play(strategy: Strategy, calls: list[Call], graph: PageGraph) -> None:
    """Repeat recorded calls; what `next` gives out must be what was recorded."""
    for kind, what in calls:
        if kind == "start":
            strategy.start(TOPIC)
        elif kind == "next":
            assert " ".join(link.url for link in strategy.next(2)) == what
        elif kind == "visit":
            page = graph.outcome(what)
            assert not isinstance(page, Reason)
            strategy.visit(graph.page(page, what))
        else:
            strategy.fail(what, Reason.HTTP_ERROR)


def go_on(strategy: Strategy, graph: PageGraph, turns: int, seed: int) -> list[Call]:
    """Crawl two at a time, the answers coming back in any order; returns the calls."""
    rng, calls, out = random.Random(seed), list[Call](), list[str]()
    for _ in range(turns):
        given = [link.url for link in strategy.next(2)]
        calls.append(("next", " ".join(given)))
        out += given
        while out and (len(out) > 3 or rng.random() < 0.7):
            url = out.pop(rng.randrange(len(out)))
            page = graph.outcome(url)
            if isinstance(page, Reason):
                strategy.fail(url, page)
                calls.append(("fail", url))
            else:
                strategy.visit(graph.page(page, url))
                calls.append(("visit", url))
    return calls


@pytest.mark.parametrize("name", [*STRATEGIES])
def test_a_strategy_goes_on_after_a_replay_as_if_nothing_had_happened(name: str, graph: PageGraph) -> None:
    first = make_strategy(name, random.Random(9))
    first.start(TOPIC)
    calls = [("start", ""), *go_on(first, graph, 12, seed=1)]
    again = make_strategy(name, random.Random(9))
    play(again, calls, graph)
    assert len(first) == len(again)
    assert go_on(first, graph, 12, seed=2) == go_on(again, graph, 12, seed=2)


@pytest.mark.parametrize("name", [*STRATEGIES])
def test_after_a_crawl_with_hosts_that_wait_visits_alone_bring_back_what_waits(
    name: str, graph: PageGraph
) -> None:
    """Which URL came next depended on time, so `next` is not repeated; nothing is lost or given out twice."""
    gate, first = ManualGate(), make_strategy(name, random.Random(9))
    first.start(TOPIC)
    calls, given = list[Call](), set[str]()
    for _ in range(15):
        gate.time_s += 1.0
        for link in first.next(2, gate):
            gate.waits_until_s[link.url.split("/")[2]] = gate.time_s + 2.5
            given.add(link.url)
            page = graph.outcome(link.url)
            calls.append(("fail" if isinstance(page, Reason) else "visit", link.url))
            play(first, calls[-1:], graph)
    assert len(given) > 10
    again = make_strategy(name, random.Random(9))
    play(again, [("start", ""), *calls], graph)
    rest = {link.url for link in drain(again)}
    assert not rest & given
    assert rest == {link.url for link in drain(first)}


def drain(strategy: Strategy) -> list:  # type: ignore[type-arg]
    links = []
    while found := strategy.next(1):
        links += found
    return links
