"""From words to the numbers of their stems, many at a time.

A page has two thousand words, nearly all met before. Words of up to sixteen bytes are looked up together, as
numbers, in a table that remembers one word for each hash; what it does not know is asked of the dictionary,
which knows every word, and what that does not know is stemmed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, count

import numpy as np
import numpy.typing as npt

from contexts.stemming import Stems
from contexts.tagtree import Ints

MAX_WORD_CHARS = 64
"""Longer words are cut: they are data, not language."""
STOP = -1
"""Stands for a stop word."""
_MANY = -2
"""This and lower numbers stand for what falls apart into several words."""
_CACHED_BYTES = 48
_PACKED_BYTES = 16
_SLOT_BITS = 18

Numbers = npt.NDArray[np.uint64]

_FIRST_HALF = np.array([(1 << 8 * min(n, 8)) - 1 for n in range(_PACKED_BYTES + 1)], np.uint64)
_SECOND_HALF = np.array([(1 << 8 * max(n - 8, 0)) - 1 for n in range(_PACKED_BYTES + 1)], np.uint64)
"""Which bits of the two halves of a word belong to it, by its length."""
_ODD_1, _ODD_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_SHIFT = np.uint64(64 - _SLOT_BITS)


class Vocabulary(dict[bytes, int]):
    """Numbers of words as they stand between two spaces, in UTF-8; ASCII in lower case.

    `names` are the stems by number; `kept` and `passing` the numbers of what falls apart into several words,
    the former short enough to be met again, the latter for one page.

    `words_of` gives the words of what stands between two spaces; `whole_words`, of a text, for each such
    stretch the word that it is, or nothing where it is not just one.
    """

    def __init__(
        self,
        stop_words: frozenset[str],
        words_of: Callable[[str], Iterable[str]],
        whole_words: Callable[[str], Iterable[str]],
    ) -> None:
        # Porter leaves nothing of some words, such as the s of a genitive
        self.ids: dict[str, int] = {"": STOP}
        self.names: list[str] = []
        self.kept: list[list[int]] = []
        self.passing: list[list[int]] = []
        self._stop_words = stop_words
        self._words_of, self._whole_words = words_of, whole_words
        self._stems = Stems()
        self._scratch = np.empty(1024, np.int32)
        self._remembered = np.zeros((1 << _SLOT_BITS, 4), np.uint64)
        """By hash of a word: its two halves and its code; the fourth column keeps a row in one line of the
        cache."""

    def __missing__(self, raw: bytes) -> int:
        if raw.isascii():
            code = self._code(raw[:MAX_WORD_CHARS].decode("ascii"))
        else:
            codes = map(self._code, self._words_of(raw.decode("utf-8", "replace")))
            found = [code for code in codes if code != STOP]
            if len(found) == 1:
                code = found[0]
            elif found:
                place = self.kept if len(raw) <= _CACHED_BYTES else self.passing
                place.append(found)
                code = _MANY - 2 * (len(place) - 1) - (place is self.passing)
            else:
                code = STOP
        if len(raw) <= _CACHED_BYTES:
            self[raw] = code
        return code

    def stems_of(self, raw: bytes) -> list[int]:
        """Numbers of the stems of what stands between two spaces."""
        code = self[raw]
        if code > _MANY:
            return [code] if code >= 0 else []
        found = self._several(code)
        self.passing.clear()
        return found

    def look_up(self, data: bytes) -> tuple[Ints, Ints, Ints]:
        """(t,) numbers of the stems of all words, in order; (w,) where each word begins, (w,) how many stems
        it has.

        `data` is the words in UTF-8 with spaces between, before and for `_PACKED_BYTES` bytes behind them.
        """
        is_word = np.frombuffer(data, np.uint8) != 32
        edges = np.flatnonzero(is_word[1:] != is_word[:-1]) + 1
        starts, ends = edges[::2], edges[1::2]
        codes = self._packed(data, starts, ends)
        counts = (codes >= 0).astype(np.int32)
        many = np.flatnonzero(codes <= _MANY)
        if not len(many):
            return codes[codes >= 0], starts.astype(np.int32), counts
        several = list(map(self._several, codes[many].tolist()))
        counts[many] = list(map(len, several))
        spread = np.repeat(codes, counts)
        spread[spread <= _MANY] = list(chain.from_iterable(several))
        self.passing.clear()
        return spread, starts.astype(np.int32), counts

    def scratch(self, size: int) -> Ints:
        """Room for a number per stem, with anything in it."""
        if len(self._scratch) < size:
            self._scratch = np.empty(2 * size, np.int32)
        return self._scratch

    def _packed(self, data: bytes, starts: npt.NDArray[np.intp], ends: npt.NDArray[np.intp]) -> Ints:
        """(w,) codes of words."""
        lengths = ends - starts
        is_short = lengths <= _PACKED_BYTES
        lengths = np.minimum(lengths, _PACKED_BYTES)
        # every eight bytes of the data as a number
        windows: Numbers = np.ndarray((len(data) - 7,), "<u8", data, strides=(1,))
        first = windows[starts] & _FIRST_HALF[lengths]
        second = windows[starts + 8] & _SECOND_HALF[lengths]
        slots = ((first * _ODD_1 + second * _ODD_2) >> _SHIFT).astype(np.intp)
        remembered = self._remembered.take(slots, axis=0)
        known = (remembered[:, 0] == first) & (remembered[:, 1] == second) & is_short
        codes: Ints = remembered[:, 2].astype(np.int32)
        asked = np.flatnonzero(~known)
        if len(asked):
            spans = zip(starts[asked].tolist(), ends[asked].tolist(), strict=True)
            words = [data[start:end] for start, end in spans]
            self._learn([word for word in words if word not in self])
            codes[asked] = list(map(self.__getitem__, words))
            # what came first keeps its place, for common words come first
            asked = asked[is_short[asked] & (remembered[asked, 0] == 0)]
            slots = slots[asked]
            for column, values in enumerate((first[asked], second[asked], codes[asked].astype(np.uint64))):
                self._remembered[slots, column] = values
        return codes

    def _learn(self, raws: Iterable[bytes]) -> None:
        """Remember words that are one word each, as `__missing__` would: many at once take half the time."""
        new = [raw for raw in dict.fromkeys(raws) if len(raw) <= _CACHED_BYTES]
        plain = [raw for raw in new if raw.isascii()]
        words = b" ".join(plain).decode("ascii").split(" ") if plain else []
        stems = self._stems.of_ascii(words)
        others = [raw for raw in new if not raw.isascii()]
        if others:
            found = list(self._whole_words(b" ".join(others).decode("utf-8", "replace")))
            words += found
            stems += self._stems.of_all(found)
        codes = self._numbers(stems)
        self.update(
            (raw, STOP if word in self._stop_words else code)
            for raw, word, code in zip(plain + others, words, codes, strict=True)
            if word
        )

    def _numbers(self, stems: Sequence[str]) -> list[int]:
        """`_number` of many stems."""
        unknown = [stem for stem in dict.fromkeys(stems) if stem not in self.ids]
        self.ids.update(zip(unknown, count(len(self.names)), strict=False))
        self.names += unknown
        return list(map(self.ids.__getitem__, stems))

    def _several(self, code: int) -> list[int]:
        index, is_passing = divmod(_MANY - code, 2)
        return (self.passing if is_passing else self.kept)[index]

    def _code(self, word: str) -> int:
        """The number of a word's stem; -1 for a stop word."""
        return STOP if word in self._stop_words else self._number(self._stems.of(word))

    def _number(self, stem: str) -> int:
        """The number of a stem; -1 of none."""
        known = self.ids.setdefault(stem, len(self.names))
        if known == len(self.names):
            self.names.append(stem)
        return known
