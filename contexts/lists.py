"""Which links are listed together: in the same list, table or run of like blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contexts.links import Link
from contexts.tagtree import Ints, TagTree

LISTS = frozenset("ul ol dl table select".split())


def list_ids(tree: TagTree, links: Sequence[Link]) -> Ints:
    """(k,) for each link the node of the list, table or run of like blocks in which it stands; -1 for none."""
    result = np.full(len(links), -1, np.int32)
    for i, link in enumerate(links):
        node = int(tree.parent[link.node])
        while node >= 0:
            if tree.tag(node) in LISTS:
                result[i] = node
                break
            node = int(tree.parent[node])
    return result
