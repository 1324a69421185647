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

URLs that are out of date stay in the sorted order until they come up, or until half of it is stale.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator

from bizcrawl.host_queues import HostQueues
from bizcrawl.strategies import Gate, ScoredLink

MAX_URLS = 70_000
"""R12: the frontier's bound in the business-intelligence crawls."""
_BUCKET = 512


class Frontier:
    """A bounded best-first queue of scored links.

    `spread_hosts` is D of R14: every D URLs taken in a row come from D hosts, as far as there are any (A14);
    0 or 1 turns the rule off. `taken` maps the URLs given out to their depth; frontiers that share one never
    give out the same URL. URLs for which `admits` is false are not queued.
    """

    def __init__(
        self,
        max_urls: int = MAX_URLS,
        spread_hosts: int = 0,
        taken: dict[str, int] | None = None,
        admits: Callable[[str], bool] | None = None,
    ) -> None:
        if max_urls < 1:
            raise ValueError(f"a frontier needs room for at least one URL, not {max_urls}")
        self.max_urls = max_urls
        self.dropped = 0
        """URLs turned away because the frontier was full (`Reason.FRONTIER_FULL`)."""
        self.taken: dict[str, int] = {} if taken is None else taken
        self.admits = admits
        self._waiting: dict[str, ScoredLink] = {}
        self._order = _SortedBuckets()
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
        known = self._waiting.get(link.url)
        if known is not None and link.score <= known.score:
            return False
        return self.update(link)

    def update(self, link: ScoredLink) -> bool:
        """Like `push`, but a waiting URL takes its new score even if it is lower (R124)."""
        url = link.url
        if url in self.taken:
            return False
        known = self._waiting.get(url)
        if known is not None and link.score == known.score:
            return False
        if known is None and self.admits is not None and not self.admits(url):
            return False
        self._waiting[url] = link
        self._order.insert(link.score, link)
        if self._hosts is not None:
            self._hosts.add(link)
        entries = max(len(self._order), len(self._hosts) if self._hosts is not None else 0)
        if entries > 2 * len(self._waiting) + _BUCKET:
            self._refill(list(self))
        if len(self._waiting) > self.max_urls:
            return self._drop_worst() is not link
        return True

    def pop(self, n: int = 1, gate: Gate | None = None) -> list[ScoredLink]:
        """Take up to n of the best URLs; with a gate only those of hosts that are ready, one a host."""
        if gate is not None and self._hosts is None:
            self._hosts = HostQueues(self._spread_hosts)
            for link in self:
                self._hosts.add(link)
        if self._hosts is not None:
            links = self._hosts.take(n, self._is_waiting, gate)
            for link in links:
                self._take(link)
            return links
        links = []
        while len(links) < n and self._waiting:
            link = self._order.pop_best()
            if self._waiting.get(link.url) is link:
                self._take(link)
                links.append(link)
        return links

    def discard(self, url: str) -> None:
        """Take a URL out without giving it out: it was fetched all the same, under this name or another."""
        link = self._waiting.pop(url, None)
        if url not in self.taken:
            self.taken[url] = link.depth if link else 0

    def rescore(self, score_of: Callable[[ScoredLink], float]) -> None:
        """Score every waiting URL anew, up or down; equals stay in the order they had (R67, R114)."""
        self.remake(lambda link: ScoredLink(link.url, score_of(link), link.depth, link.parent, link.parts))

    def remake(self, scored: Callable[[ScoredLink], ScoredLink]) -> None:
        """Like `rescore`, with new parts of the scores too."""
        links = [scored(link) for link in self]
        self._waiting = {link.url: link for link in links}
        self._refill(links)

    def resize(self, max_urls: int) -> None:
        """Change the bound and drop what no longer fits (R76: an agent's frontier is halved)."""
        self.max_urls = max_urls
        while len(self._waiting) > max_urls:
            self._drop_worst()

    def depth_of(self, url: str) -> int:
        """Links followed from a seed to a URL that was given out or waits; 0 if unknown."""
        if url in self.taken:
            return self.taken[url]
        link = self._waiting.get(url)
        return link.depth if link else 0

    def get(self, url: str) -> ScoredLink | None:
        """The waiting link of a URL."""
        return self._waiting.get(url)

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, url: str) -> bool:
        return url in self._waiting

    def __iter__(self) -> Iterator[ScoredLink]:
        """The waiting URLs, best first; the frontier must not change meanwhile."""
        return (link for link in self._order if self._waiting.get(link.url) is link)

    def _is_waiting(self, link: ScoredLink) -> bool:
        return self._waiting.get(link.url) is link

    def _take(self, link: ScoredLink) -> None:
        del self._waiting[link.url]
        self.taken[link.url] = link.depth

    def _drop_worst(self) -> ScoredLink:
        while True:
            worst = self._order.pop_worst()
            if self._waiting.get(worst.url) is worst:
                del self._waiting[worst.url]
                self.dropped += 1
                return worst

    def _refill(self, links: list[ScoredLink]) -> None:
        links.sort(key=lambda link: -link.score)  # stable
        self._order = _SortedBuckets(links)
        if self._hosts is not None:
            self._hosts.refill(links)


class _SortedBuckets:
    """Links in ascending order of score, cut into short buckets; a new link stands below its equals.

    A heap of a million tuples misses the cache at every level; here an insertion is two binary searches in
    flat arrays of floats, and both ends can be taken.
    """

    def __init__(self, best_first: Iterable[ScoredLink] = ()) -> None:
        self._tops: array[float] = array("d")
        self._scores: list[array[float]] = []
        self._links: list[list[ScoredLink]] = []
        self._size = 0
        links = list(best_first)[::-1]
        for start in range(0, len(links), _BUCKET):
            self._add_bucket(len(self._links), links[start : start + _BUCKET])

    def insert(self, score: float, link: ScoredLink) -> None:
        self._size += 1
        if not self._tops:
            self._size -= 1
            self._add_bucket(0, [link])
            return
        i = bisect_left(self._tops, score)
        if i == len(self._tops):
            i -= 1
            self._tops[i] = score
        scores, links = self._scores[i], self._links[i]
        place = bisect_left(scores, score)
        scores.insert(place, score)
        links.insert(place, link)
        if len(scores) > 2 * _BUCKET:
            upper = links[_BUCKET:]
            del scores[_BUCKET:], links[_BUCKET:]
            self._tops[i] = scores[-1]
            self._size -= len(upper)
            self._add_bucket(i + 1, upper)

    def pop_best(self) -> ScoredLink:
        self._size -= 1
        link = self._links[-1].pop()
        scores = self._scores[-1]
        scores.pop()
        if scores:
            self._tops[-1] = scores[-1]
        else:
            del self._tops[-1], self._scores[-1], self._links[-1]
        return link

    def pop_worst(self) -> ScoredLink:
        self._size -= 1
        link = self._links[0].pop(0)
        self._scores[0].pop(0)
        if not self._scores[0]:
            del self._tops[0], self._scores[0], self._links[0]
        return link

    def _add_bucket(self, i: int, links: list[ScoredLink]) -> None:
        scores = array("d", [link.score for link in links])
        self._tops.insert(i, scores[-1])
        self._scores.insert(i, scores)
        self._links.insert(i, links)
        self._size += len(links)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[ScoredLink]:
        for links in reversed(self._links):
            yield from reversed(links)
