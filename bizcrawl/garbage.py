"""Memory of a long crawl: cycles of garbage are looked for seldom, and what is free is given back.

A crawl keeps millions of objects and makes hardly any cycle. But pages come and go through several threads,
and the C library keeps the holes that they leave: after 20,000 pages 130 MB beside 80 MB in use. Small things
that stay, such as what the database remembers of each stretch of a table, settle in those holes, so that they
can't be given back; pages and columns have to be kept out of the common heap.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager

_malloc_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
_mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
"""Both of the GNU C library alone."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""Settings of `mallopt`; malloc.h of the GNU C library."""
LARGE_BYTES = 256 * 2**10
"""Blocks of this size and more are taken from the system one by one, and given back as soon as they are free.
Left alone, the C library would raise its bound to the largest block that it has met."""


def keep_large_blocks_apart() -> None:
    """From now on, and for all of this process, blocks of `LARGE_BYTES` leave no holes in the common heap."""
    if _mallopt is not None:
        _mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)


HUGE_BYTES = 4 * 2**20
KEPT_BYTES = 64 * 2**20


def keep_free_memory() -> None:
    """From now on, and for all of this process, memory that one page leaves free is kept for the next, blocks
    below `HUGE_BYTES` and `KEPT_BYTES` in all: to take it from the system anew costs a twentieth of tidying.
    """
    if _mallopt is not None:
        _mallopt(_M_MMAP_THRESHOLD, HUGE_BYTES)
        _mallopt(_M_TRIM_THRESHOLD, KEPT_BYTES)


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
