"""Text files that people bring: saved by any editor or spreadsheet, they mean the same."""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bizcrawl.errors import WrongUse
from bizcrawl.plaintext import FORMULA

COLUMNS = ("url", "final_url", "site", "home_page", "website", "company", "domain", "host", "name")
"""Columns that name a company or an address, the surest first: as `sql`, `export` and the ranked list have
them, or as people head them.
"""
_COMMENT = re.compile(r"#(?!\d+$)")
"""``#3`` alone is a rank."""
_LONGEST_CELL_CHARS = 2**31 - 1
"""Some exports have texts of whole pages beside the column that is wanted."""


def lines_of(path: Path) -> list[str]:
    """The lines of a file in UTF-8, or in UTF-16 if its byte order mark says so, without mark and line ends.

    Only CR, LF and both together end a line: `str.splitlines` would cut JSON at a U+2028 too. Raises
    `OSError`, and `UnicodeError` for what is no text in that encoding.
    """
    body = path.read_bytes()
    is_utf16 = body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = body.decode("utf-16" if is_utf16 else "utf-8-sig")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def json_in(text: str | bytes) -> Any:
    """The value that a text in JSON is.

    Raises `ValueError`, and nothing else, for what is none, is nested too deeply for Python, or holds halves
    of characters or numbers that aren't finite, which no file could hold again.
    """
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("holds half of a character") from None
    return value


def spelled_out(entries: Iterable[str], option: str = "", columns: Sequence[str] = COLUMNS) -> Iterator[str]:
    """Entries that a user gave, with those of files, ``@FILE``, in their place.

    A file holds one a line, comments begin with #. One that begins with a line of headings is CSV, and gives
    the first of `columns` that it has. Raises `WrongUse`, which names `option`, for an unreadable file.
    """
    for entry in entries:
        if not entry.startswith("@"):
            yield entry.strip()
            continue
        try:
            yield from _listed(lines_of(Path(entry[1:])), columns)
        except UnicodeError as error:
            told = "it is no text; save it with one a line, or as CSV in UTF-8"
            raise WrongUse(f"{option}{entry}: cannot read the file ({told})") from error
        except (OSError, csv.Error) as error:
            raise WrongUse(f"{option}{entry}: cannot read the file ({error})") from error


def _listed(lines: Sequence[str], columns: Sequence[str]) -> Iterator[str]:
    said = (at for at, line in enumerate(lines) if line.strip() and not _COMMENT.match(line.strip()))
    first = next(said, None)
    if first is None:
        return
    if found := _column(lines[first], columns):
        csv.field_size_limit(_LONGEST_CELL_CHARS)
        place, delimiter = found
        cells = (
            row[place] for row in csv.reader(lines[first + 1 :], delimiter=delimiter) if place < len(row)
        )
        yield from (_unguarded(cell.strip()) for cell in cells if cell.strip())
    else:
        yield from (lines[at].strip() for at in (first, *said))


def _column(head: str, columns: Sequence[str]) -> tuple[int, str] | None:
    """Which column of a CSV file to take, and what parts its cells; None if the line is none of headings."""
    for delimiter in ",;\t":
        names = [name.strip().lower() for name in next(csv.reader([head], delimiter=delimiter))]
        for wanted in columns:
            if wanted in names:
                return names.index(wanted), delimiter
    return None


def _unguarded(cell: str) -> str:
    """A cell without the apostrophe that keeps spreadsheets from taking it for a formula."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell[1:]) else cell
