"""A page's text as 64 bits that differ little where texts do: copies with another date, number or
advertisement are found by them (HAZARDS row 15). They are told, in the view of that name, never dropped.

The bits are Charikar's (2002, Similarity estimation techniques from rounding algorithms), their use that of
Manku, Jain and Das Sarma 2007, Detecting near-duplicates for web crawling.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

MIN_FEATURES: Final = 40
"""A text with fewer has no sketch: one word would turn too many of its bits."""
MAX_FEATURES: Final = 512
"""Of a text with more, those with the smallest numbers stand for all: like texts have the same."""

_U64 = npt.NDArray[np.uint64]
_RUN: Final = (0, 8)
"""A feature is 16 octets from the beginning of a word on, some two or three words, read as two numbers."""
_ODD: Final = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
"""One odd number for each of them, so that their order tells."""
_FIRST_OF_MANY: Final = 0xC0
"""An octet from here on begins a character of several, which counts as a word: few of those scripts have
spaces."""


def sketch_of(text: str) -> int | None:
    """64 bits of a text, without sign, the same on every machine; None if it is too short."""
    encoded = text.encode("utf-8", "replace") + bytes(8 + max(_RUN))
    octets = np.frombuffer(encoded, np.uint8)
    n = len(octets) - 8 - max(_RUN)
    begins = octets[1:n] >= _FIRST_OF_MANY
    begins |= octets[: max(0, n - 1)] == ord(" ")
    starts = np.flatnonzero(begins) + 1
    numbers: _U64 = np.ndarray(n + max(_RUN), "<u8", encoded, strides=(1,))
    runs = np.zeros(len(starts), np.uint64)
    for place, odd in zip(_RUN, _ODD, strict=True):
        runs += numbers[starts + place] * np.uint64(odd)
    features = _mixed(runs)
    if len(features) > 2 * MAX_FEATURES:
        features = np.partition(features, 2 * MAX_FEATURES)[: 2 * MAX_FEATURES]
    features.sort()
    is_new = np.ones(len(features), np.bool_)  # what is said again and again counts once
    is_new[1:] = features[1:] != features[:-1]
    features = features[is_new][:MAX_FEATURES]
    if len(features) < MIN_FEATURES:
        return None
    # mixed again, since the first bits of the smallest are all zero
    bits = np.unpackbits(_mixed(features).view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    majority = bits.sum(axis=0, dtype=np.uint16) * 2 > len(bits)
    return int.from_bytes(np.packbits(majority, bitorder="little").tobytes(), "little")


def _mixed(values: _U64) -> _U64:
    """Each number scattered over all 64 bits (the last step of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
