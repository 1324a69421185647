"""How much time a writer may spend on questions, so that a crawl is hardly slowed by those who ask.

A bucket of seconds of processor time that fills at a fixed share of the time that goes by. Somebody who looks
in now and then always finds enough of it and is answered at once, with a whole report too; a program that
asks without a pause waits for its turn.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

SHARE = 0.05
"""Of the time that goes by, what questions may have of one processor."""
AT_FIRST_S = 0.5
"""What there is when the crawl begins: a short one is not slowed either."""
MOST_S = 10.0
"""What gathers while nobody asks."""
LONGEST_WAIT_S = 5.0
"""After a question that took long, the next one does not have to pay for all of it."""


class Allowance:
    """Seconds for answering; used from several threads."""

    def __init__(
        self,
        share: float = SHARE,
        most_s: float = MOST_S,
        at_first_s: float = AT_FIRST_S,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._share = share
        self._most_s = most_s
        self._clock_s = clock_s
        self._left_s = at_first_s
        self._at_s = clock_s()
        self._lock = threading.Lock()

    def wait_s(self) -> float:
        """How long the next question has to wait; 0 if it may be answered now."""
        with self._lock:
            self._fill()
            return max(0.0, -self._left_s / self._share)

    def spend(self, seconds: float) -> None:
        """An answer took so much; more than is left makes the next question wait."""
        with self._lock:
            self._fill()
            self._left_s = max(self._left_s - seconds, -self._share * LONGEST_WAIT_S)

    def _fill(self) -> None:
        now_s = self._clock_s()
        self._left_s = min(self._most_s, self._left_s + self._share * (now_s - self._at_s))
        self._at_s = now_s
