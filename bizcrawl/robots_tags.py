"""What pages ask of robots beside robots.txt: rel=nofollow, meta robots, X-Robots-Tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contexts.links import Link
from contexts.tagtree import TagTree

NOFOLLOW_CUT = "nofollow"
"""Stands among a tree's cuts when X-Robots-Tag asked that no link be followed, so that a replay knows."""
_NONE = frozenset({"nofollow", "noindex"})
"""What ``none`` stands for."""


@dataclass(frozen=True, slots=True)
class Heed:
    """What a crawl makes of the wishes of pages."""

    nofollow: bool = False
    """Links are left alone where a page asks for it."""
    robot: str = "bizcrawl"
    """The name under which a page speaks to this crawler alone: the product token of its User-Agent."""


FOLLOWS_ALL = Heed()
"""What a crawl does that was told nothing."""


@dataclass(frozen=True, slots=True)
class Followed:
    """The links of a page, parted by whether they may be followed."""

    links: Sequence[Link]
    left_alone: Sequence[Link] = ()


def followed(found: Sequence[Link], tree: TagTree, heed: Heed) -> Followed:
    """Part links by rel=nofollow, meta robots and X-Robots-Tag (a cut of the tree), if that is kept."""
    if not heed.nofollow:
        return Followed(found)
    if NOFOLLOW_CUT in tree.cuts or "nofollow" in meta_robots(tree, heed.robot):
        return Followed((), found)
    kept = [link for link in found if "nofollow" not in link.rel.split()]
    return Followed(kept, [link for link in found if "nofollow" in link.rel.split()])


def meta_robots(tree: TagTree, robot: str) -> frozenset[str]:
    """What a page's meta elements ask of all robots, or of this one: nofollow, noindex, …"""
    metas = [tree.attributes.get(node, {}) for node in tree.nodes_named("meta").tolist()]
    asked = {
        word.strip().lower()
        for meta in metas
        if meta.get("name", "").lower() in {"robots", robot}
        for word in meta.get("content", "").split(",")
    }
    return frozenset(asked | _NONE if "none" in asked else asked) - {""}
