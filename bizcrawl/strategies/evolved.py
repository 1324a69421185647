"""The evolved crawler: URLs ranked by a weighted sum of what their neighbourhood says (R122; EV §2.2).

The weights come from a genetic search over recorded crawls (``bizcrawl testbed evolve``), or are the
paper's own. A classifier judges each page; relevant ones join the community, and with each page that
arrives the URLs whose scores it changes are ranked anew, up or down (R124). Averages over all pages
(AveOutCount, AveInCount) enter a rank as they are when it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path

import numpy as np

from bizcrawl.classifier import Classifier
from bizcrawl.frontier import Frontier
from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import Gate, ScoredLink
from bizcrawl.strategies.link_signals import LinkSignals, link_signals
from bizcrawl.strategies.neighbourhood import Neighbourhood
from bizcrawl.strategies.options import Givens, Options, option
from bizcrawl.strategies.rank_weights import LINK_STRUCTURE, RankWeights, read_weights
from bizcrawl.topic import Topic
from bizcrawl.urls import parse
from contexts.vectors import Floats

SEED_RANK = 1e6
"""Above any rank: a crawl begins by processing its seeds (R120)."""


@dataclass(frozen=True, slots=True)
class EvolvedOptions(Options):
    """Parameters of the evolved crawler."""

    weights: str = option("paper", "file of weights, or 'paper' (R128), or 'best-first' (R129)")
    classifier: str = option(
        "", "file of a trained page classifier; without one a predicate or the keywords judge"
    )
    threshold: float = option(0.1, "where keywords judge: pages this similar to them are relevant")
    mean_comm_out: bool = option(False, "COMM_out as a mean over the parents rather than a sum (A30)")


class Evolved:
    """Rank(u) = Σ w_i S_i(u) (eq. 2)."""

    def __init__(
        self,
        options: EvolvedOptions,
        givens: Givens,
        *,
        weights: RankWeights | None = None,
        signals: Callable[[Sequence[str], Topic], LinkSignals] = link_signals,
        keep_parts: bool = True,
    ) -> None:
        """`weights` and `signals` come from a genetic search, which makes crawlers by the thousand and has no
        use for the parts of scores.
        """
        weights = (weights or read_weights(options.weights)).normalised()
        names = (*LINK_STRUCTURE, *(f"PARENT_{k}" for k in range(1, weights.generations + 1)))
        self.frontier = Frontier(options.max_frontier, options.hosts_apart, admits=givens.admits)
        self.neighbourhood = Neighbourhood(weights.generations, options.mean_comm_out)
        self._options, self._givens = options, givens
        self._names = names
        self._keep_parts = keep_parts
        self._weights = np.array([weights.by_score.get(name, 0.0) for name in names])
        self._signal_names = weights.signals
        self._signal_weights = np.array([weights.by_score[name] for name in weights.signals])
        self._make_signals = signals
        self._signal_values: dict[int, Floats] = {}
        """By URL: the best value of each signal so far."""

    def start(self, topic: Topic) -> None:
        """See `Strategy`. Seeds are the first members of the community; hubs are not (R124)."""
        self._score_page = _judge(self._options, self._givens, topic)
        self._signals = self._make_signals(self._signal_names, topic) if self._signal_names else None
        for url in (*topic.hubs, *topic.seeds):
            number = self.neighbourhood.number(parse(url) or url)
            if url not in topic.hubs:
                self.neighbourhood.join_community(number)
            self.frontier.push(ScoredLink(parse(url) or url, SEED_RANK))

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        """See `Strategy`."""
        return self.frontier.pop(n, gate)

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        """See `Strategy`."""
        around = self.neighbourhood
        self.frontier.discard(page.url)
        self.frontier.discard(page.final_url)
        number = around.number(page.url)
        around.alias(page.final_url, number)
        if number in around.children:
            return [ScoredLink(link.url, 0.0, 0, page.url) for link in page.links]
        score = self._score_page(page)
        links = [around.number(link.url) for link in page.links]
        changed = around.download(number, links, score, score > 0)
        if self._signals is not None:
            self._take_signals(links, self._signals(page))
        ranked = self._rank(changed, links, self.frontier.depth_of(page.url) + 1, page.url)
        # a page that was reached by another name is one URL to the neighbourhood and two to the collection
        return [
            found if found.url == link.url else replace(found, url=link.url)
            for found, link in zip((ranked[n] for n in links), page.links, strict=True)
        ]

    def fail(self, url: str, reason: Reason) -> None:
        """See `Strategy`."""
        self.frontier.discard(url)

    def __len__(self) -> int:
        """See `Strategy`."""
        return len(self.frontier)

    @property
    def dropped(self) -> int:
        """URLs turned away because the frontier was full (`Reason.FRONTIER_FULL`)."""
        return self.frontier.dropped

    def _rank(
        self, changed: Iterable[int], links: Collection[int], depth: int, source: str
    ) -> dict[int, ScoredLink]:
        """Rank the URLs of some links and all others whose scores changed and that still wait; links by
        number.
        """
        urls, waiting = self.neighbourhood.urls, self.frontier.get
        old = {number: waiting(urls[number]) for number in links}
        for number in changed:
            if number not in old and (link := waiting(urls[number])) is not None:
                old[number] = link
        numbers = sorted(old)
        scores = self.neighbourhood.scores(numbers)
        ranks = scores @ self._weights
        if self._signals is not None:
            nothing = np.zeros(len(self._signal_weights))
            values = np.array([self._signal_values.get(number, nothing) for number in numbers])
            ranks += values.reshape(len(numbers), len(nothing)) @ self._signal_weights
        parts = self._parts(scores) if self._keep_parts else repeat({})
        ranked: dict[int, ScoredLink] = {}
        own = set(links)
        for number, rank, part in zip(numbers, ranks.tolist(), parts, strict=False):
            known = old[number]
            parent = known.parent if known and number not in own else source
            link = ScoredLink(urls[number], rank, known.depth if known else depth, parent, part)
            ranked[number] = link
            self.frontier.update(link)
        return ranked

    def _parts(self, scores: Floats) -> Iterator[dict[str, float]]:
        return (dict(zip(self._names, row, strict=True)) for row in scores.tolist())

    def _take_signals(self, links: Sequence[int], values: Floats) -> None:
        for i, number in enumerate(links):
            known = self._signal_values.get(number)
            self._signal_values[number] = values[:, i] if known is None else np.maximum(known, values[:, i])


def _judge(options: EvolvedOptions, givens: Givens, topic: Topic) -> Callable[[Page], float]:
    """What says whether a page is relevant: a classifier, the user's predicate, or else the keywords."""
    if options.classifier:
        return Classifier.load(Path(options.classifier)).score
    if givens.score_page is not None:
        return givens.score_page
    if (is_good := givens.is_good) is not None:
        return lambda page: 1.0 if is_good(page) else -1.0
    return lambda page: page.similarity(topic.query) - options.threshold
