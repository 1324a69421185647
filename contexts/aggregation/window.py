"""A window of words around a link, whatever the markup: what crawlers used before the tag tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contexts.aggregation.spans import Spans
from contexts.blocks import nodes_of
from contexts.links import Link
from contexts.tagtree import TagTree


def window(tree: TagTree, links: Sequence[Link], words: int) -> Spans:
    """The link's own text with up to so many terms (stop words not counted) before it and as many after
    it."""
    nodes = nodes_of(links)
    starts = np.maximum(tree.first_token[nodes] - words, 0)
    ends = np.minimum(tree.first_token[tree.end[nodes]] + words, len(tree.tokens))
    return Spans(np.full(len(links), -1, np.int32), starts.astype(np.int32), ends.astype(np.int32))
