"""Where the two tidiers are known to differ: html5lib 1.1 follows the standard of 2020, lexbor that of today.

Each construct is looked for in lexbor's tree while it is walked. A page that has one takes html5lib's road.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from selectolax.lexbor import LexborNode

from contexts.listed import Listed
from contexts.markup import FORMATTING, SPECIAL, are_balanced, tags
from contexts.tagtree import TEXT

_FOREIGN = ("svg:", "math:")
_FOREIGN_OF_THEIR_OWN = frozenset({"foreignObject", "image", "script", "style", "title"})
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
        "foreignobject",
    }
) | {prefix + name for prefix in _FOREIGN for name in SPECIAL - _FOREIGN_OF_THEIR_OWN}
"""Tags that only one of them knows, or treats in its own way; and those in svg and MathML that html5lib takes
for HTML's of the same name."""

IN_SELECT = frozenset({"option", "optgroup", "script", "#text"})
"""All that html5lib leaves within a select; lexbor keeps any markup there, as the standard does since
2025."""

_SELECT = frozenset({"select"})
CELLS = frozenset({"td", "th", "caption"})


def may_differ(listed: Listed, source: bytes) -> bool:
    """Whether a page has a construct of which html5lib may make another tree."""
    present = frozenset(listed.names.values())
    return (
        not DOUBTFUL.isdisjoint(present)
        or ("select" in present and _has_markup_in_select(listed))
        or (not CELLS.isdisjoint(present) and _reopens_on_space_in_cell(listed, source))
        or ("template" in present and not _templates_are_plain(listed, source.decode()))
        or any(
            root in present and _may_have_stray_end(listed, root) and _has_stray_end(source, name)
            for root, name in _FOREIGN_ROOTS
        )
        or (not _SVG_TITLES.isdisjoint(present) and _hold_markup(listed))
        or ("table" in present and (_moves_item_out_of_table(listed) or _loses_image(listed, source)))
        or ("br" in present and _may_have_frames(listed, source))
    )


_FOREIGN_ROOTS = (("svg:svg", b"svg"), ("math:math", b"math"))
"""Names of the elements in the tree and in the source."""
_MADE_BY_STRAY_END = frozenset({"p", "br"})


def _may_have_stray_end(listed: Listed, name: str) -> bool:
    """Whether an svg or math element is followed at once by what lexbor makes of a stray ``</p>`` or
    ``</br>``."""
    after = listed.end[listed.find(frozenset({name}))]
    after = after[after < len(listed.codes)]
    made = after[listed.mask(_MADE_BY_STRAY_END)[after]]
    return bool((listed.end[made] == made + 1).any())


_FOREIGN_TAGS = {
    name: re.compile(
        rb"<!--.*?(?:-->|\Z)|<(?P<end>/?)(?i:%b)(?=[\s/>])(?:[^<>]*+(?<=/)(?P<closed>>))?|</(?P<stray>(?i:p|br))(?=[\s/>])"
        % name,
        re.DOTALL,
    )
    for _, name in _FOREIGN_ROOTS
}


def _has_stray_end(source: bytes, name: bytes) -> bool:
    """Whether an end tag ``</p>`` or ``</br>`` stands within an svg or math element.

    lexbor leaves that element there, html5lib doesn't.
    """
    depth = 0
    for found in _FOREIGN_TAGS[name].finditer(source):
        if found["stray"]:
            if depth:
                return True
        elif found["end"] is not None and not found["closed"]:
            depth = max(0, depth - 1) if found["end"] else depth + 1
    return False


_SVG_TITLES = frozenset({"svg:title", "svg:desc"})


def _hold_markup(listed: Listed) -> bool:
    """Whether a title or description in svg holds elements: formatting comes out of it in two ways."""
    nodes = listed.find(_SVG_TITLES)
    is_text = listed.mask(_TEXT)
    ends = listed.end[nodes].tolist()
    return not all(is_text[node + 1 : end].all() for node, end in zip(nodes.tolist(), ends, strict=True))


_ITEMS = frozenset({"li", "dt", "dd"})
_ITEMS_AND_BUTTONS = _ITEMS | {"button", "option", "optgroup"}
_TABLE = frozenset({"table"})
_TEXT = frozenset({TEXT})
_COLUMNS = frozenset({"col", "colgroup"})


def _moves_item_out_of_table(listed: Listed) -> bool:
    """Whether an item of a list or a button stands right before a table, out of which it may have been moved.

    html5lib looks past such a one when the next one comes. On a page with columns a select counts too:
    html5lib takes the columns for a part of it, and lets them go.
    """
    has_columns = not _COLUMNS.isdisjoint(listed.names.values())
    nodes = listed.find(_ITEMS_AND_BUTTONS | {"select"} if has_columns else _ITEMS_AND_BUTTONS)
    after = listed.end[nodes]
    is_text = np.append(listed.mask(_TEXT), False)
    after = after + is_text[after]
    nodes, after = nodes[after < len(listed.codes)], after[after < len(listed.codes)]
    return bool((listed.mask(_TABLE)[after] & (listed.parent[after] == listed.parent[nodes])).any())


_BODY_AND_BREAKS = frozenset({"body", "br"})
_FRAMESET = re.compile(rb"<(?i:frameset)(?=[\s/>])")


def _may_have_frames(listed: Listed, source: bytes) -> bool:
    """Whether a page begins with a line break and has frames: html5lib takes them after ``</br>`` too."""
    n_leaves = np.searchsorted(listed.leaves, listed.find(_BODY_AND_BREAKS)[:2])
    return bool((n_leaves == n_leaves[0]).all()) and _FRAMESET.search(source) is not None


_IMAGE = re.compile(rb"<(?i:image)(?=[\s/>])")
_SVG_IMAGE = frozenset({"svg:image", "math:image"})


def _loses_image(listed: Listed, source: bytes) -> bool:
    """Whether a page with a table has a tag ``<image>`` outside of svg: in a table lexbor loses it."""
    n_tags = sum(1 for _ in _IMAGE.finditer(source))
    return n_tags > 0 and n_tags > len(listed.find(_SVG_IMAGE))


def _has_markup_in_select(listed: Listed) -> bool:
    selects = listed.find(_SELECT)
    before = np.concatenate(([0], np.cumsum(~listed.mask(IN_SELECT))))
    return bool((before[listed.end[selects]] > before[selects + 1]).any())


def _reopens_on_space_in_cell(listed: Listed, source: bytes) -> bool:
    """Whether within a cell an element begins with space that the parser has opened again.

    It may have, if one of the same name and attributes stands before it in the cell, and the page has more
    such elements than tags. html5lib (against the standard) waits for the next word.
    """
    doubtful = _repeated_on_space_in_cell(listed)
    if not doubtful:
        return False
    if listed.is_cut or not _TAGS_COUNT_OTHERWISE.isdisjoint(listed.names.values()):
        return True
    opened = Counter(tag.name for tag in tags(source.decode()) if not tag.closes)
    return any(len(listed.find(frozenset({name}))) > opened[name] for name in doubtful)


_TAGS_COUNT_OTHERWISE = frozenset({"svg:svg", "math:math", "plaintext", "frameset"})
"""In these not every tag makes an element of its name."""


def _repeated_on_space_in_cell(listed: Listed) -> set[str]:
    """Names of formatting elements that begin with space, behind one of the same kind in the same cell."""
    is_cell = listed.mask(CELLS)
    nodes = np.flatnonzero(is_cell | listed.mask(FORMATTING))
    columns = (
        nodes.tolist(),
        is_cell[nodes].tolist(),
        listed.codes[nodes].tolist(),
        listed.end[nodes].tolist(),
    )
    found: set[str] = set()
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
            if alike and listed.names[code] not in found and _begins_with_space(handle):
                attributes = handle.attributes
                if any(other.attributes == attributes for other in alike):
                    found.add(listed.names[code])
            alike.append(handle)
    return found


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


def _templates_are_plain(listed: Listed, source: str) -> bool:
    """Whether html5lib, to which a template is an element like any other, makes the same of a page's
    templates.

    It does where tags in them are balanced and nothing in them is parsed in a way of its own.
    """
    parent = listed.parent.tolist()
    for node in listed.find(frozenset({"template"})).tolist():
        inner = range(node + 1, int(listed.end[node]))
        closing: set[str] = set()
        above = parent[node]
        while above > 0:
            name = listed.name(above)
            if name.startswith(_FOREIGN):
                return False
            closing |= _CLOSED_FROM_WITHIN.get(name, frozenset())
            above = parent[above]
        names = [listed.name(i) for i in inner]
        if "*" in closing or not closing.isdisjoint(names):
            return False
        for i, name in zip(inner, names, strict=True):
            if name in _PROPER_PARENT and listed.name(parent[i]) not in _PROPER_PARENT[name]:
                return False
    return are_balanced(source, "template")
