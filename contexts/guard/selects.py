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
    """Whether a page's selects hold more than html5lib keeps, or the end of a form."""
    return _have_markup(listed) or ("form" in listed.names.values() and _may_close_form(listed, source))


def _have_markup(listed: Listed) -> bool:
    selects = listed.find(_SELECT)
    before = np.concatenate(([0], np.cumsum(~listed.mask(_KEPT))))
    return bool((before[listed.end[selects]] > before[selects + 1]).any())


_FORMS_AND_SELECTS = re.compile(rf"<(/?(?:select|form)){NAME_END}".encode(), re.IGNORECASE)


def _may_close_form(listed: Listed, source: bytes) -> bool:
    """Whether the end tag of a form stands in a select: html5lib doesn't heed it there."""
    named = [found[1].lower().decode() for found in _FORMS_AND_SELECTS.finditer(source)]
    n_selects = len(listed.find(_SELECT))
    if named.count("select") == named.count("/select") == n_selects:
        return _closes_form(named)
    # some are none: they stand in a comment, a script or the value of an attribute
    return _closes_form("/" * tag.closes + tag.name for tag in tags(source.decode()))


def _closes_form(named: Iterable[str]) -> bool:
    in_select = False
    for name in named:
        if name in {"select", "/select"}:
            in_select = name == "select"
        elif name == UNCLEAR or (name == "/form" and in_select):
            return True
    return False
