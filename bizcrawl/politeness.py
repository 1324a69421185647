"""When a host may be asked: one clock for all hosts, so that no owner is asked too often and no host waits
without need.

Two things are kept apart. A *lease* is the crawl's: a URL of the host has been handed out, and the frontier
takes no other one until it is given back. A *turn* is the request's: every request, redirects and robots.txt
included, waits until the host has had its rest. A download that was redirected waits for a turn of the next
host without any lease on it, so two hosts that redirect to each other cannot lock each other up.

All operations are O(1), or O(log hosts) where the soonest host is asked for. The clock is monotonic.
"""

from __future__ import annotations

import asyncio
import heapq
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from bizcrawl.reasons import ALLOWED, Reason, Ruling
from bizcrawl.web import Failure, Response
from bizcrawl.web.fields import retry_after_s, sent_s

_SHORT_S: Final = 0.005
"""What `wait_s` says at least while a host is in hand: nobody knows when it will be free."""

_TROUBLE = frozenset(
    {Reason.DNS, Reason.CONNECTION, Reason.TIMEOUT, Reason.TOO_SLOW, Reason.TLS, Reason.BAD_FRAMING}
)
_SLOW_DOWN = frozenset({429, 503})


@dataclass(frozen=True, slots=True)
class Manners:
    """How hosts are treated. The defaults are for other people's sites; zero delays are for one's own."""

    delay_s: float = 2.0
    """From the end of a request to a host to the start of the next, and between two starts."""
    per_host: int = 1
    """Requests to a host at once."""
    per_address_s: float = 0.5
    """Between two starts at one IP address, whatever the host; never more than `delay_s`."""
    first_back_off_s: float = 10.0
    """After 429, 503 or trouble; doubles each time in a row."""
    max_back_off_s: float = 300.0
    """Longest back-off; a Retry-After beyond it closes the host for this crawl."""
    max_pages: int = 5_000
    """Pages of one host."""
    max_failures: int = 5
    """Failures in a row after which a host is given up."""
    max_stalls: int = 5
    """Pages that took too long to be read, after which a host is given up: one costs like 3,000 others."""


@dataclass(slots=True)
class _Host:
    delay_s: float
    leased: int = 0
    asking: int = 0
    free_at_s: float = 0.0
    backed_off_at_s: float = -math.inf
    strikes: int = 0
    pages: int = 0
    stalls: int = 0
    address: str = ""
    open: Ruling = ALLOWED
    listed: bool = False
    waiting: list[asyncio.Future[None]] = field(default_factory=list)


class Politeness:
    """The gate of a live crawl (see `bizcrawl.strategies.Gate`)."""

    def __init__(
        self,
        manners: Manners,
        clock: Callable[[], float],
        *,
        wall_clock: Callable[[], float],
    ) -> None:
        """`clock` is monotonic; `wall_clock` gives seconds since 1970 and only reads dates in the
        Retry-After of servers that don't say what time they have.
        """
        self.manners = manners
        self._clock = clock
        self._wall_clock = wall_clock
        self._hosts: dict[str, _Host] = {}
        self._address_free_at_s: dict[str, float] = {}
        self._resting: list[tuple[float, str]] = []
        self.sleeping = 0
        """Requests that wait for their turn: they hold a lease, but no connection."""

    def now_s(self) -> float:
        """Monotonic time."""
        return self._clock()

    def wait_s(self, host: str) -> float:
        """Seconds until a URL of a host may be handed out; 0 for a closed host, whose URLs only need their
        reason.
        """
        state = self._hosts.get(host)
        if state is None or not state.open:
            return 0.0
        if state.leased >= self.manners.per_host:
            return max(self._rest_s(state), state.delay_s, _SHORT_S)
        return self._rest_s(state)

    def soonest_s(self) -> float:
        """Seconds until the next resting host is free; infinite if none rests."""
        now_s = self._clock()
        while self._resting:
            at_s, host = self._resting[0]
            state = self._hosts[host]
            if not state.leased and now_s < at_s == state.free_at_s:
                return at_s - now_s
            heapq.heappop(self._resting)
            state.listed = False
            if not state.leased and state.free_at_s > now_s:
                self._list(host, state)
        return math.inf

    def _list(self, host: str, state: _Host) -> None:
        """Put a host among the resting ones, once."""
        if not state.listed:
            state.listed = True
            heapq.heappush(self._resting, (state.free_at_s, host))

    def lease(self, host: str) -> None:
        """A URL of the host has been handed out."""
        self._host(host).leased += 1

    def release(self, host: str) -> None:
        """The URL that was handed out has ended in a page or a failure."""
        state = self._host(host)
        state.leased -= 1
        self._list(host, state)

    def ruling(self, host: str) -> Ruling:
        """Whether a host is still open: not given up, not closed as a trap, its budget of pages not spent."""
        state = self._hosts.get(host)
        if state is None:
            return ALLOWED
        if state.open and state.pages >= self.manners.max_pages:
            return Ruling(Reason.HOST_BUDGET, f"{state.pages} pages of {host}")
        return state.open

    def close(self, host: str, ruling: Ruling) -> None:
        """Leave a host alone for the rest of the crawl."""
        self._host(host).open = ruling

    def ask_delay(self, host: str, delay_s: float) -> None:
        """Keep a Crawl-delay; a host never gets less rest than the manners say."""
        state = self._host(host)
        longer_s = max(self.manners.delay_s, delay_s)
        if longer_s != state.delay_s:
            if state.free_at_s > self._clock():
                state.free_at_s += longer_s - state.delay_s
            state.delay_s = longer_s

    def count_page(self, host: str) -> None:
        """A good page counts against the host's budget."""
        self._host(host).pages += 1

    def resume_from(self, pages: Mapping[str, int]) -> None:
        """Count the pages of each host that earlier sittings of the crawl have had. A host that was given
        up gets another chance: the trouble may have been on this side.
        """
        for host, count in pages.items():
            self._host(host).pages += count

    def count_stall(self, host: str) -> None:
        """A page that took too long to be read; a host that has many of them is given up."""
        state = self._host(host)
        state.stalls += 1
        if state.open and state.stalls >= self.manners.max_stalls:
            detail = f"{host} given up: {state.stalls} pages took too long to be read"
            self.close(host, Ruling(Reason.TIDY_FAILED, detail))

    def rest(self, host: str, seconds: float) -> None:
        """Leave a host alone for a while, as when its robots.txt cannot be read: its URLs stay in the
        frontier.
        """
        state = self._host(host)
        state.free_at_s = max(state.free_at_s, self._clock() + min(seconds, self.manners.max_back_off_s))

    def rest_s(self, host: str) -> float:
        """Seconds until a request to a host may start."""
        state = self._hosts.get(host)
        return self._rest_s(state) if state else 0.0

    async def turn(self, host: str) -> float:
        """Wait until a request to a host may start, and start it; returns the time. `done` must follow."""
        state = self._host(host)
        self.sleeping += 1
        try:
            while True:
                if state.asking >= self.manners.per_host:
                    await self._told(state)
                elif (rest_s := self._rest_s(state)) > 0:
                    await asyncio.sleep(rest_s)
                else:
                    break
        except asyncio.CancelledError:
            _wake_next(state)  # it may have been woken, or sleep where another could
            raise
        finally:
            self.sleeping -= 1
        now_s = self._clock()
        state.asking += 1
        state.free_at_s = now_s + state.delay_s
        if state.address:
            self._address_free_at_s[state.address] = now_s + min(
                self.manners.per_address_s, self.manners.delay_s
            )
        return now_s

    def done(self, host: str, started_s: float, answer: Response | Failure | None) -> None:
        """Learn from the answer of a request; None if it was given up halfway."""
        state = self._host(host)
        now_s = self._clock()
        state.asking -= 1
        state.free_at_s = max(state.free_at_s, now_s + state.delay_s)
        if isinstance(answer, Response):
            state.address = answer.address or state.address
            self._learn(host, state, started_s, answer)
        elif answer is not None and answer.reason in _TROUBLE:
            self._back_off(
                host, state, started_s, None, Ruling(answer.reason, f"{host} given up: {answer.detail}")
            )
        _wake_next(state)

    def _learn(self, host: str, state: _Host, started_s: float, answer: Response) -> None:
        if answer.status not in _SLOW_DOWN:
            state.strikes = 0
            return
        headers = answer.headers
        retry_s = retry_after_s(headers.get("retry-after", ""), sent_s(headers, self._wall_clock()))
        if retry_s is not None and retry_s > self.manners.max_back_off_s:
            self.close(host, Ruling(Reason.RATE_LIMITED, f"{host} asks to be left alone for {retry_s:.0f} s"))
        self._back_off(
            host,
            state,
            started_s,
            retry_s,
            Ruling(Reason.RATE_LIMITED, f"{host} given up: status {answer.status}"),
        )

    def _back_off(
        self, host: str, state: _Host, started_s: float, asked_s: float | None, ruling: Ruling
    ) -> None:
        """Rest longer, twice as long as last time. Requests that were under way at the last step make no
        further one.
        """
        now_s = self._clock()
        if started_s < state.backed_off_at_s:
            return
        state.backed_off_at_s = now_s
        state.strikes += 1
        if state.open and state.strikes >= self.manners.max_failures:
            state.open = ruling
        step_s = min(
            max(self.manners.first_back_off_s, state.delay_s) * 2 ** (state.strikes - 1),
            self.manners.max_back_off_s,
        )
        # whoever waits for a turn already waits no longer than this, whatever was asked for
        state.free_at_s = max(state.free_at_s, now_s + min(asked_s or step_s, self.manners.max_back_off_s))

    def _host(self, host: str) -> _Host:
        state = self._hosts.get(host)
        if state is None:
            state = self._hosts[host] = _Host(self.manners.delay_s)
        return state

    def _rest_s(self, state: _Host) -> float:
        free_at_s = state.free_at_s
        if state.address:
            free_at_s = max(free_at_s, self._address_free_at_s.get(state.address, 0.0))
        return max(0.0, free_at_s - self._clock())

    async def _told(self, state: _Host) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        state.waiting.append(future)
        await future


def _wake_next(state: _Host) -> None:
    """Let the first who still waits try again; those that were cancelled are passed over."""
    while state.waiting:
        future = state.waiting.pop(0)
        if not future.done():
            future.set_result(None)
            return
