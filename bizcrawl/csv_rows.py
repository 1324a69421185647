"""Rows of CSV as people save it, some with a quote that nobody closed.

To a reader of CSV such a quote makes one cell of all that follows, up to the next quote or to the end of the
file. Here the line on which it stands is a row for itself, with the quote as part of its cell.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

DELIMITERS = ",;\t|"
"""What parts the cells, the commonest first."""
_MOST_LINES = 100_000
_MOST_CHARS = 1 << 24
"""A cell may hold the text of a whole page; no cell has more lines, or goes on beyond so many characters."""
_MOST_UNCLOSED = 20
"""For each unclosed quote that much may be read in vain: after so many, no cell goes on beyond its line."""
_LONGEST_CELL_CHARS = 2**31 - 1


class Row(NamedTuple):
    """One row."""

    line: int
    """Where it begins, from 1."""
    cells: list[str]
    is_sound: bool = True
    """Whether its quotes are closed."""


class _UnclosedError(Exception):
    """The row goes on for longer than any does."""


class _Lines:
    """Lines as the reader of one row takes them, which are given again if it took them in vain."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._coming = iter(lines)
        self._again: deque[str] = deque()
        self.taken: list[str] = []
        self.most = _MOST_LINES

    def __iter__(self) -> Iterator[str]:
        chars = 0
        while True:
            if not self.taken:
                chars = 0
            elif len(self.taken) >= self.most or chars >= _MOST_CHARS:
                raise _UnclosedError
            line = self._again.popleft() if self._again else next(self._coming, None)
            if line is None and self.taken:
                raise _UnclosedError
            if line is None:
                return
            chars += len(line)
            self.taken.append(line)
            yield line

    def only_first(self) -> str:
        """The first of the lines taken; the others come again."""
        first, *others = self.taken
        self._again.extendleft(reversed(others))
        self.taken = [first]
        return first


def csv_rows(lines: Iterable[str], delimiter: str, first_line: int = 1) -> Iterator[Row]:
    """The rows of lines of text, with or without their ends. Never raises.

    An empty line is a row without cells.
    """
    csv.field_size_limit(_LONGEST_CELL_CHARS)
    source, number, unclosed = _Lines(lines), first_line, 0
    reader = csv.reader(source, delimiter=delimiter, strict=True)
    while True:
        try:
            cells, is_sound = next(reader), True
        except StopIteration:
            return
        except (_UnclosedError, csv.Error):
            cells, is_sound = _alone(source, delimiter)
            unclosed += not is_sound
            if unclosed >= _MOST_UNCLOSED:
                source.most = 1
            reader = csv.reader(source, delimiter=delimiter, strict=True)
        yield Row(number, cells, is_sound)
        number += len(source.taken)
        source.taken.clear()


def _alone(source: _Lines, delimiter: str) -> tuple[list[str], bool]:
    """The row that the first line taken is by itself, and whether its quotes are closed."""
    line = source.only_first()
    try:
        return next(csv.reader(_then_fail([line]), delimiter=delimiter)), True
    except (_UnclosedError, csv.Error):
        bare = line.rstrip("\r\n")
        return next(csv.reader([bare], delimiter=delimiter, quoting=csv.QUOTE_NONE), []), False


def _then_fail(lines: Iterable[str]) -> Iterator[str]:
    yield from lines
    raise _UnclosedError
