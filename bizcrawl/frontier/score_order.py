"""Links in order of score, to be taken from at both ends: buckets that are sorted only when it matters.

A heap of a million tuples misses the cache at every level, and so does a sorted list in which each insertion
moves hundreds of entries. Here a link is put at the end of the bucket that its score belongs to. A bucket is
sorted when it comes to stand at an end that is taken from, and when it is cut in two because it has grown
too long; sorting is stable, so equal scores stay in the order in which they came.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import partial

from bizcrawl.frontier.scored_link import ScoredLink

BUCKET = 1024
"""Links of a new bucket; one with more than twice as many is cut."""


class ScoreOrder:
    """Links by score; of equal scores the one put in first is the better.

    Putting in costs a binary search among the buckets, taking out its share of the sorting of a bucket (R86
    weighs a heap and a hash that is sorted once a batch against each other).
    """

    def __init__(self, best_first: Iterable[ScoredLink] = ()) -> None:
        self._tops: array[float] = array("d")
        """Highest score of each bucket, ascending; equal scores may stand on both sides of a border."""
        self._links: list[list[ScoredLink]] = []
        """Closed buckets hold links in the order in which they came, open ones from worst to best."""
        self._scores: list[array[float]] = []
        """Scores of the links of each bucket, so that sorting need not touch the links."""
        self._open: list[bool] = []
        self._size = 0
        links = list(best_first)
        for end in range(len(links), 0, -BUCKET):
            bucket = links[max(0, end - BUCKET) : end]
            self._add(len(self._links), bucket, array("d", [link.score for link in bucket]))
        self._size = len(links)

    def insert(self, score: float, link: ScoredLink) -> None:
        """Put in a link with its score, below its equals."""
        self._size += 1
        i = bisect_left(self._tops, score)
        if i == len(self._tops):
            if not i:
                self._add(0, [link], array("d", [score]))
                return
            i -= 1
            self._tops[i] = score
        links, scores = self._links[i], self._scores[i]
        if self._open[i]:
            place = bisect_left(scores, score)
            scores.insert(place, score)
            links.insert(place, link)
        else:
            scores.append(score)
            links.append(link)
        if len(links) > 2 * BUCKET:
            self._cut(i)

    def pop_best(self) -> ScoredLink:
        """Take out the best link. Raises IndexError if there is none."""
        if not self._open[-1]:
            self._sort(-1)
        self._size -= 1
        scores = self._scores[-1]
        scores.pop()
        link = self._links[-1].pop()
        if scores:
            self._tops[-1] = scores[-1]
        else:
            del self._tops[-1], self._scores[-1], self._links[-1], self._open[-1]
        return link

    def pop_worst(self) -> ScoredLink:
        """Take out the worst link. Raises IndexError if there is none."""
        if not self._open[0]:
            self._sort(0)
        self._size -= 1
        scores = self._scores[0]
        scores.pop(0)
        link = self._links[0].pop(0)
        if not scores:
            del self._tops[0], self._scores[0], self._links[0], self._open[0]
        return link

    def worst_score(self) -> float:
        """Score of the worst link. Raises IndexError if there is none."""
        if not self._open[0]:
            self._sort(0)
        return self._scores[0][0]

    def _sort(self, i: int) -> None:
        """Open a bucket: from worst to best, the latest of equals first."""
        scores = self._scores[i]
        _sort_best_first(self._links[i], scores)
        self._links[i].reverse()
        scores.reverse()
        self._open[i] = True

    def _cut(self, i: int) -> None:
        """Give the better part of a bucket to a new one above it."""
        links, scores = self._links[i], self._scores[i]
        if not self._open[i]:
            _sort_best_first(links, scores)
        better = slice(BUCKET, None) if self._open[i] else slice(0, len(links) - BUCKET)
        above, its_scores = links[better], scores[better]
        del links[better], scores[better]
        self._tops.insert(i, scores[-1] if self._open[i] else scores[0])
        self._links.insert(i + 1, above)
        self._scores.insert(i + 1, its_scores)
        self._open.insert(i, self._open[i])

    def _add(self, i: int, best_first: list[ScoredLink], scores: array[float]) -> None:
        self._tops.insert(i, scores[0])
        self._links.insert(i, best_first)
        self._scores.insert(i, scores)
        self._open.insert(i, False)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[ScoredLink]:
        """The links, best first; the order must not change meanwhile."""
        for i in range(len(self._links) - 1, -1, -1):
            links, scores, is_open = self._links[i], self._scores[i], self._open[i]
            if is_open:
                yield from reversed(links)
            else:
                closed = links.copy()
                _sort_best_first(closed, scores[:])
                yield from closed


def _sort_best_first(links: list[ScoredLink], scores: array[float]) -> None:
    """Sort both by score, highest first, equals in the order in which they stand.

    Each link's key is the next of the scores: not even a reference of the link is counted, which among a
    million would be a miss of the cache for each.
    """
    links.sort(key=partial(next, iter(scores)), reverse=True)
    scores[:] = array("d", sorted(scores, reverse=True))
