"""PageRank against igraph; Shark-Search and Fish-Search by hand."""

from __future__ import annotations

import random

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategy_pages import page

from bizcrawl.reasons import Reason
from bizcrawl.strategies import ScoredLink, Strategy
from bizcrawl.strategies.pagerank import PageRank, pagerank
from bizcrawl.strategies.shark_search import SharkSearch
from bizcrawl.strategies.table import make_strategy
from bizcrawl.topic import Topic

SEEDS = ("http://one.example/", "http://two.example/")
TOPIC = Topic("Top/Pumps", SEEDS, "pump makers")


def started(name: str, **options: object) -> Strategy:
    strategy = make_strategy(name, random.Random(1), **options)  # type: ignore[arg-type]
    strategy.start(TOPIC)
    return strategy


def ints(values: list[int]) -> np.ndarray:
    return np.array(values, np.int32)


class TestPageRank:
    def test_a_page_and_two_links_by_hand(self) -> None:
        """TOIT eq. 5 with γ = 0.8: a links to b and c; both link back to a, the only page of the buffer.

        a = 0.2 + 0.8 (b + c), b = c = 0.2 + 0.4 a: a = 13/9, b = c = 7/9, three pages in sum.
        """
        ranks = pagerank(ints([0, 0]), ints([1, 2]), 3, ints([0]), threshold=1e-12)
        assert ranks == pytest.approx([13 / 9, 7 / 9, 7 / 9])

    @given(st.integers(1, 6), st.integers(1, 8), st.data())
    def test_it_is_igraphs_pagerank_times_the_number_of_pages(
        self, buffered: int, others: int, data: st.DataObject
    ) -> None:
        n = buffered + others
        pairs = st.sets(st.tuples(st.integers(0, buffered - 1), st.integers(0, n - 1)), max_size=30)
        edges = sorted(pair for pair in data.draw(pairs) if pair[0] != pair[1])
        sources = {source for source, _ in edges}
        heads, tails = ints([a for a, _ in edges]), ints([b for _, b in edges])
        ranks = pagerank(heads, tails, n, ints(list(range(buffered))), threshold=1e-12)
        without_links = [(v, b) for v in range(n) if v not in sources for b in range(buffered)]
        whole = igraph.Graph(n, [*edges, *without_links], directed=True)
        assert ranks == pytest.approx([n * rank for rank in whole.pagerank(damping=0.8)], abs=1e-6)
        assert ranks.sum() == pytest.approx(n)  # A1

    def test_it_ends_when_ranks_change_by_less_than_a_hundredth_on_average(self) -> None:
        """A2, TOIT eq. 5: the sum of all changes over the number of pages. Here ten pages link to each other
        in a ring, and the first of them to 90 others.
        """
        heads = ints([*range(10), *[0] * 90])
        tails = ints([*range(1, 10), 0, *range(10, 100)])
        passed_on = np.zeros((100, 100))
        np.add.at(passed_on, (heads, tails), 1 / np.bincount(heads, minlength=100)[heads])
        passed_on[10:, :10] = 1 / 10  # pages without links lead to every page of the buffer
        ranks, change = np.ones(100), 1.0
        while change >= 0.01:
            before, ranks = ranks, 0.2 + 0.8 * ranks @ passed_on
            change = np.abs(ranks - before).sum() / 100
        assert pagerank(heads, tails, 100, ints(list(range(10)))) == pytest.approx(ranks, rel=1e-12)

    def test_a_threshold_that_numbers_cannot_reach_ends_all_the_same(self) -> None:
        """A2: beside it, sums of rounded numbers may change for ever, by less than anybody can ask for."""
        rng = np.random.default_rng(1)
        for n in range(4, 60):
            heads, tails = np.unique(rng.integers(0, n, (2 * n, 2)), axis=0).T.astype(np.int32)
            ranks = pagerank(heads, tails, n, ints(list(range(n // 3))), gamma=0.95, threshold=1e-30)
            assert ranks.sum() == pytest.approx(n)  # A1

    def test_ranks_are_computed_every_so_many_pages(self) -> None:
        """R67: before, a link has what its page passes on; then what all in-links give it."""
        strategy = started("pagerank", frequency=2)
        strategy.next(2)
        first = strategy.visit(page(SEEDS[0], '<a href="http://x.example/">x</a><a href="/y">y</a>'))
        assert [link.score for link in first] == pytest.approx([0.2 + 0.8 * 0.2 / 2] * 2)
        assert [*strategy.frontier] == [*first]  # type: ignore[attr-defined]
        strategy.visit(page(SEEDS[1], '<a href="http://x.example/">x</a>'))
        best, other = strategy.next(2)
        assert (best.url, other.url) == ("http://x.example/", "http://one.example/y")
        assert best.parts == {"pagerank": best.score}
        ranks = pagerank(ints([0, 0, 1]), ints([2, 3, 2]), 4, ints([0, 1]))
        assert [best.score, other.score] == pytest.approx(ranks[2:].tolist())

    def test_the_buffer_keeps_the_most_similar_pages_and_urls_that_failed_are_no_nodes(self) -> None:
        strategy = started("pagerank", frequency=1, buffer=1)
        strategy.next(2)
        strategy.visit(page(SEEDS[0], 'pump makers <a href="/good">g</a><a href="/gone">x</a>'))
        strategy.fail("http://one.example/gone", Reason.HTTP_ERROR)
        strategy.visit(page(SEEDS[1], 'bread <a href="http://one.example/bad">b</a>'))
        best, other = strategy.next(2)
        # the page without the keywords left the buffer, so its link has no rank but the least
        assert best.url == "http://one.example/good"
        assert best.score == pytest.approx(pagerank(ints([0]), ints([1]), 2, ints([0]))[1])
        assert other.score == pytest.approx(0.2)

    def test_numbers_of_urls_without_a_rank_are_forgotten_and_the_ranks_stay(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def crawl() -> tuple[PageRank, list[ScoredLink]]:
            strategy = started("pagerank", frequency=5, buffer=8, max_frontier=40)
            assert isinstance(strategy, PageRank)
            given: list[ScoredLink] = []
            for i in range(60):
                (link,) = strategy.next(1)
                given.append(link)
                others = "".join(f'<a href="http://h{7 * i + j}.example/">x</a>' for j in range(20))
                strategy.visit(page(link.url, f"pump {'bread ' * (i % 9)}{others}"))
            return strategy, [*given, *strategy.frontier]

        whole, expected = crawl()
        monkeypatch.setattr("bizcrawl.strategies.pagerank.MANY_NUMBERS", 0)
        bounded, links = crawl()
        assert links == expected
        assert len(bounded._numbers) < len(whole._numbers) / 1.5

    def test_seeds_stay_first_whatever_the_ranks_and_numbers_are_forgotten_beside_them(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A URL with many in-links has a rank above 1 (A1), and a seed whose host waits has no number."""
        monkeypatch.setattr("bizcrawl.strategies.pagerank.MANY_NUMBERS", 0)
        strategy = started("pagerank", frequency=1)
        for i in range(9):
            strategy.visit(page(f"http://h{i}.example/", '<a href="http://x.example/">x</a>'))
        seeds, (popular,) = strategy.next(2), strategy.next(1)
        assert [link.url for link in seeds] == list(SEEDS)
        assert popular.score > 1


class TestSharkSearch:
    BODY = '<p>pump <a href="/a">makers</a></p><p>pump <a href="/b">x</a></p><a href="/c">x</a>'

    def test_scores_by_hand(self) -> None:
        """R68, L1 with r = 0.1, δ = 0.5, β = 0.8."""
        strategy = started("shark-search")
        here = page(SEEDS[0], self.BODY)
        similarity = here.similarity(TOPIC.query)
        with_anchor, with_context, bare = strategy.visit(here)
        half, inherited = 1 / 2**0.5, 0.5 * similarity
        # anchor "makers": cos 1/√2, so the context counts 1
        assert with_anchor.score == pytest.approx(0.9 * (0.8 * half + 0.2 * 1) + 0.1 * inherited)
        # anchor "x" says nothing; around it "pump x": cos 1/2
        assert with_context.score == pytest.approx(0.9 * (0.2 * 0.5) + 0.1 * inherited)
        assert bare.score == pytest.approx(0.9 * 0.2 * bare.parts["context"] + 0.1 * inherited)
        assert with_anchor.parts == pytest.approx({"inherited": inherited, "anchor": half, "context": 1.0})

    def test_an_irrelevant_page_hands_on_half_of_what_it_inherited(self) -> None:
        strategy = started("shark-search")
        strategy.next(2)
        child = strategy.visit(page(SEEDS[0], self.BODY))[2]
        grandchild = strategy.visit(page(child.url, '<a href="/d">bread</a>'))[0]
        assert grandchild.parts["inherited"] == pytest.approx(child.parts["inherited"] / 2)

    @pytest.mark.parametrize("name", ["shark-search", "fish-search"])
    def test_a_path_is_given_up_after_d_irrelevant_pages(self, name: str) -> None:
        """TOIT Figure 8: seeds have depth d; irrelevant pages take one off; at 0 nothing is followed."""
        strategy = started(name, depth=2)
        strategy.next(2)
        followed = []
        for i, url in enumerate((SEEDS[0], "http://one.example/1", "http://one.example/2")):
            strategy.visit(page(url, f'bread <a href="http://one.example/{i + 1}">x</a>'))
            followed.append(len(strategy.next(1)) == 1)
        assert followed == [True, True, False]

    def test_nothing_is_kept_of_links_that_were_dropped_or_fetched(self) -> None:
        strategy = started("shark-search", max_frontier=5)
        assert isinstance(strategy, SharkSearch)
        for i in range(30):
            (link,) = strategy.next(1)
            others = "".join(f'<a href="http://h{i}.example/{j}">pump {"x " * j}</a>' for j in range(9))
            answered = f"{link.url}en" if i % 2 else link.url
            strategy.visit(page(link.url, f"pump {others}", final_url=answered))
        waiting = {link.url for link in strategy.frontier}
        assert set(strategy._depth_of) == set(strategy._inherited) == waiting
        (link,) = strategy.next(1)
        assert link.url in strategy._depth_of, "it is in hand"
        strategy.fail(link.url, Reason.HTTP_ERROR)
        assert link.url not in strategy._depth_of

    def test_a_relevant_page_restores_the_full_depth(self) -> None:
        strategy = started("shark-search", depth=1)
        strategy.next(2)
        strategy.visit(page(SEEDS[0], 'bread <a href="/1">x</a>'))
        strategy.next(1)
        assert strategy.visit(page("http://one.example/1", '<a href="/2">pump</a>'))
        assert len(strategy) == 0  # /1 had depth 0, so even its relevance comes too late
        strategy.visit(page(SEEDS[1], 'pump <a href="/3">x</a>'))
        strategy.next(1)
        strategy.visit(page("http://two.example/3", '<a href="/4">bread</a>'))
        assert [link.url for link in strategy.next(1)] == ["http://two.example/4"]

    def test_shark_1_is_shark_and_shark_n_takes_batches(self) -> None:
        """R80."""
        plain, one, three = (
            started("shark-search"),
            started("shark-search", n=1),
            started("shark-search", n=3),
        )
        for strategy in (plain, one, three):
            strategy.next(2)
            strategy.visit(page(SEEDS[0], self.BODY))
        assert plain.next(3) == one.next(3)
        first = three.next(1)
        three.visit(page(SEEDS[1], '<p>pump makers <a href="/best">pump makers</a></p>'))
        rest = three.next(2)
        assert {link.url[-1] for link in (*first, *rest)} <= {"a", "b", "c", "/"}
        assert three.next(1)[0].url == "http://two.example/best"


class TestFishSearch:
    @staticmethod
    def many(word: str, name: str) -> str:
        return word + "".join(f'<a href="http://x.example/{name}{i}">x</a>' for i in range(5))

    def test_relevant_links_go_to_the_front_irrelevant_ones_to_the_middle_and_others_to_the_end(self) -> None:
        """L1 with width 2: three of a relevant page, two of an irrelevant one."""
        strategy = started("fish-search", width=2)
        strategy.next(2)
        strategy.visit(page(SEEDS[0], self.many("pump", "old")))
        strategy.visit(page(SEEDS[1], self.many("bread", "middle")))
        strategy.visit(page("http://three.example/", self.many("makers", "new")))
        names = [link.url.rpartition("/")[2] for link in strategy.next(15)]
        assert names[:8] == ["new0", "new1", "new2", "old0", "old1", "old2", "middle0", "middle1"]
        assert names[8:] == ["old3", "old4", "middle2", "middle3", "middle4", "new3", "new4"]
