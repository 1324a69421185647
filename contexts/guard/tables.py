"""What stands in a table but outside its cells: both tidiers move it out of the table, in different ways."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from contexts.guard.reopened import may_be_copies
from contexts.guard.space import CELLS
from contexts.listed import Listed
from contexts.markup import FORMATTING, UNCLEAR, tags

_BUTTON = frozenset({"button"})
_MOVED = frozenset({"li", "dt", "dd", "option", "optgroup"}) | _BUTTON
_TABLE = frozenset({"table"})
_COLUMNS = frozenset({"col", "colgroup"})
_SELECT = frozenset({"select"})


def tables_differ(listed: Listed, source: bytes) -> bool:
    """Whether the tidiers may differ in what they move out of a page's tables."""
    return (
        _moves_item_out_of_table(listed, source)
        or _loses_columns(listed, source)
        or _loses_what_moved(listed, source)
        or _loses_image(listed, source)
        or _joins_around_doctype(listed, source)
    )


def _moves_item_out_of_table(listed: Listed, source: bytes) -> bool:
    """Whether an item of a list or a button may have been moved out of the table behind it.

    html5lib looks past such an item when the next one comes, and loses the second of two buttons.
    """
    moved = listed.find(_MOVED)
    tables = listed.find(_TABLE)
    # the last table below each parent
    last = dict(zip(listed.parent[tables].tolist(), tables.tolist(), strict=True))
    above = listed.parent[moved].tolist()
    stands_before = any(
        node < last.get(parent, 0) for node, parent in zip(moved.tolist(), above, strict=True)
    )
    return (stands_before or _follows_buttons(listed, tables)) and has_between_cells(source, _MOVED)


def _follows_buttons(listed: Listed, tables: npt.NDArray[np.intp]) -> bool:
    """Whether several buttons stand before a table, below what the table stands in."""
    buttons = listed.find(_BUTTON)
    before = np.searchsorted(buttons, tables) - np.searchsorted(buttons, listed.parent[tables])
    return bool((before >= 2).any())


def _loses_columns(listed: Listed, source: bytes) -> bool:
    """Whether a page with columns has a select in a table, outside of its cells: html5lib takes what follows
    for a part of the select, and lets columns go.
    """
    names = listed.names.values()
    return "select" in names and not _COLUMNS.isdisjoint(names) and has_between_cells(source, _SELECT)


_IN_TABLE = frozenset({"tr", "tbody", "thead", "tfoot", "colgroup", "col"})


def has_between_cells(source: bytes, names: frozenset[str]) -> bool:
    """Whether one of some tags stands in a table, outside of its cells."""
    in_cell: list[bool] = []
    for tag in tags(source.decode()):
        if tag.name == UNCLEAR:
            return True
        if tag.name == "table":
            if not tag.closes:
                in_cell.append(False)
            elif in_cell:
                in_cell.pop()
        elif not in_cell:
            continue
        elif tag.name in CELLS or tag.name in _IN_TABLE:
            in_cell[-1] = tag.name in CELLS and not tag.closes
        elif tag.name in names and not in_cell[-1] and not tag.closes:
            return True
    return False


def _loses_what_moved(listed: Listed, source: bytes) -> bool:
    """Whether what stands before a table may have been moved out of it, and then into a copy of formatting.

    There html5lib loses it.
    """
    parent = listed.parent
    tables = listed.find(_TABLE)
    above = parent[tables]
    is_copy = listed.mask(FORMATTING)[above] & (parent[above] == above - 1) & (tables > above + 1)
    return bool(is_copy.any()) and may_be_copies(listed, source, above[is_copy].tolist())


_IMAGE = re.compile(rb"<(?i:image)(?=[\s/>])")
_SVG_IMAGE = frozenset({"svg:image", "math:image"})


def _loses_image(listed: Listed, source: bytes) -> bool:
    """Whether a page with a table has a tag ``<image>`` outside of svg: in a table lexbor loses it."""
    n_tags = sum(1 for _ in _IMAGE.finditer(source))
    return n_tags > 0 and n_tags > len(listed.find(_SVG_IMAGE))


_TAG = re.compile(rb"<[A-Za-z]")
_DOCTYPE = re.compile(rb"<!(?i:doctype)")


def _joins_around_doctype(listed: Listed, source: bytes) -> bool:
    """Whether text stands beside a table, and a DOCTYPE behind the first tag, as where two pages were joined:
    html5lib moves the white space before it out of a table together with the words behind it.
    """
    parent = listed.parent
    if not np.isin(parent[listed.leaves], parent[listed.find(_TABLE)]).any():
        return False
    tag = _TAG.search(source)
    return tag is not None and _DOCTYPE.search(source, tag.end()) is not None
