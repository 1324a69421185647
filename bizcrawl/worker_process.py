"""The life of a worker process: calls come over a socket, and answers go back over it."""

from __future__ import annotations

import pickle
import signal
import socket
from collections.abc import Callable
from typing import Any

from bizcrawl.endings import ENDINGS
from bizcrawl.garbage import collect_seldom, keep_free_memory

LENGTH_BYTES = 8
"""Before each message; they say how long it is."""
_CHUNK_BYTES = 1 << 20


def message_of(value: object) -> bytes:
    """What is sent for the arguments of a call, or for what came of it: a value and a fault."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return len(data).to_bytes(LENGTH_BYTES) + data


def serve(calls: socket.socket, function: Callable[..., Any], max_cpu_s: float) -> None:
    """Answer calls until the crawl is over. One that takes more processor time ends the process."""
    for number in ENDINGS:
        signal.signal(number, signal.SIG_IGN)
    collect_seldom()
    keep_free_memory()
    try:
        while head := _received(calls, LENGTH_BYTES):
            arguments = pickle.loads(_received(calls, int.from_bytes(head)))  # noqa: S301 - the crawl wrote it
            signal.setitimer(signal.ITIMER_PROF, max_cpu_s)  # its signal ends the process
            try:
                answer = message_of((function(*arguments), None))
            except Exception as fault:
                answer = message_of((None, fault))
            signal.setitimer(signal.ITIMER_PROF, 0)
            calls.sendall(answer)
    except OSError:
        return  # the crawl has ended


def _received(calls: socket.socket, size: int) -> bytearray:
    """The next bytes; none if the crawl has ended."""
    data = bytearray(size)
    view, got = memoryview(data), 0
    while got < size:
        more = calls.recv_into(view[got:], min(size - got, _CHUNK_BYTES))
        if not more:
            return bytearray()
        got += more
    return data
