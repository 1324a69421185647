"""Formatting that a parser has forgotten: of more than three of a kind within each other it keeps the last
three in mind (HTML, "Noah's Ark clause").

``<b id=x><b><b><b><b></b></b></b></b>``: the last end tag closes the first ``<b>`` without an id, of which
html5lib no longer knows: it closes the one with the id.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from contexts.guard.reopened import Kind, kind_of
from contexts.listed import Listed
from contexts.markup import FORMATTING
from contexts.stretches import count_around

_KEPT_IN_MIND = 3


def may_close_another(listed: Listed) -> bool:
    """Whether more than three of a kind stand within each other, and all in another kind of the same name."""
    nodes = np.flatnonzero(listed.mask(FORMATTING))
    ends = listed.end[nodes]
    if int(count_around(nodes, ends, len(listed.codes)).max()) <= _KEPT_IN_MIND + 1:
        return False
    around: list[tuple[int, Kind]] = []
    of_name: defaultdict[str, list[Kind]] = defaultdict(list)
    times: Counter[Kind] = Counter()
    for node, end in zip(nodes.tolist(), ends.tolist(), strict=True):
        while around and around[-1][0] <= node:
            _, closed = around.pop()
            of_name[closed[0]].pop()
            times[closed] -= 1
        kind = kind_of(listed.handle(node))
        around.append((end, kind))
        of_name[kind[0]].append(kind)
        times[kind] += 1
        if times[kind] > _KEPT_IN_MIND and of_name[kind[0]][0] != kind:
            return True
    return False
