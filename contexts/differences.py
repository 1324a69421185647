"""Whether two roads led to the same tree: asked of a random share of pages while crawling."""

from __future__ import annotations

import numpy as np

from contexts.tagtree import TagTree

_ARRAYS = ("tags", "parent", "end", "first_token", "first_char", "tokens")
_VALUES = ("tag_names", "stems", "text", "attributes", "json_ld", "cuts")


def difference(a: TagTree, b: TagTree) -> str:
    """The parts in which two trees differ, and the path at which they part; "" if they are the same but for
    the road."""
    values = [name for name in _VALUES if getattr(a, name) != getattr(b, name)]
    arrays = [name for name in _ARRAYS if not np.array_equal(getattr(a, name), getattr(b, name))]
    if not values and not arrays:
        return ""
    return f"{' '.join(values + arrays)} at {_parting(a, b)}"


def _parting(a: TagTree, b: TagTree) -> str:
    """Path of the first node, in document order, that is not the same in both trees."""
    for node in range(min(len(a), len(b))):
        if a.tag(node) != b.tag(node) or a.parent[node] != b.parent[node]:
            return f"{a.path(node)} / {b.path(node)}"
        if a.first_char[node] != b.first_char[node]:
            return a.path(node)
    return "the end"
