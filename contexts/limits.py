"""How much of a page is looked at, so that no page can stall or sink the process. Limits cut; they never
fail."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What is beyond a limit is left out, and the limit's name stands in `TagTree.cuts`."""

    max_chars: int = 4_000_000
    """Characters of source (``bytes``)."""
    max_nodes: int = 200_000
    """Nodes of the tree, text leaves included (``nodes``)."""
    max_depth: int = 4_096
    """Elements within each other; the page ends before the first that is deeper (``depth``)."""
    max_open: int = 8_192
    """Elements that the source may open within each other, and formatting that may wait to be opened again;
    it is cut before the next (``nodes``)."""
    max_reopened: int = 1_000_000
    """Times that formatting may be opened again in the next block (``nodes``); the source is cut there."""
    max_walked: int = 1_000_000_000
    """Open elements that a parser may have to look through, all that may be open at each tag (``nodes``); the
    source is cut there."""
    max_attributes_of_tag: int = 2_000
    """Attributes of one element (``attributes``); what stands behind them in the tag is left out."""
    max_attributes: int = 200_000
    """Attributes kept with the tree (``attributes``)."""
    max_scanned: int = 500_000
    """Open elements, beyond the first `NESTED_BY_PEOPLE` at each tag, that html5lib may have to look through.
    A page with more takes the fast road, though the guard holds that its tree may differ (``exact``)."""
    max_copied: int = 5_000_000_000
    """Characters that html5lib may have to copy where it makes a text longer piece by piece (``exact``)."""
    max_seconds: float = 20.0
    """Time on the exact road, which is quadratic in places (``time``)."""


DEFAULT = Limits()
MAX_TAG_CHARS = 100
"""Of a tag's name; what stands behind is left out, for names stand in the paths of all links below."""
NESTED_BY_PEOPLE = 100
"""Elements within each other, on pages that people have made. Beyond that, programs and traps nest."""
