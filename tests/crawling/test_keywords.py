"""Words of the business are found on the seeds' own pages."""

from __future__ import annotations

from crawling_samples import harvested
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.companies.facts import PageFacts
from bizcrawl.relevance.keywords import FURNITURE, MAX_KEYWORDS, derive_keywords


def page(url: str, title: str, text: str) -> PageFacts:
    return harvested(url, f"<title>{title}</title><p>{text}</p>").tidied.facts


PUMPS = [
    page("http://a.example/", "Aqua Pumps Ltd", "We make centrifugal pumps and valves in Leeds. Contact us."),
    page(
        "http://b.example/",
        "Bergmann Pumpen",
        "Centrifugal pumps and valves for beer. All rights reserved.",
    ),
    page("http://c.example/", "Cascade Valves", "Valves, pumps, seals. Our products. Privacy policy."),
]


def test_words_that_companies_share_are_chosen_and_names_are_not() -> None:
    words = derive_keywords(PUMPS).split()
    assert words[:2] in (["pumps", "valves"], ["valves", "pumps"])
    assert "centrifugal" in words
    assert not {"leeds", "bergmann", "aqua", "cascade"} & set(words)


def test_the_name_of_the_only_company_is_no_word_of_its_business() -> None:
    only = page("http://www.aquaflow.example/", "Aquaflow", "Aquaflow makes pumps. Aquaflow pumps water.")
    assert derive_keywords([only]).split()[0] == "pumps"
    assert "aquaflow" not in derive_keywords([only])
    named = page("http://coffee-roasters.example/", "Coffee roasters", "Coffee roasters of every size.")
    assert {"coffee", "roasters"} <= set(derive_keywords([named]).split())


def test_furniture_of_web_sites_is_no_business() -> None:
    words = derive_keywords(PUMPS).split()
    assert not {"contact", "products", "privacy", "rights", "policy"} & set(words)
    assert "product" in FURNITURE


def test_one_seed_alone_gives_its_own_words() -> None:
    assert "pumps" in derive_keywords(PUMPS[:1]).split()


def test_seeds_that_share_nothing_give_no_keywords() -> None:
    assert (
        derive_keywords([page("http://a.example/", "x", "tea"), page("http://b.example/", "y", "steel")])
        == ""
    )
    assert derive_keywords([]) == ""


def test_the_order_of_the_seeds_does_not_matter() -> None:
    assert derive_keywords(PUMPS) == derive_keywords(PUMPS[::-1])


@given(st.lists(st.text(max_size=60), max_size=4))
def test_it_never_raises_and_gives_few_words(texts: list[str]) -> None:
    pages = [page(f"http://s{i}.example/", text, text) for i, text in enumerate(texts)]
    assert len(derive_keywords(pages).split()) <= MAX_KEYWORDS


def test_words_that_hold_a_language_together_are_no_keywords() -> None:
    german = [
        page(f"http://{name}.example/", f"{name} – Ihr Spezialist für die Dosierung", text)
        for name, text in (
            ("acorn", "Wir bauen Schlauchpumpen für die Industrie und für das Handwerk. Impressum Kontakt"),
            (
                "birch",
                "Unsere Schlauchpumpen sind für die Chemie gemacht und werden von uns geprüft. Kontakt",
            ),
        )
    ]
    words = set(derive_keywords(german).split())
    assert {"schlauchpumpen", "dosierung"} <= words
    assert not words & {"für", "und", "die", "ihr", "spezialist", "kontakt"}
    english = [page(f"http://{name}.example/", "Die makers", "We cut each die for you.") for name in "ab"]
    assert "die" in derive_keywords(english).split()


def test_words_of_a_script_without_spaces_are_derived_too() -> None:
    japanese = [
        page("http://a.example/", "東洋ポンプ", "当社の定量ポンプは薬液に対応します。会社概要"),
        page("http://b.example/", "日東計量", "薬液向けのホースポンプと定量ポンプを製造しています。会社概要"),
    ]
    words = derive_keywords(japanese).split()
    assert {"定量ポンプ", "薬液"} <= set(words)
    assert not any("会社" in word or "の" in word for word in words)


def test_a_page_that_only_a_script_fills_does_not_keep_others_from_having_keywords() -> None:
    script = page("http://script.example/", "", "")
    assert "pumps" in derive_keywords([PUMPS[0], script]).split()
