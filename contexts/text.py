"""Text to terms: Unicode words, less the stop list, stemmed by Porter (R22).

A word is a lower-case run of letters, digits and the marks that belong to them; scripts that are written without
spaces (Han, kana, Thai, Lao, Khmer, Burmese) give pairs of neighbouring characters. A page is tokenised in one pass
over its UTF-8 bytes; every distinct word is looked at once.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator

import numpy as np
import Stemmer

from contexts.tagtree import Ints

MAX_WORD_CHARS = 64
"""Longer words are cut: they are data, not language."""
_VOCABULARY_WORDS = 300_000
"""The vocabulary of a thread starts anew beyond this, so that memory stays bounded."""
_CACHED_BYTES = 48

STOP_WORDS = frozenset(
    """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
    it its itself they them their theirs themselves what which who whom this that these those am is are was were be
    been being have has had having do does did doing would should could ought cannot a an the and but if or because
    as until while of at by for with about against between into through during before after above below to from up
    down in out on off over under again further then once here there when where why how all any both each few more
    most other some such no nor not only own same so than too very
    """.split()
)
"""Snowball's English stop list; its contractions are left out, for no word holds an apostrophe."""

_STOP = -1
_BREAK = -2
_MANY = -3
_SEPARATOR = b"\x01"
_TABLE = bytes(
    (c + 32 if 65 <= c <= 90 else c) if c >= 128 or c == 1 or chr(c).isalnum() else 32 for c in range(256)
)
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]+"
)


class _Vocabulary(dict[bytes, int]):
    """Ids of words as they stand between two spaces; `names` are the stems by id, `several` what falls apart."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.names: list[str] = []
        self.several: list[list[int]] = []
        self.stem = Stemmer.Stemmer("porter", 0).stemWord

    def __missing__(self, raw: bytes) -> int:
        if raw.isascii():
            word = raw[:MAX_WORD_CHARS].decode("ascii")
            code = _STOP if word in STOP_WORDS else self.id_of(self.stem(word))
        else:
            found = [
                self.id_of(self.stem(word))
                for word in _words(raw.decode("utf-8", "replace"))
                if word not in STOP_WORDS
            ]
            if len(found) == 1:
                code = found[0]
            elif not found:
                code = _STOP
            else:
                self.several.append(found)
                code = _MANY - len(self.several) + 1
                return code  # long runs hardly recur, and are not kept
        if len(raw) <= _CACHED_BYTES:
            self[raw] = code
        return code

    def id_of(self, stem: str) -> int:
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


def tokenise(leaves: list[str]) -> tuple[Ints, Ints, tuple[str, ...]]:
    """Terms of many texts at once: (t,) term ids, (len(leaves) + 1,) terms before each text, the word list.

    Ids count from 0 in order of first use.
    """
    vocabulary = _fresh_vocabulary()
    codes = _codes(leaves, vocabulary)
    kept = codes >= 0
    breaks = np.flatnonzero(codes == _BREAK)
    before = np.zeros(len(leaves) + 1, np.int32)
    before[1:] = np.cumsum(kept, dtype=np.int32)[breaks]
    terms = codes[kept]
    order = list(dict.fromkeys(terms.tolist()))
    local = np.empty(len(vocabulary.names), np.int32)
    local[order] = np.arange(len(order), dtype=np.int32)
    names = vocabulary.names
    return local[terms], before, tuple([names[i] for i in order])


def _fresh_vocabulary() -> _Vocabulary:
    vocabulary = _per_thread.vocabulary
    if len(vocabulary) > _VOCABULARY_WORDS or len(vocabulary.names) > _VOCABULARY_WORDS:
        vocabulary = _per_thread.vocabulary = _Vocabulary()
    return vocabulary


def _codes(leaves: list[str], vocabulary: _Vocabulary) -> Ints:
    """Ids of all words in order, -1 for a stop word, -2 after each text."""
    joined = " \x01 ".join(leaves)
    if joined.count("\x01") != max(0, len(leaves) - 1):
        joined = " \x01 ".join([leaf.replace("\x01", " ") for leaf in leaves])
    raw = (joined + " \x01").encode("utf-8", "replace").translate(_TABLE).split() if leaves else []
    vocabulary[_SEPARATOR] = _BREAK
    codes = np.fromiter(map(vocabulary.__getitem__, raw), np.int32, len(raw))
    if vocabulary.several:
        codes = _spread(codes, vocabulary.several)
        vocabulary.several = []
    return codes


def _spread(codes: Ints, several: list[list[int]]) -> Ints:
    flat: list[int] = []
    for code in codes.tolist():
        if code <= _MANY:
            flat.extend(several[_MANY - code])
        else:
            flat.append(code)
    return np.array(flat, np.int32)
