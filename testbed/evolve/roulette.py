"""Simulated download (R120): pages come back in an order of their own, as from many open connections.

A crawl keeps a current list of 100 URLs. Whenever 50 are left it is filled up with the 50 that the strategy
ranks highest, and the URLs that are still in it have waited one step longer. Which one is "downloaded" next
is drawn by roulette, a URL that has waited k steps being k times as likely as one that has just come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from bizcrawl.reasons import Reason
from bizcrawl.strategies import ScoredLink, Strategy
from bizcrawl.topic import Topic
from testbed.pagegraph import PageGraph

REFILL = 50
"""So many are added when so many are left: the list never holds more than twice as many."""


class CurrentList:
    """URLs on their way, with the steps that they have waited."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._batches: list[list[ScoredLink]] = []
        """By the time of their arrival, oldest first: the last has waited one step, the one before it two."""

    def __len__(self) -> int:
        return sum(map(len, self._batches))

    def refill(self, links: list[ScoredLink]) -> None:
        """Add URLs with a time stamp of 1; all others get one more."""
        self._batches.append(links)

    def draw(self) -> ScoredLink:
        """Take out a URL with a chance that is proportional to its time stamp."""
        newest = len(self._batches)
        shares = [(newest - age) * len(batch) for age, batch in enumerate(self._batches)]
        ball = self._rng.random() * sum(shares)
        age = 0
        while age < newest - 1 and ball >= shares[age]:
            ball -= shares[age]
            age += 1
        while not self._batches[age]:  # rounding can leave the ball on a batch that is empty
            age -= 1
        batch = self._batches[age]
        place = self._rng.randrange(len(batch))
        batch[place], batch[-1] = batch[-1], batch[place]
        drawn = batch.pop()
        if not self._batches[0]:
            del self._batches[0]
        return drawn


@dataclass(slots=True)
class Crawl:
    """What a simulated crawl visited, in order."""

    pages: list[int] = field(default_factory=list)
    """Numbers of the pages in the graph."""
    depths: list[int] = field(default_factory=list)
    """Links followed from a seed to each of them (R132)."""
    urls: list[str] = field(default_factory=list)
    """As they were asked for."""
    turned_away: Counter[Reason] = field(default_factory=Counter)

    def __len__(self) -> int:
        return len(self.pages)


class Recorded(Protocol):
    """What a simulated download needs of a recorded web."""

    graph: PageGraph

    def outcome(self, url: str) -> int | Reason:
        """The page that a URL leads to, or why it leads to none."""
        ...


def download(
    web: Recorded,
    topic: Topic,
    strategy: Strategy,
    pages: int,
    rng: Random,
    observe: Callable[[Crawl], None] = lambda _crawl: None,
) -> Crawl:
    """Crawl up to `pages` good pages; `observe` sees the crawl after each of them.

    Only good pages count against the budget, and a page that two URLs lead to counts once (R56).
    """
    crawl = Crawl()
    seen: set[int] = set()
    strategy.start(topic)
    current = CurrentList(rng)
    while len(crawl) < pages:
        if len(current) <= REFILL and (links := strategy.next(REFILL)):
            current.refill(links)
        if not len(current):
            break
        link = current.draw()
        page = web.outcome(link.url)
        if not isinstance(page, Reason) and page in seen:
            page = Reason.SEEN_AS_OTHER_URL
        if isinstance(page, Reason):
            crawl.turned_away[page] += 1
            strategy.fail(link.url, page)
            continue
        seen.add(page)
        crawl.pages.append(page)
        crawl.depths.append(link.depth)
        crawl.urls.append(link.url)
        strategy.visit(web.graph.page(page, link.url))
        observe(crawl)
    return crawl
