"""Links of a page, read from its tag tree."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """One occurrence of a link; the same URL may occur several times on a page."""

    url: str
    """Absolute http(s) URL as WHATWG joins it, without fragment."""
    node: int
    """The node of the tag tree that holds it."""
    position: int
    """Its place among all links of the page, from 0."""
    anchor: str
    """Text of the link, white space folded; alt texts of images count as text."""
    kind: str
    """a, area, frame, iframe, svg, refresh, canonical, next, prev or alternate."""
    rel: str
    """The rel attribute, lower case, words separated by one space."""
