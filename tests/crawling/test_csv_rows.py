"""Rows of CSV: those of the standard's reader, and all those that a forgotten quote would hide."""

from __future__ import annotations

import csv
import io
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from processor_time import within_cpu_s

from bizcrawl.csv_rows import csv_rows


def cells(text: str, delimiter: str = ",") -> list[list[str]]:
    return [row.cells for row in csv_rows(io.StringIO(text, newline=""), delimiter)]


@given(st.lists(st.lists(st.text(), min_size=1), max_size=5), st.sampled_from(",;\t|"))
def test_what_was_written_as_csv_is_read_as_it_was(rows: list[list[str]], delimiter: str) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter).writerows(rows)
    assert cells(written.getvalue(), delimiter) == rows


@pytest.mark.parametrize(
    ("text", "rows", "unsound"),
    [
        ('"a,b\nc,d\n', [['"a', "b"], ["c", "d"]], [1]),
        ('a,"b\nc,d\n"e",f\n', [["a", '"b'], ["c", "d"], ["e", "f"]], [1]),
        ('"a" b,c\n"d",e\n', [["a b", "c"], ["d", "e"]], []),
        ('5" pipe,6" pipe\na,b\n', [['5" pipe', '6" pipe'], ["a", "b"]], []),
        ('"a\r\nb",c\r\n\r\nd,e', [["a\r\nb", "c"], [], ["d", "e"]], []),
        ('a,b\n"', [["a", "b"], ['"']], [2]),
        ("a\0b,c\n", [["a\0b", "c"]], []),
    ],
)
def test_a_quote_that_is_not_closed_ends_with_its_line(
    text: str, rows: list[list[str]], unsound: list[int]
) -> None:
    assert cells(text) == rows
    assert [row.line for row in csv_rows(io.StringIO(text, newline=""), ",") if not row.is_sound] == unsound


@pytest.mark.parametrize("line", ['a"b,"\n', '"a,b\n', '"a" b,c\n', '"\n', '""\n', 'a,b,"""\n'])
def test_lines_full_of_quotes_take_time_by_their_number(line: str) -> None:
    rows = within_cpu_s(3, partial(lambda lines: sum(1 for _ in csv_rows(lines, ",")), [line] * 60_000))
    assert rows >= 30_000


@given(st.text(alphabet='a",\n\r'))
def test_nothing_raises_and_no_line_is_lost(text: str) -> None:
    found = list(csv_rows(io.StringIO(text, newline=""), ","))
    letters = sum(text.count(letter) for letter in "a")
    assert sum(cell.count("a") for row in found for cell in row.cells) == letters
