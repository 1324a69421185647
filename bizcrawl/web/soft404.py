"""Pages that say "not found" with status 200: recorded as such, because they would be scored and listed as
pages.
"""

from __future__ import annotations

import re
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
_HIDDEN: Final = re.compile(
    r"<(script|style|noscript|template)\b.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL
)
_HEADINGS: Final = re.compile(
    rb"<(title|h1|h2)\b[^>]{0,1000}>(.{0,1000}?)</\1\s*>", re.IGNORECASE | re.DOTALL
)
_TAG: Final = re.compile(r"<[^>]*>")


def says_missing(body: bytes) -> bool:
    """Whether an HTML page is an error page in disguise.

    Both must hold: a phrase such as "page not found" in the title or a heading (anywhere in a page of few
    words), and little text besides. An article about such errors is long, so it is not taken for one.
    """
    if len(body) > _MAX_BODY_BYTES:
        return False
    headings = "\n".join(_words(match[2]) for match in _HEADINGS.finditer(body))
    found = _PHRASES.search(headings) is not None
    if not found and len(body) > _FEW_BYTES:
        return False
    text = _words(body)
    return len(text) <= MAX_TEXT_CHARS and (
        found or (len(text) <= _FEW_CHARS and bool(_PHRASES.search(text)))
    )


def _words(html: bytes) -> str:
    return " ".join(_TAG.sub(" ", _HIDDEN.sub(" ", html.decode("utf-8", "replace"))).split())
