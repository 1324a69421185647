"""The upper bound of every table: a crawler that knows the whole graph and all targets.

It goes to the nearest target that is left, by the shortest path from any page it has visited, and again.
The best order of all is an NP-hard problem (a Steiner tree); this greedy one is within a page or two of it
on sparse graphs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bizcrawl.download import MAX_REDIRECTS
from bizcrawl.reasons import Reason
from bizcrawl.scope import Exclusions
from bizcrawl.urls import parse
from contexts.tagtree import Ints
from testbed.pagegraph import PageGraph
from testbed.topics import BedTopic

FAR = np.iinfo(np.int32).max


class Ways:
    """The links of a page graph as pages, redirects followed and robots.txt and exclusions heeded."""

    def __init__(self, graph: PageGraph, excluded: Iterable[str] = ()) -> None:
        self._graph = graph
        self._resolved = _resolved(graph)
        exclusions = Exclusions.of(excluded)
        barred = [i for i, url in enumerate(graph.urls) if exclusions.ruling(url).reason]
        if barred:
            self._resolved = self._resolved.copy()
            self._resolved[_leading_to(graph, barred)] = -1
        self._pages: dict[int, list[int]] = {}

    def page_at(self, url: str) -> int:
        """The page that a crawler gets for a URL; -1 for none."""
        known = self._graph.url_ids.get(parse(url) or url, -1)
        return int(self._resolved[known]) if known >= 0 else -1

    def linked(self, page: int) -> list[int]:
        """Pages that a page links to, each once, in order of first link."""
        pages = self._pages.get(page)
        if pages is None:
            a = self._graph.arrays
            found: list[int] = self._resolved[a.link_url[a.link_at[page] : a.link_at[page + 1]]].tolist()
            pages = self._pages[page] = [target for target in dict.fromkeys(found) if target >= 0]
        return pages


@lru_cache(maxsize=2)
def _resolved(graph: PageGraph) -> Ints:
    """(u,) the page behind each URL of a graph, -1 for none."""
    outcomes = (graph.outcome(url) for url in graph.urls)
    return np.array([-1 if isinstance(page, Reason) else page for page in outcomes], dtype=np.int32)


def _leading_to(graph: PageGraph, urls: Sequence[int]) -> npt.NDArray[np.bool_]:
    """(u,) which URLs are among some, or redirect to one of them."""
    barred = np.zeros(len(graph.urls), np.bool_)
    barred[list(urls)] = True
    moved = graph.arrays.moved_to
    for _ in range(MAX_REDIRECTS):
        barred |= (moved >= 0) & barred[moved]
    return barred


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
