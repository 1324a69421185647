"""Any text to the tag tree that html5lib makes of it (R16).

Two roads lead there. html5lib is exact and slow; lexbor is seventy times faster and is taken where it is
known to give the same tree (`contexts.guard`). ``tidier="html5lib"`` forces the exact road.
"""

from __future__ import annotations

import re
from typing import Literal

from contexts.draft import finish
from contexts.html5lib_road import html5lib_draft
from contexts.lexbor_road import lexbor_draft
from contexts.limits import DEFAULT, Limits
from contexts.tagtree import TagTree

Tidier = Literal["auto", "html5lib"]

_SURROGATES = re.compile("[\ud800-\udfff]")


def tidy(text: str, tidier: Tidier = "auto", limits: Limits = DEFAULT, truncated: bool = False) -> TagTree:
    """The tag tree of a page's text. Never raises for anything a page may hold.

    `truncated` says that the text was cut before it came here: an anchor that the cut left open is dropped
    (A13).
    """
    cut = truncated
    if len(text) > limits.max_chars:
        text, cut = text[: limits.max_chars], True
    if cut:
        text = _without_open_anchor(text)
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        text = _SURROGATES.sub("\ufffd", text)
        encoded = text.encode()
    draft, road = (None if tidier == "html5lib" else lexbor_draft(encoded, limits)), "lexbor"
    if draft is None:
        draft, road = html5lib_draft(text, limits), "html5lib"
    if cut:
        draft.cuts.add("bytes")
    return finish(draft, limits, road)


_ANCHOR = re.compile(r"<(/?)a(?=[\s/>])", re.IGNORECASE)


def _without_open_anchor(text: str) -> str:
    """The text up to an anchor that is still open at its end (A13)."""
    tags = list(_ANCHOR.finditer(text, max(0, len(text) - 20_000)))
    return text[: tags[-1].start()] if tags and not tags[-1][1] else text
