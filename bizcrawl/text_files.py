"""Text files that people bring: saved by any editor or spreadsheet, they mean the same."""

from __future__ import annotations

import codecs
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bizcrawl.csv_rows import DELIMITERS, csv_rows
from bizcrawl.errors import WrongUse
from bizcrawl.plaintext import FORMULA, GUARDED_CELL
from bizcrawl.web.gzip_member import GZIP, GZIP_MAGIC
from contexts.decode import decode
from contexts.limits import DEFAULT

# fmt: off
ADDRESSES = (
    "url", "final url", "site", "home page", "homepage", "website", "web site", "web", "www", "web address",
    "company website", "company url", "website url", "webpage", "web page", "internet", "link",
    "webseite", "internetseite", "internetadresse", "site web", "site internet", "adresse web", "sitio web",
    "página web", "pagina web", "sito", "sito web", "hemsida", "webbplats", "hjemmeside", "strona www",
    "strona internetowa",
    "сайт", "веб сайт", "网站", "网址", "官网", "ウェブサイト", "ホームページ", "홈페이지",
)
# fmt: on
"""Columns that hold an address, the surest first: as `sql`, `export` and the ranked list have them, or as
people head them; in lower case, with blanks for underscores and hyphens.
"""
# fmt: off
COLUMNS = (
    *ADDRESSES,
    "company", "domain", "domain name", "host", "name", "company name",
    "firma", "unternehmen", "entreprise", "société", "empresa", "azienda", "компания", "公司", "会社",
)
# fmt: on
"""Columns that name a company or an address, the surest first."""
_BLANKS = re.compile(r"[\s_-]+")
_MOST_PAGE_BYTES = 4 * (DEFAULT.max_chars + 1)
"""In any encoding more characters than are looked at: what is cut here is cut again there, and counted."""
_MOST_DIGITS = 300
_COMMENT = re.compile(r"#(?!\d+$)")
"""``#3`` alone is a rank."""


def lines_of(path: Path) -> list[str]:
    """The lines of a file in UTF-8, or in UTF-16 if its byte order mark says so, without mark and line ends.

    Only CR, LF and both together end a line: `str.splitlines` would cut JSON at a U+2028 too. Raises
    `OSError`, and `UnicodeError` for what is no text in that encoding.
    """
    body = path.read_bytes()
    is_utf16 = body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = body.decode("utf-16" if is_utf16 else "utf-8-sig")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def page_text(path: Path) -> str:
    """The text of a page in a file, as far as any page is looked at. Raises `OSError`."""
    return decode(page_body(path)).text


def page_body(path: Path) -> bytes:
    """The bytes of a page in a file, plain or gzipped, as far as any page is looked at. Raises `OSError`."""
    with path.open("rb") as file:
        body = file.read(_MOST_PAGE_BYTES)
    if not body.startswith(GZIP_MAGIC):
        return body
    try:
        return zlib.decompressobj(GZIP).decompress(body, _MOST_PAGE_BYTES)
    except zlib.error:
        return body


def is_hidden(path: Path, folder: Path) -> bool:
    """Whether what a folder holds is none of what people have put there: a name that begins with a dot, of it
    or of a folder on the way, as systems and editors give to files of their own (``._page.html``).
    """
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def json_in(text: str | bytes) -> Any:
    """The value of a text in JSON.

    Raises `ValueError`, and nothing else, for what is none, is nested too deeply for Python, or holds halves
    of characters or numbers that aren't finite as floats, which no file could hold again.
    """
    try:
        value = json.loads(text, parse_int=_int)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("holds half of a character") from None
    return value


def number_in(value: object) -> float:
    """The number that a value of `json_in` is. Raises `TypeError` for a text, which may spell NaN, for true
    and false, and for all else that is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r:.40} is no number")
    return float(value)


def _int(digits: str) -> int:
    """Raises `ValueError` for a number that no float can be."""
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"holds a number of more than {_MOST_DIGITS} digits")
    return int(digits)


def spelled_out(
    entries: Iterable[str],
    option: str = "",
    columns: Sequence[str] = COLUMNS,
    told: Callable[[str], None] = lambda _: None,
) -> Iterator[str]:
    """Entries that a user gave, with those of files, ``@FILE``, in their place.

    A file holds one a line, comments begin with #. One that begins with a line of headings is CSV, and gives
    the first of `columns` that it has; `told` is called with a line on rows that are left out. Raises
    `WrongUse`, which names `option`, for an unreadable file.
    """
    for entry in entries:
        if not entry.startswith("@"):
            yield entry.strip()
            continue
        try:
            lines = lines_of(Path(entry[1:]))
        except UnicodeError as error:
            advice = "it is no text; save it with one a line, or as CSV in UTF-8"
            raise WrongUse(f"{option}{entry}: cannot read the file ({advice})") from error
        except OSError as error:
            raise WrongUse(f"{option}{entry}: cannot read the file ({error.strerror or error})") from error
        yield from _listed(entry, lines, columns, told)


def _listed(
    file: str, lines: Sequence[str], columns: Sequence[str], told: Callable[[str], None]
) -> Iterator[str]:
    said = (at for at, line in enumerate(lines) if line.strip() and not _COMMENT.match(line.strip()))
    first = next(said, None)
    if first is None:
        return
    if found := _column(lines[first], columns):
        yield from _cells(lines[first + 1 :], found, lambda line: told(f"{file}: {line}"))
    else:
        yield from (lines[at].strip() for at in (first, *said))


class _Column(NamedTuple):
    """A column of a CSV file, and what parts the cells of its rows."""

    place: int
    name: str
    delimiter: str


def _cells(lines: Sequence[str], column: _Column, told: Callable[[str], None]) -> Iterator[str]:
    empty = unclosed = 0
    for row in csv_rows(lines, column.delimiter):
        cell = row.cells[column.place].strip() if column.place < len(row.cells) else ""
        empty += not cell and any(row.cells)
        unclosed += not row.is_sound
        if cell:
            yield _unguarded(cell)
    if empty:
        told(f"rows without {column.name}, left out: {empty:,}")
    if unclosed:
        told(f"rows with a quote that is not closed: {unclosed:,}")


def _column(head: str, columns: Sequence[str]) -> _Column | None:
    """Which column of a CSV file to take; None if the line is none of headings."""
    for delimiter in DELIMITERS:
        names = next(csv_rows([head], delimiter)).cells
        plain = [_BLANKS.sub(" ", name.lower()).strip() for name in names]
        for wanted in columns:
            if wanted in plain:
                place = plain.index(wanted)
                return _Column(place, names[place].strip(), delimiter)
    return None


def _unguarded(cell: str) -> str:
    """A cell without the apostrophes that keep spreadsheets from taking it or a part for a formula."""
    bare = cell[1:] if cell.startswith("'") and FORMULA.match(cell[1:]) else cell
    return GUARDED_CELL.sub(r"\1", bare)
