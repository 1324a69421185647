"""Memory of a long crawl: cycles of garbage are looked for seldom, and what is free is given back.

A crawl keeps millions of objects and makes hardly any cycle. But pages come and go through several threads,
and the C library keeps the holes that they leave: after 20,000 pages 130 MB beside 80 MB in use.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager

_malloc_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Of the GNU C library alone."""


def give_back_free_memory() -> None:
    """Give back to the system what the C library keeps free, where it knows how to."""
    if _malloc_trim is not None:
        _malloc_trim(0)


def collect_seldom() -> None:
    """From now on leave alone what there is, and look at what is new less often than Python would."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@contextmanager
def collected_seldom() -> Iterator[None]:
    """`collect_seldom` for a while."""
    usual = gc.get_threshold()
    collect_seldom()
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()
