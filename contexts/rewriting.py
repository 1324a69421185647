"""Markup that is younger than html5lib (of 2020), rewritten so that lexbor reads it as html5lib does.

Two things are younger than html5lib: elements that it does not know, and markup in a select, which it leaves
out. Such elements get a name that no parser knows, such tags are left out. The guard then looks at the result
as at any page.
"""

from __future__ import annotations

import numpy as np

from contexts.listed import Listed
from contexts.markup import RAW, UNCLEAR, are_balanced, tags
from contexts.stretches import count_around

UNKNOWN = "\ue000"
"""At the end of the name of an element that is to be unknown."""

_UNKNOWN_TO_HTML5LIB = frozenset({"search", "dialog", "rb", "rtc"})
"""A dialog's end tag html5lib knows, so there must be nothing that it closes but the dialog."""
_KEPT_IN_SELECT = frozenset({"option", "optgroup", "script"})
_SELECT = frozenset({"select"})
_ENDS_SELECT = frozenset({"select", "input", "keygen", "textarea"})
"""With these html5lib closes a select."""
_NOT_LEFT_OUT_TAGS = """
    html body head frameset frame col colgroup caption table tbody tfoot thead tr td th
"""
_NOT_LEFT_OUT = (RAW - {"script", "textarea"}) | frozenset(_NOT_LEFT_OUT_TAGS.split())
"""In a select html5lib leaves out more, or less, of these than the tag; some close it, if in a table."""


def rewritten(listed: Listed, source: bytes) -> bytes | None:
    """A page's source, rewritten; None if there is nothing to rewrite."""
    present = frozenset(listed.names.values())
    if _UNKNOWN_TO_HTML5LIB.isdisjoint(present) and "select" not in present:
        return None
    text = source.decode()
    if (
        UNKNOWN in text
        or "plaintext" in present
        or ("dialog" in present and not are_balanced(text, "dialog"))
    ):
        return None
    return _said_otherwise(text)


def _said_otherwise(text: str) -> bytes | None:
    """The text with some tags renamed or some left out; None if neither is to be done, or both: then nothing
    tells whether the right ones were left out."""
    said: list[str] = []
    at = 0
    in_select = leaves_out = False
    for tag in tags(text):
        if tag.name == UNCLEAR:
            return None
        if in_select and tag.name not in _ENDS_SELECT:
            if tag.name in _KEPT_IN_SELECT:
                continue
            if tag.name in _NOT_LEFT_OUT:
                return None
            leaves_out = True
            said.append(text[at : tag.start])
            at = tag.end
            continue
        in_select = tag.name == "select" and not tag.closes and not in_select
        if tag.name in _UNKNOWN_TO_HTML5LIB:
            name_end = tag.start + tag.closes + 1 + len(tag.name)
            said += (text[at:name_end], UNKNOWN)
            at = name_end
    if not said or (UNKNOWN in said and leaves_out):
        return None
    return "".join([*said, text[at:]]).encode()


def is_same_outside_selects(before: Listed, after: Listed) -> bool:
    """Whether a page has as many nodes of each kind outside of selects as before tags in them were left out;
    True if other tags were renamed instead.
    """
    is_renamed = any(name.endswith(UNKNOWN) for name in after.names.values())
    return is_renamed or _kinds(before) == _kinds(after)


def _kinds(listed: Listed) -> dict[str, int]:
    """How many nodes of each kind stand outside of selects."""
    selects = listed.find(_SELECT)
    around = count_around(selects + 1, listed.end[selects], len(listed.codes))
    codes, counts = np.unique(listed.codes[around == 0], return_counts=True)
    return {listed.names[code]: count for code, count in zip(codes.tolist(), counts.tolist(), strict=True)}
