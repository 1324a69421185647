"""Waiting URLs by host, and which host may be asked next.

Each host has a heap of its own URLs; the hosts that may be asked stand in one heap by their best URL. Hosts
that have to wait are parked in a heap by time and cost nothing until then. Hosts among the last D - 1 that
were asked are kept out until they leave that window (R14, A14).

Whether a URL still waits is the frontier's to say: URLs that were dropped, raised or fetched under another
name are skipped when they come up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from math import inf

from bizcrawl.frontier.scored_link import Gate, ScoredLink
from bizcrawl.urls import host_of

IsWaiting = Callable[[ScoredLink], bool]
_Key = tuple[float, int]
MAX_PARKED_S = 1.0
"""A host is asked again for its waiting time after this at the latest: a request may end early."""


class HostQueues:
    """The URLs of a frontier, one heap a host."""

    def __init__(self, spread_hosts: int = 0) -> None:
        self.relaxed = 0
        """Picks from a host inside the window because no other was ready (A14)."""
        self._urls: dict[str, list[tuple[float, int, ScoredLink]]] = {}
        self._listed: dict[str, _Key] = {}
        self._ready: list[tuple[float, int, str]] = []
        self._parked: list[tuple[float, str]] = []
        self._parked_until: dict[str, float] = {}
        self._added = 0
        self._size = 0
        self._window: deque[str] = deque()
        self._window_size = max(0, spread_hosts - 1)
        self._in_window: dict[str, int] = {}
        """How often a host stands in the window; the host asked last is the last key."""

    def add(self, link: ScoredLink) -> None:
        """Put a link into its host's heap; of equal scores the one added first comes first."""
        host = host_of(link.url)
        self._added += 1
        self._size += 1
        queue = self._urls.setdefault(host, [])
        heappush(queue, (-link.score, self._added, link))
        if queue[0][1] == self._added:
            self._list(host)

    def refill(self, best_first: Iterable[ScoredLink]) -> None:
        """Start again with these links; windows and waiting times stay."""
        self._urls, self._listed, self._ready, self._added = {}, {}, [], 0
        for link in best_first:
            self._added += 1
            self._urls.setdefault(host_of(link.url), []).append((-link.score, self._added, link))
        self._size = self._added
        for host, queue in self._urls.items():
            heapify(queue)
            self._list(host)

    def take(self, n: int, is_waiting: IsWaiting, gate: Gate | None) -> list[ScoredLink]:
        """Up to n links in order of score; with a gate only of hosts that are ready, and one a host."""
        self._unpark(gate.now_s() if gate is not None else inf)
        links: list[ScoredLink] = []
        held: list[str] = []
        while len(links) < n:
            host = self._next_host(is_waiting, gate) or self._relax(is_waiting, gate, held)
            if host is None:
                break
            self._size -= 1
            links.append(heappop(self._urls[host])[2])
            if gate is not None:
                held.append(host)
                self._in_window[host] = self._in_window.get(host, 0) + 1  # one URL a host in this batch
            self._remember(host)
            if gate is None:
                self._list(host)
        for host in held:
            self._leave_window(host)
        return links

    def __len__(self) -> int:
        """Entries in the heaps, those out of date included."""
        return self._size

    def _next_host(self, is_waiting: IsWaiting, gate: Gate | None) -> str | None:
        while self._ready:
            score, added, host = heappop(self._ready)
            if self._listed.get(host) != (score, added):
                continue
            del self._listed[host]
            top = self._top(host, is_waiting)
            if top is None:
                continue
            if top != (score, added):
                self._list(host)
            elif gate is None or self._is_ready(host, gate):
                return host
        return None

    def _relax(self, is_waiting: IsWaiting, gate: Gate | None, held: list[str]) -> str | None:
        """The least recently asked host of the window that has a URL (A14)."""
        for host in list(self._in_window):
            if host in held or host in self._parked_until or self._top(host, is_waiting) is None:
                continue
            if gate is None or self._is_ready(host, gate):
                self.relaxed += 1
                return host
        return None

    def _is_ready(self, host: str, gate: Gate) -> bool:
        wait_s = gate.wait_s(host)
        if wait_s <= 0:
            return True
        until_s = gate.now_s() + min(wait_s, MAX_PARKED_S)
        self._parked_until[host] = until_s
        heappush(self._parked, (until_s, host))
        return False

    def _unpark(self, now_s: float) -> None:
        while self._parked and self._parked[0][0] <= now_s:
            _, host = heappop(self._parked)
            del self._parked_until[host]
            self._list(host)

    def _top(self, host: str, is_waiting: IsWaiting) -> _Key | None:
        """Key of the host's best URL that still waits; a host without any is forgotten."""
        queue = self._urls.get(host)
        if queue is None:
            return None
        while queue and not is_waiting(queue[0][2]):
            self._size -= 1
            heappop(queue)
        if queue:
            return queue[0][:2]
        del self._urls[host]
        return None

    def _list(self, host: str) -> None:
        """Put a host among those that may be asked, by its best URL."""
        queue = self._urls.get(host)
        if not queue or host in self._in_window or host in self._parked_until:
            return
        score, added, _ = queue[0]
        if self._listed.get(host) != (score, added):
            self._listed[host] = (score, added)
            heappush(self._ready, (score, added, host))

    def _remember(self, host: str) -> None:
        """Note that a host was asked; the host asked D - 1 picks ago may be asked again."""
        if not self._window_size:
            return
        self._window.append(host)
        self._in_window[host] = self._in_window.pop(host, 0) + 1
        if len(self._window) > self._window_size:
            self._leave_window(self._window.popleft())

    def _leave_window(self, host: str) -> None:
        self._in_window[host] -= 1
        if not self._in_window[host]:
            del self._in_window[host]
            self._list(host)
