"""Naive Best-First and Best-N-First (R22, R66, R79; BI §4.3, TOIT §3.1.2 and §4.1.1): a page speaks for its
links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bizcrawl.page import Page
from bizcrawl.strategies.options import Givens, Options, option, require
from bizcrawl.strategies.scored import Parts, ScoredCrawler


@dataclass(frozen=True, slots=True)
class BestFirstOptions(Options):
    """Parameters of Best-First."""

    n: int = option(1, "N: the best N are taken together, in random order; 1 is Naive Best-First (R79)")

    def __post_init__(self) -> None:
        require(self.n >= 1, "n", "1 or more", self.n)


class BestFirst(ScoredCrawler):
    """Every link of a page scores the page's similarity to the keywords (TOIT eq. 4)."""

    def __init__(self, options: BestFirstOptions, givens: Givens) -> None:
        super().__init__(options, givens, batch=options.n)

    def score_links(self, page: Page) -> tuple[Sequence[float], Sequence[Parts]]:
        """sim(page, keywords) for every link (R22)."""
        similarity = page.similarity(self.topic.query)
        k = len(page.links)
        return [similarity] * k, [{"page": similarity}] * k
