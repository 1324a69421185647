"""The evolved crawler: URLs ranked by a weighted sum of what their neighbourhood says (R122; EV §2.2).

The weights come from a genetic search over recorded crawls (``bizcrawl testbed evolve``), or are the
paper's own. A classifier judges each page; relevant ones join the community, and with each page that
arrives the URLs whose scores it changes are ranked anew, up or down (R124). Averages over all pages
(AveOutCount, AveInCount) enter a rank as they are when it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import fsum
from operator import mul
from pathlib import Path

from bizcrawl.frontier import Frontier
from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.relevance.classifier import Classifier
from bizcrawl.strategies import Gate, ScoredLink
from bizcrawl.strategies.link_signals import LinkSignals, link_signals
from bizcrawl.strategies.neighbourhood import Neighbourhood
from bizcrawl.strategies.options import Givens, Options, option
from bizcrawl.strategies.rank_weights import LINK_STRUCTURE, RankWeights, read_weights
from bizcrawl.strategies.scored import SEED_RANK
from bizcrawl.topic import Topic


@dataclass(frozen=True, slots=True)
class EvolvedOptions(Options):
    """Parameters of the evolved crawler."""

    weights: str = option("paper", "file of weights, or 'paper' (R128), or 'best-first' (R129)", file=True)
    classifier: str = option(
        "",
        "file of a trained page classifier; without one a predicate or the keywords judge (R119)",
        file=True,
    )
    threshold: float = option(0.1, "where keywords judge: pages this similar to them are relevant (R124)")
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
        if options.classifier:
            givens = replace(givens, score_page=Classifier.load(Path(options.classifier)).score)
        generations = [f"PARENT_{k}" for k in range(1, weights.generations + 1)]
        self.frontier = Frontier(options.max_frontier, options.hosts_apart, admits=givens.admits)
        self.neighbourhood = Neighbourhood(weights.generations, options.mean_comm_out)
        self._options, self._givens = options, givens
        self._names = (*LINK_STRUCTURE, *generations)
        self._keep_parts = keep_parts
        self._weights = [
            weights.by_score.get(name, 0.0)  # a URL that waits has no PARENT_0, a score of its own
            for name in (*LINK_STRUCTURE, "PARENT_0", *generations, *weights.signals)
        ]
        self._signal_names = weights.signals
        self._make_signals = signals
        self._signal_values: dict[int, list[float]] = {}
        """By URL: the best value of each signal so far; empty if there are none."""

    def start(self, topic: Topic) -> None:
        """See `Strategy`. Seeds are the first members of the community; hubs are not (R124)."""
        self._score_page = _judge(self._options, self._givens, topic)
        self._signals = self._make_signals(self._signal_names, topic) if self._signal_names else None
        for url in (*topic.hubs, *topic.seeds):
            number = self.neighbourhood.number(url)
            if url not in topic.hubs:
                self.neighbourhood.join_community(number)
            self.frontier.push(ScoredLink(url, SEED_RANK))

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        """See `Strategy`."""
        return self.frontier.pop(n, gate)

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        """See `Strategy`."""
        around = self.neighbourhood
        depth = self.frontier.discard(page.url) + 1
        self.frontier.discard(page.final_url)
        number = around.number(page.url)
        around.alias(page.final_url, number)
        if number in around.children:
            return [ScoredLink(link.url, 0.0, 0, page.url) for link in page.links]
        score = self._score_page(page)
        links = [around.number(link.url) for link in page.links]
        changed = around.download(number, links, score, score > 0)
        if self._signals is not None:
            self._take_signals(links, self._signals(page).T.tolist())
        ranked = self._rank(changed, links, depth, page.url)
        # a page that was reached by another name is one URL to the neighbourhood and two to the collection
        return [
            found if found.url == link.url else found._replace(url=link.url)
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
        self, changed: Iterable[int], links: Iterable[int], depth: int, source: str
    ) -> dict[int, ScoredLink]:
        """Rank the URLs of a page's links, and of those whose scores changed the ones that wait.

        Returns the links of the page by number.
        """
        around, frontier, own = self.neighbourhood, self.frontier, set(links)
        average_out, average_in = around.averages
        hub, authority, *others = self._weights
        weights = (hub / average_out, authority / average_in, *others)
        ranked: dict[int, ScoredLink] = {}
        for number in sorted(changed):
            url = around.urls[number]
            known = frontier.get(url)
            if known is None and number not in own:
                continue
            is_seed = known is not None and not known.parent  # it stays first, whoever links to it
            row = around.rows[number]
            if self._signal_values:
                row = [*row, *self._signal_values[number]]
            # a sum without rounding: URLs with equal scores have equal ranks, on every machine
            rank = fsum(map(mul, weights, row))
            if number in own:
                link = ScoredLink(url, rank, known.depth if known else depth, source, self._parts(number))
                ranked[number] = link
                if not is_seed:
                    frontier.update(link)
            elif known is not None and not is_seed and known.score != rank:
                frontier.update(ScoredLink(url, rank, known.depth, known.parent, self._parts(number)))
        return ranked

    def _parts(self, number: int) -> dict[str, float]:
        if not self._keep_parts:
            return {}
        return dict(zip(self._names, self.neighbourhood.scores(number), strict=True))

    def _take_signals(self, links: Sequence[int], by_link: Iterable[list[float]]) -> None:
        known = self._signal_values
        for number, values in zip(links, by_link, strict=True):
            known[number] = list(map(max, known[number], values)) if number in known else values


def _judge(options: EvolvedOptions, givens: Givens, topic: Topic) -> Callable[[Page], float]:
    """What says whether a page is relevant: a classifier, the user's predicate, or else the keywords."""
    if givens.score_page is not None:
        return givens.score_page
    if (is_good := givens.is_good) is not None:
        return lambda page: 1.0 if is_good(page) else -1.0
    return lambda page: page.similarity(topic.query) - options.threshold
