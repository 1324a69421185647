"""Any text to the tag tree that html5lib makes of it (R16, R133).

Two roads lead there. html5lib is exact and slow; lexbor is seventy times faster and is taken where it is
known to give the same tree (`contexts.guard`), and where html5lib fails or would take too long, which stands
among the tree's cuts (``exact``). ``tidier="html5lib"`` forces the exact road, up to `Limits.max_seconds`.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import Literal

from contexts.draft import Draft, finish
from contexts.lexbor_road import lexbor_draft, unguarded_draft
from contexts.limits import DEFAULT, Limits
from contexts.markup import NAME_END
from contexts.source import Source, within
from contexts.tagtree import TagTree

Tidier = Literal["auto", "html5lib"]


def tidy(text: str, tidier: Tidier = "auto", limits: Limits = DEFAULT, truncated: bool = False) -> TagTree:
    """The tag tree of a page's text. Never raises for anything a page may hold.

    `truncated` says that the text was cut before it came here: an anchor that the cut left open is no link,
    but its text stays (A13).
    """
    source = within(limits, text, truncated)
    draft, road = _draft(source, tidier, limits)
    draft.cuts |= source.cuts
    if not source.cuts.isdisjoint({"bytes", "nodes"}):
        _unlink_open_anchor(draft, source.text)
    return finish(draft, limits, road)


def _draft(source: Source, tidier: Tidier, limits: Limits) -> tuple[Draft, str]:
    """The draft of a source, and the road that led to it."""
    if tidier == "auto":
        draft = lexbor_draft(source.encoded, limits)
        if draft is not None:
            return draft, "lexbor"
    else:
        limits = replace(limits, max_scanned=sys.maxsize, max_copied=sys.maxsize)
    from contexts.html5lib_road import html5lib_draft  # takes long to import, and few pages need it

    draft = html5lib_draft(source.text, limits)
    if draft is not None:
        return draft, "html5lib"
    draft = unguarded_draft(source.encoded, limits)
    draft.cuts.add("exact")
    return draft, "lexbor"


_ANCHORS = frozenset({"a", "svg:a"})
_ANCHOR_END = re.compile(rf"</a{NAME_END}[^>]*+>", re.IGNORECASE | re.ASCII)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SHOWS_OTHERWISE = re.compile(rf"<a{NAME_END}|-->|</(?:script|style|textarea)", re.IGNORECASE)


def _unlink_open_anchor(draft: Draft, source: str) -> None:
    """Make no link of an anchor that is still open at the end of a page that was cut (A13).

    Both tidiers drop a tag that the cut left unfinished, and close what is open: so nothing need be cut off.
    The tree tells which anchor may be open, the last, if nothing follows it: it doesn't mistake comments and
    scripts for markup, and knows what else closes an anchor, such as the end of a cell. Of the source only
    the end is asked, whether that anchor was closed there.
    """
    node = next((node for node in reversed(draft.attributes) if _is_anchor(draft, node)), None)
    if node is not None and draft.end[node] == len(draft.tags) and not _ends_with_anchor(source):
        del draft.attributes[node]


def _is_anchor(draft: Draft, node: int) -> bool:
    return draft.names[int(draft.tags[node])] in _ANCHORS


def _ends_with_anchor(source: str) -> bool:
    """Whether no anchor was opened in a source after the last that was closed.

    That holds if what is behind the last ``</a>`` neither opens another nor shows, by the end of a comment or
    script, that the tag was none. Of a page behind whose last anchor there is no other element.
    """
    open_comment = source.rfind("<!--")
    if open_comment > source.rfind("-->"):
        source = source[:open_comment]
    # without an unfinished tag every pattern finds its end, and none looks through the page more than once
    source = source[: source.rfind(">") + 1]
    tags = list(_ANCHOR_END.finditer(source))
    return bool(tags) and not _SHOWS_OTHERWISE.search(_COMMENT.sub("", source[tags[-1].end() :]))
