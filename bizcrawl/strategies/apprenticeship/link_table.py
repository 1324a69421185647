"""Links in waiting with their signs, in columns, so that all of them can be scored again at once.

A row is a URL. A link that is seen again keeps the greatest value of every sign (A11), and belongs to the
list and page of the last sighting that resembles the topic no less than all before taken together. Of those
on one page that is the last: to take the best of them finds no more (docs/apprentice.md). What became of
visited links is summed up by host, list, page, kind of place and word.

Rows are few: whoever owns the table forgets the links that wait no more. The sums grow with what the crawl
has met, some hundred bytes for each list and site, far less than the pages take in the collection: what was
learned of a site or list counts whenever it is met again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from bizcrawl.strategies.apprenticeship.cues import MAX_WORDS
from bizcrawl.strategies.apprenticeship.signs import RECORD, SIGHTING, Floats32, Sighting

Longs = npt.NDArray[np.int64]
OFTEN_CITED = 3
"""Sites that cite a directory or a fair, at least; a stranger is cited by fewer."""
RELEVANCE_WEIGHT = 0.4
"""What a page in the seeds' words is worth, against 1 for a hub that names three seeds."""
_GROUPS = ("host", "list", "page", "path")
_FIRST_ROWS = 1024
_CUES = [SIGHTING.index(name) for name in ("anchor_cue", "anchor_label", "url_cue")]
_NEARNESS = SIGHTING.index("nearness")
_LAST_RESEMBLANCE = SIGHTING.index("in_list")


class Sums:
    """Running number and sum of rewards by key; keys get small numbers."""

    def __init__(self, prior_count: float, prior_mean: float) -> None:
        self.ids: dict[Any, int] = {}
        self._count = np.full(_FIRST_ROWS, prior_count, np.float32)
        self._sum = np.full(_FIRST_ROWS, prior_count * prior_mean, np.float32)
        self._prior = prior_count, prior_count * prior_mean

    def id_of(self, key: Any) -> int:
        """The number of a key."""
        number = self.ids.setdefault(key, len(self.ids))
        if number >= len(self._count):
            room = np.ones(len(self._count), np.float32)
            self._count = np.concatenate((self._count, room * self._prior[0]))
            self._sum = np.concatenate((self._sum, room * self._prior[1]))
        return number

    def add(self, number: int, reward: float) -> None:
        """Count one more visited link."""
        self._count[number] += 1
        self._sum[number] += reward

    def means(self, numbers: Longs) -> Floats32:
        """Mean rewards, drawn towards the prior where little is known."""
        means: Floats32 = self._sum[numbers] / self._count[numbers]
        return means


@dataclass(frozen=True, slots=True)
class Found:
    """What a visited page turned out to be."""

    hub: float
    """1 if it names three seeds."""
    similarity: float
    """1 if it is as similar to the seeds' wording as they are to each other."""
    keeping: float
    """How much it speaks for a site that keeps lists; see `keepers`."""

    @property
    def reward(self) -> float:
        """What it was worth to follow the link."""
        return RELEVANCE_WEIGHT * self.similarity + self.hub


def _column() -> Floats32:
    return np.zeros(_FIRST_ROWS, np.float32)


@dataclass(slots=True)
class HostRecord:
    """What is known of a registrable domain, by its number in the table."""

    pages: Floats32 = field(default_factory=_column)
    best_hub: Floats32 = field(default_factory=_column)
    similarity: Floats32 = field(default_factory=_column)
    keeping: Floats32 = field(default_factory=_column)
    seeds_citing: Floats32 = field(default_factory=_column)
    sites_citing: Floats32 = field(default_factory=_column)

    def make_room(self, number: int) -> None:
        """Let there be a row of that number."""
        if number >= len(self.pages):
            for name in (column.name for column in fields(self)):
                column = getattr(self, name)
                setattr(self, name, np.concatenate((column, np.zeros(len(column), np.float32))))


class LinkTable:
    """Signs of all links in waiting, and the record that changes them."""

    def __init__(self, one_a_site: float = 1.0) -> None:
        """`one_a_site`: how far a site is used up by a visited page, 1 if each holds one answer at most."""
        self._one_a_site = one_a_site
        self.rows: dict[str, int] = {}
        self._free: list[int] = []
        self._signs = np.zeros((_FIRST_ROWS, len(SIGHTING)), np.float32)
        self._groups = np.zeros((_FIRST_ROWS, len(_GROUPS)), np.int64)
        self._words = np.zeros((_FIRST_ROWS, MAX_WORDS), np.int64)
        self.hosts = HostRecord()
        self._by_host = Sums(1.0, 0.2)
        self._by_list = Sums(1.0, 0.2)
        self._by_page = Sums(1.0, 0.2)
        self._by_path = Sums(2.0, 0.2)
        self._by_word = Sums(2.0, 0.2)
        self._by_word.id_of("")
        self._citing: set[tuple[int, str]] = set()

    def host(self, domain: str) -> int:
        """The number of a registrable domain."""
        number = self._by_host.id_of(domain)
        self.hosts.make_room(number)
        return number

    def see(self, urls: Sequence[str], sighting: Sighting, places: Sequence[int], page: str) -> Longs:
        """Add links of a page; `places` says where each of `urls` stands in the sighting. Returns rows."""
        rows = np.fromiter((self._row(url) for url in urls), np.int64, len(urls))
        signs = sighting.signs[places]
        better = signs[:, :_LAST_RESEMBLANCE].sum(1) >= self._signs[rows, :_LAST_RESEMBLANCE].sum(1)
        np.maximum.at(self._signs, rows, signs)
        page_number = self._by_page.id_of(page)
        for row, place, is_better in zip(rows.tolist(), places, better.tolist(), strict=True):
            if is_better:
                node = sighting.lists[place]
                self._groups[row] = (
                    self.host(sighting.domains[place]),
                    self._by_list.id_of((page_number, node if node >= 0 else -1 - place)),
                    page_number,
                    self._by_path.id_of(sighting.paths[place]),
                )
                words = [self._by_word.id_of(word) for word in sighting.words[place]]
                self._words[row] = words + [0] * (MAX_WORDS - len(words))
        return rows

    def cite(self, domains: set[str], by: str, strongly: bool) -> None:
        """A page of `by` links to sites; strongly, if it is a site of the business."""
        for domain in domains:
            number = self.host(domain)
            if (number, by) not in self._citing:
                self._citing.add((number, by))
                self.hosts.sites_citing[number] += 1
            if strongly and (-1 - number, by) not in self._citing:
                self._citing.add((-1 - number, by))
                self.hosts.seeds_citing[number] += 1

    def vouch(self, domain: str, vouches: bool, similarity: float) -> None:
        """Let a site's links count as those of a site of the business, or no longer; see `cite`.

        `similarity` of its pages to the seeds is what holds from now on.
        """
        cited = {number for number, by in self._citing if by == domain and number >= 0}
        strongly = {-1 - number for number, by in self._citing if by == domain and number < 0}
        self.hosts.similarity[self.host(domain)] = similarity
        for number in sorted(cited - strongly if vouches else strongly):
            self.hosts.seeds_citing[number] += 1 if vouches else -1
            self._citing ^= {(-1 - number, domain)}

    def learn(self, url: str, domain: str, found: Found) -> None:
        """A link was followed: the reward goes to everything that led to it."""
        number = self.host(domain)
        self._by_host.add(number, found.reward)
        self.hosts.pages[number] += 1
        for column, value in (
            (self.hosts.best_hub, found.hub),
            (self.hosts.similarity, found.similarity),
            (self.hosts.keeping, found.keeping),
        ):
            column[number] = max(column[number], value)
        self.forget(url, found.reward)

    def forget(self, url: str, reward: float | None = None) -> None:
        """Take a link out; with a reward, those that stood with it learn from it."""
        row = self.rows.pop(url, None)
        if row is None:
            return
        self._free.append(row)
        if reward is not None:
            _, listed, page, path = self._groups[row].tolist()
            self._by_list.add(listed, reward)
            self._by_page.add(page, reward)
            self._by_path.add(path, reward)
            for word in set(self._words[row].tolist()) - {0}:
                self._by_word.add(word, reward)
        self._signs[row] = 0

    def signs(self, rows: Longs, visited: int) -> Floats32:
        """(k, len(SIGHTING) + len(RECORD)) signs of rows as they stand now, after so many visited pages."""
        hosts, lists, pages, paths = self._groups[rows].T
        record = self.hosts
        words = self._words[rows]
        known = words > 0
        word_means = (self._by_word.means(words) * known).sum(1) / np.maximum(known.sum(1), 1)
        sighted = self._signs[rows]
        cited = np.log1p(record.seeds_citing[hosts])
        visited_pages = record.pages[hosts]
        cue = sighted[:, _CUES].max(1)
        again = (visited_pages > 0) * self._one_a_site
        similar = record.similarity[hosts]
        keeping = record.keeping[hosts]
        often_cited = np.maximum(record.sites_citing[hosts] / OFTEN_CITED, 1)
        columns = (
            cited,
            cited * (visited_pages == 0),
            np.log1p(record.sites_citing[hosts]),
            np.log1p(visited_pages) * self._one_a_site,
            self._by_host.means(hosts),
            record.best_hub[hosts],
            similar,
            similar * again * (1 - cue),
            (1 - np.maximum(similar, record.best_hub[hosts])) * again * (1 - keeping) / often_cited,
            keeping,
            self._by_list.means(lists),
            self._by_page.means(pages),
            self._by_path.means(paths),
            word_means,
            np.full(len(rows), np.log1p(visited) / 7),
            sighted[:, _NEARNESS] * (1 - self._one_a_site),
        )
        assert len(columns) == len(RECORD)
        return np.column_stack((sighted, *columns)).astype(np.float32)

    def signs_of(self, url: str, visited: int) -> Floats32 | None:
        """Signs of one link as they stand now; None if it is not in waiting."""
        row = self.rows.get(url)
        return None if row is None else self.signs(np.array([row]), visited)[0]

    def pages_of_site(self, rows: Longs) -> Floats32:
        """(k,) visited pages of the sites of rows."""
        pages: Floats32 = self.hosts.pages[self._groups[rows, 0]]
        return pages

    def _row(self, url: str) -> int:
        row = self.rows.get(url)
        if row is None:
            row = self._free.pop() if self._free else len(self.rows)
            self.rows[url] = row
            if row >= len(self._signs):
                self._signs = np.concatenate((self._signs, np.zeros_like(self._signs)))
                self._groups = np.concatenate((self._groups, np.zeros_like(self._groups)))
                self._words = np.concatenate((self._words, np.zeros_like(self._words)))
        return row
