"""Breadth-First, the baseline (R21, R65; TOIT §3.1.1, BI §4.2): links are visited in the order in which they
were met.
"""

from __future__ import annotations

from collections.abc import Sequence

from bizcrawl.page import Page
from bizcrawl.strategies.scored import Parts, ScoredCrawler

_NOTHING: Parts = {}


class BreadthFirst(ScoredCrawler):
    """All links score alike, so the frontier is first in, first out; when it is full new links find no room
    (R65).
    """

    def score_links(self, page: Page) -> tuple[Sequence[float], Sequence[Parts]]:
        """0 for every link."""
        k = len(page.links)
        return [0.0] * k, [_NOTHING] * k
