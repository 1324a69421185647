"""Selects: html5lib leaves out all markup in them but options, the standard of today, and lexbor, keep it."""

from __future__ import annotations

import re

import numpy as np

from contexts.listed import Listed
from contexts.markup import COMMENT

_KEPT = frozenset({"option", "optgroup", "script", "#text"})
"""All that html5lib leaves within a select."""
_SELECT = frozenset({"select"})


def selects_differ(listed: Listed, source: bytes) -> bool:
    """Whether a page's selects hold more than html5lib keeps, or the end of a form."""
    return _have_markup(listed) or ("form" in listed.names.values() and _close_form(source.decode()))


def _have_markup(listed: Listed) -> bool:
    selects = listed.find(_SELECT)
    before = np.concatenate(([0], np.cumsum(~listed.mask(_KEPT))))
    return bool((before[listed.end[selects]] > before[selects + 1]).any())


_FORMS_AND_SELECTS = re.compile(
    rf"{COMMENT}|<(?P<tag>/?(?:select|form))(?=[\s/>])", re.IGNORECASE | re.DOTALL
)


def _close_form(source: str) -> bool:
    """Whether the end tag of a form stands in a select: html5lib doesn't heed it there."""
    last = ""
    for found in _FORMS_AND_SELECTS.finditer(source):
        tag = (found["tag"] or last).lower()
        if tag == "/form" and last == "select":
            return True
        last = tag
    return False
