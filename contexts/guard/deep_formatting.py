"""Formatting that is closed from deep within: of the elements in between html5lib closes only three.

``<b><q><q><q><q><p></b></p>x``: the standard closes the four with the formatting, html5lib leaves one open.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from contexts.guard.reopened import are_alike, may_be_copies
from contexts.listed import TEXT_NODE, Listed
from contexts.markup import FORMATTING
from contexts.stretches import depths

_LET_GO = 3
_AROUND = 4
"""Copies of formatting around a block, and the block, above the copy with which the block begins."""


def closes_from_deep_within(listed: Listed, source: bytes) -> bool:
    """Whether formatting may have been closed from within so many elements.

    Then the block in which it was closed, with copies of what was open around it, stands right behind, and
    begins with a copy of the formatting.
    """
    return may_be_copies(
        listed, source, [copy for node in _deep(listed) for copy in _copies_behind(listed, node)]
    )


def _deep(listed: Listed) -> list[int]:
    """Formatting of which the last of the last of ... is so deep that a parser has to let go of too many."""
    end = listed.end
    n = len(end)
    nodes = np.flatnonzero(listed.mask(FORMATTING))
    nodes = nodes[(end[nodes] - nodes > _LET_GO + 1) & (end[nodes] < n)]
    if not len(nodes):
        return []
    depth = depths(end)
    last = end[nodes] - 1
    is_deep = depth[last] - (listed.codes[last] == TEXT_NODE) - depth[nodes] > _LET_GO
    deep: list[int] = nodes[is_deep].tolist()
    return deep


def _copies_behind(listed: Listed, node: int) -> Iterator[int]:
    """Of what follows a node the first, its first and so on, as far as they are like the node.

    Formatting that is closed later in the same way comes between: what stands behind that is looked at too.
    """
    at, above = int(listed.end[node]), listed.parent[node]
    is_formatting = listed.mask(FORMATTING)
    for _ in range(_AROUND):
        if at == len(listed.codes) or listed.parent[at] != above:
            return
        yield from (first for first in _firsts(listed, at) if are_alike(listed, first, node))
        if not is_formatting[at]:
            return
        at = int(listed.end[at])


def _firsts(listed: Listed, node: int) -> Iterator[int]:
    """A node, its first, the first of that and so on, as far as the copy of interest may be down."""
    for _ in range(_AROUND + 1):
        yield node
        if listed.end[node] == node + 1:
            return
        node += 1
