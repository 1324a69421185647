"""Which links are listed together, and how far apart two nodes of the tree are (M5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contexts.blocks import climb, find_blocks, nodes_of, tag_mask
from contexts.links import Link
from contexts.tagtree import Ints, TagTree

_WITHIN_TABLE = frozenset({"tr", "tbody", "thead", "tfoot"})


def list_ids(tree: TagTree, links: Sequence[Link]) -> Ints:
    """(k,) for each link the node of the list, table or run of like blocks in which it stands; -1 for none.

    The nearest one counts. A row of links within an item is a list only if there is no other around it.
    """
    nodes = nodes_of(links)
    if not len(nodes):
        return np.zeros(0, np.int32)
    blocks = find_blocks(tree, nodes)
    at = climb(tree, nodes, blocks.is_entry | blocks.is_in_line)
    found = tree.parent[at]
    # a row is listed in its table, whatever lies between
    found = np.where(at >= 0, climb(tree, found.astype(np.intp), ~tag_mask(tree, _WITHIN_TABLE)), -1)
    alone = found < 0
    inline = climb(tree, nodes, blocks.is_inline_entry)
    found = np.where(alone & (inline >= 0), tree.parent[inline], found)
    return found.astype(np.int32)


def tree_distance(tree: TagTree, a: int, b: int) -> int:
    """Edges between two nodes of the tree."""
    steps: dict[int, int] = {}
    n = 0
    while a >= 0:
        steps[a] = n
        a = int(tree.parent[a])
        n += 1
    n = 0
    while b not in steps:
        b = int(tree.parent[b])
        n += 1
    return n + steps[b]
