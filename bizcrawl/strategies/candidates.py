"""What intelligent crawling knows of a URL that it has not crawled, and what speaks for it (R107-R112)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat

import numpy as np

from bizcrawl.strategies.knowledge import Knowledge
from contexts.tagtree import Ints
from contexts.vectors import Floats

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
    ratios: dict[int, float] | None = None
    """These ratios by word, once a candidate with more parents has asked for them."""
    visited: int = 0
    """Pages it links to that were crawled since."""
    visited_good: int = 0


@dataclass(slots=True, eq=False)
class Candidate:
    """What is known of a URL that has not been crawled."""

    tokens: tuple[str, ...]
    url: float = 0.0
    """Σ log ratio of its significant tokens (R110)."""
    parents: list[Parent] = field(default_factory=list)


class Interest:
    """Interest ratios as they were when this was made; of what is learned later only siblings count."""

    def __init__(self, knowledge: Knowledge, significance: float, corrected: bool) -> None:
        self._knowledge = knowledge
        self._words = knowledge.log_ratios(knowledge.words, significance, corrected)
        self._tokens = knowledge.log_ratios(knowledge.tokens, significance, corrected)
        self._link = knowledge.log_link_ratios()

    def weigh(self, parent: Parent) -> None:
        """Have a page speak for its links by its words."""
        parent.content = float(_taken(self._words, parent.words).sum())
        parent.ratios = None

    def of_url(self, tokens: Sequence[str]) -> float:
        """Σ log ratio of the significant tokens of a URL (R110)."""
        return float(_taken(self._tokens, self._numbers(tokens)).sum())

    def factors(self, candidate: Candidate) -> tuple[float, float, float, float]:
        """log I of each of `FACTORS` for a candidate whose parents have been weighed."""
        good_parents = siblings = good_siblings = 0
        for parent in candidate.parents:
            good_parents += parent.good
            siblings += parent.visited
            good_siblings += parent.visited_good
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

    def _content(self, candidate: Candidate) -> float:
        """Σ log ratio of the significant words that occur on any in-linking page (R109)."""
        parents = candidate.parents
        if len(parents) == 1:
            return parents[0].content
        together: dict[int, float] = {}
        for parent in parents:
            together.update(parent.ratios if parent.ratios is not None else self._ratios(parent))
        return sum(together.values())

    def _ratios(self, parent: Parent) -> dict[int, float]:
        ratios = _taken(self._words, parent.words)
        counted = ratios.nonzero()[0]
        parent.ratios = dict(zip(parent.words[counted].tolist(), ratios[counted].tolist(), strict=True))
        return parent.ratios

    def _weigh_pages(self, parents: Sequence[Parent]) -> None:
        owners = np.repeat(np.arange(len(parents)), [len(parent.words) for parent in parents])
        ratios = _taken(self._words, _joined([parent.words for parent in parents]))
        for parent, content in zip(parents, np.bincount(owners, ratios, len(parents)).tolist(), strict=True):
            parent.content, parent.ratios = content, None

    def _contents(self, candidates: Sequence[Candidate]) -> Floats:
        """(n,) Σ log ratio of the words of all parents of each candidate, each word once (R109)."""
        contents = np.array([c.parents[0].content for c in candidates])
        several = [place for place, c in enumerate(candidates) if len(c.parents) > 1]
        words = [[parent.words for parent in candidates[place].parents] for place in several]
        owners = np.repeat(np.arange(len(several)), [sum(map(len, found)) for found in words])
        occurring = _joined(list(chain.from_iterable(words)))
        counts = _taken(self._words, occurring) != 0
        keys = np.sort(owners[counts] * len(self._words) + occurring[counts])
        owners, each = np.divmod(keys[np.diff(keys, prepend=-1) > 0], len(self._words))
        contents[several] = np.bincount(owners, self._words[each], len(several))
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
