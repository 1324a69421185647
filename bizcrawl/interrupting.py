"""How a crawl is interrupted: cleanly by the first signal, at once by the second."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bizcrawl.crawl import Crawl
from bizcrawl.endings import endings_heard


@contextmanager
def interruptible(crawl: Crawl, leave: Callable[[], None]) -> Iterator[None]:
    """The first Ctrl-C, SIGTERM or closed terminal ends the crawl cleanly, the second at once."""
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        if crawl.interrupted:
            leave()
            os._exit(130)
        crawl.interrupt()

    signals = endings_heard()
    before = {number: signal.getsignal(number) for number in signals}
    for number in signals:
        loop.add_signal_handler(number, interrupt)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)  # the loop would leave its own behind, which kills the process
            signal.signal(number, before[number])
