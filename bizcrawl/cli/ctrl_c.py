"""Ctrl-C while DuckDB works: it ends the query at once, and the command with exit code 130.
Ctrl-C for what runs until it is pressed: the command ends well.

Python hears of a signal when the main thread comes back from C, which is when the query is over. The signal's
own wake-up descriptor is written to at once, and whoever watches over the query looks at it.
"""

from __future__ import annotations

import asyncio
import select
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bizcrawl.collection.sql_faults import SqlStopped
from bizcrawl.endings import endings_heard
from bizcrawl.errors import Interrupted


def until_interrupted() -> asyncio.Event:
    """An event of the running loop that Ctrl-C, SIGTERM and a closed terminal set."""
    interrupted = asyncio.Event()
    for number in endings_heard():
        asyncio.get_running_loop().add_signal_handler(number, interrupted.set)
    return interrupted


@contextmanager
def ctrl_c() -> Iterator[Callable[[], bool]]:
    """Gives a function that tells whether Ctrl-C was pressed; `Interrupted` is raised if it was."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    reading, writing = socket.socketpair()
    with reading, writing:
        writing.setblocking(False)
        former = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)

        def pressed() -> bool:
            return bool(select.select([reading], [], [], 0)[0])

        try:
            yield pressed
        except (KeyboardInterrupt, SqlStopped):
            if pressed():
                raise Interrupted("interrupted") from None
            raise
        finally:
            signal.set_wakeup_fd(former)
