"""Term vectors and their cosine (R22, R25: term frequencies only, no IDF during the crawl).

A query is scored against many slices of one token array at once: the tokens that the query knows are few,
so one running sum over them answers every slice, and only slices that hold one of them need their norm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from contexts.slice_lengths import slice_lengths
from contexts.tagtree import Ints, TagTree
from contexts.text import stems

Floats = npt.NDArray[np.float64]
AnyInts = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class Query:
    """A vector of weighted stems, to be compared with pages and contexts. Hashable, because similarities are
    remembered per query.
    """

    weights: tuple[tuple[str, float], ...]
    """(stem, weight) in order of stem; weights are not zero."""

    @classmethod
    def from_text(cls, text: str) -> Query:
        """The term-frequency vector of a text, stop-listed and stemmed (R9, R22)."""
        counts: dict[str, float] = {}
        for stem in stems(text):
            counts[stem] = counts.get(stem, 0.0) + 1.0
        return cls.from_weights(counts)

    @classmethod
    def from_weights(cls, weights: Mapping[str, float]) -> Query:
        """A vector with any weights, such as an agent's extended keywords (R76)."""
        return cls(tuple(sorted((stem, float(w)) for stem, w in weights.items() if w)))

    @cached_property
    def norm(self) -> float:
        """Euclidean length of the vector."""
        return sqrt(sum(w * w for _, w in self.weights))

    @cached_property
    def by_stem(self) -> dict[str, float]:
        """Weight by stem."""
        return dict(self.weights)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of the vector."""
        return frozenset(self.by_stem)

    def __bool__(self) -> bool:
        return bool(self.weights)


def cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Cosine of two sparse vectors; 0 if either is empty."""
    if len(a) > len(b):
        a, b = b, a
    dot = sum(weight * b[stem] for stem, weight in a.items() if stem in b)
    if not dot:
        return 0.0
    return dot / sqrt(sum(w * w for w in a.values()) * sum(w * w for w in b.values()))


def query_weights(words: Sequence[str], query: Query) -> Floats | None:
    """(len(words),) the query's weight of each word of a page's word list; None if it knows none of them."""
    known = query.stems.intersection(words)
    if not known:
        return None
    weights = np.zeros(len(words))
    for word in known:
        weights[words.index(word)] = query.by_stem[word]
    return weights


def slice_cosines(tokens: Ints, weights: Floats, norm: float, starts: Ints, ends: Ints) -> Floats:
    """(k,) cosine of a query with each of the k slices ``tokens[starts[i]:ends[i]]`` (R25).

    `weights` is the query's weight by token id, `norm` its length.
    """
    known = weights[tokens]
    positions = np.flatnonzero(known)
    result = np.zeros(len(starts))
    if not len(positions):
        return result
    dots = slice_dots(positions, known[positions], starts, ends)
    hits = np.flatnonzero(dots)
    around = list(zip(starts[hits].tolist(), ends[hits].tolist(), strict=True))
    lengths = slice_lengths(tokens, len(weights), around)
    result[hits] = dots[hits] / (np.array([lengths[span] for span in around]) * norm)
    return result


def slice_dots(positions: AnyInts, values: Floats, starts: AnyInts, ends: AnyInts) -> Floats:
    """(k,) sum of the values that stand at positions ``starts[i] .. ends[i] - 1``; `positions` ascend."""
    running = np.concatenate(([0.0], np.cumsum(values)))
    dots: Floats = running[np.searchsorted(positions, ends)] - running[np.searchsorted(positions, starts)]
    return dots


def page_cosine(tree: TagTree, query: Query) -> float:
    """Cosine of a query with all text of a page: sim(page, query) of R22 and TOIT eq. 4."""
    weights = query_weights(tree.stems, query)
    if weights is None:
        return 0.0
    counts = page_counts(tree)
    return float(weights @ counts) / (sqrt(float(counts @ counts)) * query.norm)


def page_counts(tree: TagTree) -> npt.NDArray[np.int64]:
    """(len(tree.stems),) how often each stem occurs on the page."""
    return np.bincount(tree.tokens, minlength=len(tree.stems))
