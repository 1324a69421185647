"""White space in tables, behind the body and at the beginning of preformatted text: html5lib waits for a word
before it opens formatting again.

That is against the standard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborNode

from contexts.guard.reopened import Kind, kind_of, may_be_copies
from contexts.listed import Listed
from contexts.markup import ATTRIBUTES, COMMENT, FORMATTING, NAME_END, SPACE
from contexts.stretches import count_around

CELLS = frozenset({"td", "th", "caption"})
_TABLE = frozenset({"table"})
_TABLES = CELLS | _TABLE
_PREFORMATTED = frozenset({"pre", "listing"})
"""html5lib drops the line end after these even if an end tag without a start tag is in between."""
_SPACE_BEHIND_BODY = re.compile(
    rf"[>\0]</body{NAME_END}{ATTRIBUTES}(?:{COMMENT}|<[!?][^>]*+>)*+[{SPACE}\0&]".encode(), re.IGNORECASE
)
"""With space or a word before the end tag, what is to be opened again is open by then. A NUL is nothing, and
space may be written as a reference."""
_TAG = re.compile(rf"<(?!/(?:body|html){NAME_END})/?[a-z]".encode(), re.IGNORECASE)
"""Any that may close what is open."""


def reopens_on_space(listed: Listed, source: bytes) -> bool:
    """Whether in a cell, before a table, behind the body or first in preformatted text what begins with space
    may have been opened again.

    It may have, if one of its name and attributes stands before it, and the page has more of them than tags.
    """
    formatting = listed.mask(FORMATTING)
    doubtful = []
    if formatting.any() and (space := _SPACE_BEHIND_BODY.search(source, _end_of_body(source))):
        is_behind = True if _TAG.search(source, space.end()) else _is_open_at_end(listed)
        doubtful = _that_begin_with_space(listed, formatting & is_behind)
    if not _TABLES.isdisjoint(listed.names.values()):
        doubtful += _that_begin_with_space(listed, formatting & _is_in_tables(listed))
    if not _PREFORMATTED.isdisjoint(listed.names.values()):
        doubtful += _that_begin_with_space(listed, _is_first_in_preformatted(listed))
    return len(doubtful) > 0 and may_be_copies(listed, source, _repeated(listed, doubtful))


def _that_begin_with_space(listed: Listed, are_asked: npt.NDArray[np.bool_]) -> list[int]:
    """Those of some elements that begin with white space; of several opened again at once the innermost
    does.
    """
    asked = np.flatnonzero(are_asked).tolist()
    return [node for node in asked if _begins_with_space(listed.handle(node))]


def _end_of_body(source: bytes) -> int:
    """One before the first end tag of the body; the end of the source if there is none."""
    place = source.lower().find(b"</body")
    return place - 1 if place > 0 else len(source)


def _is_open_at_end(listed: Listed) -> npt.NDArray[np.bool_]:
    """(n,) whether nodes stand in what is open at the end of the page."""
    is_open = np.zeros(len(listed.codes), np.bool_)
    node = len(is_open) - 1
    while node >= 0:
        is_open[node] = True
        node = int(listed.parent[node])
    return is_open[listed.parent]


def _is_in_tables(listed: Listed) -> npt.NDArray[np.bool_]:
    """(n,) whether nodes stand in cells or, beside tables, before them, where they may have been moved."""
    cells, tables = listed.find(CELLS), listed.find(_TABLE)
    n = len(listed.codes)
    in_cells = count_around(cells, listed.end[cells], n) > 0
    return in_cells | (count_around(listed.parent[tables] + 1, tables, n) > 0)


def _is_first_in_preformatted(listed: Listed) -> npt.NDArray[np.bool_]:
    """(n,) whether nodes are formatting with which preformatted text begins."""
    formatting = listed.mask(FORMATTING)
    is_first = np.zeros(len(formatting), np.bool_)
    for node in listed.find(_PREFORMATTED).tolist():
        end = int(listed.end[node])
        while (node := node + 1) < end and formatting[node]:
            is_first[node] = True
    return is_first


def _repeated(listed: Listed, nodes: list[int]) -> Iterator[int]:
    """Those before which one of the same name and attributes stands."""
    wanted = frozenset(nodes)
    names = frozenset(map(listed.name, nodes))
    kinds: set[Kind] = set()
    for node in listed.find(names).tolist():
        kind = kind_of(listed.handle(node))
        if kind in kinds and node in wanted:
            yield node
        kinds.add(kind)


def _begins_with_space(handle: LexborNode) -> bool:
    first = handle.child
    return first is not None and first.is_empty_text_node
