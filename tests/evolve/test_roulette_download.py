"""Simulated download (R120): a list of 100, filled up by 50 at 50, drawn by roulette over time waited."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import Gate, ScoredLink
from bizcrawl.strategies.evolved import Evolved, EvolvedOptions
from bizcrawl.strategies.options import Givens
from bizcrawl.strategies.rank_weights import PAPER
from bizcrawl.strategies.table import make_strategy
from bizcrawl.topic import Topic
from testbed.evolve.roulette import REFILL, Crawl, CurrentList, download
from testbed.evolve.scenario import Scenario


def links(prefix: str, number: int) -> list[ScoredLink]:
    return [ScoredLink(f"{prefix}{n}", 0.0) for n in range(number)]


def test_a_url_that_waited_longer_is_drawn_in_proportion() -> None:
    drawn: Counter[str] = Counter()
    for seed in range(3000):
        current = CurrentList(Random(seed))
        current.refill(links("old", 1))
        current.refill(links("new", 1))
        drawn[current.draw().url] += 1
    # time stamps 2 and 1
    assert drawn["old0"] / 3000 == pytest.approx(2 / 3, abs=0.03)


def test_each_refill_makes_all_others_a_step_older() -> None:
    drawn: Counter[str] = Counter()
    for seed in range(4000):
        current = CurrentList(Random(seed))
        for name in ("first", "second", "third"):
            current.refill(links(name, 2))
        drawn[current.draw().url[:-1]] += 1
    assert drawn["first"] / 4000 == pytest.approx(3 / 6, abs=0.03)
    assert drawn["second"] / 4000 == pytest.approx(2 / 6, abs=0.03)


def test_everything_is_drawn_once() -> None:
    current = CurrentList(Random(1))
    current.refill(links("a", 30))
    current.refill([])
    current.refill(links("b", 20))
    drawn = [current.draw().url for _ in range(50)]
    assert len(set(drawn)) == 50
    assert len(current) == 0


class Watched:
    """A strategy that records how it was called."""

    def __init__(self, strategy: Evolved) -> None:
        self.strategy = strategy
        self.asked: list[int] = []
        self.given: list[str] = []
        self.away = 0
        self.waiting: list[int] = []

    def start(self, topic: Topic) -> None:
        self.strategy.start(topic)

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        found = self.strategy.next(n, gate)
        self.asked.append(n)
        self.waiting.append(len(self.given) - self.away)
        self.given += [link.url for link in found]
        return found

    def visit(self, page: Page) -> list[ScoredLink]:
        self.away += 1
        return list(self.strategy.visit(page))

    def fail(self, url: str, reason: Reason) -> None:
        self.away += 1
        self.strategy.fail(url, reason)

    def __len__(self) -> int:
        return len(self.strategy)


def crawl(scenario: Scenario, pages: int, seed: int) -> tuple[Crawl, Watched]:
    givens = Givens(Random(0), score_page=scenario.score)
    watched = Watched(Evolved(EvolvedOptions(), givens, weights=PAPER))
    return download(scenario, scenario.topic, watched, pages, Random(seed)), watched


def test_fifty_are_asked_for_when_at_most_fifty_are_left(scenario: Scenario) -> None:
    _, watched = crawl(scenario, 400, 1)
    assert set(watched.asked) == {REFILL} == {50}
    assert max(watched.waiting) <= 50


def test_only_good_pages_count_and_each_once(scenario: Scenario) -> None:
    found, watched = crawl(scenario, 400, 1)
    assert len(found) == len(set(found.pages)) == 400
    assert sum(found.turned_away.values()) + 400 == watched.away
    assert found.turned_away[Reason.HTTP_ERROR] > 0
    assert all(scenario.outcome(url) == page for url, page in zip(found.urls, found.pages, strict=True))


def test_excluded_pages_are_never_visited(scenario: Scenario) -> None:
    found, _ = crawl(scenario, 2000, 1)
    assert not {scenario.graph.final_url(page) for page in found.pages} & set(scenario.bed_topic.excluded)


def test_seeds_have_depth_zero_and_links_lead_on(scenario: Scenario) -> None:
    found, _ = crawl(scenario, 200, 1)
    seeds = {url for url, depth in zip(found.urls, found.depths, strict=True) if depth == 0}
    assert seeds == set(scenario.topic.seeds)
    assert max(found.depths) >= 3


def test_the_same_luck_gives_the_same_crawl_and_other_luck_another(scenario: Scenario) -> None:
    assert crawl(scenario, 300, 1)[0].pages == crawl(scenario, 300, 1)[0].pages
    assert crawl(scenario, 300, 1)[0].pages != crawl(scenario, 300, 2)[0].pages


def test_a_crawl_ends_when_nothing_waits(scenario: Scenario) -> None:
    found, watched = crawl(scenario, 10**6, 1)
    assert len(found) < 10**6
    assert len(watched) == 0


def test_any_strategy_can_be_downloaded_with(scenario: Scenario) -> None:
    strategy = make_strategy("breadth-first", Random(0))
    seen: list[int] = []
    found = download(scenario, scenario.topic, strategy, 100, Random(0), lambda c: seen.append(len(c)))
    assert seen == list(range(1, 101))
    assert len(found) == 100
