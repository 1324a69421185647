"""Cycles of garbage, looked for seldom: a crawl keeps millions of objects and makes hardly any cycle."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
