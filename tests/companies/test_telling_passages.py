"""What is quoted of a page: the sentences that say what was found."""

from __future__ import annotations

from collections.abc import Sequence, Set

import pytest
from companies_pages import page_of
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.companies.assess import assess
from bizcrawl.companies.evidence import MAX_SNIPPET_CHARS, as_read
from bizcrawl.companies.evidence_kinds import EvidenceKind
from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.passages import sentences, telling_passage
from bizcrawl.topic import Topic
from contexts.text import stems

NAVIGATION = "Larch AG Home About us Products News Careers Contact Imprint Search Language Login Basket "
TELLING = "Our centrifugal pumps and gate valves serve water works."
ABOUT = f"{NAVIGATION * 3}We were founded in 1871. {TELLING} Visitors are welcome. You can call us."


def quote(texts: Sequence[str], telling: Set[str]) -> str:
    return telling_passage(map(sentences, texts), telling)


def test_the_sentence_that_says_most_is_quoted_and_not_the_navigation() -> None:
    telling = set(stems("centrifugal pumps valves water"))
    assert quote([ABOUT], telling) == TELLING
    assert quote(["Pumps. And nothing else.", ABOUT], telling) == TELLING
    assert quote([ABOUT], {"bread"}) == ""


def test_no_space_stands_before_a_comma_where_a_link_ended() -> None:
    assert as_read("Acme , Bolt & Co. , Cog . More ; .5 mm : rien !") == (
        "Acme, Bolt & Co., Cog. More; .5 mm : rien !"
    )


def test_sentences_side_by_side_are_quoted_together_as_far_as_there_is_room() -> None:
    text = "We bake. We make pumps. We are nice. We make valves. " + "We are here. " * 30 + "We sell water."
    assert quote([text], set(stems("pumps valves water"))) == ("We make pumps. We are nice. We make valves.")


@pytest.mark.parametrize(
    "sentence",
    [
        "Cafemaq S.A. has been at home in Vigo since 1990.",
        "Dr. Miller and Co. KG of St. Gallen makes pumps.",
        "Alder Inc. makes pumps, e.g. No. 5 of U.S. fame.",
        "ポンプを作ります。",
    ],
)
def test_an_abbreviation_ends_no_sentence(sentence: str) -> None:
    assert [text for text, _ in sentences(f"We bake! {sentence} Call us.")] == [
        "We bake!",
        sentence,
        "Call us.",
    ]


@given(st.text(max_size=600), st.text(max_size=40))
def test_a_passage_is_short_and_stands_in_the_text(text: str, words: str) -> None:
    passage = quote([text], set(stems(words)) | {"pump"})
    assert len(passage) <= MAX_SNIPPET_CHARS
    assert "".join(passage.split()) in "".join(text.split())


def test_evidence_of_words_quotes_the_sentence_they_stand_in(pump_web: list[PageFacts]) -> None:
    page = page_of(
        "http://www.alder.test/",
        f"<title>Alder Ltd</title><p>{NAVIGATION * 3}<p>{TELLING}<p>&copy; Alder Ltd",
    )
    found = assess([*pump_web, page], Topic("pumps", ("http://www.brindle.test/",), "pumps and valves"))
    quoted = {row.kind: row.snippet for row in found.evidence if row.company == "alder.test"}
    assert TELLING in quoted[EvidenceKind.KEYWORDS]
    assert TELLING in quoted[EvidenceKind.SIMILAR]
    assert NAVIGATION.strip() not in quoted[EvidenceKind.KEYWORDS]


def test_a_page_further_in_is_quoted_where_it_says_more_than_the_home_page(pump_web: list[PageFacts]) -> None:
    home = page_of("http://www.alder.test/", "<title>Alder Ltd</title><p>Pumps.<p>&copy; Alder Ltd")
    inner = page_of(
        "http://www.alder.test/what", f"<title>Alder</title><p>We were founded in 1871. {TELLING}"
    )
    topic = Topic("pumps", ("http://www.brindle.test/",), "pumps and valves")
    (row,) = (
        row
        for row in assess([*pump_web, home, inner], topic).evidence
        if (row.company, row.kind) == ("alder.test", EvidenceKind.KEYWORDS)
    )
    assert (row.page, row.snippet) == ("http://www.alder.test/what", TELLING)
