"""How much processor time a strategy uses by itself, so that strategies can be compared (R57, R84).

What every crawler asks of a page is no strategy's own work: its tree, its words, its similarities. On a page
graph the first to ask would pay for all that come after it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager

from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import Gate, ScoredLink, Strategy, dropped_by
from bizcrawl.topic import Topic
from contexts.links import Link
from contexts.tagtree import TagTree
from contexts.vectors import Floats, Query


class StrategyClock:
    """Processor time of this thread, as long as it is a strategy's."""

    def __init__(self) -> None:
        self.used_s = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """The block is the strategy's work."""
        begin_s = time.thread_time()
        yield
        self.used_s += time.thread_time() - begin_s

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """The block, within the strategy's work, is what every crawler does."""
        begin_s = time.thread_time()
        yield
        self.used_s -= time.thread_time() - begin_s


class TimedStrategy:
    """A strategy that knows how much processor time it has used."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy
        self._clock = StrategyClock()

    @property
    def used_s(self) -> float:
        """Seconds of processor time so far."""
        return self._clock.used_s

    def start(self, topic: Topic) -> None:
        """See `Strategy`."""
        with self._clock.running():
            self.strategy.start(topic)

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        """See `Strategy`."""
        with self._clock.running():
            return self.strategy.next(n, gate)

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        """See `Strategy`."""
        with self._clock.running():
            return self.strategy.visit(UntimedPage(page, self._clock))

    def fail(self, url: str, reason: Reason) -> None:
        """See `Strategy`."""
        with self._clock.running():
            self.strategy.fail(url, reason)

    def __len__(self) -> int:
        """See `Strategy`."""
        return len(self.strategy)

    @property
    def dropped(self) -> int:
        """See `Bounded`."""
        return dropped_by(self.strategy)


class UntimedPage:
    """A page whose tree, words and similarities cost a strategy nothing; see `bizcrawl.page.Page`."""

    __slots__ = ("_clock", "_page", "final_url", "links", "url")

    def __init__(self, page: Page, clock: StrategyClock) -> None:
        self._page, self._clock = page, clock
        self.url, self.final_url = page.url, page.final_url
        self.links: Sequence[Link] = page.links

    @property
    def tree(self) -> TagTree:
        """See `Page`."""
        with self._clock.stopped():
            return self._page.tree

    @property
    def stems(self) -> Sequence[str]:
        """See `Page`."""
        with self._clock.stopped():
            return self._page.stems

    @property
    def link_hosts(self) -> Set[str]:
        """See `Page`."""
        with self._clock.stopped():
            return self._page.link_hosts

    def similarity(self, query: Query) -> float:
        """See `Page`."""
        with self._clock.stopped():
            return self._page.similarity(query)

    def context_similarities(self, query: Query, aggregation: str) -> Floats:
        """See `Page`."""
        with self._clock.stopped():
            return self._page.context_similarities(query, aggregation)
