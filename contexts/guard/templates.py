"""Templates: html5lib does not know them, and treats them like any other element."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from contexts.guard.foreign import PREFIXES
from contexts.guard.tables import has_between_cells
from contexts.limits import NESTED_BY_PEOPLE
from contexts.listed import Listed
from contexts.markup import FORMATTING, NAME_END, UNCLEAR, are_balanced, tags

_P_CLOSING_TAGS = """
    address article aside blockquote center details dir div dl fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre section summary table ul
"""
_CLOSE_P = frozenset(_P_CLOSING_TAGS.split())
_EVERYTHING = frozenset({"*"})
_CLOSED_FROM_WITHIN = {
    "p": _CLOSE_P,
    "a": frozenset({"a"}),
    "button": frozenset({"button"}),
    "nobr": frozenset({"nobr"}),
    "form": frozenset({"form"}),
    **dict.fromkeys(("head", "table"), _EVERYTHING),
}
"""What, within a template, closes an element around the template in html5lib, which knows no templates."""

_PROPER_PARENT = {
    "li": {"ul", "ol", "menu"},
    "dt": {"dl"},
    "dd": {"dl"},
    "caption": {"table"},
    "colgroup": {"table"},
    "col": {"colgroup"},
    "tbody": {"table"},
    "thead": {"table"},
    "tfoot": {"table"},
    "tr": {"tbody", "thead", "tfoot"},
    "td": {"tr"},
    "th": {"tr"},
}
"""Elements that are parsed in their own way, and where they stand if nothing is left out."""


_TEMPLATES = frozenset({"template"})
_TEMPLATES_IN_EACH_OTHER = 8
"""More of them nobody has meant."""


def templates_are_plain(listed: Listed, source: str) -> bool:
    """Whether html5lib, to which a template is an element like any other, makes the same of a page's
    templates.

    It does where tags in them are balanced and nothing in them is parsed in a way of its own.
    """
    around: list[int] = []
    closing: dict[int, frozenset[str]] = {}
    for node in listed.find(_TEMPLATES).tolist():
        end = int(listed.end[node])
        around = [other for other in around if other > node] + [end]
        if len(around) > _TEMPLATES_IN_EACH_OTHER:
            return False
        if _may_close(listed, range(node + 1, end), _closed_from_within(listed, node, closing)):
            return False
    return (
        are_balanced(source, "template")
        and not _reopens_formatting(listed, source)
        # what was moved out of a table is still parsed as if it stood in it
        and not ("table" in listed.names.values() and has_between_cells(source.encode(), _TEMPLATES))
    )


def _closed_from_within(listed: Listed, node: int, known: dict[int, frozenset[str]]) -> frozenset[str]:
    """What, within a node, closes an element around the node; `known` keeps it for the nodes above."""
    above: list[int] = []
    while (node := int(listed.parent[node])) > 0 and node not in known:
        above.append(node)
    closing = known.get(node, frozenset())
    for node in reversed(above):
        name = listed.name(node)
        more = _EVERYTHING if name.startswith(PREFIXES) else _CLOSED_FROM_WITHIN.get(name, closing)
        closing = known[node] = closing if more <= closing else closing | more
    return closing


def _may_close(listed: Listed, inner: range, closing: frozenset[str]) -> bool:
    """Whether something in a template closes what is around it, or is parsed in a way of its own there."""
    if "*" in closing:
        return True
    for node in inner:
        name = listed.name(node)
        if name in closing:
            return True
        if name in _PROPER_PARENT and listed.name(int(listed.parent[node])) not in _PROPER_PARENT[name]:
            return True
    return False


_TEMPLATE = re.compile(rf"<template{NAME_END}", re.IGNORECASE | re.ASCII)


def _reopens_formatting(listed: Listed, source: str) -> bool:
    """Whether formatting may be open at a template that is not around it: html5lib opens it again."""
    templates = iter(listed.find(_TEMPLATES).tolist())
    is_open: Counter[str] = Counter()
    last = max((found.start() for found in _TEMPLATE.finditer(source)), default=0)
    for tag in tags(source):
        if tag.start > last:
            break
        if tag.name == UNCLEAR:
            return True
        if tag.name in FORMATTING:
            is_open[tag.name] = max(0, is_open[tag.name] + (-1 if tag.closes else 1))
        elif tag.name == "template" and not tag.closes:
            template = next(templates, -1)
            if template < 0 or (+is_open and +is_open - Counter(_names_above(listed, template))):
                return True
    return False


def _names_above(listed: Listed, node: int) -> Iterator[str]:
    """Names of the elements around a node, as far as people nest them."""
    for _ in range(NESTED_BY_PEOPLE):
        node = int(listed.parent[node])
        if node <= 0:
            return
        yield listed.name(node)
