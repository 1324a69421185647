"""Per link, the smallest context that says enough and does not take in its neighbours' (M4, L2).

From the link upwards: as long as no other link is taken in, or few are, the context grows until three of its
words say something. Where the next node up would take in a crowd of other links, one such word is enough.
Nothing grows beyond two hundred terms once it says anything. The thresholds were chosen
with both test beds in view (docs/contexts.md has the figures).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contexts.aggregation.spans import Spans, subtrees
from contexts.blocks import climb, nodes_of
from contexts.links import Link
from contexts.tagtree import Ints, TagTree
from contexts.text import stems

ENOUGH = 3
"""Words that say something."""
CROWD = 8
"""More links than this within a node are a crowd."""
MAX_TERMS = 200

SAY_NOTHING = frozenset(
    stems(
        """home homepage page pages click read next previous prev back top index link links site website web
        view details detail learn continue return main menu full see go follow visit http https www com html
        htm info information contact"""
    )
)
"""Stems of the words with which any page links to any other."""


def adaptive(tree: TagTree, links: Sequence[Link], _: int) -> Spans:
    """The adaptive context of each link; always the text below one node."""
    nodes = nodes_of(links)
    if not len(nodes):
        return subtrees(tree, nodes)
    first_token, end, above = tree.first_token, tree.end, np.maximum(tree.parent, 0)
    telling = _telling_before(tree)[first_token]
    targets = _targets_before(tree, links)
    says = telling[end] - telling[:-1]
    is_crowd = targets[end[above]] - targets[above] > CROWD
    is_long = first_token[end[above]] - first_token[above] > MAX_TERMS
    stops = (says >= np.where(is_crowd, 1, ENOUGH)) | ((says > 0) & is_long)
    stops[0] = True
    return subtrees(tree, climb(tree, nodes, stops))


def _telling_before(tree: TagTree) -> Ints:
    """(t + 1,) number of terms that say something before each place among the tokens."""
    says = np.array([not (stem in SAY_NOTHING or stem.isdigit()) for stem in tree.stems], np.bool_)
    before = np.zeros(len(tree.tokens) + 1, np.int32)
    if len(says):
        np.cumsum(says[tree.tokens], out=before[1:])
    return before


def _targets_before(tree: TagTree, links: Sequence[Link]) -> Ints:
    """(n + 1,) number of links before each node; links to one place that follow each other count once."""
    before = np.zeros(len(tree) + 1, np.int32)
    last = None
    for link in links:
        if link.url != last:
            before[link.node + 1] += 1
            last = link.url
    return np.cumsum(before, out=before)
