"""Pages that say "not found" with status 200. They are marked, not turned away: the words may be wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MAX_TEXT_CHARS: Final = 1_500
"""A page with more text than this says more than that something is missing."""
_MAX_BODY_BYTES: Final = 200_000
_FEW_BYTES: Final = 4_000
_FEW_CHARS: Final = 300

_PHRASES: Final = re.compile(
    r"(?:page|file|document|url|article|item|product|seite|site|página|pagina|sida|side|strona)\W+(?:\w+\W+){0,4}?"
    r"(?:not (?:be )?found|(?:can|could) ?not be found|does(?: not|n.t) exist|no longer (?:exists|available)"
    r"|missing|nicht gefunden|existiert nicht|introuvable|n.existe (?:pas|plus)|no encontrada|no existe"
    r"|não encontrada|non trovata|niet gevonden|hittades inte|ikke fundet|nie znaleziono)"
    r"|(?:error|fehler|erreur)\W*404|404\W+(?:not found|error|fehler|page)|^\W*not found\W*$",
    re.IGNORECASE | re.MULTILINE,
)
# what has no end goes on to the end of the page: else each of a hundred thousand beginnings would look for it
_HIDDEN: Final = re.compile(
    r"<(script|style|noscript|template)\b.*?(?:</\1\s*+>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL
)
_OPENING: Final = (b"<title", b"<h1", b"<h2")
_HEAD_BYTES: Final = 32_768
"""So much of a page is searched for a title and headings."""
_MAX_HEADING_BYTES: Final = 600
_TAG: Final = re.compile(r"<[^>]*+(?:>|\Z)")


def says_missing(body: bytes) -> bool:
    """Whether an HTML page is an error page in disguise.

    Both must hold: a phrase such as "page not found" in the title or the first headings (anywhere in a page
    of few words), and little text besides. An article about such errors is long, so it is not taken for one.
    """
    if len(body) > _MAX_BODY_BYTES:
        return False
    found = any(_PHRASES.search(heading) for heading in _headings(body))
    if not found and len(body) > _FEW_BYTES:
        return False
    text = _words(body)
    if found:
        return len(text) <= MAX_TEXT_CHARS
    return len(text) <= _FEW_CHARS and _PHRASES.search(text) is not None


def _headings(body: bytes) -> Iterator[str]:
    """The first title, h1 and h2, found without a walk through the page."""
    head = body[:_HEAD_BYTES].lower()
    for opening in _OPENING:
        start = head.find(opening)
        if start >= 0:
            end = head.find(b"</", start, start + _MAX_HEADING_BYTES)
            yield _words(body[start : end if end > 0 else start + _MAX_HEADING_BYTES])


def _words(html: bytes) -> str:
    return " ".join(_TAG.sub(" ", _HIDDEN.sub(" ", html.decode("utf-8", "replace"))).split())
