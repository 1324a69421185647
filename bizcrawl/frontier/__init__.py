"""The frontier: URLs in waiting, best first, bounded, with the hosts kept apart where politeness asks for it.

Promises:

- `pop` gives the best URL; among equal scores the one that has had its score longest (A7, A9: ties are
  stated). With all scores equal that is first in, first out, so breadth-first needs no queue of its own
  (R21).
- A URL seen again with a higher score takes that score; with a lower one nothing changes (A7, A11).
- More than `max_urls` never wait (R12, R58): the worst goes, and among equals the latest, and is counted in
  `dropped` (R20). With equal scores that is the rule of breadth-first: a new URL is added only while there is
  room (R65).
- A URL given out is never given out again. A URL dropped for want of room may come back: only fetching marks
  it as seen.
- Every operation takes O(log n).

URLs that are out of date stay in the sorted order until they come up, or until half of it is stale; in the
queues of hosts, whose entries are larger, until a fifth is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from bizcrawl.frontier.host_queues import HostQueues
from bizcrawl.frontier.score_order import ScoreOrder
from bizcrawl.frontier.scored_link import Gate, ScoredLink
from bizcrawl.frontier.seen_urls import SeenUrls

MAX_URLS = 70_000
"""R12: the frontier's bound in the business-intelligence crawls; with seven links a page (R18) 10,000 pages
hardly reach it.
"""
_STALE = 512
"""Entries out of date that are always borne with."""


class Frontier:
    """A bounded best-first queue of scored links.

    `spread_hosts` is D of R14: every D URLs taken in a row come from D hosts, as far as there are any (A14);
    0 or 1 turns the rule off. URLs for which `admits` is false are not queued.
    """

    def __init__(
        self,
        max_urls: int = MAX_URLS,
        spread_hosts: int = 0,
        admits: Callable[[str], bool] | None = None,
    ) -> None:
        if max_urls < 1:
            raise ValueError(f"a frontier needs room for at least one URL, not {max_urls}")
        self.max_urls = max_urls
        self.dropped = 0
        """URLs turned away because the frontier was full (`Reason.FRONTIER_FULL`)."""
        self.admits = admits
        self.on_drop: Callable[[str], None] | None = None
        """Told of each URL that waited and had to make room for another."""
        self._waiting: dict[str, ScoredLink] = {}
        self._in_flight: dict[str, int] = {}
        """Depth of each URL that was given out and of which nothing has been heard since."""
        self._seen = SeenUrls()
        """URLs that were given out or discarded."""
        self._order = ScoreOrder()
        self._spread_hosts = spread_hosts
        self._hosts: HostQueues | None = None
        if spread_hosts > 1:
            self._hosts = HostQueues(spread_hosts)

    @property
    def relaxed(self) -> int:
        """How often the rule of D hosts had to give way because no other host was left (A14)."""
        return self._hosts.relaxed if self._hosts is not None else 0

    def push(self, link: ScoredLink) -> bool:
        """Add a URL or raise its score; False if nothing changed or there was no room for it."""
        waiting = self._waiting.get(link.url)
        if waiting is None:
            return self._add(link)
        return link.score > waiting.score and self._put(link)

    def update(self, link: ScoredLink) -> bool:
        """Like `push`, but a waiting URL takes its new score even if it is lower (R124)."""
        waiting = self._waiting.get(link.url)
        if waiting is None:
            return self._add(link)
        return link.score != waiting.score and self._put(link)

    def _add(self, link: ScoredLink) -> bool:
        if link.url in self._seen or (self.admits is not None and not self.admits(link.url)):
            return False
        if len(self._waiting) >= self.max_urls and link.score <= self._order.worst_score():
            self.dropped += 1  # it would be the worst, and of equals the latest
            return False
        self._put(link)
        return len(self._waiting) <= self.max_urls or self._drop_worst() is not link

    def _put(self, link: ScoredLink) -> bool:
        """Have a URL wait with this link, in place of the one with which it waited."""
        self._waiting[link.url] = link
        self._order.insert(link.score, link)
        if self._hosts is not None:
            self._hosts.add(link)
        size = len(self._waiting)
        stale = len(self._order) - size
        stale_in_hosts = len(self._hosts) - size if self._hosts is not None else 0
        if stale > size + _STALE or stale_in_hosts > size // 4 + _STALE:
            self._refill(list(self))
        return True

    def pop(self, n: int = 1, gate: Gate | None = None) -> list[ScoredLink]:
        """Take up to n of the best URLs; with a gate only those of hosts that are ready, one a host."""
        if gate is not None and self._hosts is None:
            self._hosts = HostQueues(self._spread_hosts)
            for link in self:
                self._hosts.add(link)
        if self._hosts is not None:
            links = self._hosts.take(n, self._is_waiting, gate)
        else:
            links = []
            while len(links) < n and len(links) < len(self._waiting):
                link = self._order.pop_best()
                if self._is_waiting(link):
                    links.append(link)
        for link in links:
            del self._waiting[link.url]
            self._hand_out(link)
        return links

    def take(self, urls: Iterable[str]) -> list[ScoredLink]:
        """Take these URLs out, as `pop` does. One that doesn't wait is given with score 0 and never waits."""
        links = []
        for url in urls:
            link = self._waiting.pop(url, None) or ScoredLink(url, 0.0, self._in_flight.get(url, 0))
            self._hand_out(link)
            links.append(link)
        return links

    def _hand_out(self, link: ScoredLink) -> None:
        self._in_flight[link.url] = link.depth
        self._seen.add(link.url)

    def discard(self, url: str) -> int:
        """A URL was fetched, under this name or another: it never waits again. Returns its depth, the links
        followed to it from a seed; 0 if it neither waited nor was in flight.
        """
        self._seen.add(url)
        waiting = self._waiting.pop(url, None)
        return self._in_flight.pop(url, 0) if waiting is None else waiting.depth

    def rescore(self, score_of: Callable[[ScoredLink], float]) -> None:
        """Score every waiting URL anew, up or down; equals stay in the order they had (R67, R114)."""
        self.remake(lambda link: ScoredLink(link.url, score_of(link), link.depth, link.parent, link.parts))

    def remake(self, scored: Callable[[ScoredLink], ScoredLink]) -> None:
        """Like `rescore`, with new parts of the scores too."""
        links = [scored(link) for link in self]
        self._waiting = {link.url: link for link in links}
        self._refill(links)

    def clear(self) -> None:
        """Let nothing wait any more; what was given out is still never given out again."""
        self._waiting = {}
        self._refill([])

    def get(self, url: str) -> ScoredLink | None:
        """The waiting link of a URL."""
        return self._waiting.get(url)

    def gave_out(self, url: str) -> bool:
        """Whether a URL was given out or discarded, and so never comes again."""
        return url in self._seen

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, url: str) -> bool:
        return url in self._waiting

    def __iter__(self) -> Iterator[ScoredLink]:
        """The waiting URLs, best first; the frontier must not change meanwhile."""
        return filter(self._is_waiting, self._order)

    def _is_waiting(self, link: ScoredLink) -> bool:
        return self._waiting.get(link.url) is link

    def _drop_worst(self) -> ScoredLink:
        while True:
            worst = self._order.pop_worst()
            if self._is_waiting(worst):
                del self._waiting[worst.url]
                self.dropped += 1
                if self.on_drop is not None:
                    self.on_drop(worst.url)
                return worst

    def _refill(self, links: list[ScoredLink]) -> None:
        links.sort(key=lambda link: -link.score)  # stable
        self._order = ScoreOrder(links)
        if self._hosts is not None:
            self._hosts.refill(links)
