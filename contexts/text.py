"""Text to terms: Unicode words, less the stop list, stemmed by Porter (R22).

A word is a lower-case run of letters, digits and the marks that belong to them; scripts that are written
without spaces (Han, kana, Thai, Lao, Khmer, Burmese) give pairs of neighbouring characters. A page is
tokenised in one pass over its UTF-8 bytes; every distinct word is looked at once.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import Stemmer

from contexts.tagtree import Ints

MAX_WORD_CHARS = 64
"""Longer words are cut: they are data, not language."""
_VOCABULARY_WORDS = 300_000
"""The vocabulary of a thread starts anew beyond this, so that memory stays bounded."""
_CACHED_BYTES = 48

BREAK = "\x01"
"""Stands between the texts of a page while they are tokenised as one; no word holds it."""

_STOP_LIST = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she
    her hers herself it its itself they them their theirs themselves what which who whom this that
    these those am is are was were be been being have has had having do does did doing would should
    could ought cannot a an the and but if or because as until while of at by for with about against
    between into through during before after above below to from up down in out on off over under
    again further then once here there when where why how all any both each few more most other some
    such no nor not only own same so than too very
"""
STOP_WORDS = frozenset(_STOP_LIST.split())
"""Snowball's English stop list; its contractions are left out, for no word holds an apostrophe."""

_STOP = -1
_BREAK = -2
_BREAK_BYTES = b"\x01"
_MANY = -3
_TABLE = bytes(
    (c + 32 if 65 <= c <= 90 else c) if c >= 128 or c == 1 or chr(c).isalnum() else 32 for c in range(256)
)
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]+"
)


class _Vocabulary(dict[bytes, int]):
    """Ids of words as they stand between two spaces.

    `names` are the stems by id; `kept` and `passing` the ids of what falls apart into several words, the
    former short enough to be met again, the latter for one page.
    """

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.names: list[str] = []
        self.kept: list[list[int]] = []
        self.passing: list[list[int]] = []
        self.stem = Stemmer.Stemmer("porter", 0).stemWord
        self._scratch = np.empty(1024, np.int32)
        self[_BREAK_BYTES] = _BREAK

    def __missing__(self, raw: bytes) -> int:
        if raw.isascii():
            code = self._code(raw[:MAX_WORD_CHARS].decode("ascii"))
        else:
            codes = map(self._code, _words(raw.decode("utf-8", "replace")))
            found = [code for code in codes if code != _STOP]
            if len(found) == 1:
                code = found[0]
            elif found:
                place = self.kept if len(raw) <= _CACHED_BYTES else self.passing
                place.append(found)
                code = _MANY - 2 * (len(place) - 1) - (place is self.passing)
            else:
                code = _STOP
        if len(raw) <= _CACHED_BYTES:
            self[raw] = code
        return code

    def scratch(self, size: int) -> Ints:
        """Room for a number per stem, with anything in it."""
        if len(self._scratch) < size:
            self._scratch = np.empty(2 * size, np.int32)
        return self._scratch

    def _code(self, word: str) -> int:
        """The id of a word's stem; -1 for a stop word, and where Porter leaves nothing (the s of a
        genitive)."""
        stem = "" if word in STOP_WORDS else self.stem(word)
        if not stem:
            return _STOP
        known = self.ids.get(stem)
        if known is None:
            known = self.ids[stem] = len(self.names)
            self.names.append(stem)
        return known


class _PerThread(threading.local):
    def __init__(self) -> None:
        self.vocabulary = _Vocabulary()


_per_thread = _PerThread()


def words(text: str) -> Iterator[str]:
    """Words of a text in order, lower case, stop words included."""
    return _words(text.lower())


def _words(text: str) -> Iterator[str]:
    for run in _runs(unicodedata.normalize("NFC", text.lower())):
        start = 0
        for unspaced in _UNSPACED.finditer(run):
            if unspaced.start() > start:
                yield run[start : unspaced.start()][:MAX_WORD_CHARS]
            yield from _pairs(unspaced[0])
            start = unspaced.end()
        if start < len(run):
            yield run[start:][:MAX_WORD_CHARS]


def _runs(text: str) -> Iterator[str]:
    """Runs of letters, digits and their marks."""
    start = -1
    for i, character in enumerate(text):
        kind = unicodedata.category(character)[0]
        if kind in "LN" or (kind == "M" and start >= 0):
            if start < 0:
                start = i
        elif start >= 0:
            yield text[start:i]
            start = -1
    if start >= 0:
        yield text[start:]


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for i in range(len(run) - 1):
        yield run[i : i + 2]


def is_unspaced(character: str) -> bool:
    """Whether a character belongs to a script that is written without spaces."""
    return character >= "\u0e00" and _UNSPACED.match(character) is not None


def stems(text: str) -> list[str]:
    """Stop-listed, stemmed terms of a text, in order (R22)."""
    vocabulary = _fresh_vocabulary()
    codes = _codes([text], vocabulary)
    return [vocabulary.names[i] for i in codes.tolist() if i >= 0]


def tokenise(texts: list[str]) -> tuple[Ints, Ints, tuple[str, ...]]:
    """Terms of the texts of a page: (t,) term ids, (len(texts),) number of terms of each text, the word list.

    Ids count from 0 in order of first use.
    """
    vocabulary = _fresh_vocabulary()
    codes = _codes(texts, vocabulary)
    kept = codes >= 0
    before = np.cumsum(kept, dtype=np.int32)[codes == _BREAK]
    terms = codes[kept]
    # where each term occurs first: of several writes to one place the last stays, so write backwards
    places = np.arange(len(terms), dtype=np.int32)
    first = vocabulary.scratch(len(vocabulary.names))
    first[terms[::-1]] = places[::-1]
    first_place = first[terms]
    is_first = first_place == places
    ids = np.cumsum(is_first, dtype=np.int32)[first_place] - 1
    names = vocabulary.names
    return ids, np.diff(before, prepend=np.int32(0)), tuple([names[i] for i in terms[is_first].tolist()])


def _fresh_vocabulary() -> _Vocabulary:
    vocabulary = _per_thread.vocabulary
    if max(len(vocabulary), len(vocabulary.names)) > _VOCABULARY_WORDS:
        vocabulary = _per_thread.vocabulary = _Vocabulary()
    return vocabulary


def _codes(texts: list[str], vocabulary: _Vocabulary) -> Ints:
    """Ids of all words in order, -1 for a stop word, -2 after each text."""
    joined = f" {BREAK} ".join(texts)
    if joined.count(BREAK) >= len(texts):
        joined = f" {BREAK} ".join([text.replace(BREAK, " ") for text in texts])
    raw = joined.encode("utf-8", "replace").translate(_TABLE).split()
    raw.append(_BREAK_BYTES)
    codes = np.fromiter(map(vocabulary.__getitem__, raw), np.int32, len(raw))
    many = np.flatnonzero(codes <= _MANY)
    if len(many):
        codes = _spread(codes, many, vocabulary)
        vocabulary.passing.clear()
    return codes if texts else codes[:0]


def _spread(codes: Ints, many: npt.NDArray[np.intp], vocabulary: _Vocabulary) -> Ints:
    """The codes, with each of those at the places `many` replaced by what it stands for."""
    parts: list[Ints | list[int]] = []
    start = 0
    for place in many.tolist():
        index, is_passing = divmod(_MANY - int(codes[place]), 2)
        parts += [codes[start:place], (vocabulary.passing if is_passing else vocabulary.kept)[index]]
        start = place + 1
    return np.concatenate([*parts, codes[start:]], dtype=np.int32)
