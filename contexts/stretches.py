"""Subtrees as stretches of nodes.

The nodes of a flat tree stand in document order, so what lies below a node is the stretch from it to its end,
and how much is around each node is one running sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from contexts.tagtree import Ints

AnyInts = npt.NDArray[np.integer[Any]]


def depths(end: Ints) -> npt.NDArray[np.intp]:
    """(n,) how many nodes are around each node, given one past the last node of each subtree.

    Around a node stand all nodes before it but those that end before it.
    """
    n = len(end)
    return np.arange(n) - np.cumsum(np.bincount(end, minlength=n + 1))[:n]


def count_around(starts: AnyInts, ends: AnyInts, n: int) -> npt.NDArray[np.intp]:
    """(n,) how many of some stretches hold each node; they go from `starts` to right before `ends`."""
    return np.cumsum(np.bincount(starts, minlength=n + 1) - np.bincount(ends, minlength=n + 1))[:n]
