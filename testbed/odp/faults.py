"""What may be wrong with a dump: every repair is counted under one of these names, with its line."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bizcrawl.errors import BizcrawlError


class DumpError(BizcrawlError):
    """A file that is no dump of the Open Directory; the message names it in one line."""


class FaultKind(StrEnum):
    """One name for each kind of fault. What is done about it stands beside it."""

    ILLEGAL_UTF8 = "illegal_utf8"
    """Bytes that are no UTF-8: read as Windows-1252, in a URL kept as percent-encoded bytes."""
    ILLEGAL_CHARACTER = "illegal_character"
    """A character that XML forbids, bare or by number: left out, in a URL percent-encoded."""
    BARE_AMPERSAND = "bare_ampersand"
    """An ampersand that starts no reference: taken as itself. In a URL also before names only HTML knows."""
    UNDEFINED_ENTITY = "undefined_entity"
    """A name that XML does not define: HTML's character, or the text as it stands."""
    LINE_BREAK_IN_URL = "line_break_in_url"
    """Tabs and line ends inside a URL: taken out, as every browser does."""
    UNDECLARED_PREFIX = "undeclared_prefix"
    """The prefix d: or r: without a declaration, counted once a chunk: declared for it."""
    STRAY_MARKUP = "stray_markup"
    """A < that starts no tag of a dump: taken as itself."""
    UNCLOSED_RECORD = "unclosed_record"
    """A record without its end tag: closed where the next one starts."""
    MALFORMED_RECORD = "malformed_record"
    """A record with other faults of markup: read leniently, its URL taken from its bytes."""
    UNREADABLE_RECORD = "unreadable_record"
    """A record whose URL or category cannot be told: left out."""
    PAGE_WITHOUT_CATEGORY = "page_without_category"
    """An external page that names no category and is listed under none: left out."""
    REPEATED_PAGE = "repeated_page"
    """An external page that names no category and is described several times: one of them is taken."""
    UNCLOSED_QUOTE = "unclosed_quote"
    """A quote in CSV without its partner: taken as itself, and the cell ends with its line."""
    CUT_SHORT = "cut_short"
    """The file ends before its root element does, or its compression is damaged: what came before is kept."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One repair."""

    kind: FaultKind
    line: int
    """Line of the file, from 1."""
    detail: str = ""
    """The faulty text, cut to 80 characters and escaped."""


def detail_of(text: str) -> str:
    """A faulty text as a fault's detail: escaped, so that it can be printed anywhere, and at most 80
    characters.
    """
    return text[:80].encode("unicode_escape").decode("ascii")[:80]
