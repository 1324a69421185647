"""Crawls of a page graph whose calls are written down, to be played to another strategy."""

from __future__ import annotations

import random
from collections.abc import Sequence

from strategies_web import HOSTS, TOPIC
from strategy_pages import ManualGate

from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.suggestions import Suggestions
from bizcrawl.companies.worth_visiting import Suggestion
from bizcrawl.reasons import Reason
from bizcrawl.strategies import GivesByName, ScoredLink, Strategy
from testbed.pagegraph import PageGraph

Call = tuple[str, str]


def play(strategy: Strategy, calls: list[Call], graph: PageGraph) -> None:
    """Repeat recorded calls; what `next` gives out must be what was recorded."""
    for kind, what in calls:
        if kind == "start":
            strategy.start(TOPIC)
        elif kind == "next":
            assert " ".join(link.url for link in strategy.next(2)) == what
        elif kind == "give":
            if isinstance(strategy, GivesByName):
                assert " ".join(link.url for link in strategy.give(what.split())) == what
        elif kind == "visit":
            page = graph.outcome(what)
            assert not isinstance(page, Reason)
            strategy.visit(graph.page(page, what))
        else:
            strategy.fail(what, Reason.HTTP_ERROR)


def end(url: str, strategy: Strategy, graph: PageGraph) -> Call:
    """Tell a strategy what became of a URL; returns the call."""
    kind = "fail" if isinstance(graph.outcome(url), Reason) else "visit"
    play(strategy, [(kind, url)], graph)
    return kind, url


def go_on(strategy: Strategy, graph: PageGraph, turns: int, seed: int) -> list[Call]:
    """Crawl two at a time, the answers coming back in any order; returns the calls."""
    rng, calls, out = random.Random(seed), list[Call](), list[str]()
    for _ in range(turns):
        given = [link.url for link in strategy.next(2)]
        calls.append(("next", " ".join(given)))
        out += given
        while out and (len(out) > 3 or rng.random() < 0.7):
            calls.append(end(out.pop(rng.randrange(len(out))), strategy, graph))
    return calls


def gated_crawl(strategy: Strategy, graph: PageGraph, turns: int) -> list[Call]:
    """Like `go_on`, where a host rests after each request; a `next` that brings nothing is not recorded.

    What is in hand at the end is not heard of.
    """
    gate, rng, calls, out = ManualGate(), random.Random(1), list[Call](), list[str]()
    for _ in range(turns):
        gate.time_s += rng.random()
        links = strategy.next(2, gate)
        for link in links:
            gate.waits_until_s[link.url.split("/")[2]] = gate.time_s + 2.5
            out.append(link.url)
        if links:
            calls.append(("give", " ".join(link.url for link in links)))
        while out and (len(out) > 4 or rng.random() < 0.5):
            calls.append(end(out.pop(rng.randrange(len(out))), strategy, graph))
    return calls


def drain(strategy: Strategy) -> list[ScoredLink]:
    """All that waits, in order."""
    links = []
    while found := strategy.next(1):
        links += found
    return links


class Suggesting(Suggestions):
    """Suggests pages of the web, a few more with each page that was visited."""

    def __init__(self, urls: Sequence[str] = ()) -> None:
        super().__init__(TOPIC)
        self._urls = list(urls)
        self._hosts = list(HOSTS)

    def visit(self, page: PageFacts) -> None:
        """Learn of a page that was visited."""
        if self._hosts:
            host = self._hosts.pop()
            self._urls += [f"http://{host}/{path}" for path in ("", "p1", "gone", "p2", "p4", "unknown")]

    def next(self, n: int, *, at_once: bool = False) -> list[Suggestion]:
        """The first n."""
        urls, self._urls = self._urls[:n], self._urls[n:]
        return [Suggestion(url, 1 / (1 + i), "suggested") for i, url in enumerate(urls)]
