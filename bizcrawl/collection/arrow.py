"""Arrow columns of what strangers wrote."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import pyarrow as pa

from bizcrawl.plaintext import storable

TEXT = pa.string()
TIME = pa.timestamp("us")


def texts(values: Sequence[str | None]) -> pa.Array:
    """A text column; what UTF-8 can't carry is replaced, so that one bad title never loses a batch."""
    try:
        return pa.array(values, TEXT)
    except UnicodeEncodeError:
        return pa.array([None if value is None else storable(value) for value in values], TEXT)


def text_lists(values: Sequence[Sequence[str]]) -> pa.Array:
    """A column of lists of texts."""
    offsets = [0]
    for value in values:
        offsets.append(offsets[-1] + len(value))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), texts(list(chain.from_iterable(values))))


def constant(value: int, rows: int) -> pa.Array:
    """A column of one and the same number."""
    return pa.repeat(pa.scalar(value, pa.int32()), rows)
