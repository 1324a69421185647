"""Aggregation nodes: what stands around a link, by name (R23).

A name is that of an entry of the table, with its parameter after a colon if it takes one: ``page``,
``parent``, ``anchor``, ``ancestor:2``, ``window:10``, ``block``, ``adaptive``. Others can be added by an
entry point of the group ``contexts.aggregations`` that names an `Aggregate`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points

import numpy as np

from contexts.aggregation.adaptive import adaptive
from contexts.aggregation.ancestors import ancestor, anchor, page
from contexts.aggregation.block import block
from contexts.aggregation.spans import Spans
from contexts.aggregation.window import window
from contexts.links import Link
from contexts.tagtree import TagTree

__all__ = [
    "AGGREGATIONS",
    "Aggregate",
    "Aggregation",
    "Spans",
    "UnknownAggregationError",
    "aggregation",
    "check",
    "spans",
]

Aggregate = Callable[[TagTree, Sequence[Link], int], Spans]
"""The contexts of all links of a page, given the parameter of the name (0 if it takes none)."""

ENTRY_POINTS = "contexts.aggregations"
MAX_DIGITS = 6
"""Of a parameter: no page is so deep or has so many words that more would mean anything."""


@dataclass(frozen=True, slots=True)
class Aggregation:
    """An entry of the table."""

    find: Aggregate
    default: int = 0
    """The parameter, where the name has none."""
    takes_parameter: bool = False


AGGREGATIONS: Mapping[str, Aggregation] = {
    "page": Aggregation(page),
    "parent": Aggregation(ancestor, 1),
    "ancestor": Aggregation(ancestor, 1, takes_parameter=True),
    "anchor": Aggregation(anchor),
    "window": Aggregation(window, 10, takes_parameter=True),
    "block": Aggregation(block),
    "adaptive": Aggregation(adaptive),
}


class UnknownAggregationError(ValueError):
    """No aggregation has this name."""


def spans(tree: TagTree, links: Sequence[Link], aggregation: str) -> Spans:
    """The contexts of all links of a page at one aggregation.

    Raises `UnknownAggregationError` for a name that is not in the table.
    """
    find, parameter = _parsed(aggregation)
    return find(tree, links, parameter)


def check(aggregation: str) -> None:
    """Raises `UnknownAggregationError` for a name that is not in the table, before there is a page."""
    _parsed(aggregation)


def aggregation(name: str) -> Aggregation:
    """The entry of a name without parameter. Raises `UnknownAggregationError`."""
    found = AGGREGATIONS.get(name)
    if found is not None:
        return found
    for point in entry_points(group=ENTRY_POINTS, name=name):
        try:
            return Aggregation(_checked(name, point.load()), takes_parameter=True)
        except Exception as error:  # whatever the module of a stranger raises
            raise UnknownAggregationError(f"aggregation {name!r} can't be loaded: {error!r}") from error
    known = ", ".join(AGGREGATIONS)
    raise UnknownAggregationError(f"no aggregation is called {name!r}; there are {known}")


def _checked(name: str, find: Aggregate) -> Aggregate:
    """What another package adds, held to what it promises: one slice of the page's tokens for each link."""

    def found(tree: TagTree, links: Sequence[Link], parameter: int) -> Spans:
        spans = find(tree, links, parameter)
        if not isinstance(spans, Spans):
            raise TypeError(f"aggregation {name!r} gave {type(spans).__name__} instead of Spans")
        arrays = [np.asarray(array) for array in (spans.nodes, spans.starts, spans.ends)]
        if any(array.shape != (len(links),) for array in arrays):
            raise ValueError(f"aggregation {name!r} gave {len(arrays[1])} contexts for {len(links)} links")
        nodes, starts, ends = arrays
        if np.any((nodes < -1) | (nodes >= len(tree.tags))):
            raise ValueError(f"aggregation {name!r} gave a node that the page has not")
        if np.any((starts < 0) | (starts > ends) | (ends > len(tree.tokens))):
            raise ValueError(f"aggregation {name!r} gave a context that is no slice of the page's tokens")
        return Spans(*(array.astype(np.int32, copy=False) for array in arrays))

    return found


@lru_cache(maxsize=256)
def _parsed(name: str) -> tuple[Aggregate, int]:
    base, colon, parameter = name.partition(":")
    entry = aggregation(base)
    if not colon:
        return entry.find, entry.default
    if not entry.takes_parameter or not parameter.isdecimal():
        takes = "a whole number" if entry.takes_parameter else "nothing"
        raise UnknownAggregationError(f"{name!r} is no aggregation: {base} takes {takes} behind a colon")
    if len(parameter) > MAX_DIGITS:
        raise UnknownAggregationError(f"{name!r} is no aggregation: the number has over {MAX_DIGITS} digits")
    return entry.find, int(parameter)
