"""Work spread over processes: results in order, never more than a few pieces under way, so that memory
stays flat.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Mapping(Protocol):
    """The built-in `map`, in one process or in many."""

    def __call__(self, work: Callable[[Item], Result], items: Iterable[Item], /) -> Iterator[Result]:
        """Apply `work` to every item; results in the order of the items."""
        ...


@contextmanager
def mapping(processes: int) -> Iterator[Mapping]:
    """A lazy, ordered map over `processes` processes; over none beside this one for 0 and 1.

    Work and items must be picklable. Ctrl-C is left to this process: the others end when it lets go of them.
    """
    if processes < 2:
        yield map
        return
    # spawned rather than forked: DuckDB and Arrow keep threads, which a fork would leave in pieces
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_leave_interrupts) as executor:

        def ordered(work: Callable[[Item], Result], items: Iterable[Item], /) -> Iterator[Result]:
            waiting: deque[Future[Result]] = deque()
            try:
                for item in items:
                    waiting.append(executor.submit(work, item))
                    if len(waiting) > processes:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

        yield ordered


def _leave_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
