"""Does a page say anything before its scripts have run? Pure and fast, asked of every page in ``--render
auto``.

A page needs a browser only if it brings scripts and shows one of the signs of `Sign`. Frames count as links,
since their documents are pages of their own; text in script, style, template and noscript counts as none.
"""

from __future__ import annotations

import re
from enum import StrEnum

from selectolax.lexbor import LexborHTMLParser, LexborNode

from contexts.limits import DEFAULT
from contexts.nesting import is_plain, without_abyss

LITTLE_TEXT_CHARS = 200
"""A page with less visible text, and hardly a link, is a shell."""
FEW_LINKS = 3

_UNSEEN = frozenset({"script", "style", "template", "noscript", "head", "title"})
_MOUNTS = ", ".join(
    [
        *(
            f"#{name}"
            for name in ("root", "app", "__next", "__nuxt", "___gatsby", "svelte", "q-app", "main-app")
        ),
        "app-root",
        "[ng-app]",
        "[data-reactroot]",
        "[data-server-rendered=false]",
    ]
)
"""Where React, Vue, Next, Nuxt, Gatsby, Svelte, Quasar and Angular put the page."""
_ASKS = re.compile(rb"<noscript\b[^>]*>(?:(?!</noscript).){0,2000}?java\s?script", re.IGNORECASE | re.DOTALL)
_DATA_SCRIPT = re.compile(r"json|template|text/(?!(java|ecma)script|jscript)", re.IGNORECASE)


class Sign(StrEnum):
    """What shows that a page needs scripts."""

    EMPTY_MOUNT = "empty_mount"
    """The element into which a framework puts the page is empty, and little stands around it."""
    ASKS_FOR_SCRIPT = "asks_for_script"
    """Hardly any text or link, and a noscript element that asks for JavaScript."""
    LITTLE_TEXT = "little_text"
    """Next to no text and hardly a link."""
    NO_LINKS = "no_links"
    """No link that leads anywhere without scripts."""


def script_sign(body: bytes) -> Sign | None:
    """The first sign that an HTML page needs a browser; None if it does not. Never raises."""
    if b"<script" not in body and b"<SCRIPT" not in body and b"<script" not in body.lower():
        return None
    if not is_plain(body, DEFAULT.max_open, DEFAULT.max_again):
        # else a page could take all memory here as in a tidier; Latin-1 gives every octet back
        source = without_abyss(body.decode("latin-1"), DEFAULT.max_open, DEFAULT.max_again)
        body = source.encode("latin-1")
    page = LexborHTMLParser(body)
    if not _has_script(page):
        return None
    links, text_chars = _links(page), _visible_chars(page)
    is_shell = text_chars < LITTLE_TEXT_CHARS and links < FEW_LINKS
    if (is_shell or links == 0) and any(not _visible_text(mount) for mount in page.css(_MOUNTS)):
        return Sign.EMPTY_MOUNT
    if is_shell and _ASKS.search(body):
        return Sign.ASKS_FOR_SCRIPT
    if is_shell:
        return Sign.LITTLE_TEXT
    return Sign.NO_LINKS if links == 0 else None


def _has_script(page: LexborHTMLParser) -> bool:
    """Whether there is a script that is more than data."""
    return any(
        not _DATA_SCRIPT.search(script.attributes.get("type") or "")
        and ("src" in script.attributes or script.text().strip())
        for script in page.css("script")
    )


def _links(page: LexborHTMLParser) -> int:
    """Links and frames that lead somewhere without scripts, counted up to what decides."""
    found = 0
    for node in page.css("a[href], area[href], frame[src], iframe[src]"):
        target = (node.attributes.get("href") or node.attributes.get("src") or "").strip()
        if (
            target
            and not target.startswith("#")
            and not target.lower().startswith(("javascript:", "about:", "data:"))
        ):
            found += 1
            if found >= FEW_LINKS:
                break
    return found


def _visible_chars(page: LexborHTMLParser) -> int:
    """Characters of visible text, counted up to what decides."""
    return len(_visible_text(page.body, LITTLE_TEXT_CHARS)) if page.body else 0


def _visible_text(root: LexborNode, most_chars: int = 1) -> str:
    """The first `most_chars` characters of text below a node that a reader would see, blanks joined."""
    text = ""
    for node in root.traverse(include_text=True):
        if node.tag != "-text" or not (piece := " ".join((node.text_content or "").split())):
            continue
        above = node.parent
        while above is not None and above.tag not in _UNSEEN:
            above = above.parent
        if above is None:
            text += " " + piece
            if len(text) > most_chars:
                break
    return text[1:]
