"""Blocks and lists: the smallest item, row, pair, card, line or paragraph around a link, and what it is
listed in.

Found from the structure alone (A12, L19): list items, table rows, definition pairs; three or more siblings of
one tag that all hold links (cards); lines between breaks. Everything is counted in slices of the flat tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from contexts.limits import NESTED_BY_PEOPLE
from contexts.links import Link
from contexts.tagtree import Ints, TagTree

Bools = npt.NDArray[np.bool_]

ITEMS = frozenset({"li", "dt", "dd", "option"})
PARAGRAPHS = frozenset({"p", "article", "blockquote", "figure", "address", "caption", "pre"})
_WITHIN_LINES = """
    #text a abbr acronym b bdi bdo big cite code em font i img ins kbd label mark nobr q s samp
    small span strike strong sub sup svg:a tt u var wbr
"""
WITHIN_LINES = frozenset(_WITHIN_LINES.split())
"""Tags that stand within a line."""
TABLE_PARTS = frozenset({"tbody", "thead", "tfoot", "tr", "td", "th", "table", "html", "head", "body"})
BREAKS = frozenset({"br", "hr"})
ALIKE = 3
"""So many siblings of one tag that hold links are a run of like blocks."""
RECORD_LINKS = 3
"""A table row with more links than this is no record: its cells stand for themselves."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """Which nodes of a page are blocks around its links."""

    is_block: Bools
    """(n,) entries of lists, paragraphs, cards, cells; the root."""
    is_entry: Bools
    """(n,) blocks that stand in a list, table or run of like blocks."""
    is_inline_entry: Bools
    """(n,) links and other inline elements in a run of their like."""
    is_in_line: Bools
    """(n,) inline children of nodes that breaks divide into lines."""


def tag_mask(tree: TagTree, names: frozenset[str]) -> Bools:
    """(n,) whether each node's tag is one of some names."""
    return np.array([name in names for name in tree.tag_names]).take(tree.tags)


def nodes_of(links: Sequence[Link]) -> npt.NDArray[np.intp]:
    """(k,) nodes of the links."""
    return np.fromiter((link.node for link in links), np.intp, len(links))


def links_below(tree: TagTree, link_nodes: npt.NDArray[np.intp]) -> Ints:
    """(n,) number of link occurrences in each subtree."""
    before = np.cumsum(np.bincount(link_nodes + 1, minlength=len(tree) + 1), dtype=np.int32)
    return before[tree.end] - before[:-1]


def find_blocks(tree: TagTree, link_nodes: npt.NDArray[np.intp]) -> Blocks:
    """Find the blocks of a page around some of its nodes."""
    n_links = links_below(tree, link_nodes)
    holds_links = n_links > 0
    n_alike = _alike(tree, holds_links)
    is_item = tag_mask(tree, ITEMS)
    is_row = tag_mask(tree, frozenset({"tr"}))
    is_cell = tag_mask(tree, frozenset({"td", "th"}))
    is_inline = tag_mask(tree, WITHIN_LINES)
    is_card = (n_alike >= ALIKE) & ~is_inline & ~tag_mask(tree, TABLE_PARTS)
    is_record = is_row & (n_links <= RECORD_LINKS)
    is_cell_block = is_cell & (n_links[tree.parent] > RECORD_LINKS)
    # a table lists something if several of its rows, or several cells of a row, hold links
    is_entry = is_item | is_card | (is_record & (n_alike >= 2)) | (is_cell_block & (n_alike >= 2))
    is_block = is_entry | is_record | is_cell_block | tag_mask(tree, PARAGRAPHS)
    is_block[0] = True
    n_breaks = np.bincount(tree.parent[tag_mask(tree, BREAKS)], minlength=len(tree))
    has_lines = (n_breaks >= ALIKE - 1) & (n_links >= 2)
    beside_lines = has_lines[tree.parent] & holds_links & ~tag_mask(tree, TABLE_PARTS)
    beside_lines[0] = False
    return Blocks(
        is_block=is_block | (beside_lines & ~is_inline),
        is_entry=is_entry,
        is_inline_entry=is_inline & (n_alike >= ALIKE),
        is_in_line=beside_lines & is_inline,
    )


def _alike(tree: TagTree, holds_links: Bools) -> npt.NDArray[np.intp]:
    """(n,) how many siblings of a node have its tag and hold links, itself included; 0 if it holds none."""
    nodes = np.flatnonzero(holds_links)
    keys = (tree.parent[nodes].astype(np.int64) * len(tree.tag_names) + tree.tags[nodes]).tolist()
    times = Counter(keys)
    alike = np.zeros(len(tree), np.intp)
    alike[nodes] = [times[key] for key in keys]
    return alike


def climb(tree: TagTree, nodes: npt.NDArray[np.intp], stop: Bools) -> npt.NDArray[np.intp]:
    """(k,) for each node the first of itself and its ancestors at which to stop; -1 if there is none."""
    at = nodes.copy()
    halted = np.append(stop, True)  # so that -1 stays where it is
    climbing = np.flatnonzero(~halted[at])
    for _ in range(NESTED_BY_PEOPLE):
        if not len(climbing):
            return at
        at[climbing] = above = tree.parent[at[climbing]]
        climbing = climbing[~halted[above]]
    return _leap(tree, at, halted) if len(climbing) else at


def _leap(tree: TagTree, at: npt.NDArray[np.intp], halted: Bools) -> npt.NDArray[np.intp]:
    """`climb` for all nodes of a page together, twice as far with each look at it: where thousands of links
    stand thousands of elements deep, one step after the other takes seconds.
    """
    n = len(tree)
    goes_to = np.where(halted, np.arange(n + 1), np.append(tree.parent, n))
    goes_to[goes_to < 0] = n
    while not np.array_equal(further := goes_to[goes_to], goes_to):
        goes_to = further
    found = goes_to[at]
    found[found == n] = -1
    return found


def line_borders(tree: TagTree, container: int) -> npt.NDArray[np.intp]:
    """Children of a node that end a line: breaks and blocks."""
    children = np.array(_children(tree, container), np.intp)
    is_inline = np.array([name in WITHIN_LINES for name in tree.tag_names]).take(tree.tags[children])
    borders: npt.NDArray[np.intp] = children[~is_inline]
    return borders


def line_around(tree: TagTree, borders: npt.NDArray[np.intp], node: int) -> tuple[int, int]:
    """The line of a node's inline siblings between two borders: first node, one past the last."""
    container = int(tree.parent[node])
    place = int(np.searchsorted(borders, node))
    first = int(tree.end[borders[place - 1]]) if place else container + 1
    last = int(borders[place]) if place < len(borders) else int(tree.end[container])
    return first, last


def definition_pairs(tree: TagTree, above: int, n_links: Ints) -> dict[int, tuple[int, int]]:
    """Each ``dt`` and ``dd`` below a node with its pair: terms and what follows them, up to the next (A12).

    Several terms share what follows them; but one with a link (`n_links` by node) behind another with a link
    begins a pair of its own, as in lists of bookmarks. A pair is its first node and one past its last.
    """
    pairs: list[list[int]] = []
    for node in _children(tree, above):
        tag = tree.tag(node)
        if tag not in {"dt", "dd"}:
            continue
        if pairs and (tag == "dd" or _shares(tree, node, pairs[-1], n_links)):
            pairs[-1].append(node)
        else:
            pairs.append([node])
    return {node: (pair[0], int(tree.end[pair[-1]])) for pair in pairs for node in pair}


def _shares(tree: TagTree, term: int, before: list[int], n_links: Ints) -> bool:
    """Whether a term belongs to what stands before it: other terms, of which not both it and they hold
    links.
    """
    return tree.tag(before[-1]) == "dt" and not (n_links[term] and n_links[before].any())


def _children(tree: TagTree, node: int) -> list[int]:
    # one after the other: to look at all that is below would be quadratic where such nodes nest
    end = int(tree.end[node])
    found = []
    child = node + 1
    while child < end:
        found.append(child)
        child = int(tree.end[child])
    return found
