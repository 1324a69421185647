"""Pages that say "not found" with status 200. They are marked, not turned away: the words may be wrong."""

from __future__ import annotations

import re
from typing import Final

MAX_TEXT_CHARS: Final = 1_500
"""A page with more text than this says more than that something is missing."""
_FEW_CHARS: Final = 300

_PHRASES: Final = re.compile(
    r"(?:page|file|document|url|article|item|product|seite|site|página|pagina|sida|side|strona)\W+(?:\w+\W+){0,4}?"
    r"(?:not (?:be )?found|(?:can|could)(?: ?not|n?['’]t) be found|does(?: not|n.t) exist"
    r"|no longer (?:exists|available)|missing|nicht gefunden|existiert nicht|introuvable"
    r"|n.existe (?:pas|plus)|no encontrada|no existe|não encontrada|non trovata|niet gevonden|hittades inte"
    r"|ikke fundet|nie znaleziono)"
    r"|(?:can|could)(?: ?not|n?['’]t) find (?:(?:the|that|this|your) )?(?:page|file|product|article)"
    r"|(?:error|fehler|erreur)\W*404|404\W+(?:not found|error|fehler|page)|^\W*not found\W*$",
    re.IGNORECASE | re.MULTILINE,
)


def says_missing(title: str, heading: str, text: str) -> bool:
    """Whether an HTML page is an error page in disguise, by its title, first heading and whole text.

    Both must hold: a phrase such as "page not found" in the title or the heading (anywhere in a page of few
    words), and little text besides. An article about such errors is long, so it is not taken for one.
    """
    if len(text) > MAX_TEXT_CHARS:
        return False
    if _PHRASES.search(title) or _PHRASES.search(heading):
        return True
    return len(text) <= _FEW_CHARS and _PHRASES.search(text) is not None
