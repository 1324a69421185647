"""Processor time of a piece of work, for tests of what something costs.

One try tells little: what else runs on the machine slows it down, and the collector of garbage may look
through what other tests have left. So the collector rests meanwhile, and the best of three tries counts.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
TRIES = 3


def within_cpu_s(limit_s: float, work: Callable[[], T]) -> T:
    """What some work gives; fails if it takes more processor time than the limit in every try."""
    took_s = []
    while len(took_s) < TRIES:
        result, cpu_s = _timed(work)
        if cpu_s <= limit_s:
            return result
        took_s.append(cpu_s)
    raise AssertionError(f"took {took_s} s of processor time, not {limit_s} s")


def least_cpu_s(work: Callable[[], object]) -> float:
    """Processor time that some work takes in the best try, in seconds."""
    return min(_timed(work)[1] for _ in range(TRIES))


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    with _collector_at_rest():
        began_s = time.process_time()
        result = work()
        return result, time.process_time() - began_s


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
