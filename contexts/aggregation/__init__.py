"""Aggregation nodes: what stands around a link, by name (R23).

A name is that of an entry of the table, with its parameter after a colon if it takes one: ``page``, ``parent``,
``anchor``, ``ancestor:2``, ``window:10``, ``block``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from contexts.links import Link
from contexts.tagtree import Ints, TagTree


@dataclass(frozen=True, slots=True)
class Spans:
    """The contexts of k links as slices of the page's tokens."""

    nodes: Ints
    """(k,) aggregation node, -1 where the context is not one subtree."""
    starts: Ints
    ends: Ints


class UnknownAggregation(ValueError):
    """No aggregation has this name."""


def spans(tree: TagTree, links: Sequence[Link], aggregation: str) -> Spans:
    """The contexts of all links of a page at one aggregation.

    Raises `UnknownAggregation` for a name that is not in the table.
    """
    name, _, parameter = aggregation.partition(":")
    nodes = np.fromiter((link.node for link in links), np.int32, len(links))
    if name == "window":
        w = int(parameter or 10)
        starts = np.maximum(tree.first_token[nodes] - w, 0)
        ends = np.minimum(tree.first_token[tree.end[nodes]] + w, len(tree.tokens))
        return Spans(np.full(len(links), -1, np.int32), starts, ends)
    if name == "page":
        nodes = np.zeros(len(links), np.int32)
    elif name in {"parent", "ancestor"}:
        for _ in range(int(parameter or 1)):
            nodes = np.maximum(tree.parent[nodes], 0)
    elif name == "block":
        nodes = block_nodes(tree, nodes)
    elif name != "anchor":
        raise UnknownAggregation(f"no aggregation is called {aggregation!r}")
    return Spans(nodes, tree.first_token[nodes], tree.first_token[tree.end[nodes]])


BLOCKS = frozenset("li tr dd dt p article section td blockquote div body".split())


def block_nodes(tree: TagTree, nodes: Ints) -> Ints:
    ids = [i for i, name in enumerate(tree.tag_names) if name in BLOCKS]
    is_block = np.isin(tree.tags, ids)
    is_block[0] = True
    result = nodes.copy()
    for i, node in enumerate(nodes.tolist()):
        while not is_block[node]:
            node = int(tree.parent[node])
        result[i] = node
    return result
