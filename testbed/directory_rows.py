"""Rows of a list of URLs by category, CSV or JSON, as people save them: in one pass, the good ones whatever
stands beside them.
"""

from __future__ import annotations

import codecs
import io
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from bizcrawl.csv_rows import DELIMITERS, csv_rows
from bizcrawl.errors import BizcrawlError
from testbed.json_values import NoValue, json_values
from testbed.odp.faults import Fault, FaultKind, detail_of
from testbed.odp.repair import mended
from testbed.odp.stream import DAMAGES, open_dump

NEEDED = ("category", "url")
"""Columns without which a row says nothing."""
_WANTED = (*NEEDED, "title", "description")
_JSON = frozenset({".json", ".jsonl", ".ndjson"})
_TABLES = _JSON - {".jsonl"} | {".csv", ".tsv"}
_PACKED = frozenset({".gz", ".bz2", ".xz"})
_LOOKED_AT = 100
"""Rows and faults that tell whether a file is a list."""


class DirectoryError(BizcrawlError):
    """A file that is no directory; the message says what is missing."""


class DirectoryRow(NamedTuple):
    """What a row says of a page."""

    category: str
    url: str
    title: str | None
    description: str | None


def kind_of_table(path: Path) -> str:
    """``.csv``, ``.json`` and so on by a file's name, that of a compressed one too."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def lists_urls(path: Path) -> bool:
    """Whether a file is a list of URLs by category, by its name; a ``.jsonl``, which may be topics, by its
    first rows.
    """
    kind = kind_of_table(path)
    if kind != ".jsonl" or not path.is_file():
        return kind in _TABLES
    try:
        return any(isinstance(row, DirectoryRow) for row in islice(directory_rows(path), _LOOKED_AT))
    except DirectoryError:
        return False


def directory_rows(path: Path) -> Iterator[DirectoryRow | Fault]:
    """The rows of a file, plain or compressed, and what is wrong with it, in order.

    Raises DirectoryError if there is no such file, or it lacks a column that is needed.
    """
    if path.is_dir():
        raise DirectoryError(f"{path}: is a folder; name a file")
    with open_dump(path) as file:
        begins = file.peek(2)[:2]
        is_utf16 = begins in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}
        encoding, errors = ("utf-16", "replace") if is_utf16 else ("utf-8-sig", "surrogateescape")
        text = io.TextIOWrapper(file, encoding, errors, newline="")
        rows = _json_rows(path, text) if kind_of_table(path) in _JSON else _csv_rows(path, text)
        for line, record in rows:
            if isinstance(record, Fault):
                yield record
            else:
                yield from _row(line, record)


def _csv_rows(path: Path, text: IO[str]) -> Iterator[tuple[int, dict[str, Any] | Fault]]:
    damage: list[str] = []
    lines = _until_damage(text, damage)
    number, head = next(((n, line) for n, line in enumerate(lines, 1) if line.strip()), (0, ""))
    if damage:
        raise DirectoryError(f"{path}: cannot be read: {damage[0]}")
    if not head:
        raise DirectoryError(f"{path}: is empty")
    places, delimiter = _columns(path, head)
    for row in csv_rows(lines, delimiter, number + 1):
        number = row.line
        if not row.is_sound:
            yield number, Fault(FaultKind.UNCLOSED_QUOTE, number, detail_of(delimiter.join(row.cells)))
        if any(row.cells):
            found = {name: row.cells[at] for name, at in places.items() if at < len(row.cells)}
            yield number, found
    if damage:
        yield number, Fault(FaultKind.CUT_SHORT, number, detail_of(damage[0]))


def _until_damage(text: IO[str], damage: list[str]) -> Iterator[str]:
    try:
        yield from text
    except DAMAGES as problem:
        damage.append(f"the compressed data is damaged: {problem}")


def _columns(path: Path, head: str) -> tuple[dict[str, int], str]:
    """Where the columns stand that are wanted, and what parts them."""
    missing: list[str] = []
    for delimiter in DELIMITERS:
        names = [name.strip().lower() for name in next(csv_rows([head], delimiter)).cells]
        lacking = [name for name in NEEDED if name not in names]
        if not lacking:
            return {name: names.index(name) for name in _WANTED if name in names}, delimiter
        if not missing or len(lacking) < len(missing):
            missing = lacking
    raise _lacks(path, missing)


def _lacks(path: Path, missing: Iterable[str]) -> DirectoryError:
    return DirectoryError(f"{path}: has no column {' and no column '.join(missing)}")


def _json_rows(path: Path, text: IO[str]) -> Iterator[tuple[int, dict[str, Any] | Fault]]:
    known: set[str] = set()
    is_empty = True
    for line, value in json_values(text):
        is_empty = False
        if isinstance(value, NoValue):
            kind = FaultKind.CUT_SHORT if value.is_cut_short else FaultKind.MALFORMED_RECORD
            yield line, Fault(kind, line, detail_of(value.detail))
        elif isinstance(value, dict):
            record = {name.strip().lower(): found for name, found in value.items()}
            known |= record.keys() & set(NEEDED)
            yield line, record
        else:
            yield line, Fault(FaultKind.UNREADABLE_RECORD, line, detail_of(json.dumps(value)[:80]))
    if is_empty:
        raise DirectoryError(f"{path}: is empty")
    if missing := [name for name in NEEDED if name not in known]:
        raise _lacks(path, missing)


def _row(line: int, record: dict[str, Any]) -> Iterator[DirectoryRow | Fault]:
    faults: list[Fault] = []
    texts = {name: mended(_text(record.get(name)), name == "url", line, faults) for name in _WANTED}
    yield from faults
    missing = next((name for name in ("url", "category") if not texts[name]), None)
    if missing:
        yield Fault(FaultKind.UNREADABLE_RECORD, line, f"a row without {missing}")
    else:
        yield DirectoryRow(
            texts["category"], texts["url"], texts["title"] or None, texts["description"] or None
        )


def _text(value: object) -> str:
    """The text that a value is; "" for what is none, as a list would be."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
