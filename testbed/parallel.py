"""Work spread over processes: results in order, never more than a few pieces under way, so that memory
stays flat.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
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

    Work and items must be picklable. Ctrl-C is left to this process: the others end when it lets go of them,
    or is killed.
    """
    if processes < 2:
        yield map
        return
    # spawned rather than forked: DuckDB and Arrow keep threads, which a fork would leave in pieces
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=serve_parent) as executor:

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


def serve_parent() -> None:
    """In a process that was started to work for another: leave Ctrl-C to that one, and end when it ends.

    An executor's processes wait for work for ever if their parent is killed, because each holds the pipe open
    itself.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)
