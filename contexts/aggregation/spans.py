"""Contexts of links as slices of a page's tokens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from contexts.tagtree import Ints, TagTree


@dataclass(frozen=True, slots=True)
class Spans:
    """The contexts of k links as slices of the page's tokens."""

    nodes: Ints
    """(k,) aggregation node, -1 where the context is not one subtree."""
    starts: Ints
    ends: Ints


def subtrees(tree: TagTree, nodes: npt.NDArray[np.integer]) -> Spans:
    """The contexts that are all text below some nodes (R23)."""
    return Spans(
        nodes.astype(np.int32, copy=False), tree.first_token[nodes], tree.first_token[tree.end[nodes]]
    )
