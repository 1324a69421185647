"""The PageRank crawler (R67, A1, A2; TOIT §3.1.3, Figure 7): links are taken by PageRank over the pages
visited so far.

The formula is eq. 5 as printed, so the ranks of N pages sum to about N; the text's "probability of another
random page" is 1 - γ in it (A1). Between two computations a new link has the rank that its page passes on to
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappush, heappushpop
from math import inf

import numpy as np

from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import ScoredLink
from bizcrawl.strategies.options import MAX_BUFFER, Givens, Options, option, require
from bizcrawl.strategies.scored import SEED_RANK, Parts, ScoredCrawler
from contexts.distinct import distinct
from contexts.tagtree import Ints
from contexts.vectors import Floats

MANY_NUMBERS = 500_000
"""Numbered URLs from which on those are forgotten that no rank depends on any more."""


@dataclass(frozen=True, slots=True)
class PageRankOptions(Options):
    """Parameters of the PageRank crawler."""

    max_frontier: int = option(MAX_BUFFER, "URLs that may wait; the worst is dropped beyond (R58)")
    buffer: int = option(MAX_BUFFER, "visited pages kept to compute with, the most similar ones (R67)")
    gamma: float = option(0.8, "γ: share of a page's rank that follows its links (TOIT eq. 5)")
    threshold: float = option(0.01, "mean change of a rank at which the computation ends (R67, A2)")
    frequency: int = option(25, "pages between two computations (R67, A2)")

    def __post_init__(self) -> None:
        require(0 <= self.gamma < 1, "gamma", "at least 0 and below 1", self.gamma)
        require(self.buffer >= 1, "buffer", "1 or more", self.buffer)
        require(self.frequency >= 1, "frequency", "1 or more", self.frequency)
        require(self.threshold > 0, "threshold", "above 0", self.threshold)


def pagerank(
    sources: Ints, targets: Ints, n: int, buffered: Ints, gamma: float = 0.8, threshold: float = 0.01
) -> Floats:
    """(n,) PageRank by TOIT eq. 5: PR(p) = (1 - γ) + γ Σ PR(d) / |out(d)|.

    Links lead from ``sources[i]`` to ``targets[i]``, each pair once. Pages without links count as linked to
    every page of the buffer (R67). Ends when the ranks change by less than `threshold` on average (A2), or by
    nothing but rounding.
    """
    links = np.bincount(sources, minlength=n)
    ends = links == 0
    share = 1.0 / links[sources]
    ranks: Floats = np.ones(n)
    last_change = inf
    while True:
        passed_on = np.bincount(targets, weights=ranks[sources] * share, minlength=n).astype(np.float64)
        passed_on[buffered] += ranks[ends].sum() / len(buffered)
        passed_on *= gamma
        passed_on += 1 - gamma
        change = float(np.abs(passed_on - ranks).sum()) / n
        ranks = passed_on
        # each change is at most γ times the last; where it is not, nothing but rounding is left of it
        if change < threshold or change >= last_change:
            return ranks
        last_change = change


class PageRank(ScoredCrawler):
    """A Best-First crawler whose estimate is the PageRank of a URL among the pages of a buffer."""

    seed_score = SEED_RANK

    def __init__(self, options: PageRankOptions, givens: Givens) -> None:
        super().__init__(options, givens)
        self.options = options
        self._numbers: dict[str, int] = {}
        self._ranks: Floats = np.empty(0)
        self._gone: set[int] = set()
        self._links_of: dict[int, Ints] = {}
        self._by_similarity: list[tuple[float, int, int]] = []
        self._visited = 0
        self._forget_at = MANY_NUMBERS

    def give(self, urls: Sequence[str], *, chosen: bool = True) -> list[ScoredLink]:
        """See `GivesByName`."""
        return self.frontier.take(urls)

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        """See `Strategy`. Computes anew every `frequency` pages: not in `next`, which a replay may skip."""
        scored = super().visit(page)
        if self._visited % self.options.frequency == 0:
            self._compute()
            if len(self._numbers) > self._forget_at:
                self._forget_numbers()
                self._forget_at = max(MANY_NUMBERS, 2 * len(self._numbers))
        return scored

    def score_links(self, page: Page) -> tuple[Sequence[float], Sequence[Parts]]:
        """The rank that the page passes on to each link, until ranks are computed again."""
        self._visited += 1
        number = self._number(page.url)
        self._numbers.setdefault(page.final_url, number)
        rank = self._rank(number)
        targets = dict.fromkeys(self._number(link.url) for link in page.links)
        targets.pop(number, None)
        self._buffer(number, page.similarity(self.topic.query), np.array(list(targets), np.int32))
        gamma = self.options.gamma
        passed_on = (1 - gamma) + gamma * rank / max(1, len(targets))
        k = len(page.links)
        return [passed_on] * k, [{"pagerank": passed_on}] * k

    def fail(self, url: str, reason: Reason) -> None:
        """See `Strategy`. What brings no page is no node of the graph."""
        self._gone.add(self._number(url))
        super().fail(url, reason)

    def _number(self, url: str) -> int:
        return self._numbers.setdefault(url, len(self._numbers))

    def _rank(self, number: int) -> float:
        rank = float(self._ranks[number]) if number < len(self._ranks) else 0.0
        return rank or 1 - self.options.gamma

    def _buffer(self, number: int, similarity: float, targets: Ints) -> None:
        """Keep a page; beyond the bound the least similar one goes, of equals the latest."""
        self._links_of[number] = targets
        entry = (similarity, -self._visited, number)
        if len(self._by_similarity) < self.options.buffer:
            heappush(self._by_similarity, entry)
        else:
            del self._links_of[heappushpop(self._by_similarity, entry)[2]]

    def _compute(self) -> None:
        gone = np.zeros(len(self._numbers), bool)
        gone[list(self._gone)] = True
        buffered = np.fromiter(self._links_of, np.int32)
        counts = [len(targets) for targets in self._links_of.values()]
        targets = np.concatenate([np.empty(0, np.int32), *self._links_of.values()])
        sources = np.repeat(buffered, counts)
        kept = ~gone[targets]
        nodes, places = np.unique(
            np.concatenate([buffered, sources[kept], targets[kept]]), return_inverse=True
        )
        b, links = len(buffered), int(kept.sum())
        ranks = pagerank(
            places[b : b + links].astype(np.int32),
            places[b + links :].astype(np.int32),
            len(nodes),
            places[:b].astype(np.int32),
            self.options.gamma,
            self.options.threshold,
        )
        self._ranks = np.zeros(len(self._numbers))
        self._ranks[nodes] = ranks
        self.frontier.remake(self._ranked)

    def _forget_numbers(self) -> None:
        """Keep numbers of what is in the buffer, linked from it, waiting or gone; all others grow for ever.

        The kept ones stay in their order, so that sums over them come out as they would have.
        """
        # a seed that no page has linked to waits without a number
        waiting = [self._numbers[link.url] for link in self.frontier if link.url in self._numbers]
        kept = distinct(
            np.concatenate(
                [
                    np.array([*self._links_of, *self._gone, *waiting], np.int32),
                    *self._links_of.values(),
                ]
            )
        )
        places = {number: place for place, number in enumerate(kept.tolist())}
        self._numbers = {url: places[n] for url, n in self._numbers.items() if n in places}
        self._ranks = self._ranks[kept]
        self._gone = {places[n] for n in self._gone}
        self._links_of = {
            places[n]: np.searchsorted(kept, targets).astype(np.int32)
            for n, targets in self._links_of.items()
        }
        # the order of a heap survives, for the new numbers rise as the old ones did
        self._by_similarity = [(s, age, places[n]) for s, age, n in self._by_similarity]

    def _ranked(self, link: ScoredLink) -> ScoredLink:
        if not link.parent:
            return link  # a seed stays first: the ranks know it by its in-links alone
        rank = self._rank(self._numbers[link.url])
        return ScoredLink(link.url, rank, link.depth, link.parent, {"pagerank": rank})
