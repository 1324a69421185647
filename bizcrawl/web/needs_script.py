"""Does a page say anything before its scripts have run? Pure and fast, asked of every page in ``--render
auto``.

A page needs a browser only if it brings scripts and shows one of the signs of `Sign`. Frames count as links,
since their documents are pages of their own; text in script, style, template and noscript counts as none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from contexts.limits import DEFAULT
from contexts.source import within

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
_NOSCRIPT = re.compile(rb"<noscript\b[^<>]*+>((?:[^<]++|<(?!/?noscript\b))*+)", re.IGNORECASE)
"""Up to its end, or to where another begins: nothing is looked through twice."""
_JAVASCRIPT = re.compile(rb"java\s?script", re.IGNORECASE)
_MAX_BYTES = 1 << 20
"""Of a page that shows nothing in so much, a browser may show more."""
_NOTICE_BYTES = 2_000
"""What asks for JavaScript does so soon; what follows may be a script that says its own name."""
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
    # what stalls a tidier would stall the whole crawl here
    source = within(DEFAULT, body[:_MAX_BYTES].decode(errors="replace")).encoded
    page = LexborHTMLParser(source, options=LexborDocumentOptions.WO_EVENTS)
    if not _has_script(page):
        return None
    links, text_chars = _links(page), _visible_chars(page)
    is_shell = text_chars < LITTLE_TEXT_CHARS and links < FEW_LINKS
    if (is_shell or links == 0) and _has_empty_mount(page):
        return Sign.EMPTY_MOUNT
    if is_shell and _asks_for_script(source):
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


def _asks_for_script(body: bytes) -> bool:
    """Whether a noscript element of the source asks for JavaScript."""
    return any(_JAVASCRIPT.search(notice[1], 0, _NOTICE_BYTES) for notice in _NOSCRIPT.finditer(body))


def _visible_chars(page: LexborHTMLParser) -> int:
    """Characters of visible text, white space folded, counted up to what decides."""
    chars = 0
    for node in _visible_texts(page.body):
        chars += len(" ".join((node.text_content or "").split())) + 1
        if chars > LITTLE_TEXT_CHARS:
            break
    return max(0, chars - 1)


def _has_empty_mount(page: LexborHTMLParser) -> bool:
    """Whether an element into which a framework puts the page shows no text."""
    mounts = page.css(_MOUNTS)
    if not mounts:
        return False
    filled: set[int] = set()
    for node in _visible_texts(page.root):
        above = node.parent
        while above is not None and above.mem_id not in filled:
            filled.add(above.mem_id)
            above = above.parent
    return any(mount.mem_id not in filled for mount in mounts)


def _visible_texts(root: LexborNode | None) -> Iterator[LexborNode]:
    """The texts below a node that a reader would see, blank ones aside, in document order.

    What hides a text is handed down from each element to what stands in it: to look for it from each text
    upwards takes minutes on a page that nests thousands of elements.
    """
    hidden: set[int] = set()
    for node in root.traverse(include_text=True) if root is not None else ():
        above = node.parent
        if node.tag in _UNSEEN or (above is not None and above.mem_id in hidden):
            hidden.add(node.mem_id)
        elif node.tag == "-text" and (node.text_content or "").strip():
            yield node
