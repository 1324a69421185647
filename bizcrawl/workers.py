"""Worker processes that are fed over sockets by the event loop itself.

The pool of the standard library hands every call through two threads and two queues of the crawl's process,
and each of them takes the interpreter away from the loop. Here a call is one write and its answer one read.
Every worker has the next call at hand when it ends one, so none waits for the loop.
"""

from __future__ import annotations

import asyncio
import atexit
import multiprocessing
import os
import pickle
import signal
import socket
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerContext
from typing import Any

from bizcrawl.endings import ENDINGS
from bizcrawl.errors import BizcrawlError
from bizcrawl.worker_process import LENGTH_BYTES, message_of, serve

MAX_USUAL = 8
"""More would wait for the process that feeds them."""
IN_HAND = 2
"""Calls that a worker has: the one it is busy with and the next."""
RENEWED_AFTER = 5_000
"""Calls that a worker answers before a new one takes its place: whatever a process keeps, leaks or scatters
over its memory is bounded by them, however long a crawl runs."""
_LAST_BREATH_S = 1.0
"""How long a process may take from closing its socket to having ended."""


class WorkerDied(Exception):  # noqa: N818 - named for what is the case
    """The process that was busy with a call has ended."""


class TookTooLong(WorkerDied):
    """It was ended because the call had used up its processor time."""


class NoWorkerError(BizcrawlError):
    """There is no process, and none can be started."""


@dataclass(frozen=True, slots=True)
class _Call:
    arguments: tuple[object, ...]
    answer: asyncio.Future[Any]


class Workers:
    """`count` processes that call `function`. Belongs to the event loop in which it is made; close it."""

    def __init__(
        self,
        count: int,
        function: Callable[..., Any],
        modules: Sequence[str],
        max_cpu_s: float = 0.0,
        renewed_after: int = RENEWED_AFTER,
    ) -> None:
        """`modules` are what the processes should have imported before the first call. A call that takes more
        than `max_cpu_s` of processor time (0: no limit) is ended with its process, wherever it is: a parser
        written in C can't be stopped otherwise. After `renewed_after` calls a new one takes its place.
        """
        self._context = _context(modules)
        self._count = count
        self._function = function
        self._max_cpu_s = max_cpu_s
        self._renewed_after = renewed_after
        self._waiting: deque[_Call] = deque()
        self._workers: list[_Worker] = []
        self._connecting: set[asyncio.Task[Any]] = set()
        self._closed = False
        self._fault: Exception | None = None
        """Why no process could be started."""
        atexit.register(self._kill)  # else the interpreter waits at its end for those that nobody closed
        self._fill()

    async def call(self, *arguments: object) -> Any:
        """What the function makes of the arguments. Raises what it raises, `TookTooLong` and `WorkerDied`;
        `NoWorkerError` if there is no process and none can be started.
        """
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Call(arguments, answer))
        self._fill()
        self.feed()
        self._give_up()
        return await answer

    def feed(self) -> None:
        """Give waiting calls to the workers that have the fewest."""
        while self._waiting:
            ready = [worker for worker in self._workers if worker.has_room]
            if not ready:
                return
            call = self._waiting.popleft()
            if not call.answer.done():
                min(ready, key=len).take(call)
                self._fill()

    def lost(self, worker: _Worker, calls: Sequence[_Call]) -> None:
        """A worker has ended: the call that it was busy with fails, the others go to another worker."""
        self._workers.remove(worker)
        if self._closed:
            return
        for call in calls[:1]:
            if not call.answer.done():
                call.answer.set_exception(worker.fault())
        self._waiting.extendleft(reversed(calls[1:]))
        if self._waiting:
            self._fill()
            self._give_up()

    def close(self) -> None:
        """End the processes; calls that are under way are cancelled."""
        self._closed = True
        atexit.unregister(self._kill)
        for call in self._waiting:
            call.answer.cancel()
        for worker in list(self._workers):
            worker.end()

    def _kill(self) -> None:
        for worker in self._workers:
            worker.kill()

    def _fill(self) -> None:
        """Start the workers that are missing; one that takes no more calls is missing already."""
        while sum(not worker.is_spent for worker in self._workers) < self._count and not self._closed:
            ours, theirs = socket.socketpair()
            arguments = (theirs, self._function, self._max_cpu_s)
            process = self._context.Process(target=serve, args=arguments, daemon=True)
            try:
                with _held_back():
                    process.start()
            except (OSError, EOFError) as fault:  # no memory, no more processes, a program that is gone
                ours.close()
                self._fault = fault
                return
            finally:
                theirs.close()
            worker = _Worker(self, process, self._renewed_after)
            self._workers.append(worker)
            loop = asyncio.get_running_loop()
            task = loop.create_task(loop.create_unix_connection(partial(_same, worker), sock=ours))
            self._connecting.add(task)
            task.add_done_callback(self._connecting.discard)

    def _give_up(self) -> None:
        """Let nobody wait for processes that there are not."""
        if self._fault is None or self._workers:
            return
        for call in self._waiting:
            if not call.answer.done():
                call.answer.set_exception(
                    NoWorkerError(
                        f"no process that tidies pages can be started ({self._fault}); "
                        "--workers 0 does without them"
                    )
                )
        self._waiting.clear()


class _Worker(asyncio.Protocol):
    """The loop's end of the socket to one process."""

    def __init__(self, workers: Workers, process: Any, max_calls: int) -> None:
        self._workers = workers
        self._process = process
        self._calls_left = max_calls
        self._transport: asyncio.Transport | None = None
        self._calls: deque[_Call] = deque()
        self._received = bytearray()

    def __len__(self) -> int:
        return len(self._calls)

    @property
    def has_room(self) -> bool:
        return self._transport is not None and len(self._calls) < IN_HAND and not self.is_spent

    @property
    def is_spent(self) -> bool:
        return not self._calls_left

    def take(self, call: _Call) -> None:
        assert self._transport is not None
        self._calls_left -= 1
        self._calls.append(call)
        # made only now, for those that wait would be held twice
        self._transport.write(message_of(call.arguments))

    def fault(self) -> WorkerDied:
        """What the process died of, once its socket is closed."""
        self._process.join(_LAST_BREATH_S)
        return TookTooLong() if self._process.exitcode == -signal.SIGPROF else WorkerDied()

    def end(self) -> None:
        for call in self._calls:
            call.answer.cancel()
        if self._transport is not None:
            self._transport.abort()
        self.kill()

    def kill(self) -> None:
        self._process.kill()
        self._process.join()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]
        self._workers.feed()

    def data_received(self, data: bytes) -> None:
        self._received += data
        while len(self._received) >= LENGTH_BYTES:
            end = LENGTH_BYTES + int.from_bytes(self._received[:LENGTH_BYTES])
            if len(self._received) < end:
                return
            with memoryview(self._received) as received:
                value, fault = pickle.loads(received[LENGTH_BYTES:end])  # noqa: S301 - our own process wrote it
            del self._received[:end]
            answer = self._calls.popleft().answer
            self._workers.feed()
            if answer.done():
                continue
            if fault is None:
                answer.set_result(value)
            else:
                answer.set_exception(fault)
        if self.is_spent and not self._calls and self._transport is not None:
            self._transport.close()  # the process ends when it reads the end

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._workers.lost(self, list(self._calls))


def usable_processors() -> int:
    """Processors that this process may use; in a container, or under taskset, fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def usual_count() -> int:
    """Workers that are worth starting: one a processor, at most `MAX_USUAL`."""
    return min(MAX_USUAL, usable_processors())


def prepare_workers(modules: Sequence[str]) -> None:
    """Start the process from which workers are forked: it imports `modules` while the caller goes on."""
    _context(modules)
    with _held_back(), suppress(OSError):  # told when a worker is needed
        forkserver.ensure_running()


def _context(modules: Sequence[str]) -> ForkServerContext:
    # not forked from here: threads of the writer and of the resolver may hold locks
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(modules))
    return context


@contextmanager
def _held_back() -> Iterator[None]:
    """While this holds, newly started processes, and their children, ignore `ENDINGS`; this process gets
    those signals a moment later.

    Only the crawl decides when workers end; otherwise their pages would count as ones that killed them.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
    try:
        resource_tracker.ensure_running()  # else it is started meanwhile, and lets two of them through again
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _same(worker: _Worker) -> _Worker:
    return worker
