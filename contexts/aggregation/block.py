"""The block around a link: the smallest item, row, definition pair, card, line or paragraph that holds it
(A12)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from contexts.aggregation.spans import Spans, subtrees
from contexts.blocks import (
    climb,
    definition_pairs,
    find_blocks,
    line_around,
    line_borders,
    links_below,
    nodes_of,
    tag_mask,
)
from contexts.links import Link
from contexts.tagtree import TagTree

_PAIRED = frozenset({"dt", "dd"})


def block(tree: TagTree, links: Sequence[Link], _: int) -> Spans:
    """The block around each link; its parent, where no block but the page itself is around it."""
    nodes = nodes_of(links)
    if not len(nodes):
        return subtrees(tree, nodes)
    blocks = find_blocks(tree, nodes)
    at = climb(tree, nodes, blocks.is_block | blocks.is_in_line)
    in_line = blocks.is_in_line[at]
    is_bare = at == 0
    at[is_bare] = np.maximum(tree.parent[nodes[is_bare]], 0)
    found = subtrees(tree, at)
    is_paired = tag_mask(tree, _PAIRED)[at]
    borders = cache(lambda container: line_borders(tree, container))
    n_links = links_below(tree, nodes)
    pairs = cache(lambda container: definition_pairs(tree, container, n_links))
    for i in np.flatnonzero(in_line | is_paired).tolist():
        node, container = int(at[i]), int(tree.parent[at[i]])
        first, last = line_around(tree, borders(container), node) if in_line[i] else pairs(container)[node]
        found.nodes[i] = -1
        found.starts[i], found.ends[i] = tree.first_token[first], tree.first_token[last]
    return found
