"""Strangers' text made harmless: no control characters, no formulas, no markup, in any way out."""

from __future__ import annotations

import re

import pytest
from hostile_strings import FOLDER, OWN, TRIGGER, has_control, published
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl import plaintext

anything = st.text(alphabet=st.characters(codec=None)) | st.sampled_from(OWN)  # lone surrogates included


class TestTerminal:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("\x1b]0;owned\x07title", "]0;ownedtitle"),
            ("\x1b[31mred", "[31mred"),
            ("two\r\nlines\tand a tab", "two lines and a tab"),
            ("\u202egnp.exe", "gnp.exe"),
            ("bad \ud83d end", "bad \ufffd end"),
            ("नमस्ते, سلام, 日本, 👩\u200d🔧", "नमस्ते, سلام, 日本, 👩\u200d🔧"),
        ],
    )
    def test_escape_sequences_lose_their_power_and_words_stay(self, text: str, shown: str) -> None:
        assert plaintext.terminal(text) == shown

    @given(anything)
    def test_one_line_without_controls_and_idempotent(self, text: str) -> None:
        shown = plaintext.terminal(text)
        assert not has_control(shown)
        assert len(shown.splitlines()) <= 1
        assert plaintext.terminal(shown) == shown
        shown.encode()


class TestSpreadsheet:
    @pytest.mark.parametrize(
        ("text", "cell"),
        [
            ('=HYPERLINK("http://x.example","y")', '\'=HYPERLINK("http://x.example","y")'),
            ("@SUM(1)", "'@SUM(1)"),
            ("\t=1+1", "'\t=1+1"),
            ("=1+1", "'=1+1"),
            ("-0.25", "'-0.25"),
            ("plain = text", "plain = text"),
            ("https://one.example/?a=-1", "https://one.example/?a=-1"),
            ("", ""),
        ],
    )
    def test_the_cells_of_case_i08(self, text: str, cell: str) -> None:
        assert plaintext.spreadsheet(text) == cell

    @given(anything | anything.map(lambda text: f" \u00a0={text}"))
    def test_no_cell_starts_with_a_trigger_also_after_trimming(self, text: str) -> None:
        cell = plaintext.spreadsheet(text)
        assert not TRIGGER.match(cell)
        assert not TRIGGER.match(cell.strip())
        assert not has_control(cell, but="\t\r\n")

    @given(anything | st.text(alphabet="a=-;\n\t \"'"))
    def test_what_is_taken_for_a_cell_of_its_own_starts_with_no_trigger_either(self, text: str) -> None:
        cell = plaintext.csv_cell(text)
        assert not TRIGGER.match(cell)
        assert not any(TRIGGER.match(part.strip(' "')) for part in re.split("[;\t\r\n]", cell)[1:])
        assert plaintext.csv_cell(cell) == cell

    @given(st.text(alphabet=st.characters(categories=["L", "N"])))
    def test_words_and_digits_are_left_as_they_are(self, text: str) -> None:
        assert plaintext.spreadsheet(text) == text


class TestMessages:
    @given(anything)
    def test_lines_stay_lines_without_controls(self, text: str) -> None:
        message = plaintext.terminal_lines(text)
        assert not has_control(message, but="\n")
        assert message.count("\n") == text.count("\n")


class TestLinksInHtml:
    @given(anything)
    def test_only_http_links_pass(self, text: str) -> None:
        href = plaintext.href(text)
        assert href == "" or re.match(r"https?://\S+$", href, re.IGNORECASE)

    @pytest.mark.parametrize(
        "url",
        [
            "javascript:alert(1)",
            " http://a.example/",
            "java\nscript:x",
            "data:text/html,x",
            "http://a b",
            "//a",
            "http://a.example/\n",
            "",
        ],
    )
    def test_other_links_do_not(self, url: str) -> None:
        assert plaintext.href(url) == ""


class TestMarkdown:
    @given(anything)
    def test_a_cell_stays_one_cell_without_markup(self, text: str) -> None:
        cell = plaintext.markdown(text)
        assert not re.search(r"(?<!\\)(?:\\\\)*[|`*_\[\]]", cell)
        assert not set(cell) & set("<>\n\r")
        assert not has_control(cell)


@pytest.mark.skipif(
    not FOLDER, reason="BIZCRAWL_HOSTILE_STRINGS names no folder with blns.json and expect.mjs"
)
def test_the_published_lists_come_through_harmless() -> None:
    strings = published()
    assert len(strings) > 400
    for text in strings:
        assert not has_control(plaintext.terminal(text))
        assert not TRIGGER.match(plaintext.spreadsheet(text).strip())
        assert not set(plaintext.markdown(text)) & set("<>\n\r")
