"""Crawling strategies: each algorithm of the papers in one module, behind one interface (R55).

A strategy owns the order of its frontier and nothing else: it never fetches, sleeps, logs or stores, and it
takes its randomness as an argument. It is a deterministic function of the calls made to it, so the calls that
a collection has recorded bring back its state (docs/decisions/resume-by-replay.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from bizcrawl.frontier.scored_link import Gate, ScoredLink
from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.topic import Topic

__all__ = [
    "Bounded",
    "Gate",
    "GivesByName",
    "Kept",
    "Learns",
    "ScoredLink",
    "Strategy",
    "dropped_by",
]


class Strategy(Protocol):
    """One crawling algorithm."""

    def start(self, topic: Topic) -> None:
        """Put the seeds into the frontier. Called once, first."""
        ...

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        """Take up to n URLs out of the frontier, in the order in which they should be fetched.

        With a gate only URLs whose host is ready are taken; the rest stay where they are. An empty list with
        a gate may mean that all hosts wait; without one, that the frontier is empty.
        """
        ...

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        """Learn from a good page and put its links into the frontier.

        Returns one scored link for each of `page.links`, in their order (the score that occurrence earned),
        for the collection. A page that `next` did not give out is learned from all the same and leaves the
        frontier.
        """
        ...

    def fail(self, url: str, reason: Reason) -> None:
        """Learn that a URL that `next` gave out brought no good page (R56: it counts for nothing)."""
        ...

    def __len__(self) -> int:
        """URLs in the frontier."""
        ...


@runtime_checkable
class Bounded(Protocol):
    """A strategy that tells what it turned away for want of room; the summary of a crawl asks it."""

    @property
    def dropped(self) -> int:
        """URLs turned away because the frontier was full (`Reason.FRONTIER_FULL`)."""
        ...


def dropped_by(strategy: Strategy) -> int:
    """See `Bounded`; 0 for a strategy that doesn't tell."""
    return strategy.dropped if isinstance(strategy, Bounded) else 0


class Kept(Protocol):
    """What a crawl has learned, as it is kept."""

    def save(self, path: Path) -> None:
        """Write it to a file that an option of the strategy reads. Raises `OSError`."""
        ...


@runtime_checkable
class Learns(Protocol):
    """A strategy whose knowledge can be kept for a later crawl (R118)."""

    @property
    def knowledge(self) -> Kept:
        """What was learned so far."""
        ...


@runtime_checkable
class GivesByName(Protocol):
    """A strategy that can be told which URLs to give out.

    A strategy needs this if `next` does more than take URLs out of the frontier, or if more happens while a
    URL is in hand: where hosts had to wait, the replay of a crawl can't call `next` again, because the answer
    depended on time.
    """

    def give(self, urls: Sequence[str], *, chosen: bool = True) -> list[ScoredLink]:
        """Give out these URLs, and do whatever `next` would have done had it chosen them.

        With `chosen` false somebody else chose them: they are in hand, and nothing is to be learned from the
        choice. One that doesn't wait is given with score 0. One that is left out of the answer was not given
        out.
        """
        ...
