"""Is a page about the topic? A linear support vector machine on words and word pairs (R119).

It is trained from relevant pages and others, and saved as a small JSON file with its vocabulary: the model
needs no library to be read, and no code is run by reading it. The score of a page is its distance from the
dividing plane, so relevant pages score above 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bizcrawl.collection.replacing import replacing
from bizcrawl.errors import WrongUse
from bizcrawl.page import Page
from bizcrawl.text_files import json_in, number_in
from contexts.tagtree import TagTree
from contexts.text import stems

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

FORMAT = "bizcrawl page classifier 1"
MAX_FEATURES = 20_000
"""Features with the greatest document frequency among relevant pages are kept."""
MIN_PAGES = 2
"""A feature must stand on so many relevant pages."""


class BadClassifier(WrongUse):
    """A classifier that cannot be trained or read; the message is one line for a person."""


@dataclass(frozen=True, slots=True)
class Classifier:
    """A trained linear classifier: score = bias + Σ weight · value over the features of a page.

    A feature is a stem, or two stems that follow each other, joined by a blank. Its value is 1 + ln(tf);
    the values of a page's known features are scaled to length 1, so that long pages have no advantage.
    """

    weights: Mapping[str, float]
    bias: float
    origin: Mapping[str, Any] = field(default_factory=dict)
    """What it was trained on."""

    def score(self, page: Page) -> float:
        """Signed relevance of a page: a strategy's `score_page`."""
        return self.score_tree(page.tree)

    def __call__(self, text: str) -> float:
        """Score of a text, so that it can stand in a predicate: ``classifier('relevant') > 0`` (R106)."""
        return self._score(count_features(stems(text)))

    def score_tree(self, tree: TagTree) -> float:
        """Signed distance of a page from the dividing plane."""
        return self._score(features(tree))

    def _score(self, counts: Mapping[str, int]) -> float:
        dot = squares = 0.0
        for feature, count in counts.items():
            weight = self.weights.get(feature)
            if weight is not None:
                value = 1 + log(count)
                dot += weight * value
                squares += value * value
        return self.bias + (dot / sqrt(squares) if squares else 0.0)

    def save(self, path: Path) -> None:
        """Write the model as JSON."""
        record = {
            "format": FORMAT,
            "bias": self.bias,
            "weights": dict(self.weights),
            "origin": dict(self.origin),
        }
        with replacing(path) as file:
            file.write(json.dumps(record, ensure_ascii=False, sort_keys=True).encode() + b"\n")

    @classmethod
    def load(cls, path: Path) -> Classifier:
        """Read what `save` wrote. Raises `BadClassifier` with one line."""
        try:
            record = json_in(path.read_bytes())
        except OSError as problem:
            why = f"the classifier cannot be read: {problem.strerror}"
            raise BadClassifier(f"{path}: {why}; make one with 'bizcrawl testbed classifier'") from None
        except ValueError as problem:
            raise BadClassifier(f"{path}: not JSON: {problem}") from None
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            raise BadClassifier(f"{path}: not a page classifier; its format should be {FORMAT!r}")
        try:
            weights = {str(feature): number_in(weight) for feature, weight in record["weights"].items()}
            return cls(weights, number_in(record["bias"]), dict(record.get("origin") or {}))
        except (KeyError, AttributeError, TypeError, ValueError):
            raise BadClassifier(f"{path}: a classifier has 'weights' and a 'bias'") from None


def features(tree: TagTree) -> dict[str, int]:
    """How often each word and each pair of neighbouring words stands on a page, as stems."""
    words = tree.stems
    return count_features(words[token] for token in tree.tokens.tolist())


def count_features(words: Iterable[str]) -> dict[str, int]:
    """How often each of the words and each pair of neighbours occurs."""
    counts: dict[str, int] = {}
    last: str | None = None
    for word in words:
        counts[word] = counts.get(word, 0) + 1
        if last is not None:
            pair = f"{last} {word}"
            counts[pair] = counts.get(pair, 0) + 1
        last = word
    return counts


def train(
    relevant: Iterable[TagTree],
    others: Iterable[TagTree],
    *,
    origin: Mapping[str, Any] | None = None,
    random_seed: int = 0,
) -> Classifier:
    """Learn to tell relevant pages from others. Both sides count the same, however many pages they have.

    The vocabulary is what relevant pages say (R119): features of at least `MIN_PAGES` of them. Raises
    `BadClassifier` if a side is empty or the relevant pages have no words in common.
    """
    good = [features(tree) for tree in relevant]
    bad = [features(tree) for tree in others]
    if not good or not bad:
        raise BadClassifier(
            f"a classifier needs relevant and other pages to learn from, and there are {len(good)} and "
            f"{len(bad)}; give more pages, or accept and reject companies of the collection"
        )
    names = vocabulary(good)
    if not names:
        raise BadClassifier("the relevant pages have no words in common: nothing can be learned from them")
    matrix = rows(good + bad, names)
    labels = np.array([1] * len(good) + [-1] * len(bad))
    from sklearn.svm import LinearSVC  # half a second, and only training needs it

    machine = LinearSVC(  # type: ignore[no-untyped-call]
        class_weight="balanced", random_state=random_seed % 2**32, dual=True, max_iter=5000
    )
    machine.fit(matrix, labels)
    weights = {name: float(w) for name, w in zip(names, machine.coef_[0], strict=True) if w}
    told = {"relevant pages": len(good), "other pages": len(bad), **(origin or {})}
    return Classifier(weights, float(machine.intercept_[0]), told)


def vocabulary(relevant: Sequence[Mapping[str, int]]) -> list[str]:
    """Features to learn by, in order of their names; with a single relevant page all of its own."""
    pages: dict[str, int] = {}
    for page in relevant:
        for feature in page:
            pages[feature] = pages.get(feature, 0) + 1
    least = min(MIN_PAGES, len(relevant))
    known = [feature for feature, number in pages.items() if number >= least]
    known.sort(key=lambda feature: (-pages[feature], feature))
    return sorted(known[:MAX_FEATURES])


def rows(pages: Sequence[Mapping[str, int]], names: Sequence[str]) -> csr_matrix:
    """(len(pages), len(names)) the values of the features of each page, each row of length 1 or 0."""
    from scipy.sparse import csr_matrix

    columns = {name: i for i, name in enumerate(names)}
    data: list[float] = []
    where: list[int] = []
    ends = [0]
    for page in pages:
        found = [(columns[f], 1 + log(count)) for f, count in page.items() if f in columns]
        length = sqrt(sum(value * value for _, value in found)) or 1.0
        where += [column for column, _ in found]
        data += [value / length for _, value in found]
        ends.append(len(data))
    return csr_matrix((data, where, ends), shape=(len(pages), len(names)))  # type: ignore[no-untyped-call]
