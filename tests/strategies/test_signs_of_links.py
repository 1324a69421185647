"""What the apprentice reads off a link, its URL and the seeds' words, worked out by hand."""

from __future__ import annotations

from math import log, log1p

import pytest
from strategy_pages import page

from bizcrawl.strategies.apprenticeship.cues import MAX_WORDS, UrlSigns, anchor_signs, url_signs
from bizcrawl.strategies.apprenticeship.signs import SIGHTING, Known, Sighting, sighting_of
from bizcrawl.strategies.apprenticeship.wording import MIN_BACKGROUND, Wording
from contexts.vectors import Query

PUMPS = Query.from_text("pumps")
NOTHING = Known(frozenset(), {}, {})


def sighting(html: str, known: Known = NOTHING, url: str = "http://union.example/") -> Sighting:
    return sighting_of(page(url, html), PUMPS, PUMPS, known, 1)


def column(found: Sighting, sign: str) -> list[float]:
    return [float(value) for value in found.signs[:, SIGHTING.index(sign)]]


@pytest.mark.parametrize(
    ("path", "words", "depth", "is_root", "has_query"),
    [
        ("/", (), 0.0, 1.0, 0.0),
        ("/?pump=1", ("pump",), 0.0, 0.0, 1.0),
        ("/x", ("x",), 0.2, 0.0, 0.0),
        ("/pumps/2024/valves/", ("pump", "valv"), 0.6, 0.0, 0.0),
        ("/a1/b2/c3/d4/e5/f6/g7", ("b", "c", "d", "e", "f", "g"), 1.0, 0.0, 0.0),
    ],
)
def test_a_url_says_how_deep_it_lies_and_by_which_words(
    path: str, words: tuple[str, ...], depth: float, is_root: float, has_query: float
) -> None:
    expected = UrlSigns("union.example", words, 0.0, depth, is_root, has_query)
    assert url_signs(f"http://www.union.example{path}") == expected


def test_of_the_words_of_anchor_and_url_the_first_are_remembered_anchor_first() -> None:
    (words,) = sighting("<a href=/pumps/valves>Impellers, rotors, stators, shafts</a>").words
    assert words == ("impel", "rotor", "stator", "shaft", "/pump", "/valv")
    assert len(words) == MAX_WORDS
    assert len(anchor_signs("one two three four five six seven eight pumps").words) <= MAX_WORDS


def test_only_divisions_of_its_own_tell_what_a_site_is() -> None:
    def keeping(host: str) -> float:
        links = (f"<a href=http://{host}/{name}>{name}</a>" for name in ("Exhibitors", "Members", "Issuers"))
        return sighting("<title>Welcome</title>" + " ".join(links), url="http://www.abc.example/").keeping

    assert keeping("www.abc.example") > 0
    assert keeping("elsewhere.example") == 0


def test_where_seeds_share_a_site_each_stands_for_itself_and_none_for_itself_on_its_own_page() -> None:
    seeds = tuple(f"http://host.example/{name}" for name in ("a", "b", "c"))
    known = Known(frozenset({"host.example"}), {"host.example": frozenset(seeds)}, {})
    items = "".join(f"<li><a href={url}>x</a>" for url in (*seeds, "http://rival.example/"))
    elsewhere = sighting(f"<ul>{items}</ul>", known)
    assert column(elsewhere, "seeds_in_list") == [pytest.approx(log1p(3))] * 4
    at_home = sighting(f"<ul>{items}</ul>", known, seeds[0])
    assert column(at_home, "seeds_in_list") == [pytest.approx(log1p(2))] * 4


def test_what_is_counted_on_a_page_is_scaled_to_stay_small() -> None:
    found = sighting(
        "<ul><li><a href=/1>a</a><li><a href=/2>b</a><li><a href=/3>c</a></ul><p><a href=/4>d</a>"
    )
    assert column(found, "links_on_page") == [pytest.approx(log1p(4) / 6)] * 4
    assert column(found, "list_length") == [pytest.approx(log1p(3) / 3)] * 3 + [0.0]
    assert column(found, "nearness") == [pytest.approx(0.9)] * 4


def wording_of_three_seeds() -> Wording:
    wording = Wording(Query.from_text("valves"))
    wording.see({"impel": 2, "rotor": 1, "leed": 9}, "http://a.example/")
    wording.see({"impel": 1}, "http://b.example/")
    wording.see({"impel": 3, "rotor": 4}, "http://c.example/")
    wording.see({"impel": 99, "york": 99}, "http://c.example/")
    return wording


def test_words_weigh_by_the_share_of_seeds_that_have_them_and_by_their_use() -> None:
    """Of a seed its first visit counts; the keywords weigh .7 of the strongest word."""
    impel = 3 / 3 * (log1p(2) + log1p(1) + log1p(3))
    rotor = 2 / 3 * (log1p(1) + log1p(4))
    expected = {"impel": impel, "rotor": rotor, "valv": 0.7 * impel}
    assert wording_of_three_seeds().query().by_stem == pytest.approx(expected)


def test_from_thirty_pages_on_words_weigh_by_how_rare_they_are_in_the_crawl() -> None:
    wording = wording_of_three_seeds()
    before = wording.query().by_stem
    for _ in range(MIN_BACKGROUND - 5):
        wording.see({"impel": 1}, None)
    assert wording.query().by_stem == before
    wording.see({"impel": 1}, None)
    # 30 pages: impellers on all of them, rotors on two
    rotor = before["rotor"] * log(31 / 2.5) ** 2
    impel = before["impel"] * log(31 / 30.5) ** 2
    expected = {"impel": impel, "rotor": rotor, "valv": 0.7 * rotor}
    assert wording.query().by_stem == pytest.approx(expected)
    wording.see({"impel": 1}, None)
    assert "impel" in wording.query().by_stem


def test_of_two_seeds_a_word_of_one_is_wording_enough_and_the_strongest_forty_are_kept() -> None:
    wording = Wording(Query.from_text("valves"))
    wording.see({f"w{n}x": n + 1 for n in range(60)}, "http://a.example/")
    wording.see({"impel": 1}, "http://b.example/")
    assert wording.query().stems == {"valv", *(f"w{n}x" for n in range(20, 60))}
