"""Shark-Search and Fish-Search (R68, R80, L1, A6; TOIT §3.1.4, Figures 8 and 17; Hersovici 1998, De Bra
1994).

Both follow links from relevant pages for a while and give up after `depth` irrelevant ones in a row.
Fish-Search knows relevant and irrelevant alone; Shark-Search has degrees: what a link inherits from its
ancestors, and what its neighbourhood on the page says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import ScoredLink
from bizcrawl.strategies.options import Givens, Options, option, require, require_aggregation
from bizcrawl.strategies.scored import SEED_SCORE, Parts, ScoredCrawler


@dataclass(frozen=True, slots=True)
class SchoolOptions(Options):
    """Parameters of both."""

    depth: int = option(3, "d: irrelevant pages in a row after which a path is given up (R68)")
    n: int = option(1, "N: the best N are taken together and visited in random order (R80)")

    def __post_init__(self) -> None:
        require(self.depth >= 1, "depth", "1 or more", self.depth)
        require(self.n >= 1, "n", "1 or more", self.n)


class _School(ScoredCrawler):
    """The depth rule of TOIT Figure 8: links of a page at depth 0 are not followed."""

    def __init__(self, options: SchoolOptions, givens: Givens) -> None:
        super().__init__(options, givens, batch=options.n)
        self.depth = options.depth
        self._depth_of: dict[str, int] = {}
        """Of URLs that wait or are in hand; any other, such as a seed, has the full depth."""
        self.frontier.on_drop = self.forget

    def give(self, urls: Sequence[str], *, chosen: bool = True) -> list[ScoredLink]:
        """See `GivesByName`."""
        if self._batches is not None:
            for url in urls:
                self._batches.discard(url)
        return self.frontier.take(urls)

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        """See `Strategy`."""
        scored = super().visit(page)
        self.forget(page.url)
        self.forget(page.final_url)
        return scored

    def fail(self, url: str, reason: Reason) -> None:
        """See `Strategy`."""
        super().fail(url, reason)
        self.forget(url)

    def forget(self, url: str) -> None:
        """A URL neither waits nor is in hand any more."""
        self._depth_of.pop(url, None)

    def enqueue(self, page: Page, scored: Sequence[ScoredLink]) -> None:
        """Links have full depth below a relevant page (A6: similarity above 0), else one less than it."""
        depth = self._depth_of.get(page.url, self.depth)
        if depth <= 0:
            return
        if page.similarity(self.topic.query) <= 0:
            depth -= 1
        else:
            depth = self.depth
        for link in scored:
            if self.frontier.push(link):
                self._depth_of[link.url] = depth


@dataclass(frozen=True, slots=True)
class SharkSearchOptions(SchoolOptions):
    """Parameters of Shark-Search."""

    r: float = option(0.1, "r: weight of the inherited against the neighbourhood score (R68)")
    delta: float = option(0.5, "δ: what is left of an inherited score after each page (L1, A6)")
    beta: float = option(0.8, "β: weight of the anchor in the neighbourhood score (L1, A6)")
    aggregation: str = option("parent", "what counts as the text that surrounds a link, by name (L1)")

    def __post_init__(self) -> None:
        SchoolOptions.__post_init__(self)
        for name in ("r", "delta", "beta"):
            require(0 <= getattr(self, name) <= 1, name, "between 0 and 1", getattr(self, name))
        require_aggregation(self.aggregation)


class SharkSearch(_School):
    """score = (1 - r) · neighbourhood + r · inherited (R68); N > 1 is SharkN (R80)."""

    def __init__(self, options: SharkSearchOptions, givens: Givens) -> None:
        super().__init__(options, givens)
        self.r = options.r
        self.delta = options.delta
        self.beta = options.beta
        self.aggregation = options.aggregation
        self._inherited: dict[str, float] = {}

    def forget(self, url: str) -> None:
        """A URL neither waits nor is in hand any more."""
        super().forget(url)
        self._inherited.pop(url, None)

    def score_links(self, page: Page) -> tuple[Sequence[float], Sequence[Parts]]:
        """The sub-scores of L1; their parts are ``inherited``, ``anchor`` and ``context``."""
        query = self.topic.query
        similarity = page.similarity(query)
        before = self._inherited.get(page.url, SEED_SCORE)
        inherited = self.delta * (similarity if similarity > 0 else before)
        anchors = page.context_similarities(query, "anchor")
        around = np.where(anchors > 0, 1.0, page.context_similarities(query, self.aggregation))
        neighbourhood = self.beta * anchors + (1 - self.beta) * around
        scores = ((1 - self.r) * neighbourhood + self.r * inherited).tolist()
        parts = [
            {"inherited": inherited, "anchor": anchor, "context": context}
            for anchor, context in zip(anchors.tolist(), around.tolist(), strict=True)
        ]
        return scores, parts

    def enqueue(self, page: Page, scored: Sequence[ScoredLink]) -> None:
        """Also note what each link that was taken in inherits."""
        super().enqueue(page, scored)
        for link in scored:
            if self.frontier.get(link.url) is link:
                self._inherited[link.url] = link.parts["inherited"]


@dataclass(frozen=True, slots=True)
class FishSearchOptions(SchoolOptions):
    """Parameters of Fish-Search."""

    width: int = option(5, "links followed of an irrelevant page; half as many more of a relevant one (L1)")

    def __post_init__(self) -> None:
        SchoolOptions.__post_init__(self)
        require(self.width >= 1, "width", "1 or more", self.width)


class FishSearch(_School):
    """A list with a front, a middle and an end (L1).

    The first 1.5 · width links of a relevant page go to the front, the first width links of an irrelevant one
    to the middle, all others to the end. A later front goes before an earlier one.
    """

    def __init__(self, options: FishSearchOptions, givens: Givens) -> None:
        super().__init__(options, givens)
        self.width = options.width
        self._fronts = 0

    def score_links(self, page: Page) -> tuple[Sequence[float], Sequence[Parts]]:
        """2 and more at the front, 1 in the middle, 0 at the end."""
        relevant = page.similarity(self.topic.query) > 0
        if relevant:
            self._fronts += 1
        followed = (3 * self.width) // 2 if relevant else self.width
        score = 2.0 + self._fronts * 1e-9 if relevant else 1.0
        places = {url: i for i, url in enumerate(dict.fromkeys(link.url for link in page.links))}
        scores = [score if places[link.url] < followed else 0.0 for link in page.links]
        return scores, [{"relevant": float(relevant)}] * len(scores)
