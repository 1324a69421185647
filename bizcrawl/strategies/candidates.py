"""What intelligent crawling knows of a URL that it has not crawled, and what speaks for it (R107-R112)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat

import numpy as np
import numpy.typing as npt

from bizcrawl.strategies.knowledge import Knowledge
from contexts.distinct import distinct
from contexts.tagtree import Ints
from contexts.vectors import Floats

FEW_PARENTS = 8
"""A link of a site's menu has every page of the site for a parent: of more than so many, words are joined as
they come, not again for each."""
FACTORS = ("content", "url", "link", "sibling")
_UNKNOWN = np.iinfo(np.int32).max
"""Number of a token that no crawled page had."""


@dataclass(slots=True, eq=False)
class Parent:
    """A crawled page as the candidates that it links to see it."""

    good: bool
    words: Ints
    """(k,) numbers of its distinct words; shared by all its links."""
    content: float = 0.0
    """Σ log ratio of its significant words."""
    visited: int = 0
    """Pages it links to that were crawled, before it or since: siblings of the others it links to (R112)."""
    visited_good: int = 0

    def add_child(self, good: bool) -> None:
        """A page that it links to was crawled."""
        self.visited += 1
        self.visited_good += good


@dataclass(slots=True, eq=False)
class Candidate:
    """What is known of a URL that has not been crawled."""

    tokens: tuple[str, ...]
    url: float = 0.0
    """Σ log ratio of its significant tokens (R110)."""
    parents: list[Parent] = field(default_factory=list)
    family: int = 0
    """Number of its parents as `Families` tells them; 0 of parents that it did not add."""
    content: float = 0.0
    """Σ log ratio of the words in `_met`."""
    _met: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    """Of many parents, whether each word occurs on any of the first `_joined`: a bit a word, for a crawl
    meets a million of them, and thousands of candidates may have many parents."""
    _joined: int = 0

    def new_words(self) -> Ints:
        """Numbers of words of in-linking pages that had not been met when this was last asked."""
        found = distinct(_joined([parent.words for parent in self.parents[self._joined :]]))
        self._joined = len(self.parents)
        octets, bits = found >> 3, np.uint8(1) << (found & 7).astype(np.uint8)
        if len(found) and octets[-1] >= len(self._met):
            self._met = np.pad(self._met, (0, int(octets[-1]) + 1 + len(self._met) // 4 - len(self._met)))
        is_new = (self._met[octets] & bits) == 0
        np.bitwise_or.at(self._met, octets[is_new], bits[is_new])
        new: Ints = found[is_new]
        return new

    def words(self) -> Ints:
        """Numbers of the words that occur on any in-linking page, each once, ascending (R109)."""
        if len(self.parents) <= FEW_PARENTS:
            return distinct(_joined([parent.words for parent in self.parents]))
        self.new_words()
        return np.flatnonzero(np.unpackbits(self._met, bitorder="little")).astype(np.int32)


class Families:
    """Tells which candidates have the very same parents, as the links of a site's menu do, so that the
    children of thousands of parents are counted once for all of them.
    """

    def __init__(self) -> None:
        self._families = 0
        self._last: Parent | None = None
        self._grown: dict[int, int] = {}
        """What each family has become with the parent that was added last."""

    def add(self, candidate: Candidate, parent: Parent) -> None:
        """A page links to a candidate; the pages come one after the other."""
        if parent is not self._last:
            self._last = parent
            self._grown.clear()
        family = self._grown.get(candidate.family)
        if family is None:
            self._families += 1
            family = self._grown[candidate.family] = self._families
        candidate.family = family
        candidate.parents.append(parent)


class Interest:
    """Interest ratios as they were when this was made; of what is learned later only siblings count."""

    def __init__(self, knowledge: Knowledge, significance: float, corrected: bool) -> None:
        self._knowledge = knowledge
        self._words = knowledge.log_ratios(knowledge.words, significance, corrected)
        self._tokens = knowledge.log_ratios(knowledge.tokens, significance, corrected)
        self._link = knowledge.log_link_ratios()
        self._words_of: dict[int, float] = {}
        """By family of the parent that came last: what the words of its parents say, if they are few."""
        self._children: dict[int, tuple[int, int, int]] = {}
        """By family of the parent that came last: its good parents, their visited children, the good ones."""
        self._last: Parent | None = None

    def weigh(self, parent: Parent) -> None:
        """Have a page speak for its links by its words."""
        parent.content = self._sum_of(parent.words)

    def of_url(self, tokens: Sequence[str]) -> float:
        """Σ log ratio of the significant tokens of a URL (R110)."""
        return float(_taken(self._tokens, self._numbers(tokens)).sum())

    def factors(self, candidate: Candidate) -> tuple[float, float, float, float]:
        """log I of each of `FACTORS` for a candidate whose parents have been weighed.

        A sibling by several parents counts with each of them.
        """
        if candidate.parents[-1] is not self._last:
            self._last = candidate.parents[-1]
            self._words_of.clear()
            self._children.clear()
        found = self._children.get(candidate.family) if candidate.family else None
        if found is None:
            found = self._children[candidate.family] = _children_of(candidate.parents)
        good_parents, siblings, good_siblings = found
        good, bad = self._link
        return (
            self._content(candidate),
            candidate.url,
            good_parents * good + (len(candidate.parents) - good_parents) * bad,
            self._knowledge.log_sibling_ratio(siblings, good_siblings),
        )

    def factors_of_all(self, candidates: Sequence[Candidate]) -> Floats:
        """(4, n) the same for many, parents and URLs weighed anew."""
        n = len(candidates)
        parents = list(dict.fromkeys(parent for c in candidates for parent in c.parents))
        place_of = {parent: place for place, parent in enumerate(parents)}
        owners = np.repeat(np.arange(n), [len(c.parents) for c in candidates])
        places = np.array([place_of[parent] for c in candidates for parent in c.parents], np.intp)
        counts = np.array([(1, p.good, p.visited, p.visited_good) for p in parents]).reshape(-1, 4)
        n_parents, good_parents, siblings, good_siblings = (
            np.bincount(owners, column, n) for column in counts[places].T
        )
        good, bad = self._link
        expected = siblings * self._knowledge.share
        found = np.divide(good_siblings, expected, out=np.zeros(n), where=expected > 0)
        self._weigh_pages(parents)
        self._weigh_urls(candidates)
        return np.stack(
            (
                self._contents(candidates),
                [c.url for c in candidates],
                good_parents * good + (n_parents - good_parents) * bad,
                np.log(np.maximum(1.0, found)),
            )
        )

    def _sum_of(self, words: Ints) -> float:
        return float(_taken(self._words, words).sum())

    def _content(self, candidate: Candidate) -> float:
        """Σ log ratio of the significant words that occur on any in-linking page (R109)."""
        parents = candidate.parents
        if len(parents) == 1:
            return parents[0].content
        if len(parents) <= FEW_PARENTS:
            return self._content_of_few(candidate)
        candidate.content += self._sum_of(candidate.new_words())
        return candidate.content

    def _content_of_few(self, candidate: Candidate) -> float:
        """The same of several parents, found once for all candidates that have them."""
        content = self._words_of.get(candidate.family) if candidate.family else None
        if content is None:
            content = self._words_of[candidate.family] = self._sum_of(candidate.words())
        return content

    def _weigh_pages(self, parents: Sequence[Parent]) -> None:
        owners = np.repeat(np.arange(len(parents)), [len(parent.words) for parent in parents])
        ratios = _taken(self._words, _joined([parent.words for parent in parents]))
        for parent, content in zip(parents, np.bincount(owners, ratios, len(parents)).tolist(), strict=True):
            parent.content = content

    def _contents(self, candidates: Sequence[Candidate]) -> Floats:
        """(n,) Σ log ratio of the words of all parents of each candidate, each word once (R109)."""
        contents = np.array([c.parents[0].content for c in candidates])
        shared: dict[tuple[Parent, ...], float] = {}
        for place, candidate in enumerate(candidates):
            if len(candidate.parents) > FEW_PARENTS:
                candidate.content = contents[place] = self._sum_of(candidate.words())
            elif len(candidate.parents) > 1:
                parents = tuple(candidate.parents)
                if parents not in shared:
                    shared[parents] = self._sum_of(candidate.words())
                contents[place] = shared[parents]
        return contents

    def _weigh_urls(self, candidates: Sequence[Candidate]) -> None:
        owners = np.repeat(np.arange(len(candidates)), [len(c.tokens) for c in candidates])
        numbers = self._numbers(list(chain.from_iterable([c.tokens for c in candidates])))
        sums = np.bincount(owners, _taken(self._tokens, numbers), len(candidates))
        for candidate, url in zip(candidates, sums.tolist(), strict=True):
            candidate.url = url

    def _numbers(self, tokens: Sequence[str]) -> Ints:
        """(k,) numbers of tokens."""
        return np.array(list(map(self._knowledge.tokens.numbers.get, tokens, repeat(_UNKNOWN))), np.int32)


def _children_of(parents: Sequence[Parent]) -> tuple[int, int, int]:
    """Good ones among some parents, their visited children, and the good ones among these."""
    good_parents = children = good_children = 0
    for parent in parents:
        good_parents += parent.good
        children += parent.visited
        good_children += parent.visited_good
    return good_parents, children, good_children


def _taken(ratios: Floats, numbers: Ints) -> Floats:
    """Ratios of events by number; the last, 0, stands for those that came later."""
    found: Floats = ratios.take(numbers, mode="clip")
    return found


def _joined(arrays: Sequence[Ints]) -> Ints:
    return np.concatenate(arrays) if arrays else np.empty(0, np.int32)


def url_tokens(url: str) -> tuple[str, ...]:
    """Tokens of a URL, split at "." and "/" (R110); each once, without the scheme."""
    return tuple(
        dict.fromkeys(token for token in re.split(r"[./]", url.partition("://")[2].lower()) if token)
    )
