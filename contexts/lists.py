"""Which links are listed together, and in which lists lists stand (M5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from contexts.blocks import Blocks, climb, find_blocks, nodes_of, tag_mask
from contexts.distinct import distinct
from contexts.links import Link
from contexts.tagtree import Ints, TagTree

MAX_NESTING = 32
"""So many levels of lists in lists are looked for: each costs a walk over the page, only traps have more."""

Nodes = npt.NDArray[np.intp]

_WITHIN_TABLE = frozenset({"tr", "tbody", "thead", "tfoot"})


def list_ids(tree: TagTree, links: Sequence[Link]) -> Ints:
    """(k,) for each link the node of the list, table or run of like blocks in which it stands; -1 for none.

    The nearest one counts. A row of links within an item is a list only if there is no other around it.
    """
    nodes = nodes_of(links)
    if not len(nodes):
        return np.zeros(0, np.int32)
    return _lists_around(tree, find_blocks(tree, nodes), nodes)


def outer_lists(tree: TagTree, links: Sequence[Link], ids: Ints) -> dict[int, int]:
    """For each list of a page the list in which it stands itself; -1 for none. `ids` are the links' lists.

    Lists that hold no other come first. From then on such a list counts as one link, so that a run of like
    blocks is found no matter whether links or lists stand in them.
    """
    outer: dict[int, int] = {}
    at = nodes_of(links)
    waiting = set(ids.tolist()) - {-1}
    for _ in range(MAX_NESTING):
        if not waiting:
            break
        level = _holding_no_other(tree, np.array(sorted(waiting), np.intp))
        at = distinct(_as_one(tree, at, level))
        around = _lists_around(tree, find_blocks(tree, at), level).tolist()
        inner = level.tolist()
        outer.update(zip(inner, around, strict=True))
        waiting = waiting.difference(inner).union(around) - {-1}
    # deeper ones are taken for outermost
    return outer | dict.fromkeys(waiting, -1)


def _holding_no_other(tree: TagTree, lists: Nodes) -> Nodes:
    """Those of some lists, given in document order, in which none of the others stands."""
    return lists[np.append(lists[1:], len(tree)) >= tree.end[lists]]


def _as_one(tree: TagTree, nodes: Nodes, lists: Nodes) -> Nodes:
    """The nodes, those in one of some lists replaced by the list; none of the lists stands in another."""
    before = lists[np.maximum(np.searchsorted(lists, nodes, side="right") - 1, 0)]
    return np.where((before <= nodes) & (nodes < tree.end[before]), before, nodes)


def _lists_around(tree: TagTree, blocks: Blocks, nodes: Nodes) -> Ints:
    """`list_ids` of the links, or of the lists that count as one, at some nodes."""
    at = climb(tree, nodes, blocks.is_entry | blocks.is_in_line)
    found = tree.parent[at]
    # a row is listed in its table, whatever lies between
    found = np.where(at >= 0, climb(tree, found.astype(np.intp), ~tag_mask(tree, _WITHIN_TABLE)), -1)
    alone = found < 0
    inline = climb(tree, np.where(alone, nodes, -1), blocks.is_inline_entry)
    found = np.where(inline >= 0, tree.parent[inline], found)
    return found.astype(np.int32)
