"""Log interest ratios of words, summed over sets of them: a set is an integer with a bit for each word.

A candidate of intelligent crawling is valued by the words of all pages that link to it, each word once
(R109). The union of a hundred pages is a hundred steps that way, whatever the number of their words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np


class WordRatios:
    """Ratios as they are at one time; sets that it made belong to it alone."""

    def __init__(self, ratios: Mapping[str, float]) -> None:
        self._places = {word: i for i, word in enumerate(ratios)}
        self._values = np.fromiter(ratios.values(), float, len(ratios))
        self._sums = {0: 0.0}

    def set_of(self, words: Iterable[str]) -> int:
        """The words that have a ratio."""
        places = [self._places[word] for word in words if word in self._places]
        if not places:
            return 0
        bits = np.zeros(len(self._values), np.bool_)
        bits[places] = True
        return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")

    def sum_of(self, words: int) -> float:
        """Σ of the ratios of a set."""
        found = self._sums.get(words)
        if found is None:
            n = len(self._values)
            data = np.frombuffer(words.to_bytes((n + 7) // 8, "little"), np.uint8)
            bits = np.unpackbits(data, count=n, bitorder="little").view(np.bool_)
            found = self._sums[words] = float(self._values[bits].sum())
        return found
