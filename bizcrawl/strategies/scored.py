"""What all crawlers with one score a link have in common: the loop of TOIT Figure 6 and Figure 16.

A crawler of this kind is one function, `score_links`; the rest is here: seeds come first, links of a visited
page enter the frontier with their scores, the best comes out, and nothing is given out twice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import isnan

from bizcrawl.frontier import Frontier
from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import Gate, ScoredLink
from bizcrawl.strategies.batches import Batches
from bizcrawl.strategies.options import Givens, Options
from bizcrawl.topic import Topic

SEED_SCORE = 1.0
"""R66: seeds score 1."""
SEED_RANK = 1e6
"""Where scores are ranks that go beyond 1: above any of them, for a crawl begins with its seeds (R120). Ranks
by PageRank sum to about the number of pages (A1).
"""
Parts = Mapping[str, float]


class ScoredCrawler(ABC):
    """A crawler that gives each link of a page one score when it visits the page.

    `batch` is N of Best-N-First (R79): the best N are taken out together and visited in random order.
    """

    seed_score: float = SEED_SCORE
    """Score of seeds and hubs while they wait."""

    def __init__(self, options: Options, givens: Givens, batch: int = 1) -> None:
        self.rng = givens.rng
        self.topic = Topic("", (), "")
        self.frontier = Frontier(options.max_frontier, options.hosts_apart, admits=givens.admits)
        self._batches = Batches(self.frontier, batch, self.rng) if batch > 1 else None

    @abstractmethod
    def score_links(self, page: Page) -> tuple[Sequence[float], Sequence[Parts]]:
        """Score and parts of the score for each of `page.links`, in their order."""

    def start(self, topic: Topic) -> None:
        """See `Strategy`. Hubs go first (R40), then companies."""
        self.topic = topic
        for url in (*topic.hubs, *topic.seeds):
            self.frontier.push(ScoredLink(url, self.seed_score))

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        """See `Strategy`."""
        return self._batches.next(n, gate) if self._batches is not None else self.frontier.pop(n, gate)

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        """See `Strategy`."""
        depth = self._leave(page.url) + 1
        self._leave(page.final_url)
        scores, parts = self.score_links(page)
        self._check(page, scores, parts)
        scored = [
            ScoredLink(link.url, score, depth, page.url, part)
            for link, score, part in zip(page.links, scores, parts, strict=True)
        ]
        self.enqueue(page, scored)
        return scored

    def _check(self, page: Page, scores: Sequence[float], parts: Sequence[Parts]) -> None:
        """A frontier has no place for what is neither more nor less than others."""
        if not len(scores) == len(parts) == len(page.links):
            gave = f"{len(scores)} scores and {len(parts)} parts for {len(page.links)} links"
            raise ValueError(f"{type(self).__name__}.score_links gave {gave} of {page.final_url}")
        if isnan(sum(scores)) and any(map(isnan, scores)):
            raise ValueError(f"{type(self).__name__}.score_links gave no number (NaN) for {page.final_url}")

    def enqueue(self, page: Page, scored: Sequence[ScoredLink]) -> None:
        """Put the scored links of a page into the frontier."""
        for link in scored:
            self.frontier.push(link)

    def fail(self, url: str, reason: Reason) -> None:
        """See `Strategy`."""
        self._leave(url)

    def __len__(self) -> int:
        """See `Strategy`."""
        return len(self.frontier) + (len(self._batches) if self._batches is not None else 0)

    @property
    def dropped(self) -> int:
        """URLs turned away because the frontier was full (`Reason.FRONTIER_FULL`)."""
        return self.frontier.dropped

    def _leave(self, url: str) -> int:
        """A URL was fetched: it waits nowhere any more. Returns its depth."""
        if self._batches is not None:
            self._batches.discard(url)
        return self.frontier.discard(url)
