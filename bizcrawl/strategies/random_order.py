"""The random crawler: every waiting URL is as likely to come next as any other (R115, the reference of IC
§5).

A URL that is met waits for an exponentially distributed time, counted from the last URL that was taken. Such
waiting has no memory: however long a URL has waited, what is left of its time is distributed as a new one's,
so all that wait are alike at any moment. (A fixed random number for each URL would favour new ones: old ones
are left with the low numbers.)
"""

from __future__ import annotations

from collections.abc import Sequence

from bizcrawl.page import Page
from bizcrawl.strategies import Gate, ScoredLink
from bizcrawl.strategies.options import Givens, Options
from bizcrawl.strategies.scored import Parts, ScoredCrawler


class RandomOrder(ScoredCrawler):
    """A URL draws its time once; being met again does not help it. Scores are the times, negative."""

    def __init__(self, options: Options, givens: Givens) -> None:
        super().__init__(options, givens)
        self._now = 0.0

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        """See `Strategy`."""
        return self._pass_time(super().next(n, gate))

    def give(self, urls: Sequence[str], *, chosen: bool = True) -> list[ScoredLink]:
        """See `GivesByName`."""
        links = self.frontier.take(urls)
        return self._pass_time(links) if chosen else links

    def _pass_time(self, links: list[ScoredLink]) -> list[ScoredLink]:
        """Let it be the time of the last URL that was taken."""
        for link in links:
            self._now = max(self._now, -link.score)
        return links

    def score_links(self, page: Page) -> tuple[Sequence[float], Sequence[Parts]]:
        """A time for each new URL of the page."""
        drawn: dict[str, float] = {}
        for link in page.links:
            if link.url not in drawn:
                waiting = self.frontier.get(link.url)
                drawn[link.url] = waiting.score if waiting else -(self._now + self.rng.expovariate(1.0))
        nothing: Parts = {}
        return [drawn[link.url] for link in page.links], [nothing] * len(page.links)
