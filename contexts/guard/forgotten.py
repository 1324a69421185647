"""Formatting that a parser has forgotten: of more than three of a kind within each other it keeps the last
three in mind (HTML, "Noah's Ark clause").

``<b id=x><b><b><b><b></b></b></b></b>``: the last end tag closes the first ``<b>`` without an id, of which
html5lib no longer knows: it closes the one with the id. ``<b><q><b><b><b></q></b>``: where the last one in
mind is closed already, the end tag closes the first, which html5lib leaves open.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import numpy.typing as npt

from contexts.guard.reopened import Kind, kind_of
from contexts.listed import Listed
from contexts.markup import FORMATTING
from contexts.stretches import count_around

_KEPT_IN_MIND = 3


def may_close_another(listed: Listed) -> bool:
    """Whether more than three of a kind stand within each other, and all in another kind of the same name or
    with other elements in between.
    """
    nodes = _deep_alike(listed)
    around: list[tuple[int, Kind]] = []
    of_name: defaultdict[str, list[Kind]] = defaultdict(list)
    of_kind: defaultdict[Kind, list[tuple[int, int]]] = defaultdict(list)  # each with how many are a chain
    parents, ends = listed.parent[nodes].tolist(), listed.end[nodes].tolist()
    for node, parent, end in zip(nodes, parents, ends, strict=True):
        while around and around[-1][0] <= node:
            _, closed = around.pop()
            of_name[closed[0]].pop()
            of_kind[closed].pop()
        kind = kind_of(listed.handle(node))
        around.append((end, kind))
        of_name[kind[0]].append(kind)
        alike = of_kind[kind]
        chain = alike[-1][1] + 1 if alike and alike[-1][0] == parent else 1
        alike.append((node, chain))
        if len(alike) > _KEPT_IN_MIND and (of_name[kind[0]][0] != kind or chain <= _KEPT_IN_MIND):
            return True
    return False


def _deep_alike(listed: Listed) -> list[int]:
    """Formatting of the names of which more than three stand within each other."""
    nodes = np.flatnonzero(listed.mask(FORMATTING))
    if _nests(listed, nodes) <= _KEPT_IN_MIND:
        return []
    codes = listed.codes[nodes]
    names, times = np.unique(codes, return_counts=True)
    deep = [
        name for name in names[times > _KEPT_IN_MIND] if _nests(listed, nodes[codes == name]) > _KEPT_IN_MIND
    ]
    found: list[int] = nodes[np.isin(codes, deep)].tolist()
    return found


def _nests(listed: Listed, nodes: npt.NDArray[np.intp]) -> int:
    """How many of some elements stand within each other at most."""
    return int(count_around(nodes, listed.end[nodes], len(listed.codes)).max())
