"""What pages ask of robots beside robots.txt: rel=nofollow, meta robots, X-Robots-Tag."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bizcrawl.user_agent import product_token
from contexts.links import Link
from contexts.tagtree import TagTree

NOFOLLOW_CUT = "nofollow"
"""Stands among a tree's cuts when X-Robots-Tag asked that no link be followed, so that a replay knows."""
_NONE = frozenset({"nofollow", "noindex"})
"""What ``none`` stands for."""
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
"""Directives with a colon of their own, which in X-Robots-Tag does not follow a crawler's name."""
_WEEKDAY = re.compile(r"(unavailable_after\s*+:\s*+[a-z]++)\s*+,")
"""In the dates of RFC 822 and 850: this comma ends no directive."""


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
        directive.strip()
        for meta in metas
        if meta.get("name", "").lower() in {"robots", robot}
        for directive in _parts(meta.get("content", ""))
    }
    return frozenset(asked | _NONE if "none" in asked else asked) - {""}


def robots_tags(headers: Mapping[str, str], user_agent: str) -> frozenset[str]:
    """Directives of X-Robots-Tag that concern a crawler, in lower case: nofollow, noindex, none, …

    Fields look like ``noindex, nofollow`` or ``otherbot: noindex, nofollow``; a name holds up to the next
    name, and within its own field only (see `further_field`).
    """
    token = product_token(user_agent)
    found: set[str] = set()
    concerned = True
    for part in _parts(headers.get("x-robots-tag", "")):
        name, rest = _addressed(part)
        directive = rest.strip()
        if name:
            concerned = name in {token, "*"}
        if concerned and directive:
            found.add(directive)
    return frozenset(found | _NONE) if "none" in found else frozenset(found)


def further_field(field: str) -> str:
    """An X-Robots-Tag as it is joined to one that names a crawler: without a name itself it is for all."""
    name, _ = _addressed(field.lower().partition(",")[0])
    return field if name else f"*: {field}"


def _addressed(part: str) -> tuple[str, str]:
    """The name that stands before a directive, "" if none does, and the directive; in lower case."""
    name, colon, rest = part.partition(":")
    return (name.strip(), rest) if colon and name.strip() not in _VALUED else ("", part)


def _parts(directives: str) -> list[str]:
    """What commas part, in lower case; the date of ``unavailable_after`` stays whole."""
    return _WEEKDAY.sub(r"\1", directives.lower()).split(",")
