"""The frontier: order, bound, hosts kept apart."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategy_pages import ManualGate

from bizcrawl.frontier import Frontier
from bizcrawl.strategies import ScoredLink


def link(name: str, score: float = 0.0, host: str = "a") -> ScoredLink:
    return ScoredLink(f"http://{host}.example/{name}", score)


def paths(links: list[ScoredLink]) -> list[str]:
    return [found.url.rpartition("/")[2] for found in links]


def test_the_best_comes_first_and_equals_in_the_order_in_which_they_came() -> None:
    frontier = Frontier()
    for name, score in (("a", 0.2), ("b", 0.5), ("c", 0.2), ("d", 0.5)):
        frontier.push(link(name, score))
    assert paths(frontier.pop(4)) == ["b", "d", "a", "c"]


def test_equal_scores_make_it_first_in_first_out_and_a_full_one_takes_nothing_new() -> None:
    frontier = Frontier(max_urls=3)
    taken_in = [frontier.push(link(name)) for name in "abcde"]
    assert taken_in == [True, True, True, False, False]
    assert frontier.dropped == 2
    assert paths(frontier.pop(1)) == ["a"]
    assert frontier.push(link("f"))  # R65: one page taken makes room for one link
    assert not frontier.push(link("g"))
    assert paths(frontier.pop(9)) == ["b", "c", "f"]


def test_a_full_frontier_drops_the_worst_and_of_equals_the_latest() -> None:
    frontier = Frontier(max_urls=2)
    for name, score in (("a", 0.1), ("b", 0.1), ("c", 0.9)):
        frontier.push(link(name, score))
    assert paths(frontier.pop(9)) == ["c", "a"]
    assert frontier.dropped == 1


def test_a_better_sighting_raises_a_url_and_a_worse_one_leaves_it() -> None:
    frontier = Frontier()
    frontier.push(link("a", 0.3))
    frontier.push(link("b", 0.5))
    assert not frontier.push(link("a", 0.1))
    assert frontier.push(link("a", 0.9))
    assert [(found.url[-1], found.score) for found in frontier.pop(9)] == [("a", 0.9), ("b", 0.5)]
    assert len(frontier) == 0


def test_a_url_given_out_or_discarded_never_comes_again_but_a_dropped_one_may() -> None:
    frontier = Frontier(max_urls=1)
    frontier.push(link("a", 0.5))
    frontier.push(link("b", 0.9))  # drops a
    frontier.discard("http://a.example/c")
    assert paths(frontier.pop()) == ["b"]
    assert not frontier.push(link("b", 1.0))
    assert not frontier.push(link("c", 1.0))
    assert frontier.push(link("a", 0.5))


def test_urls_taken_by_name_are_given_out_like_the_best() -> None:
    frontier = Frontier()
    frontier.push(ScoredLink("http://a.example/x", 0.2, 3))
    frontier.push(link("y", 0.9))
    taken = frontier.take(["http://a.example/x", "http://a.example/unknown"])
    assert [(found.score, found.depth) for found in taken] == [(0.2, 3), (0.0, 0)]
    assert [found.depth for found in frontier.take(["http://a.example/x"])] == [3], "taken again in a resume"
    assert not frontier.push(link("x", 1.0))
    assert not frontier.push(link("unknown", 1.0))
    assert frontier.discard("http://a.example/x") == 3
    assert paths(frontier.pop(9)) == ["y"]


def test_of_each_url_that_makes_room_word_is_given() -> None:
    frontier, told = Frontier(max_urls=2), list[str]()
    frontier.on_drop = told.append
    for name, score in (("a", 0.1), ("b", 0.2), ("c", 0.3), ("d", 0.1)):
        frontier.push(link(name, score))
    assert told == ["http://a.example/a"], "d was turned away at once"


def test_what_is_not_admitted_is_not_queued() -> None:
    frontier = Frontier(admits=lambda url: "secret" not in url)
    assert not frontier.push(link("secret", 1.0))
    assert frontier.push(link("open", 0.1))
    assert paths(frontier.pop(9)) == ["open"]


def test_rescoring_turns_the_order_and_keeps_equals_in_place() -> None:
    frontier = Frontier()
    for name, score in (("a", 0.9), ("b", 0.5), ("c", 0.1)):
        frontier.push(link(name, score))
    frontier.rescore(lambda found: 1.0 if found.url.endswith("c") else 0.5)
    assert paths(frontier.pop(9)) == ["c", "a", "b"]


def test_rescoring_turns_the_order_of_urls_that_are_kept_by_host_too() -> None:
    """R114: a crawl of the live Web, whose hosts have to wait, keeps them so."""
    for gate, spread_hosts in ((ManualGate(), 0), (None, 2), (ManualGate(), 2)):
        frontier = Frontier(spread_hosts=spread_hosts)
        frontier.pop(1, gate)
        for i in range(6):
            frontier.push(link(f"x{i}", 0.1 * i, "x"))
            frontier.push(link(f"y{i}", 0.1 * i, "y"))
        frontier.rescore(lambda found: 1 - found.score)
        order = paths([found for _ in range(12) for found in frontier.pop(1, gate)])
        assert [name for name in order if name[0] == "x"] == [f"x{i}" for i in range(6)]
        assert [name for name in order if name[0] == "y"] == [f"y{i}" for i in range(6)]


def test_urls_kept_by_host_that_come_to_score_alike_stay_in_the_order_they_had() -> None:
    gate, frontier = ManualGate(), Frontier()
    frontier.pop(1, gate)
    for i in range(6):
        frontier.push(link(f"x{i}", 0.1 * i, "x"))
    frontier.rescore(lambda found: 0.5)
    order = paths([found for _ in range(6) for found in frontier.pop(1, gate)])
    assert order == ["x5", "x4", "x3", "x2", "x1", "x0"]


def test_a_frontier_that_was_cleared_knows_what_it_gave_out() -> None:
    for gate in (None, ManualGate()):
        frontier = Frontier()
        frontier.push(link("given", 0.9))
        frontier.push(link("waiting", 0.1, "b"))
        assert paths(frontier.pop(1, gate)) == ["given"]
        frontier.clear()
        assert (len(frontier), frontier.pop(1, gate), frontier.dropped) == (0, [], 0)
        assert not frontier.push(link("given", 1.0))
        assert frontier.push(link("waiting", 0.2, "b"))
        assert paths(frontier.pop(2, gate)) == ["waiting"]


def test_room_for_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one URL, not 0"):
        Frontier(max_urls=0)


class TestGate:
    def test_hosts_that_wait_are_passed_over_and_come_back_in_time(self) -> None:
        gate, frontier = ManualGate(), Frontier()
        gate.waits_until_s["slow.example"] = 5.0
        frontier.push(link("a", 0.9, "slow"))
        frontier.push(link("b", 0.5, "fast"))
        assert paths(frontier.pop(2, gate)) == ["b"]
        assert frontier.pop(2, gate) == []
        assert len(frontier) == 1
        gate.time_s = 5.0
        assert paths(frontier.pop(2, gate)) == ["a"]

    def test_one_batch_asks_a_host_once(self) -> None:
        gate, frontier = ManualGate(), Frontier()
        for name, score, host in (("a", 0.9, "x"), ("b", 0.8, "x"), ("c", 0.1, "y")):
            frontier.push(link(name, score, host))
        assert paths(frontier.pop(3, gate)) == ["a", "c"]
        assert paths(frontier.pop(3, gate)) == ["b"]

    def test_a_host_whose_wait_ended_early_is_found_within_a_second(self) -> None:
        gate, frontier = ManualGate(), Frontier()
        gate.waits_until_s["a.example"] = float("inf")
        frontier.push(link("x"))
        assert frontier.pop(1, gate) == []
        gate.waits_until_s.clear()
        gate.time_s = 1.0
        assert paths(frontier.pop(1, gate)) == ["x"]

    def test_urls_dropped_or_raised_meanwhile_do_not_come_up_in_old_places(self) -> None:
        gate, frontier = ManualGate(), Frontier(max_urls=2)
        frontier.pop(1, gate)
        for name, score, host in (("a", 0.1, "x"), ("b", 0.2, "y"), ("c", 0.3, "z"), ("b", 0.9, "y")):
            frontier.push(link(name, score, host))
        assert paths(frontier.pop(9, gate)) == ["b", "c"]

    @given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5), st.integers(0, 3)), max_size=60))
    def test_with_all_hosts_ready_the_order_is_that_without_a_gate(
        self, pushes: list[tuple[int, int, int]]
    ) -> None:
        free, gated, gate = Frontier(max_urls=20), Frontier(max_urls=20), ManualGate()
        gated.pop(1, gate)
        for name, score, host in pushes:
            for frontier in (free, gated):
                frontier.push(link(str(name), score / 5, f"h{host}"))
            if score == 0:
                assert free.pop() == gated.pop(1, gate)
        while free:
            assert free.pop() == gated.pop(1, gate)
        assert not gated


class TestHostsApart:
    def test_d_picks_in_a_row_come_from_d_hosts(self) -> None:
        frontier = Frontier(spread_hosts=3)
        for host, score in (("x", 0.9), ("y", 0.5), ("z", 0.1)):
            for i in range(4):
                frontier.push(link(f"{host}{i}", score, host))
        order = paths(frontier.pop(12))
        assert order == ["x0", "y0", "z0", "x1", "y1", "z1", "x2", "y2", "z2", "x3", "y3", "z3"]
        assert frontier.relaxed == 0

    def test_with_too_few_hosts_the_least_recent_one_gives_way_and_it_is_counted(self) -> None:
        frontier = Frontier(spread_hosts=50)
        for i in range(3):
            frontier.push(link(f"x{i}", 0.9, "x"))
            frontier.push(link(f"y{i}", 0.1, "y"))
        assert paths(frontier.pop(6)) == ["x0", "y0", "x1", "y1", "x2", "y2"]
        assert frontier.relaxed == 4

    def test_a_host_that_gives_way_has_had_its_rest(self) -> None:
        """A14: the rule of D hosts is relaxed, politeness is not."""
        gate, frontier = ManualGate(), Frontier(spread_hosts=50)
        for i in range(3):
            frontier.push(link(f"x{i}", 0.9, "x"))
        assert paths(frontier.pop(1, gate)) == ["x0"]
        gate.waits_until_s["x.example"] = 0.5
        assert frontier.pop(1, gate) == []
        gate.time_s = 0.5
        assert paths(frontier.pop(1, gate)) == ["x1"]
        gate.time_s = 9.0
        assert paths(frontier.pop(1, gate)) == ["x2"]
        assert frontier.relaxed == 2

    @given(st.integers(2, 6), st.integers(1, 8), st.randoms(use_true_random=False))
    def test_nothing_is_lost_and_windows_hold_while_there_are_hosts(
        self, d: int, hosts: int, rng: random.Random
    ) -> None:
        frontier = Frontier(spread_hosts=d)
        for i in range(40):
            frontier.push(link(str(i), rng.random(), f"h{rng.randrange(hosts)}"))
        picked: list[str] = []
        while frontier:
            before = frontier.relaxed
            waiting = {found.url.split("/")[2] for found in frontier}
            host = frontier.pop()[0].url.split("/")[2]
            window = set(picked[-(d - 1) :])
            assert (host in window) == (frontier.relaxed > before)
            if host in window:
                assert waiting <= window  # relaxed only when no other host had a URL
            picked.append(host)
        assert len(picked) == 40


def test_entries_out_of_date_do_not_pile_up() -> None:
    frontier = Frontier(max_urls=100, spread_hosts=5)
    for i in range(20_000):
        frontier.push(link(str(i), i, f"h{i % 7}"))  # each push drops the worst
        frontier.push(link(str(i), i + 0.5, f"h{i % 7}"))
    assert len(frontier) == 100
    assert frontier.dropped == 19_900
    assert frontier._hosts is not None
    assert max(len(frontier._hosts), len(frontier._order)) <= 2 * 100 + 600


def test_what_a_full_frontier_turns_away_at_once_leaves_no_entry_behind() -> None:
    frontier = Frontier(max_urls=100, spread_hosts=5)
    for i in range(5_000):
        frontier.push(link(str(i), 1.0 if i < 100 else 1.0 - i / 10_000, f"h{i % 7}"))
    assert (len(frontier), frontier.dropped) == (100, 4_900)
    assert frontier._hosts is not None
    assert len(frontier._hosts) == len(frontier._order) == 100


def test_queues_of_hosts_hold_a_quarter_of_stale_entries_at_most() -> None:
    frontier = Frontier(max_urls=10_000, spread_hosts=5)
    for i in range(60_000):
        frontier.push(link(str(i), i, f"h{i % 7}"))  # each push drops the worst
    assert frontier._hosts is not None
    assert len(frontier._hosts) <= 12_500 + 600


class Model:
    """The frontier as a sorted list."""

    def __init__(self, bound: int) -> None:
        self.bound, self.clock = bound, 0
        self.waiting: dict[str, tuple[float, int]] = {}
        self.taken: set[str] = set()

    def push(self, url: str, score: float) -> None:
        self.clock += 1
        if url in self.taken or (url in self.waiting and -self.waiting[url][0] >= score):
            return
        self.waiting[url] = (-score, self.clock)
        if len(self.waiting) > self.bound:
            del self.waiting[max(self.waiting, key=self.waiting.__getitem__)]

    def pop(self) -> list[str]:
        if not self.waiting:
            return []
        best = min(self.waiting, key=self.waiting.__getitem__)
        del self.waiting[best]
        self.taken.add(best)
        return [best]


@given(
    st.integers(1, 12),
    st.lists(
        st.tuples(
            st.sampled_from(["push", "push", "push", "pop", "drop"]), st.integers(0, 25), st.integers(0, 4)
        )
    ),
)
def test_it_behaves_as_a_sorted_list_does(bound: int, steps: list[tuple[str, int, int]]) -> None:
    frontier, model = Frontier(max_urls=bound), Model(bound)
    for kind, name, score in steps:
        url = f"http://a.example/{name}"
        if kind == "push":
            frontier.push(ScoredLink(url, score / 4))
            model.push(url, score / 4)
        elif kind == "pop":
            assert [found.url for found in frontier.pop()] == model.pop()
        else:
            frontier.discard(url)
            model.waiting.pop(url, None)
            model.taken.add(url)
        assert len(frontier) == len(model.waiting)
    assert [found.url for found in frontier] == sorted(model.waiting, key=model.waiting.__getitem__)


def test_many_urls_with_many_scores_come_out_sorted() -> None:
    rng, frontier = random.Random(5), Frontier(max_urls=5_000)
    scores = [rng.random() for _ in range(20_000)]
    for i, score in enumerate(scores):
        frontier.push(link(str(i), score))
    popped = [found.score for found in frontier.pop(5_000)]
    assert popped == sorted(scores, reverse=True)[:5_000]


def test_what_is_heard_of_a_url_tells_its_depth_once() -> None:
    frontier = Frontier()
    frontier.push(ScoredLink("http://a.example/waits", 0.1, depth=3))
    frontier.push(ScoredLink("http://a.example/flies", 0.2, depth=2))
    assert paths(frontier.pop()) == ["flies"]
    assert [frontier.discard(f"http://a.example/{name}") for name in ("flies", "waits", "new")] == [2, 3, 0]
    assert not frontier
    assert frontier.discard("http://a.example/flies") == 0
