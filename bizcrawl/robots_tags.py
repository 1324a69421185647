"""What pages ask of robots beside robots.txt: rel=nofollow, meta robots, X-Robots-Tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from contexts.links import Link
from contexts.tagtree import TagTree

NOFOLLOW_CUT = "nofollow"
"""Stands among a tree's cuts when X-Robots-Tag asked that no link be followed, so that a replay knows."""
_NONE = frozenset({"nofollow", "noindex"})
"""What ``none`` stands for."""


@dataclass(frozen=True, slots=True)
class Followed:
    """The links of a page, parted by whether they may be followed."""

    links: Sequence[Link]
    left_alone: Sequence[Link] = ()


def followed(found: Sequence[Link], tree: TagTree, nofollow: bool) -> Followed:
    """Part links by rel=nofollow, meta robots and X-Robots-Tag (a cut of the tree), if that is kept."""
    if not nofollow:
        return Followed(found)
    if NOFOLLOW_CUT in tree.cuts or "nofollow" in meta_robots(tree):
        return Followed((), found)
    kept = [link for link in found if "nofollow" not in link.rel.split()]
    return Followed(kept, [link for link in found if "nofollow" in link.rel.split()])


def meta_robots(tree: TagTree) -> frozenset[str]:
    """What a page's meta elements ask of all robots, or of this one: nofollow, noindex, …"""
    if "meta" not in tree.tag_names:
        return frozenset()
    nodes = np.flatnonzero(tree.tags == tree.tag_names.index("meta")).tolist()
    metas = [tree.attributes[node] for node in nodes if node in tree.attributes]
    asked = {
        word.strip().lower()
        for meta in metas
        if meta.get("name", "").lower() in {"robots", "bizcrawl"}
        for word in meta.get("content", "").split(",")
    }
    return frozenset(asked | _NONE if "none" in asked else asked) - {""}
