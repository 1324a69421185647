"""What the pages downloaded so far say about the URLs they link to: the scores of the evolved rank functions.

HUB, AUTHORITY, COMM_in, COMM_out and PARENT_1 … PARENT_k of "Evolving Strategies for Focused Web Crawling"
(R123–R125). They are kept up to date as parents appear and as pages join the community, in time
proportional to the URLs whose scores change. Everything rests on these facts:

- Σ|L_i| over downloaded pages and Σ|P_i| over observed URLs are both the number of edges seen, so one
  counter gives AveOutCount and AveInCount.
- COMM_out(u) = Σ |L_i ∩ C| / |L_i|: a page that joins C adds 1/|L_i| to each child of each of its parents.
- PARENT_k (R125) is one score of P_u^k, which outdoes all others, and P_u^k is the union of P_p^(k-1) over
  the parents p of u: PARENT_k(u) is the PARENT_(k-1) of a parent that outdoes those of the others. Such
  scores travel down the edges, and only where they change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

HUB, AUTHORITY, COMM_IN, COMM_OUT, PARENT = 0, 1, 2, 3, 4
"""Places in a row of scores; PARENT_k stands in place PARENT + k, after the page's own score as PARENT_0."""
Row = list[float]
MANY_LINKS = 5_000
"""Of a page with more, one that joins the community adds less than a five-thousandth to the COMM_out of each:
they are not all ranked anew for it, but when something else changes for them. Each of 38,000 links of one
page would else cost half a second when it is visited."""
_LEAST_POSITIVE = 5e-324
"""Stands for a score of 0: in a row 0 means that there is no such ancestor."""


class Neighbourhood:
    """Observed URLs as numbers, the edges between them, and their scores.

    `generations` is the k of PARENT_k. `mean_comm_out` divides COMM_out by the number of parents (A30 reads
    eq. 8 literally: a sum).

    A page links to some ten URLs, and some five others change with it: for so few, lists are several times
    as fast as arrays.
    """

    def __init__(self, generations: int = 5, mean_comm_out: bool = False) -> None:
        if generations < 1:
            raise ValueError(f"PARENT scores need at least one generation, not {generations}")
        self.generations = generations
        self.mean_comm_out = mean_comm_out
        self.urls: list[str] = []
        self.rows: list[Row] = []
        """By URL: its scores, HUB and AUTHORITY without the averages that divide them (see `averages`)."""
        self.children: dict[int, list[int]] = {}
        """Distinct observed URLs that each downloaded page links to: L_p (A34)."""
        self.community: set[int] = set()
        """Seeds and downloaded positives: C (R124)."""
        self.edges = 0
        self._ids: dict[str, int] = {}
        self._parents: list[list[int]] = []
        self._members: list[int] = []
        """By URL: |P_u ∩ C|."""
        self._comm_out: list[float] = []
        """By URL: Σ |L_i ∩ C| / |L_i|."""

    def __len__(self) -> int:
        """Observed URLs: |U|."""
        return len(self.urls)

    def number(self, url: str) -> int:
        """The number of a URL, which is observed from now on."""
        known = self._ids.get(url)
        if known is None:
            known = self._ids[url] = len(self.urls)
            self.urls.append(url)
            self.rows.append([0.0] * (PARENT + 1 + self.generations))
            self._parents.append([])
            self._members.append(0)
            self._comm_out.append(0.0)
        return known

    def alias(self, url: str, number: int) -> None:
        """Let another name of a page, such as its URL after redirects, mean the same; a known one stays."""
        self._ids.setdefault(url, number)

    def parents(self, number: int) -> Sequence[int]:
        """Downloaded pages that link to a URL: P_u."""
        return self._parents[number]

    @property
    def averages(self) -> tuple[float, float]:
        """AveOutCount over downloaded pages and AveInCount over observed URLs; 1 before the first edge."""
        return (self.edges / len(self.children), self.edges / len(self)) if self.edges else (1.0, 1.0)

    def join_community(self, number: int) -> Iterable[int]:
        """Add a page to the community; the URLs whose COMM_out changed, those of `MANY_LINKS` aside."""
        if number in self.community:
            return ()
        self.community.add(number)
        changed: list[int] = []
        for parent in self._parents[number]:
            children = self.children[parent]
            self._add_to_comm_out(children, 1 / len(children))
            if len(children) <= MANY_LINKS:
                changed += children
        return changed

    def download(self, number: int, links: Iterable[int], score: float, positive: bool) -> set[int]:
        """Take in a downloaded page: the URLs it links to, its score and whether it is relevant.

        Returns the numbers of all URLs whose scores changed, its children at least; see `join_community`. A
        page is downloaded once.
        """
        if number in self.children:
            raise ValueError(f"{self.urls[number]} was downloaded already")
        children = self.children[number] = list(dict.fromkeys(links))
        self.edges += len(children)
        changed = set(children)
        if positive:
            changed.update(self.join_community(number))
        is_member = number in self.community
        for child in children:
            row, parents, members = self.rows[child], self._parents[child], self._members
            parents.append(number)
            members[child] += is_member
            row[HUB] = max(row[HUB], len(children))  # of several parents the greatest counts (A30)
            row[AUTHORITY] = len(parents)
            row[COMM_IN] = members[child] / len(parents)
        self._add_to_comm_out(children, len(self.community.intersection(children)) / max(len(children), 1))
        self.rows[number][PARENT] = score or _LEAST_POSITIVE
        changed.update(self._pass_down(number))
        return changed

    def _add_to_comm_out(self, numbers: Iterable[int], share: float) -> None:
        for number in numbers:
            self._comm_out[number] += share
            divisor = len(self._parents[number]) if self.mean_comm_out else 1
            self.rows[number][COMM_OUT] = self._comm_out[number] / divisor

    def _pass_down(self, number: int) -> Iterable[int]:
        """Carry the score of a new page and of its ancestors to its children, and on from those that are
        downloaded.

        PARENT_k of a URL rests on PARENT_(k-1) of its parents alone, so one generation is finished before
        the next begins.
        """
        rows, changed = self.rows, []
        pages: Iterable[int] = (number,)
        for k in range(PARENT + 1, PARENT + 1 + self.generations):
            grown: list[int] = []
            for page in pages:
                coming = rows[page][k - 1]
                for child in self.children[page]:
                    row = rows[child]
                    known = row[k]
                    # of one sign the greatest magnitude, of mixed ones the positive (R125, A31)
                    if known < coming if coming > 0 else coming < known <= 0:
                        row[k] = coming
                        grown.append(child)
            changed += grown
            pages = {number, *grown} & self.children.keys()
        return changed

    def scores(self, number: int) -> list[float]:
        """The 4 + `generations` scores of a URL by what is known now; 0 where nothing is."""
        hub, authority, comm_in, comm_out, _, *parents = self.rows[number]
        average_out, average_in = self.averages
        return [hub / average_out, authority / average_in, comm_in, comm_out, *parents]

    def cohesiveness(self, pages: Iterable[int]) -> float:
        """Σ |L_i ∩ C| / |G| over the downloaded pages of a set G (R131, eq. 13); 0 for an empty set."""
        inside = [len(self.community.intersection(self.children[page])) for page in pages]
        return sum(inside) / len(inside) if inside else 0.0
