"""Selects: html5lib leaves out all markup in them except options; today's standard, and lexbor, keep it."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from contexts.listed import Listed
from contexts.markup import NAME_END, UNCLEAR, tags

_KEPT = frozenset({"option", "optgroup", "script", "#text"})
"""All that html5lib leaves within a select."""
_SELECT = frozenset({"select"})


def selects_differ(listed: Listed, source: bytes) -> bool:
    """Whether a page's selects hold more than html5lib keeps, or what it doesn't heed there."""
    return _have_markup(listed) or _may_hold_unheeded(listed, source)


def _have_markup(listed: Listed) -> bool:
    selects = listed.find(_SELECT)
    before = np.concatenate(([0], np.cumsum(~listed.mask(_KEPT))))
    return bool((before[listed.end[selects]] > before[selects + 1]).any())


_UNHEEDED = frozenset({"/form", "body"})
_OF_INTEREST = re.compile(rf"<(/?select|/form|body){NAME_END}".encode(), re.IGNORECASE)


def _may_hold_unheeded(listed: Listed, source: bytes) -> bool:
    """Whether in a select stands the end tag of a form, or a tag ``<body>``, whose attributes the page's own
    would take: html5lib heeds neither there.
    """
    named = [found[1].lower().decode() for found in _OF_INTEREST.finditer(source)]
    if "select" not in named or _UNHEEDED.isdisjoint(named[named.index("select") :]):
        return False
    if named.count("select") == named.count("/select") == len(listed.find(_SELECT)):
        return _holds_unheeded(named)
    # some are none: they stand in a comment, a script or the value of an attribute
    return _holds_unheeded("/" * tag.closes + tag.name for tag in tags(source.decode()))


def _holds_unheeded(named: Iterable[str]) -> bool:
    in_select = False
    for name in named:
        if name in {"select", "/select"}:
            in_select = name == "select"
        elif name == UNCLEAR or (name in _UNHEEDED and in_select):
            return True
    return False
