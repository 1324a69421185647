"""Aggregation nodes: what stands around a link, by name (R23). PLACEHOLDER until the table is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contexts.links import Link
from contexts.tagtree import Ints, TagTree


@dataclass(frozen=True, slots=True)
class Spans:
    """The contexts of k links as slices of the page's tokens."""

    nodes: Ints
    """(k,) aggregation node, -1 where the context is not one subtree."""
    starts: Ints
    ends: Ints


def spans(tree: TagTree, links: Sequence[Link], aggregation: str) -> Spans:
    """The contexts of all links of a page at one aggregation."""
    raise NotImplementedError
