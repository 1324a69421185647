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
_GENERAL = b"\xe2\x80"
"""With these begin, in UTF-8, most spaces beyond ASCII, and much that stands on any page."""
_WIDE_SPACES = [chr(c) for c in range(128, 0x3001) if chr(c).isspace()]
_IN_GENERAL = b"".join(space.encode()[2:] for space in _WIDE_SPACES if space.encode().startswith(_GENERAL))
_WIDE_GENERAL = re.compile(_GENERAL + b"[" + _IN_GENERAL + b"]")
_WIDE_OTHERS = [space for space in _WIDE_SPACES if not space.encode().startswith(_GENERAL)]


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

    def char_ends(self) -> Ints:
        """(k,) characters up to the end of each text."""
        if self.data.isascii():
            return self.ends
        more = np.flatnonzero((np.frombuffer(self.data, np.uint8) & 0xC0) == 0x80)
        return (self.ends - np.searchsorted(more, self.ends)).astype(np.int32)


def fold(texts: Sequence[str]) -> Folded:
    """Fold texts; what is white space is what `str.split` holds for it."""
    if not texts:
        return Folded(b"", np.zeros(0, np.int32))
    joined = BREAK.join(texts) + BREAK
    if joined.count(BREAK) != len(texts):
        joined = BREAK.join([text.replace(BREAK, " ") for text in texts]) + BREAK
    is_ascii = joined.isascii()
    if not is_ascii:
        for space in _WIDE_OTHERS:
            joined = joined.replace(space, " ")
    data = joined.encode("utf-8", "surrogatepass")
    if not is_ascii:
        data = _WIDE_GENERAL.sub(b" ", data)
    spaced = np.frombuffer(data.translate(_SPACED), np.uint8)
    # of what stands between two words the first byte stays, as a space
    stays = spaced != 32
    stays[1:] |= stays[:-1].copy()
    dropped = np.flatnonzero(~stays)
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord(BREAK)) + 1
    ends -= np.searchsorted(dropped, ends)
    return Folded(spaced[stays].tobytes(), ends.astype(np.int32))
