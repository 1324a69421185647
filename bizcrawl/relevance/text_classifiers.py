"""Classifiers of pages by examples, for predicates: ``classifier('automobiles') > 0.5`` (R106).

A folder of examples has one folder a class, with pages (.html) or texts in it, hidden ones left out; a topics
file (.jsonl) gives one class a topic, with its description as examples. Each class is told apart from all
others by logistic regression over stemmed terms, so that a score is a probability and scores of several
classes can be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from bizcrawl.errors import WrongUse
from bizcrawl.text_files import is_hidden, json_in, lines_of, page_text
from contexts.text import stems
from contexts.tidy import tidy

PIECE_WORDS = 40
"""A topic's description is cut into examples of so many words."""
_PAGES = frozenset({".html", ".htm", ".xhtml"})


class NoExamples(WrongUse):
    """There is nothing to learn a classifier from."""


def load_classifiers(path: Path) -> Mapping[str, TermClassifier]:
    """Classifiers by name, from a folder of examples or a topics file. Raises `NoExamples` with one line."""
    examples = _topics(path) if path.is_file() else _folders(path)
    if len(examples) < 2 or not all(any(map(stems, texts)) for texts in examples.values()):
        raise NoExamples(
            f"{path}: needs at least two classes with examples that say something, to tell one from another"
        )
    return train(examples)


@dataclass(frozen=True, slots=True)
class TermClassifier:
    """Logistic regression over stemmed terms, weighted by log frequency and rarity; vectors have length 1."""

    idf: Mapping[str, float]
    weights: Mapping[str, float]
    bias: float

    def __call__(self, text: str) -> float:
        """Probability that a text belongs to the class."""
        vector = {
            stem: (1 + log(n)) * self.idf[stem]
            for stem, n in Counter(stems(text)).items()
            if stem in self.idf
        }
        norm = sqrt(sum(w * w for w in vector.values())) or 1.0
        score = self.bias + sum(w * self.weights[stem] for stem, w in vector.items()) / norm
        return 1 / (1 + exp(-score))


def train(examples: Mapping[str, Sequence[str]]) -> Mapping[str, TermClassifier]:
    """One classifier a class: text to the probability that it belongs there rather than to any other."""
    texts = [text for class_texts in examples.values() for text in class_texts]
    names = np.array([name for name, class_texts in examples.items() for _ in class_texts])
    vectorizer: Any = TfidfVectorizer(analyzer=stems, sublinear_tf=True)  # type: ignore[no-untyped-call]
    matrix = vectorizer.fit_transform(texts)
    terms = vectorizer.get_feature_names_out().tolist()
    idf = dict(zip(terms, vectorizer.idf_.tolist(), strict=True))
    classifiers = {}
    for name in examples:
        model: Any = LogisticRegression(C=10.0, class_weight="balanced", max_iter=1000)  # type: ignore[no-untyped-call]
        model.fit(matrix, names == name)
        weights = dict(zip(terms, model.coef_[0].tolist(), strict=True))
        classifiers[name] = TermClassifier(idf, weights, float(model.intercept_[0]))
    return classifiers


def _folders(path: Path) -> dict[str, list[str]]:
    if not path.is_dir():
        raise NoExamples(f"{path}: no such folder; give one with a folder of pages or texts for each class")
    return {
        folder.name: [_text(file) for file in _visible_in(folder) if file.is_file()]
        for folder in _visible_in(path)
        if folder.is_dir()
    }


def _visible_in(folder: Path) -> list[Path]:
    return sorted(entry for entry in folder.iterdir() if not is_hidden(entry, folder))


def _text(file: Path) -> str:
    """Text of an example, as a page's text is taken."""
    text = page_text(file)
    return tidy(text).text if file.suffix.lower() in _PAGES else text


def _topics(path: Path) -> dict[str, list[str]]:
    examples: dict[str, list[str]] = {}
    try:
        lines = lines_of(path)
    except (OSError, UnicodeError) as error:
        raise NoExamples(f"{path}: cannot be read as a topics file: {error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            topic = json_in(line)
            words = f"{topic['keywords']} {topic.get('description', '')}".split()
            name = str(topic["topic"])
        except (ValueError, KeyError, TypeError):
            raise NoExamples(f"{path}: line {number} is no topic with keywords") from None
        pieces = [" ".join(words[i : i + PIECE_WORDS]) for i in range(0, len(words), PIECE_WORDS)]
        examples.setdefault(name, []).extend(pieces)
    return examples
