"""What the pages downloaded so far say about the URLs they link to: the scores of the evolved rank functions.

HUB, AUTHORITY, COMM_in, COMM_out and PARENT_1 … PARENT_k of "Evolving Strategies for Focused Web Crawling"
(R123–R125). They are kept up to date as parents appear and as pages join the community, in time
proportional to the URLs whose scores change. Everything rests on these facts:

- Σ|L_i| over downloaded pages and Σ|P_i| over observed URLs are both the number of edges seen, so one
counter gives
  AveOutCount and AveInCount.
- COMM_out(u) = Σ |L_i ∩ C| / |L_i|: a page that joins C adds 1/|L_i| to each child of each of its parents.
- The rule for PARENT_k (R125) only asks for the greatest and the least score of P_u^k, and P_u^k is the
union of
  P_p^(k-1) over the parents p of u: extremes travel down the edges, and only where they change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from contexts.vectors import Floats

Ids = npt.NDArray[np.intp]

HUB, AUTHORITY, COMM_IN, COMM_OUT, PARENT = 0, 1, 2, 3, 4
"""Columns of `Neighbourhood.scores`; PARENT_k stands in column PARENT + k - 1."""
_FIRST_CAPACITY = 4096


class Neighbourhood:
    """Observed URLs as numbers, the edges between them, and their scores.

    `generations` is the k of PARENT_k. `mean_comm_out` divides COMM_out by the number of parents (A30 reads
    eq. 8 literally: a sum).
    """

    def __init__(self, generations: int = 5, mean_comm_out: bool = False) -> None:
        if generations < 1:
            raise ValueError(f"PARENT scores need at least one generation, not {generations}")
        self.generations = generations
        self.mean_comm_out = mean_comm_out
        self.urls: list[str] = []
        self.children: dict[int, Ids] = {}
        """Distinct observed URLs that each downloaded page links to: L_p (A34)."""
        self.community: set[int] = set()
        """Seeds and downloaded positives: C (R124)."""
        self.edges = 0
        self._ids: dict[str, int] = {}
        self._parents: list[list[int]] = []
        size = _FIRST_CAPACITY
        self._counts = np.zeros((size, 4))
        """By URL and column: greatest |L_p| over the parents (A30), |P_u|, |P_u ∩ C|, COMM_out."""
        self._extremes = np.full((size, 2, generations + 1), -np.inf)
        """By URL: in column k the greatest score in P_u^k and the least, its sign turned so that it too can
        only grow; column 0 is the page's own score once it is downloaded.
        """
        self._downloaded = np.zeros(size, dtype=bool)

    def __len__(self) -> int:
        """Observed URLs: |U|."""
        return len(self.urls)

    def number(self, url: str) -> int:
        """The number of a URL, which is observed from now on."""
        known = self._ids.get(url)
        if known is None:
            known = self._ids[url] = len(self.urls)
            self.urls.append(url)
            self._parents.append([])
            if known == len(self._counts):
                self._grow()
        return known

    def alias(self, url: str, number: int) -> None:
        """Let another name of a page, such as its URL after redirects, mean the same; a known one stays."""
        self._ids.setdefault(url, number)

    def parents(self, number: int) -> Sequence[int]:
        """Downloaded pages that link to a URL: P_u."""
        return self._parents[number]

    def join_community(self, number: int) -> Iterable[int]:
        """Add a page to the community; the URLs whose COMM_out changed."""
        if number in self.community:
            return ()
        self.community.add(number)
        changed: list[int] = []
        for parent in self._parents[number]:
            children = self.children[parent]
            self._counts[children, COMM_OUT] += 1 / len(children)
            changed += children.tolist()
        return changed

    def download(self, number: int, links: Iterable[int], score: float, positive: bool) -> set[int]:
        """Take in a downloaded page: the URLs it links to, its score and whether it is relevant.

        Returns the numbers of all URLs whose scores can have changed, its children at least. A page is
        downloaded once.
        """
        if number in self.children:
            raise ValueError(f"{self.urls[number]} was downloaded already")
        children = np.array(list(dict.fromkeys(links)), dtype=np.intp)
        self.children[number] = children
        self.edges += len(children)
        changed = set(children.tolist())
        if positive:
            changed.update(self.join_community(number))
        self._extremes[number, :, 0] = score, -score
        self._downloaded[number] = True
        if not len(children):
            return changed
        for child in children.tolist():
            self._parents[child].append(number)
        counts = self._counts[children]
        counts[:, HUB] = np.maximum(counts[:, HUB], len(children))
        counts[:, AUTHORITY] += 1
        counts[:, COMM_IN] += number in self.community
        counts[:, COMM_OUT] += len(self.community.intersection(children.tolist())) / len(children)
        self._counts[children] = counts
        changed |= self._pass_down(number)
        return changed

    def _pass_down(self, number: int) -> set[int]:
        """Carry the extremes of a new page to its children, and on from those that are downloaded."""
        changed: set[int] = set()
        waiting = {number: None}
        while waiting:
            page, _ = waiting.popitem()
            children = self.children[page]
            if not len(children):
                continue
            before = self._extremes.take(children, axis=0)[:, :, 1:]
            coming = self._extremes[page, :, :-1]
            rows, _, generations = (before < coming).nonzero()
            if not len(rows):
                continue
            self._extremes[children, :, 1:] = np.maximum(before, coming)
            grown = children[rows]
            changed.update(grown.tolist())
            onward = grown[(generations < self.generations - 1) & self._downloaded[grown]]
            waiting.update(dict.fromkeys(onward.tolist()))
        return changed

    def scores(self, numbers: Sequence[int]) -> Floats:
        """(len(numbers), 4 + generations) the scores of URLs by what is known now; 0 where nothing is."""
        ids = np.asarray(numbers, dtype=np.intp)
        found = np.zeros((len(ids), PARENT + self.generations))
        if not self.edges:
            return found
        counts = self._counts[ids]
        per_parent = 1 / np.maximum(counts[:, AUTHORITY], 1)
        found[:, HUB] = counts[:, HUB] * (len(self.children) / self.edges)
        found[:, AUTHORITY] = counts[:, AUTHORITY] * (len(self) / self.edges)
        found[:, COMM_IN] = counts[:, COMM_IN] * per_parent
        found[:, COMM_OUT] = counts[:, COMM_OUT] * (per_parent if self.mean_comm_out else 1.0)
        greatest, least = self._extremes[ids, 0, 1:], -self._extremes[ids, 1, 1:]
        # all of one sign: the one of largest magnitude; mixed signs: the greatest (R125, A31)
        parent = np.where(greatest >= 0, greatest, least)
        found[:, PARENT:] = np.where(parent < np.inf, parent, 0.0)
        return found

    def cohesiveness(self, pages: Iterable[int]) -> float:
        """Σ |L_i ∩ C| / |G| over the downloaded pages of a set G (R131, eq. 13); 0 for an empty set."""
        inside = [sum(child in self.community for child in self.children[page].tolist()) for page in pages]
        return sum(inside) / len(inside) if inside else 0.0

    def _grow(self) -> None:
        """Double the room."""
        self._counts = np.concatenate((self._counts, np.zeros_like(self._counts)))
        self._extremes = np.concatenate((self._extremes, np.full_like(self._extremes, -np.inf)))
        self._downloaded = np.concatenate((self._downloaded, np.zeros_like(self._downloaded)))
