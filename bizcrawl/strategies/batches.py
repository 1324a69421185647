"""Batches of N: the best N leave the frontier together and are visited in random order (R79, R80, A7)."""

from __future__ import annotations

import random

from bizcrawl.frontier import Frontier
from bizcrawl.strategies import Gate, ScoredLink


class Batches:
    """Takes links out of a frontier N at a time.

    A batch is a frontier of its own whose order is a shuffle, so that hosts that have to wait are passed over
    in it too. It does not count against the frontier's bound (A7).
    """

    def __init__(self, frontier: Frontier, size: int, rng: random.Random) -> None:
        self.frontier = frontier
        self.size = size
        self.rng = rng
        self._batch = Frontier(size)
        self._links: dict[str, ScoredLink] = {}

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        """Up to n links; a new batch begins only when the last one is used up."""
        links: list[ScoredLink] = []
        while len(links) < n:
            if not self._batch and not self._begin():
                break
            taken = self._batch.pop(n - len(links), gate)
            if not taken:
                break
            links += [self._links.pop(link.url) for link in taken]
        return links

    def discard(self, url: str) -> None:
        """Take a URL out of the batch: it was fetched all the same."""
        if self._links.pop(url, None):
            self._batch.discard(url)

    def __len__(self) -> int:
        return len(self._batch)

    def _begin(self) -> bool:
        links = self.frontier.pop(self.size)
        self._batch = Frontier(self.size)
        self._links = {link.url: link for link in links}
        for link in links:
            self._batch.push(link._replace(score=self.rng.random()))
        return bool(links)
