"""Page, parent, k-th ancestor and anchor: contexts at a fixed place on the way from the root to the link
(R23, R24)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contexts.aggregation.spans import Spans, subtrees
from contexts.blocks import nodes_of
from contexts.limits import NESTED_BY_PEOPLE
from contexts.links import Link
from contexts.tagtree import TagTree


def page(tree: TagTree, links: Sequence[Link], _: int) -> Spans:
    """The whole page: with it the DOM crawler is Naive Best-First (R27)."""
    return subtrees(tree, np.zeros(len(links), np.intp))


def anchor(tree: TagTree, links: Sequence[Link], _: int) -> Spans:
    """The text of the link itself."""
    return subtrees(tree, nodes_of(links))


def ancestor(tree: TagTree, links: Sequence[Link], k: int) -> Spans:
    """All text below the k-th ancestor; the root, where there are fewer. The first is the paper's parent
    (R24), as in its Figure 2 (R28)."""
    nodes = nodes_of(links)
    for _ in range(min(k, NESTED_BY_PEOPLE)):
        if not nodes.any():
            return subtrees(tree, nodes)
        nodes = np.maximum(tree.parent[nodes], 0)
    # the rest of the way in steps of 1, 2, 4, …
    above = np.maximum(tree.parent, 0)
    steps = min(max(0, k - NESTED_BY_PEOPLE), len(tree))
    while steps:
        if steps % 2:
            nodes = above[nodes]
        above, steps = above[above], steps // 2
    return subtrees(tree, nodes)
