"""What a person sees while a crawl runs: one live line on a terminal, a plain line every few seconds
elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TextIO

from bizcrawl.cli.live import WIPE, rewritten, room_on
from bizcrawl.cli.saying import counted
from bizcrawl.tally import Budget, Tally

LIVE_S = 0.2
PLAIN_S = 5.0
SPARED = ("sites", "rate", "waiting", "hubs")
"""What a narrow terminal goes without, in this order."""


class ProgressLine:
    """Shows a tally on stderr; used as a context manager around the crawl."""

    def __init__(
        self,
        budget: Budget,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        quiet: bool = False,
    ) -> None:
        self._budget = budget
        self._stream = stream or sys.stderr
        self._clock = clock
        self._quiet = quiet
        self._live = self._stream.isatty()
        self._every_s = LIVE_S if self._live else PLAIN_S
        self._next_s = clock() + (0.0 if self._live else PLAIN_S)
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._shown and self._live:
            self._stream.write(WIPE)
            self._stream.flush()

    def __call__(self, tally: Tally) -> None:
        """Show the tally, if it is time to."""
        if self._quiet or self._clock() < self._next_s:
            return
        self._next_s = self._clock() + self._every_s
        if self._live:
            room = room_on(self._stream)
            self._stream.write(rewritten(line(tally, self._budget, room), room))
        else:
            self._stream.write(f"{line(tally, self._budget)}\n")
        self._stream.flush()
        self._shown = True


def line(tally: Tally, budget: Budget, room: int | None = None) -> str:
    """The tally in one line; what can be spared is left out as long as there is no `room` for it."""
    parts = {
        "pages": f"{tally.pages:,}/{budget.pages:,} pages",
        "rate": speed(tally),
        **(
            {"harvest": f"harvest rate {harvest:.1%}"} if (harvest := harvest_rate(tally)) is not None else {}
        ),
        "hubs": counted(tally.hubs, "hub"),
        **({"sites": f"{counted(len(tally.listed), 'site')} listed on them"} if tally.hubs else {}),
        "waiting": f"{tally.frontier:,} URLs waiting",
    }
    left_s = time_left_s(tally, budget)
    if left_s is not None:
        parts["left"] = f"at most {_duration(left_s)} left"
    for spared in SPARED:
        if room is None or len(" · ".join(parts.values())) <= room:
            break
        parts.pop(spared, None)
    return " · ".join(parts.values())


def speed(tally: Tally) -> str:
    """Pages a second so far: "40/s", and "0.4/s" where few hosts are asked politely."""
    rate = tally.pages / tally.elapsed_s if tally.elapsed_s else 0.0
    return f"{rate:.2g}/s" if 0 < rate < 1 else f"{rate:,.0f}/s"


def harvest_rate(tally: Tally) -> float | None:
    """Share of the pages that satisfy the predicate (R115); None without one."""
    return None if tally.relevant is None else tally.relevant / max(tally.pages, 1)


def time_left_s(tally: Tally, budget: Budget) -> float | None:
    """Seconds until the budget runs out at the present rate; None while nothing can be said."""
    bounds = []
    if tally.pages and tally.elapsed_s:
        bounds.append((budget.pages - tally.pages) * tally.elapsed_s / tally.pages)
    if budget.minutes is not None:
        bounds.append(budget.minutes * 60 - tally.elapsed_s)
    return max(0.0, min(bounds)) if bounds else None


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
