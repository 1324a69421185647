"""How far a long piece of work has come, on stderr: one live line on a terminal, a plain line now and then
elsewhere.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

from bizcrawl.cli.live import rewritten, room_on

LIVE_S = 0.2
PLAIN_S = 10.0


class Counting:
    """Counts things done; call it with how many are done and how many there are (0: not known)."""

    def __init__(
        self,
        what: str,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        quiet: bool = False,
    ) -> None:
        self._what = what
        self._stream = stream or sys.stderr
        self._clock = clock
        self._quiet = quiet
        self._live = self._stream.isatty()
        self._begin_s = self._last_s = clock()

    def __call__(self, done: int, total: int = 0) -> None:
        """Say it, if it is time to."""
        now_s = self._clock()
        if self._quiet or (now_s - self._last_s < (LIVE_S if self._live else PLAIN_S) and done != total):
            return
        self._last_s = now_s
        text = f"{done:,}/{total:,} {self._what}" if total else f"{done:,} {self._what}"
        if total and 0 < done < total:
            text += f" · {(now_s - self._begin_s) * (total - done) / done:,.0f} s left"
        if self._live:
            text = rewritten(text, room_on(self._stream))
        self._stream.write(text if self._live and done != total else f"{text}\n")
        self._stream.flush()
