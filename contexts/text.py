"""Text to terms: Unicode words, less the stop list, stemmed by Porter (R22; `contexts.stemming`).

A word is a lower-case run of letters, digits and the marks that belong to them, whatever soft hyphens and
joiners stand within (UAX 29, WB4); scripts that are written without spaces (Han, kana, Thai, Lao, Khmer,
Burmese) give pairs of neighbouring characters. A page is tokenised in one pass over its UTF-8 bytes; every
distinct word is looked at once.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator

import numpy as np

from contexts.folding import Folded
from contexts.tagtree import Ints
from contexts.vocabulary import MAX_WORD_CHARS, Vocabulary

_VOCABULARY_WORDS = 100_000
"""The vocabulary of a thread starts anew beyond this, so that memory stays bounded."""
_PADDING = b" " * 16

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

_TABLE = bytes((c + 32 if 65 <= c <= 90 else c) if c >= 128 or chr(c).isalnum() else 32 for c in range(256))
"""ASCII in lower case; what is neither letter nor digit is a space."""
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]+"
)
_UNSEEN = "\u00ad\u200c\u200d\u2060\ufeff"
"""Soft hyphen, joiners and the like: where a line may be broken, not where a word ends."""


def words(text: str) -> Iterator[str]:
    """Words of a text in order, lower case, stop words included."""
    text = _lowered(text)
    for run in [text] if text.isalnum() else letter_runs(text):
        start = 0
        for unspaced in _UNSPACED.finditer(run):
            if unspaced.start() > start:
                yield run[start : unspaced.start()][:MAX_WORD_CHARS]
            yield from _pairs(unspaced[0])
            start = unspaced.end()
        if start < len(run):
            yield run[start:][:MAX_WORD_CHARS]


def whole_words(text: str) -> list[str]:
    """For each stretch between two spaces the word of `words` that it is; empty where it is none, or several.

    Stretches are shorter than the longest word.
    """
    stretches = _lowered(text).split(" ")
    return [word if word.isalnum() and not _UNSPACED.search(word) else "" for word in stretches]


def _lowered(text: str) -> str:
    """Lower case, without what is not seen; each letter with its marks is one character, where there is such.

    What stands between two spaces becomes what it would alone.
    """
    # lower() would make two characters of the capital dotted I, of which one is a mark that no keyword has
    for character in _UNSEEN:
        text = text.replace(character, "")
    return unicodedata.normalize("NFC", text.replace("\u0130", "I").lower())


def letter_runs(text: str) -> Iterator[str]:
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


def _new_vocabulary() -> Vocabulary:
    return Vocabulary(STOP_WORDS, words, whole_words)


class _PerThread(threading.local):
    def __init__(self) -> None:
        self.vocabulary = _new_vocabulary()


_per_thread = _PerThread()


def stems(text: str) -> list[str]:
    """Stop-listed, stemmed terms of a text, in order (R22)."""
    vocabulary = _fresh_vocabulary()
    stems_of, names = vocabulary.stems_of, vocabulary.names
    raw = text.encode("utf-8", "replace").translate(_TABLE).split()
    return [names[i] for word in raw for i in stems_of(word)]


def tokenise(folded: Folded) -> tuple[Ints, Ints, tuple[str, ...]]:
    """Terms of the texts of a page: (t,) term ids, (k,) terms up to the end of each text, the word list.

    Ids count from 0 in order of first use.
    """
    vocabulary = _fresh_vocabulary()
    terms, starts, counts = vocabulary.look_up(b" " + folded.data.translate(_TABLE) + _PADDING)
    # the space in front puts every word one byte further than the texts' ends know
    n_words = np.searchsorted(starts, folded.ends + 1)
    before = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=before[1:])
    # where each term occurs first: of several writes to one place the last stays, so write backwards
    places = np.arange(len(terms), dtype=np.int32)
    first = vocabulary.scratch(len(vocabulary.names))
    first[terms[::-1]] = places[::-1]
    first_place = first[terms]
    is_first = first_place == places
    ids = np.cumsum(is_first, dtype=np.int32)[first_place] - 1
    return (
        ids,
        before[n_words],
        tuple(map(vocabulary.names.__getitem__, terms[is_first].tolist())),
    )


def _fresh_vocabulary() -> Vocabulary:
    vocabulary = _per_thread.vocabulary
    if max(len(vocabulary), len(vocabulary.names)) > _VOCABULARY_WORDS:
        vocabulary = _per_thread.vocabulary = _new_vocabulary()
    return vocabulary
