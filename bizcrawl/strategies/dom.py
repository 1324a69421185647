"""The DOM crawler (R23-R27; BI §4.4): the page and what stands around the link both speak for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bizcrawl.page import Page
from bizcrawl.strategies.options import Givens, Options, option, require, require_aggregation
from bizcrawl.strategies.scored import Parts, ScoredCrawler


@dataclass(frozen=True, slots=True)
class DomOptions(Options):
    """Parameters of the DOM crawler."""

    alpha: float = option(0.25, "weight of the page against the link's context; 1 is Naive Best-First (R26)")
    aggregation: str = option("parent", "aggregation node whose text is the context, by name (R23, R24)")

    def __post_init__(self) -> None:
        require(0 <= self.alpha <= 1, "alpha", "between 0 and 1", self.alpha)
        require_aggregation(self.aggregation)


class Dom(ScoredCrawler):
    """link_score_dom = α · sim(page) + (1 − α) · sim(context) (R26). Of several occurrences the best counts
    (A11).
    """

    def __init__(self, options: DomOptions, givens: Givens) -> None:
        super().__init__(options, givens)
        self.alpha = options.alpha
        self.aggregation = options.aggregation

    def score_links(self, page: Page) -> tuple[Sequence[float], Sequence[Parts]]:
        """link_score_dom of every link, with the parts ``page`` and ``context``."""
        similarity, contexts, scores = self.dom_scores(page)
        # most contexts say nothing, and their links have the same parts
        silent = {"page": similarity, "context": 0.0}
        return scores, [{"page": similarity, "context": c} if c else silent for c in contexts]

    def dom_scores(self, page: Page) -> tuple[float, list[float], Sequence[float]]:
        """Similarity of the page, of each link's context, and link_score_dom of each link."""
        query, alpha = self.topic.query, self.alpha
        similarity = page.similarity(query)
        contexts: list[float] = page.context_similarities(query, self.aggregation).tolist()
        share, rest = alpha * similarity, 1 - alpha
        if not any(contexts):
            return similarity, contexts, [share] * len(contexts)
        # a context that is the page scores exactly as the page does, without rounding (R27)
        return similarity, contexts, [similarity if c == similarity else share + rest * c for c in contexts]
