"""Euclidean lengths of the term frequencies of many slices of a page's tokens.

Most slices are short, and each is counted by itself. Long ones mostly stand in each other: where elements
nest by the thousand, each with a link, all contexts hold nearly the whole page. From one to the next only
what comes and goes is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import sqrt

import numpy as np

from contexts.tagtree import Ints

LONG_TOKENS = 4_096
"""Slices with more are counted one from the other."""
_STEMS_PER_TOKEN = 128
"""A token takes as long in a dictionary as so many stems in an array."""

Slice = tuple[int, int]
"""First token, one past the last."""


def slice_lengths(tokens: Ints, n_stems: int, slices: Iterable[Slice]) -> dict[Slice, float]:
    """Length by slice; `n_stems` is that of the page's word list."""
    lengths: dict[Slice, float] = {}
    long: set[Slice] = set()
    for span in slices:
        if span[1] - span[0] > LONG_TOKENS:
            long.add(span)
        elif span not in lengths:
            lengths[span] = _length(tokens[span[0] : span[1]], n_stems)
    if long:
        lengths |= _long_lengths(tokens, n_stems, long)
    return lengths


def _length(tokens: Ints, n_stems: int) -> float:
    """Length of one slice.

    An array of frequencies is as long as the page's word list, which few tokens need not pay for.
    """
    if _STEMS_PER_TOKEN * len(tokens) < n_stems:
        return sqrt(sum([n * n for n in Counter(tokens.tolist()).values()]))
    counts = np.bincount(tokens)
    return sqrt(float(counts @ counts))


def _long_lengths(tokens: Ints, n_stems: int, slices: Iterable[Slice]) -> dict[Slice, float]:
    """Lengths of some slices, each counted from the one before, the outer before those within."""
    lengths = {}
    counts, squares = np.zeros(n_stems, np.int64), 0
    at_start = at_end = 0
    for start, end in sorted(slices, key=lambda span: (span[0], -span[1])):
        if start >= at_end or abs(start - at_start) + abs(end - at_end) > end - start:
            counts = np.bincount(tokens[start:end], minlength=n_stems)
            squares = int(counts @ counts)
        else:  # no slice begins before the one that came before it
            for step, first, last in ((-1, at_start, start), (-1, end, at_end), (1, at_end, end)):
                part = tokens[first:last]
                # a square grows by the frequency before and after, once for each time that the term comes
                before = counts[part].sum()
                np.add.at(counts, part, step)
                squares += step * int(before + counts[part].sum())
        at_start, at_end = start, end
        lengths[start, end] = sqrt(float(squares))
    return lengths
