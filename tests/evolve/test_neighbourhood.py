"""HUB, AUTHORITY, COMM_in, COMM_out and PARENT_k by hand on small graphs (R123–R125), and by definition."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scores_by_definition import by_definition

from bizcrawl.strategies.neighbourhood import AUTHORITY, COMM_IN, COMM_OUT, HUB, MANY_LINKS, Neighbourhood

FIRST_PARENT = 4


class Web:
    """A neighbourhood whose pages are named by letters."""

    def __init__(self, generations: int = 5, *, seeds: str = "", mean: bool = False) -> None:
        self.around = Neighbourhood(generations, mean_comm_out=mean)
        for seed in seeds:
            self.around.join_community(self.around.number(seed))

    def download(self, page: str, links: str, score: float = -1.0) -> set[str]:
        around = self.around
        numbers = [around.number(link) for link in links]
        changed = around.download(around.number(page), numbers, score, score > 0)
        return {around.urls[number] for number in changed}

    def score(self, url: str, column: int) -> float:
        return self.around.scores(self.around.number(url))[column]

    def parents(self, url: str) -> list[float]:
        return self.around.scores(self.around.number(url))[FIRST_PARENT:]


def test_hub_is_out_links_of_a_parent_over_their_average() -> None:
    web = Web()
    web.download("a", "bcd")
    web.download("e", "b")
    # AveOutCount = (3 + 1) / 2 = 2; of several parents the greatest counts (A30)
    assert web.score("c", HUB) == pytest.approx(3 / 2)
    assert web.score("b", HUB) == pytest.approx(3 / 2)
    web.download("f", "g")
    assert web.score("g", HUB) == pytest.approx(1 / (5 / 3))


def test_authority_is_parents_over_the_average_of_all_observed_urls() -> None:
    web = Web()
    web.download("a", "bcd")
    web.download("e", "b")
    # U = a, b, c, d, e; |P| = 0, 2, 1, 1, 0: AveInCount = 4 / 5
    assert web.score("b", AUTHORITY) == pytest.approx(2 / (4 / 5))
    assert web.score("c", AUTHORITY) == pytest.approx(1 / (4 / 5))
    assert web.score("e", AUTHORITY) == 0.0


def test_links_that_occur_twice_count_once() -> None:
    web = Web()
    web.download("a", "bbbc")
    assert web.score("b", HUB) == pytest.approx(1.0)
    assert web.score("b", AUTHORITY) == pytest.approx(1 / (2 / 3))


def test_comm_in_is_the_share_of_parents_in_the_community() -> None:
    web = Web(seeds="s")
    web.download("s", "u")
    assert web.score("u", COMM_IN) == 1.0
    web.download("x", "u", score=-0.5)
    assert web.score("u", COMM_IN) == 0.5
    web.download("y", "u", score=0.5)
    assert web.score("u", COMM_IN) == pytest.approx(2 / 3)


def test_comm_out_is_the_sum_of_the_parents_shares_of_community_links() -> None:
    web = Web(seeds="st")
    web.download("x", "stuv")
    web.download("y", "su")
    assert web.score("u", COMM_OUT) == pytest.approx(2 / 4 + 1 / 2)
    assert web.score("v", COMM_OUT) == pytest.approx(2 / 4)
    mean = Web(seeds="st", mean=True)
    mean.download("x", "stuv")
    mean.download("y", "su")
    assert mean.score("u", COMM_OUT) == pytest.approx((2 / 4 + 1 / 2) / 2)


def test_a_page_that_joins_the_community_raises_its_siblings() -> None:
    web = Web()
    web.download("x", "abc")
    assert web.score("a", COMM_OUT) == 0.0
    changed = web.download("b", "", score=1.0)
    assert changed == {"a", "b", "c"}
    assert web.score("a", COMM_OUT) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((0.2, 0.9), 0.9),  # both positive: the greatest
        ((-0.2, -0.9), -0.9),  # both negative: the smallest
        ((-0.9, 0.2), 0.2),  # mixed: the greatest
        ((-0.9, 0.2, 0.4), 0.4),
        ((0.0, -0.9), 0.0),  # mixed as well: the greatest
    ],
)
def test_parent_score_by_signs(scores: tuple[float, ...], expected: float) -> None:
    web = Web()
    for page, score in zip("abc", scores, strict=False):
        web.download(page, "u", score)
    assert web.parents("u")[0] == pytest.approx(expected)


def test_parent_scores_go_back_generation_by_generation() -> None:
    web = Web(generations=3)
    for (page, link), score in zip(pairwise("abcde"), (0.1, -0.2, 0.3, -0.4), strict=True):
        web.download(page, link, score)
    assert web.parents("e") == pytest.approx([-0.4, 0.3, -0.2])
    assert web.parents("b") == pytest.approx([0.1, 0.0, 0.0])


def test_a_late_parent_reaches_grandchildren_that_were_there_before() -> None:
    web = Web(generations=3)
    web.download("b", "c", -0.5)
    web.download("c", "d", -0.6)
    assert web.parents("d") == pytest.approx([-0.6, -0.5, 0.0])
    changed = web.download("a", "b", 0.9)
    assert changed == {"b", "c", "d"}
    assert web.parents("d") == pytest.approx([-0.6, -0.5, 0.9])


def test_only_what_changed_is_reported() -> None:
    web = Web(generations=2)
    web.download("a", "b", 0.9)
    web.download("b", "c", 0.8)
    assert web.download("x", "b", 0.95) == {"b", "c"}
    # scores that another outdoes change the averages of b, and nothing of c
    assert web.download("y", "b", 0.5) == {"b"}
    assert web.download("z", "b", -0.7) == {"b"}


def test_cohesiveness_is_community_links_per_page() -> None:
    web = Web(seeds="s")
    web.download("s", "ab", 1.0)
    web.download("a", "sb", 1.0)
    web.download("x", "q", -1.0)
    around = web.around
    assert around.cohesiveness([around.number("s"), around.number("a")]) == pytest.approx((1 + 1) / 2)
    assert around.cohesiveness(around.children) == pytest.approx(2 / 3)
    assert around.cohesiveness([]) == 0.0


def test_a_page_is_downloaded_once() -> None:
    web = Web()
    web.download("a", "b")
    with pytest.raises(ValueError, match="a was downloaded already"):
        web.download("a", "c")


def test_a_hub_of_ten_thousand_links_hands_its_score_to_all() -> None:
    around = Neighbourhood(2)
    first = around.number("http://a.example/")
    links = [around.number(f"http://b.example/{n}") for n in range(10_000)]
    around.download(first, links, 0.5, True)
    assert around.scores(links[-1])[FIRST_PARENT:] == [0.5, 0.0]


@st.composite
def crawls(draw: st.DrawFn) -> list[tuple[int, list[int], float]]:
    pages = draw(st.permutations(range(8)))
    number = draw(st.integers(1, 8))
    scores = st.floats(-1, 1, allow_nan=False).filter(lambda x: x != 0)
    return [(page, draw(st.lists(st.integers(0, 11), max_size=6)), draw(scores)) for page in pages[:number]]


@given(crawls(), st.sets(st.integers(0, 7), max_size=3), st.integers(1, 5))
def test_kept_up_to_date_equals_computed_anew(
    order: list[tuple[int, list[int], float]], seeds: set[int], generations: int
) -> None:
    around = Neighbourhood(generations)
    known: dict[str, list[float]] = {}
    for seed in sorted(seeds):
        around.join_community(around.number(str(seed)))
    for page, links, score in order:
        before = {url: around.scores(number)[COMM_IN:] for number, url in enumerate(around.urls)}
        numbers = [around.number(str(link)) for link in links]
        changed = around.download(around.number(str(page)), numbers, score, score > 0)
        for url, old in before.items():
            number = around.number(url)
            if number not in changed:  # COMM and PARENT scores moved only where it was said
                assert around.scores(number)[COMM_IN:] == pytest.approx(old)
    (average_out, average_in), expected = by_definition(order, seeds, generations)
    for number, url in enumerate(around.urls):
        known[url] = around.scores(number)
    assert set(known) == {str(u) for u in expected}
    for u, (hub, authority, *others) in expected.items():
        assert known[str(u)] == pytest.approx([hub / average_out, authority / average_in, *others]), u


def test_the_links_of_a_page_that_has_thousands_are_not_all_ranked_anew_for_each_that_is_good() -> None:
    """A crawl of all of them would take time by the square of their number; their scores are up to date."""
    around = Neighbourhood(1)
    for name, count in (("few", MANY_LINKS), ("many", MANY_LINKS + 1)):
        links = [around.number(f"{name}{i}") for i in range(count)]
        around.download(around.number(name), links, 1.0, positive=False)
        changed = set(around.download(links[0], [], 1.0, positive=True))
        assert changed == (set(links) if name == "few" else set())
        assert around.scores(links[-1])[COMM_OUT] == pytest.approx(1 / count)
