"""Classifier scores of a whole recorded web at once.

`bizcrawl.relevance.classifier` scores one page from its tag tree. A search crawls the same pages thousands of
times, so here the features of all pages stand in one sparse matrix and a classifier is applied to it in a
single product. The numbers are the same; a test holds the two together.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.sparse import csc_matrix

from bizcrawl.relevance.classifier import Classifier
from contexts.vectors import Floats
from testbed.graph_arrays import Longs
from testbed.pagegraph import PageGraph


class GraphFeatures:
    """Words and word pairs of all pages of a page graph."""

    def __init__(self, graph: PageGraph) -> None:
        self.graph = graph
        arrays = graph.arrays
        lengths = np.diff(arrays.token_at)
        pages = np.repeat(np.arange(len(lengths)), lengths)
        words = np.asarray(arrays.words)[arrays.word_at[pages] + arrays.tokens].astype(np.int64)
        neighbours = pages[1:] == pages[:-1]
        pairs = words[:-1][neighbours] * len(graph.stems) + words[1:][neighbours]
        self._pairs: Longs
        self._pairs, pair_columns = np.unique(pairs, return_inverse=True)
        columns = np.concatenate((words, len(graph.stems) + pair_columns))
        rows = np.concatenate((pages, pages[1:][neighbours]))
        width = len(graph.stems) + len(self._pairs)
        cells, counts = np.unique(columns * len(graph) + rows, return_counts=True)
        place = cells % len(graph)
        starts = np.concatenate(([0], np.cumsum(np.bincount(cells // len(graph), minlength=width))))
        self._values = csc_matrix(  # type: ignore[no-untyped-call]
            (1 + np.log(counts), place, starts), shape=(len(graph), width)
        )

    @cached_property
    def _stem_ids(self) -> dict[str, int]:
        return dict(self.graph.stem_ids)

    def scores(self, classifier: Classifier) -> Floats:
        """(pages,) the score that the classifier gives each page of the graph."""
        columns, weights = [], []
        for feature, weight in classifier.weights.items():
            column = self._column(feature)
            if column is not None:
                columns.append(column)
                weights.append(weight)
        known = self._values[:, columns]
        dots = known @ np.array(weights)
        lengths = np.sqrt(np.asarray(known.multiply(known).sum(axis=1)).ravel())
        found: Floats = np.divide(dots, lengths, out=np.zeros(len(dots)), where=lengths > 0)
        return found + classifier.bias

    def _column(self, feature: str) -> int | None:
        first, blank, second = feature.partition(" ")
        one = self._stem_ids.get(first)
        if not blank:
            return one
        two = self._stem_ids.get(second)
        if one is None or two is None:
            return None
        key = one * len(self.graph.stems) + two
        place = int(np.searchsorted(self._pairs, key))
        found = place < len(self._pairs) and self._pairs[place] == key
        return len(self.graph.stems) + place if found else None
