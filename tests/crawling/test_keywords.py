"""Words of the business are found on the seeds' own pages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from crawling_samples import harvested
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.companies.facts import PageFacts
from bizcrawl.relevance.keywords import MAX_KEYWORDS, derive_keywords, furniture


def page(url: str, title: str, text: str) -> PageFacts:
    return harvested(url, f"<title>{title}</title><p>{text}</p>").tidied.facts


def derived(pages: Sequence[PageFacts]) -> str:
    """The keywords of companies with a page each."""
    return derive_keywords([[page] for page in pages])


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
    words = derived(PUMPS).split()
    assert words[:2] in (["pumps", "valves"], ["valves", "pumps"])
    assert "centrifugal" in words
    assert not {"leeds", "bergmann", "aqua", "cascade"} & set(words)


def test_the_name_of_the_only_company_is_no_word_of_its_business() -> None:
    only = page("http://www.aquaflow.example/", "Aquaflow", "Aquaflow makes pumps. Aquaflow pumps water.")
    assert derived([only]).split()[0] == "pumps"
    assert "aquaflow" not in derived([only])
    named = page("http://coffee-roasters.example/", "Coffee roasters", "Coffee roasters of every size.")
    assert {"coffee", "roasters"} <= set(derived([named]).split())


def test_furniture_of_web_sites_is_no_business() -> None:
    words = derived(PUMPS).split()
    assert not {"contact", "products", "privacy", "rights", "policy"} & set(words)
    assert "product" in furniture()


def test_one_seed_alone_gives_its_own_words() -> None:
    assert "pumps" in derived(PUMPS[:1]).split()


def test_seeds_that_share_nothing_give_no_keywords() -> None:
    assert derived([page("http://a.example/", "x", "tea"), page("http://b.example/", "y", "steel")]) == ""
    assert derived([]) == ""


def test_the_order_of_the_seeds_does_not_matter() -> None:
    assert derived(PUMPS) == derived(PUMPS[::-1])


@given(st.lists(st.text(max_size=60), max_size=4))
def test_it_never_raises_and_gives_few_words(texts: list[str]) -> None:
    pages = [page(f"http://s{i}.example/", text, text) for i, text in enumerate(texts)]
    assert len(derived(pages).split()) <= MAX_KEYWORDS


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
    words = set(derived(german).split())
    assert {"schlauchpumpen", "dosierung"} <= words
    assert not words & {"für", "und", "die", "ihr", "spezialist", "kontakt"}
    english = [page(f"http://{name}.example/", "Die makers", "We cut each die for you.") for name in "ab"]
    assert "die" in derived(english).split()


def test_words_of_a_script_without_spaces_are_derived_too() -> None:
    japanese = [
        page("http://a.example/", "東洋ポンプ", "当社の定量ポンプは薬液に対応します。会社概要"),
        page("http://b.example/", "日東計量", "薬液向けのホースポンプと定量ポンプを製造しています。会社概要"),
    ]
    words = derived(japanese).split()
    assert {"定量ポンプ", "薬液"} <= set(words)
    assert not any("会社" in word or "の" in word for word in words)


def test_katakana_are_whole_words_where_a_part_is_furniture() -> None:
    pages = [
        page("http://a.example/", "製麺機", "真空ミキサーと製麺機。サービス"),
        page("http://b.example/", "製麺機", "製麺機のミキサーです。サービス"),
    ]
    assert set(derived(pages).split()) == {"製麺機", "ミキサー"}


def test_a_page_that_only_a_script_fills_does_not_keep_others_from_having_keywords() -> None:
    script = page("http://script.example/", "", "")
    assert "pumps" in derived([PUMPS[0], script]).split()


@pytest.mark.parametrize(
    ("texts", "wanted", "unwanted"),
    [
        (
            (
                "Главная. О компании. Мы производим пилорамы и станки. © Все права защищены",
                "Главная. Контакты. Пилорамы и станки от производителя. Все права защищены",
            ),
            {"пилорамы", "станки"},
            {"главная", "все", "права", "защищены", "и"},
        ),
        (
            (
                "الرئيسية. من نحن. نحن ننتج مضخّات المياه في القاهرة. جميع الحقوق محفوظة",
                "الرئيسية. اتصل بنا. مضخّات المياه من مصنعنا. جميع الحقوق محفوظة",
            ),
            {"مضخّات", "المياه"},
            {"الرئيسية", "جميع", "الحقوق", "محفوظة", "من"},
        ),
        (
            (
                "Início. Quem somos. Fabricamos máquinas de sorvete. Todos os direitos reservados",
                "Início. Contato. As nossas máquinas de sorvete. Todos os direitos reservados",
            ),
            {"máquinas", "sorvete"},
            {"direitos", "reservados", "início", "todos"},
        ),
        (
            (
                "Startseite. Wir bauen Gurtförderer für die Industrie. Alle Rechte vorbehalten.",
                "Startseite. Unsere Gurtförderer und wir. Alle Rechte vorbehalten.",
            ),
            {"gurtförderer"},
            {"rechte", "vorbehalten", "startseite", "alle"},
        ),
        (
            (
                "Ana sayfa. Hakkımızda. Su pompaları üretiyoruz ve satıyoruz. Tüm hakları saklıdır",
                "Ana sayfa. İletişim. Su pompaları için firmamız. Tüm hakları saklıdır",
            ),
            {"pompaları"},
            {"hakları", "saklıdır", "ana", "sayfa", "tüm"},
        ),
    ],
)
def test_furniture_of_sites_in_other_languages_is_no_business(
    texts: tuple[str, str], wanted: set[str], unwanted: set[str]
) -> None:
    pages = [page(f"http://{name}.example/", name, text) for name, text in zip("ab", texts, strict=True)]
    words = set(derived(pages).split())
    assert wanted <= words
    assert not words & unwanted


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("broemmelkamp.example", "Brömmelkamp"),
        ("xn--brmmelkamp-fcb.example", "Brömmelkamp"),
        ("drevmash.example", "Древмаш"),
    ],
)
def test_a_name_that_the_host_spells_otherwise_is_no_word_of_the_business(host: str, name: str) -> None:
    only = page(f"http://www.{host}/", name, f"{name} pumps. {name} and pumps.")
    assert derived([only]) == "pumps"


def test_a_word_on_several_pages_of_one_company_alone_is_not_shared() -> None:
    tea = [page("http://a.example/", "x", "tea kettles"), page("http://a.example/about", "x", "kettles")]
    assert derive_keywords([tea, [page("http://b.example/", "y", "tea")]]) == "tea"


def test_a_word_that_only_other_pages_of_the_companies_say_is_shared() -> None:
    companies = [
        [page(f"http://{name}.example/", "Welcome", "Contact"), page(f"http://{name}.example/c", "", "Pumps")]
        for name in "ab"
    ]
    assert derive_keywords(companies) == "pumps"
