"""Where the two tidiers are known to differ: html5lib 1.1 follows the standard of 2020, lexbor that of today.

Each construct is looked for in lexbor's tree while it is walked. A page that has one takes html5lib's road.
"""

from __future__ import annotations

import re

import numpy as np
from selectolax.lexbor import LexborNode

from contexts.listed import Listed

DOUBTFUL = frozenset(
    {
        "isindex",
        "menuitem",
        "frameset",
        "search",
        "rb",
        "rtc",
        "command",
        "dialog",
        "math:annotation-xml",
        "mglyph",
        "malignmark",
    }
)
"""Tags that only one of them knows, or treats in its own way."""

IN_SELECT = frozenset({"option", "optgroup", "script", "#text"})
"""All that html5lib leaves within a select; lexbor keeps any markup there, as the standard does since
2025."""

_SELECT = frozenset({"select"})
CELLS = frozenset({"td", "th", "caption"})
FORMATTING = frozenset(
    {"a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}
)
"""Tags that a parser opens again after a block has closed over them.

Where that happens on white space within a cell, html5lib (against the standard) waits for the next word.
"""


def may_differ(listed: Listed, source: bytes) -> bool:
    """Whether a page has a construct of which html5lib may make another tree."""
    present = frozenset(listed.names.values())
    return (
        not DOUBTFUL.isdisjoint(present)
        or ("select" in present and _has_markup_in_select(listed))
        or (not CELLS.isdisjoint(present) and _reopens_on_space_in_cell(listed))
        or ("template" in present and not _templates_are_plain(listed, source.decode()))
    )


def _has_markup_in_select(listed: Listed) -> bool:
    selects = listed.find(_SELECT)
    before = np.concatenate(([0], np.cumsum(~listed.mask(IN_SELECT))))
    return bool((before[listed.end[selects]] > before[selects + 1]).any())


def _reopens_on_space_in_cell(listed: Listed) -> bool:
    """Whether within a cell an element begins with space that the parser may have opened again.

    It may, if one of the same name and attributes stands before it in the cell.
    """
    is_cell = listed.mask(CELLS)
    nodes = np.flatnonzero(is_cell | listed.mask(FORMATTING))
    columns = (
        nodes.tolist(),
        is_cell[nodes].tolist(),
        listed.codes[nodes].tolist(),
        listed.end[nodes].tolist(),
    )
    cell_end = 0
    before: dict[int, list[LexborNode]] = {}  # of the cell, by tag
    for node, begins_cell, code, end in zip(*columns, strict=True):
        if begins_cell:
            if node >= cell_end:
                cell_end = end
                before = {}
        elif node < cell_end:
            handle = listed.handle(node)
            alike = before.setdefault(code, [])
            if alike and _begins_with_space(handle):
                attributes = handle.attributes
                if any(other.attributes == attributes for other in alike):
                    return True
            alike.append(handle)
    return False


def _begins_with_space(handle: LexborNode) -> bool:
    """Whether a formatting element, or the formatting element with which it begins, begins with white
    space."""
    first = handle.child
    while first is not None and first.tag in FORMATTING:
        first = first.child
    return first is not None and first.is_empty_text_node


_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_P_CLOSING_TAGS = """
    address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer
    form header hgroup hr main menu nav ol p pre section summary table ul
"""
_CLOSE_P = _HEADINGS | frozenset(_P_CLOSING_TAGS.split())
_EVERYTHING = frozenset({"*"})
_CLOSED_FROM_WITHIN = {
    "p": _CLOSE_P,
    "a": frozenset({"a"}),
    "button": frozenset({"button"}),
    "nobr": frozenset({"nobr"}),
    "form": frozenset({"form"}),
    **dict.fromkeys(_HEADINGS, _HEADINGS),
    **dict.fromkeys(
        ("head", "option", "select", "table", "tbody", "thead", "tfoot", "tr", "colgroup"), _EVERYTHING
    ),
}
"""What, within a template, closes an element around the template in html5lib, which knows no templates."""

_PROPER_PARENT = {
    "li": {"ul", "ol", "menu"},
    "dt": {"dl"},
    "dd": {"dl"},
    "option": {"select", "optgroup", "datalist"},
    "optgroup": {"select"},
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

_VOID = frozenset(
    {
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    }
)
_TEMPLATE = re.compile(r"<(?i:template)(?=[\s/>])")
"""Only its letters are of either case: so what is not even a tag is passed over at once."""
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|textarea|title|xmp|iframe|noembed|noframes)\b.*?(?:</\1\s*+>|\Z)"
    r"|<(/?)([a-z][^\s/>]*+)(?:[^>\"']++|\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))*+(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
"""What has no end goes on to the end of the page, so that no page is looked through more than once."""


def _templates_are_plain(listed: Listed, source: str) -> bool:
    """Whether html5lib, to which a template is an element like any other, makes the same of a page's
    templates.

    It does where every tag in them is closed in its turn and nothing in them is parsed in a way of its own.
    """
    parent = listed.parent.tolist()
    for node in listed.find(frozenset({"template"})).tolist():
        inner = range(node + 1, int(listed.end[node]))
        closing: set[str] = set()
        above = parent[node]
        while above > 0:
            name = listed.name(above)
            if name.startswith(("svg:", "math:")):
                return False
            closing |= _CLOSED_FROM_WITHIN.get(name, frozenset())
            above = parent[above]
        names = [listed.name(i) for i in inner]
        if "*" in closing or not closing.isdisjoint(names):
            return False
        for i, name in zip(inner, names, strict=True):
            if name in _PROPER_PARENT and listed.name(parent[i]) not in _PROPER_PARENT[name]:
                return False
    return _templates_are_balanced(source)


def _templates_are_balanced(source: str) -> bool:
    """Whether within templates every start tag has its end tag."""
    at = 0
    while template := _TEMPLATE.search(source, at):
        opened: list[str] = []
        for match in _MARKUP.finditer(source, template.start()):
            at = match.end()
            name = (match[3] or "").lower()
            if not name:
                continue
            if match[2]:
                if not opened or opened.pop() != name:
                    return False
            elif name not in _VOID and not match[0].endswith("/>"):
                opened.append(name)
            if not opened:
                break
        if opened:
            return False
    return True
