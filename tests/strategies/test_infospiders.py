"""InfoSpiders: the formulas, the four variants, the bounds."""

from __future__ import annotations

import random
from collections import Counter
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategy_pages import ManualGate, page

from bizcrawl.reasons import Reason
from bizcrawl.strategies import ScoredLink
from bizcrawl.strategies.agent import AgentFrontier, Net, logistic, nearness
from bizcrawl.strategies.infospiders import InfoSpiders, move_probability
from bizcrawl.strategies.table import make_strategy
from bizcrawl.topic import Topic

SEEDS = ("http://one.example/", "http://two.example/")
TOPIC = Topic("Top/Pumps", SEEDS, "pump makers")


def started(**options: object) -> InfoSpiders:
    strategy = make_strategy("infospiders", random.Random(1), **options)  # type: ignore[arg-type]
    strategy.start(TOPIC)
    assert isinstance(strategy, InfoSpiders)
    return strategy


def frontier(scores: dict[str, float], size: int = 100) -> AgentFrontier:
    made = AgentFrontier(size)
    for name, score in scores.items():
        made.push(ScoredLink(f"http://{name}.example/", score), ())
    return made


def waiting(made: AgentFrontier) -> str:
    """Initials of the hosts of the links that wait."""
    return "".join(name for name in "abcdxyz" if f"http://{name}.example/" in made)


def shares(beta: float, scores: dict[str, float], draws: int = 20_000) -> dict[str, float]:
    rng, made = random.Random(4), frontier(scores)
    drawn: Counter[str] = Counter()
    for _ in range(draws):
        chosen = made.choose(beta, rng)
        assert chosen is not None
        drawn[chosen[0].url[7:8]] += 1
    return {name: drawn[name] / draws for name in scores}


class TestChoice:
    def test_the_chance_of_a_link_grows_with_exp_of_beta_times_its_score(self) -> None:
        """R71, TOIT eq. 6."""
        scores = {"a": 0.9, "b": 0.5, "c": 0.1}
        total = sum(exp(5 * score) for score in scores.values())
        expected = {name: exp(5 * score) / total for name, score in scores.items()}
        assert shares(5, scores) == pytest.approx(expected, abs=0.015)

    def test_without_greed_all_links_are_alike(self) -> None:
        """R81."""
        assert shares(0, {"a": 1.0, "b": 0.0}) == pytest.approx({"a": 0.5, "b": 0.5}, abs=0.015)

    def test_hosts_that_wait_are_not_chosen(self) -> None:
        gate, made = ManualGate(), frontier({"a": 1.0, "b": 0.0})
        gate.waits_until_s["a.example"] = 9.0
        for seed in range(20):
            chosen = made.choose(5, random.Random(seed), gate)
            assert chosen is not None
            assert chosen[0].url == "http://b.example/"
        gate.waits_until_s["b.example"] = 9.0
        assert made.choose(5, random.Random(1), gate) is None


@pytest.mark.parametrize(("difference", "chance"), [(-0.1, 0.269), (0.0, 0.5), (0.1, 0.731)])
def test_moving_to_a_page_follows_equation_7(difference: float, chance: float) -> None:
    """R75, A3."""
    assert move_probability(difference, 0.1) == pytest.approx(chance, abs=5e-4)


def test_the_logistic_function_has_no_limits() -> None:
    assert logistic(0) == 0.5
    assert (logistic(-1e6), logistic(1e6)) == (0.0, 1.0)
    assert logistic(1.3) == pytest.approx(1 / (1 + exp(-1.3)))


class TestNet:
    def test_one_step_of_back_propagation_by_hand(self) -> None:
        """R73: w += rate · (target − o) · o (1 − o) · x."""
        net = Net([1.0, 1.0])
        before = net((2.0, 0.0))
        net.learn((2.0, 0.0), 0.1, rate=0.5)
        step = 0.5 * (0.1 - before) * before * (1 - before)
        assert net.weights == pytest.approx([1 + 2 * step, 1.0])
        assert net.bias == pytest.approx(step)
        assert abs(net((2.0, 0.0)) - 0.1) < abs(before - 0.1)

    def test_keywords_near_a_link_count_by_nearness(self) -> None:
        """R74, A4: 1 in the anchor and beside it, 1/2 with one link in between, … 1/6 with five."""
        anchors = "".join(f'<a href="/{i}">x</a> ' for i in range(8))
        near = nearness(page(SEEDS[0], f"pump {anchors}"), ["pump", "maker"], reach=5)
        assert near[:, 0].tolist() == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6, 0, 0])
        assert not near[:, 1].any()
        inside = '<a href="/0">x</a> <a href="/1">pump makers</a> <a href="/2">x</a>'
        near = nearness(page(SEEDS[0], inside), ["pump", "maker"], reach=5)
        assert near.tolist() == [[1 / 2, 1 / 2], [1, 1], [1 / 2, 1 / 2]]

    @given(
        st.lists(
            st.sampled_from(["pump", '<a href="/x">pump</a>', '<a href="/y"></a>', "bread"]), max_size=12
        )
    )
    def test_nearness_is_a_sum_over_occurrences(self, blocks: list[str]) -> None:
        here = page(SEEDS[0], " ".join(blocks))
        near = nearness(here, ["pump"], reach=5)
        links = [i for i, block in enumerate(blocks) if block.startswith("<a")]
        for row, i in enumerate(links):
            expected = 0.0
            for j, block in enumerate(blocks):
                if "pump" in block:
                    between = sum(min(i, j) < k < max(i, j) for k in links) + (j in links and j != i)
                    expected += 1 / (1 + between) if between <= 5 else 0.0
            assert near[row, 0] == pytest.approx(expected)


class TestFrontierOfAnAgent:
    def test_the_worst_goes_when_it_is_full(self) -> None:
        made = frontier({"a": 0.5, "b": 0.1, "c": 0.9, "d": 0.05}, size=2)
        assert {url[7:8] for url in ("http://a.example/", "http://c.example/") if url in made} == {"a", "c"}
        assert made.dropped == 2

    def test_of_equals_the_latest_goes_whatever_went_before(self) -> None:
        """A9."""
        made = frontier({"a": 0.1, "b": 0.1, "c": 0.5}, size=2)
        assert waiting(made) == "ac"
        made = frontier({"x": 0.9, "a": 0.1, "b": 0.1, "c": 0.1}, size=4)
        made.discard("http://x.example/")  # c takes its place in the array, before a and b
        made.push(ScoredLink("http://y.example/", 0.9), ())
        made.push(ScoredLink("http://z.example/", 0.9), ())
        assert waiting(made) == "abyz"

    def test_a_link_that_was_raised_is_the_latest_of_its_equals(self) -> None:
        made = frontier({"a": 0.1, "b": 0.5, "c": 0.5}, size=3)
        made.push(ScoredLink("http://a.example/", 0.5), ())
        made.push(ScoredLink("http://d.example/", 0.9), ())
        assert waiting(made) == "bcd"

    def test_a_link_seen_again_keeps_the_higher_of_its_scores(self) -> None:
        """A7, A11."""
        made = frontier({"a": 0.4, "b": 0.3})
        made.push(ScoredLink("http://b.example/", 0.5), ())
        made.push(ScoredLink("http://a.example/", 0.2), ())
        found = [made.get(f"http://{name}.example/") for name in "ab"]
        assert [waiting[0].score for waiting in found if waiting is not None] == [0.4, 0.5]
        made.push(ScoredLink("http://c.example/", 0.6), ())
        made.size = 3
        made.push(ScoredLink("http://d.example/", 0.45), ())
        assert waiting(made) == "bcd"

    def test_equals_are_split_in_the_order_in_which_they_came(self) -> None:
        made = frontier(dict.fromkeys("xabcd", 0.5), size=8)
        made.discard("http://x.example/")
        child = made.split()
        assert (waiting(made), waiting(child)) == ("ac", "bd")
        made = frontier({"c": 0.3, "a": 0.9, "d": 0.1, "b": 0.5}, size=8)
        child = made.split()
        assert (waiting(made), waiting(child)) == ("ac", "bd"), "the parent keeps the best"

    @given(st.integers(1, 9), st.lists(st.floats(0, 1), max_size=30))
    def test_splitting_loses_no_link_and_no_room(self, size: int, scores: list[float]) -> None:
        made = frontier({str(i): score for i, score in enumerate(scores)}, size)
        before = len(made)
        if size > 1:
            child = made.split()
            assert len(made) + len(child) + made.dropped + child.dropped >= before
            assert len(made) <= made.size
            assert len(child) <= child.size
            assert made.size + child.size == size
            assert abs(len(made) - len(child)) <= 1


GOOD = 'pump makers valves valves <a href="/{}">pump makers</a> <a href="/{}">more</a>'


def crawl(strategy: InfoSpiders, pages: int) -> list[str]:
    """Visit pages that are all alike and good; each brings two new links."""
    urls = []
    for i in range(pages):
        for link in strategy.next(1):
            urls.append(link.url)
            strategy.visit(page(link.url, GOOD.format(2 * i, 2 * i + 1)))
        limit = strategy.options.max_population
        assert len(strategy.population) <= limit
        assert sum(agent.frontier.size for agent in strategy.population) <= strategy.options.max_frontier
        assert len(strategy) <= strategy.options.max_frontier
    return urls


class TestPopulation:
    def test_it_grows_to_its_bound_and_children_learn_a_word_of_the_page(self) -> None:
        """R76, A5: most frequent stem that is no keyword yet; energy starts anew; room is halved."""
        strategy = started(max_frontier=64)
        crawl(strategy, 60)
        assert len(strategy.population) == 8
        assert "valv" in strategy.population[1].keywords
        assert len(set(strategy.population[1].keywords)) == len(strategy.population[1].keywords)
        assert strategy.population[0].keywords == ("maker", "pump")
        assert len(strategy.population[1].net.weights) == len(strategy.population[1].keywords)

    def test_a_child_learns_the_most_frequent_word_that_is_no_keyword_yet(self) -> None:
        """R76, A5: of a page that says "pump" four times, "valves" thrice and "bread" once."""
        strategy = started(theta=0.1)
        strategy.next(1)
        strategy.visit(page(SEEDS[0], "pump pump bread valves valves pump valves pump"))
        assert [agent.keywords for agent in strategy.population] == [
            ("maker", "pump"),
            ("maker", "pump", "valv"),
        ]
        assert strategy.population[1].query.by_stem == {"maker": 1.0, "pump": 1.0, "valv": 1.0}

    def test_an_agent_moves_to_a_page_that_is_more_similar_and_hardly_to_one_that_is_less(self) -> None:
        """R75, A3: with T = 0.1 the chance of a page less similar by 1 is 1 / (1 + exp(10)); the first
        page is always taken.
        """
        strategy = started(evolution=False)
        (agent,) = strategy.population
        bread, pumps, wine = (page(f"http://{n}.example/", n) for n in ("bread", "pump makers", "wine"))
        stood_on = []
        for here in (bread, pumps, wine):
            strategy.visit(here)
            stood_on.append(agent.at)
        assert stood_on == [bread, pumps, pumps]

    def test_a_link_with_no_keyword_near_it_is_estimated_by_the_bias_alone(self) -> None:
        """R74: all inputs are 0, and a new net has no bias (A4)."""
        strategy = started(learning=False)
        (link,) = strategy.visit(page(SEEDS[0], 'bread <a href="/a">wine</a>'))
        assert link.parts == {"page": 0.0, "net": 0.5}

    def test_an_agent_divides_when_its_energy_exceeds_theta(self) -> None:
        strategy = started(theta=1.5)
        similarity = page(SEEDS[0], GOOD.format(0, 1)).similarity(TOPIC.query)
        visits = 0
        while len(strategy.population) == 1:
            crawl(strategy, 1)
            visits += 1
        assert visits == int(1.5 / similarity) + 1
        assert [agent.energy for agent in strategy.population] == [0.0, 0.0]

    @pytest.mark.parametrize("learning", [True, False])
    @pytest.mark.parametrize("evolution", [True, False])
    def test_the_four_variants(self, learning: bool, evolution: bool) -> None:
        """R78: without learning weights stay alike, without evolution there is one agent."""
        strategy = started(learning=learning, evolution=evolution)
        crawl(strategy, 40)
        assert (len(strategy.population) > 1) == evolution
        weights = strategy.population[0].net.weights
        assert (weights != [1.0] * len(weights)) == learning

    def test_estimates_blend_page_and_net(self) -> None:
        """R70 with α = 0.5."""
        strategy = started(learning=False)
        strategy.next(2)
        here = page(SEEDS[0], 'pump bread <a href="/a">makers</a>')
        scored = strategy.visit(here)[0]
        similarity = here.similarity(TOPIC.query)
        assert scored.parts == pytest.approx({"page": similarity, "net": logistic(2.0)})
        assert scored.score == pytest.approx(0.5 * similarity + 0.5 * logistic(2.0))

    def test_what_stood_around_a_link_is_kept_only_while_its_page_is_in_hand(self) -> None:
        strategy = started()
        good, bad = strategy.next(2)
        assert set(strategy._sent) == {good.url, bad.url}
        strategy.visit(page(good.url, "pump"))
        strategy.fail(bad.url, Reason.TIMEOUT)
        assert not strategy._sent

    def test_an_agent_without_links_idles_while_others_go_on(self) -> None:
        strategy = started(max_frontier=16)
        crawl(strategy, 30)
        idle = strategy.population[0]
        for link in [*idle.frontier._links]:
            idle.frontier.discard(link)
        assert len(strategy.next(4)) == 4
