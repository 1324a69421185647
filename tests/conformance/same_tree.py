"""Whether two roads led to the same tree."""

from __future__ import annotations

import numpy as np

from contexts.tagtree import TagTree

_ARRAYS = ("tags", "parent", "end", "first_token", "first_char", "tokens")
_VALUES = ("tag_names", "stems", "text", "attributes", "json_ld", "cuts")


def difference(a: TagTree, b: TagTree) -> str:
    """Names of what differs between two trees, "" if they are the same in everything but the road."""
    values = [name for name in _VALUES if getattr(a, name) != getattr(b, name)]
    arrays = [name for name in _ARRAYS if not np.array_equal(getattr(a, name), getattr(b, name))]
    return " ".join(values + arrays)
