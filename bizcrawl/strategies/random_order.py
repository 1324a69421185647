"""The random crawler: every waiting URL is as likely to come next as any other (R115, the reference of IC
§5).
"""

from __future__ import annotations

from collections.abc import Sequence

from bizcrawl.page import Page
from bizcrawl.strategies.scored import Parts, ScoredCrawler


class RandomOrder(ScoredCrawler):
    """A URL draws its place once; being met again does not help it."""

    def score_links(self, page: Page) -> tuple[Sequence[float], Sequence[Parts]]:
        """One random number for each new URL of the page."""
        drawn: dict[str, float] = {}
        for link in page.links:
            if link.url not in drawn:
                waiting = self.frontier.get(link.url)
                drawn[link.url] = waiting.score if waiting else self.rng.random()
        nothing: Parts = {}
        return [drawn[link.url] for link in page.links], [nothing] * len(page.links)
