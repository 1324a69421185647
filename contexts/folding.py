"""White space of a page's texts folded, all texts at once: one space after each word, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from contexts.tagtree import Ints

BREAK = "\x01"
"""Stands between the texts while they are folded as one; within a text it counts as a space."""

_SPACED = bytes(32 if c == ord(BREAK) or (c < 128 and chr(c).isspace()) else c for c in range(256))
_WIDE_SPACES = [chr(c).encode() for c in range(128, 0x3001) if chr(c).isspace()]
"""White space beyond ASCII as UTF-8 has it."""
_GENERAL = b"\xe2\x80"
"""With these begin most wide spaces, and much that stands on any page."""
_WIDE_GENERAL = re.compile(b"|".join(space for space in _WIDE_SPACES if space.startswith(_GENERAL)))
_WIDE_OTHERS = [space for space in _WIDE_SPACES if not space.startswith(_GENERAL)]


@dataclass(frozen=True, slots=True)
class Folded:
    """The words of k texts, with a space after each."""

    data: bytes
    """UTF-8; lone surrogates as they would be in it."""
    ends: Ints
    """(k,) bytes up to the end of each text."""

    @property
    def text(self) -> str:
        """All texts in one."""
        return self.data.decode("utf-8", "surrogatepass")

    def chars(self) -> Ints:
        """(k,) characters of each text."""
        ends = self.ends
        if not self.data.isascii():
            more = np.flatnonzero((np.frombuffer(self.data, np.uint8) & 0xC0) == 0x80)
            ends = (ends - np.searchsorted(more, ends)).astype(np.int32)
        return np.diff(ends, prepend=np.int32(0))


def fold(texts: Sequence[str]) -> Folded:
    """Fold texts; what is white space is what `str.split` holds for it."""
    if not texts:
        return Folded(b"", np.zeros(0, np.int32))
    joined = BREAK.join(texts) + BREAK
    if joined.count(BREAK) != len(texts):
        joined = BREAK.join([text.replace(BREAK, " ") for text in texts]) + BREAK
    data = joined.encode("utf-8", "surrogatepass")
    if len(data) != len(joined):
        data = _without_wide_spaces(data)
    spaced = np.frombuffer(data.translate(_SPACED), np.uint8)
    # of what stands between two words the first byte stays, as a space
    stays = spaced != 32
    stays[1:] |= stays[:-1].copy()
    dropped = np.flatnonzero(~stays)
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord(BREAK)) + 1
    ends -= np.searchsorted(dropped, ends)
    return Folded(spaced[stays].tobytes(), ends.astype(np.int32))


def _without_wide_spaces(data: bytes) -> bytes:
    for space in _WIDE_OTHERS:
        if space in data:
            data = data.replace(space, b" ")
    return _WIDE_GENERAL.sub(b" ", data)
