"""The upper bound of every table: a crawler that knows the whole graph and all targets.

It goes to the nearest target that is left, by the shortest path from any page it has visited, and again.
The best order of all is an NP-hard problem (a Steiner tree); this greedy one is within a page or two of it
on sparse graphs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np

from bizcrawl.reasons import Reason
from bizcrawl.scope import Exclusions
from contexts.tagtree import Ints
from testbed.pagegraph import PageGraph
from testbed.topics import BedTopic

FAR = np.iinfo(np.int32).max


class Ways:
    """The links of a page graph as pages, redirects followed and robots.txt and exclusions heeded."""

    def __init__(self, graph: PageGraph, excluded: Iterable[str] = ()) -> None:
        self._graph = graph
        self._exclusions = Exclusions.of(excluded)
        self._followed: dict[str, int] = {}
        self._targets: dict[int, list[int]] = {}

    def page_at(self, url: str) -> int:
        """The page that a crawler gets for a URL; -1 for none."""
        page = self._followed.get(url)
        if page is None:
            outcome = self._graph.outcome(url, lambda hop: self._exclusions.verdict(hop).reason)
            page = self._followed[url] = -1 if isinstance(outcome, Reason) else outcome
        return page

    def linked(self, page: int) -> list[int]:
        """Pages that a page links to, each once, in order of first link."""
        linked = self._targets.get(page)
        if linked is None:
            found = dict.fromkeys(self.page_at(link.url) for link in self._graph.links(page))
            linked = self._targets[page] = [target for target in found if target >= 0]
        return linked


def distances(ways: Ways, starts: Iterable[int], pages: int) -> Ints:
    """(pages,) links from the nearest start to each page; FAR where no path leads."""
    distance = np.full(pages, FAR, np.int32)
    _relax(ways, distance, list(starts), None)
    return distance


def oracle(ways: Ways, topic: BedTopic, pages: int, budget: int) -> list[int]:
    """The pages that the oracle visits, in order, `budget` at most; it stops when no target is left to
    reach.
    """
    seeds = [page for url in (*topic.topic.hubs, *topic.topic.seeds) if (page := ways.page_at(url)) >= 0]
    left = {page for url in topic.targets if (page := ways.page_at(url)) >= 0}
    distance = np.full(pages, FAR, np.int32)
    before = np.full(pages, -1, np.int32)
    _relax(ways, distance, seeds, before)
    # a seed costs a page as well, so only those are fetched that lead somewhere: they are one link from the
    # start
    distance[distance != FAR] += 1
    visited: list[int] = []
    while len(visited) < budget and left:
        nearest = min(left, key=lambda page: (int(distance[page]), page))
        if distance[nearest] == FAR:
            break
        path = _path(before, distance, nearest)
        visited += path
        left.difference_update(path)
        for page in path:
            distance[page] = 0
        _relax(ways, distance, path, before, keep=True)
    return visited[:budget]


def _path(before: Ints, distance: Ints, page: int) -> list[int]:
    """Unvisited pages on the way to a page, the first to fetch first."""
    path = [page]
    while distance[path[-1]] > 1 and before[path[-1]] >= 0:
        path.append(int(before[path[-1]]))
    return path[::-1]


def _relax(
    ways: Ways, distance: Ints, starts: Sequence[int], before: Ints | None, *, keep: bool = False
) -> None:
    """Shorten distances from pages that are (now) at distance 0, breadth first."""
    if not keep:
        distance[list(starts)] = 0
    queue = deque(dict.fromkeys(starts))
    while queue:
        page = queue.popleft()
        step = int(distance[page]) + 1
        for target in ways.linked(page):
            if distance[target] > step:
                distance[target] = step
                if before is not None:
                    before[target] = page
                queue.append(target)
