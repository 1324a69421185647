"""A query against every page and every link context of a page graph at once, by the arithmetic that scores a
single page (`contexts.vectors`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from contexts.vectors import Floats, Query, slice_dots
from testbed.graph_arrays import Arrays, Longs, SpanArrays


def page_cosines(arrays: Arrays, stem_ids: Mapping[str, int], query: Query) -> Floats:
    """(p,) cosine of a query with each page (R22)."""
    places, weights = _occurrences(arrays, stem_ids, query)
    dots = slice_dots(places, weights, arrays.token_at[:-1], arrays.token_at[1:])
    return _quotients(dots, arrays.page_norm, query.norm)


def context_cosines(
    arrays: Arrays, stem_ids: Mapping[str, int], contexts: SpanArrays, query: Query
) -> Floats:
    """(l,) cosine of a query with the context of each link (R25)."""
    places, weights = _occurrences(arrays, stem_ids, query)
    dots = slice_dots(places, weights, contexts.starts, contexts.ends)
    return _quotients(dots, contexts.norms, query.norm)


def _occurrences(arrays: Arrays, stem_ids: Mapping[str, int], query: Query) -> tuple[Longs, Floats]:
    """Positions at which words of a query stand, in order, and their weights."""
    positions, values = [], []
    for stem, weight in query.weights:
        known = stem_ids.get(stem)
        if known is not None:
            first, last = arrays.stem_first[known : known + 2]
            positions.append(arrays.by_stem[first:last])
            values.append(np.full(last - first, weight))
    if not positions:
        return np.empty(0, np.int64), np.empty(0)
    together = np.concatenate(positions).astype(np.int64)
    order = np.argsort(together, kind="stable")
    return together[order], np.concatenate(values)[order]


def _quotients(dots: Floats, norms: Floats, query_norm: float) -> Floats:
    """dots / (norms · query_norm), 0 where the dot product is 0."""
    result = np.zeros(len(dots))
    np.divide(dots, norms * query_norm, out=result, where=dots != 0)
    return result
