"""robots.txt by RFC 9309 (R15): what a site's owner allows, asked once a day for each scheme, host and port.

Where the RFC leaves a choice, the owner's likely wish decides (HAZARDS, "Decision for us"):

================================  =====================================================================
answer                            what it means
================================  =====================================================================
2xx                               the rules in the first 512 KiB, cut at a line end; kept 24 hours
3xx                               followed five times, across hosts; the rules hold for the first host.
                                  More, or a target that is no web address: no rules.
                                  A target that the user excludes is not asked: like no answer
400–499 but 429                   no rules (RFC 9309 2.3.1.3), 401 and 403 too
429, 5xx                          closed; asked again after 5 minutes, then 10, … up to an hour
no answer (network, TLS, time)    closed in the same way; rules known from before stay in force
not in a recorded web             no rules: the record can't tell
================================  =====================================================================

The status is decided before the parser sees a body, since an error page in HTML would parse to "all allowed".
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from protego import Protego

from bizcrawl.reasons import ALLOWED, Reason, Ruling
from bizcrawl.robots.text import no_query, plain_rules, text_of
from bizcrawl.scope import Exclusions
from bizcrawl.urls import origin_of, parse
from bizcrawl.user_agent import product_token
from bizcrawl.web import REDIRECTS, Failure, Request, Response, Web

MAX_ROBOTS_BYTES: Final = 512 * 1024
"""RFC 9309 2.5 asks for 500 KiB at least."""
MAX_KEPT_BYTES: Final = 16 * 2**20
"""Of all files whose rules are at hand: as rules they take twenty times as much. It is room for the files of
some 8,000 hosts; but each of thousands of hosts under one name may have one as long as is read."""
MAX_REDIRECTS: Final = 5
FRESH_S: Final = 24 * 3600.0
"""RFC 9309 2.4."""
_NOTHING: Final = Exclusions()
FIRST_RETRY_S: Final = 300.0
LAST_RETRY_S: Final = 3600.0
STALE_S: Final = 30 * 24 * 3600.0
"""RFC 9309 2.3.1.4: rules of an unreachable host are used up to 30 days."""

_LEADS_NOWHERE: Final = 310
"""Stands for a status where redirects lead nowhere. No server sends it; like 404 it means no rules."""
_OWN_REASONS = frozenset(
    {Reason.DNS, Reason.FORBIDDEN_ADDRESS, Reason.FORBIDDEN_PORT, Reason.NOT_HTTP, Reason.BAD_URL}
)


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """What a host answered when it was asked for robots.txt. A crawl that is resumed asks anew."""

    origin: str
    """Scheme, host and port, such as ``https://shop.example:8443``."""
    status: int | None
    """Final HTTP status; None if there was no answer."""
    body: bytes = b""
    detail: str = ""
    """Why there was no answer."""
    reason: Reason | None = None
    """The name of that."""


@dataclass(frozen=True, slots=True)
class _Rules:
    parser: Protego | None
    """None: all is allowed."""
    closed: Ruling | None
    until_s: float
    read_at_s: float
    delay_s: float | None = None
    failures: int = 0
    body_bytes: int = 0
    """Of the file that was read."""


class Robots:
    """The rules of all hosts met, over any web.

    `user_agent` may be a whole User-Agent header; its first token is the name that groups are matched with.
    `clock` gives seconds and must not jump. A Crawl-delay above `max_crawl_delay_s` means that the host is
    left alone. Of more than `max_hosts`, or of files of more than `MAX_KEPT_BYTES`, the oldest are forgotten
    and asked for again when they are needed.
    """

    def __init__(
        self,
        web: Web,
        clock: Callable[[], float],
        user_agent: str,
        *,
        max_crawl_delay_s: float = 60.0,
        max_hosts: int = 50_000,
    ) -> None:
        self._web = web
        self._clock = clock
        self._token = product_token(user_agent)
        self._max_crawl_delay_s = max_crawl_delay_s
        self._max_hosts = max_hosts
        self._rules: OrderedDict[str, _Rules] = OrderedDict()
        self._with_body: OrderedDict[str, int] = OrderedDict()
        """Hosts whose file is at hand, with its bytes, the oldest first."""
        self._kept_bytes = 0
        self._asking: dict[str, asyncio.Task[_Rules]] = {}
        self._new: list[RobotsFile] = []

    async def ruling(self, url: str, exclusions: Exclusions = _NOTHING) -> Ruling:
        """Whether the owner allows a URL; asks the host for its robots.txt if that is unknown or too old.

        What is excluded is not asked for it, not by a redirect either.
        """
        origin = origin_of(url)
        rules = self._rules.get(origin)
        if rules is None or rules.until_s <= self._clock():
            rules = await self._asked(origin, exclusions)
        if rules.closed is not None:
            return rules.closed
        if rules.parser is None:
            return ALLOWED
        if rules.delay_s is not None and rules.delay_s > self._max_crawl_delay_s:
            return Ruling(Reason.CRAWL_DELAY, f"asks for {rules.delay_s:g} s between two requests")
        if rules.parser.can_fetch(no_query(url), self._token):
            return ALLOWED
        return Ruling(Reason.ROBOTS, "forbidden by robots.txt")

    def delay_s(self, url: str) -> float | None:
        """The Crawl-delay that a host asks for; None if it asks for none or has not been asked yet."""
        rules = self._rules.get(origin_of(url))
        return rules.delay_s if rules else None

    def retry_s(self, url: str) -> float:
        """Seconds until a host that gave no rules is asked again; 0 if it is open."""
        rules = self._rules.get(origin_of(url))
        return max(0.0, rules.until_s - self._clock()) if rules and rules.closed is not None else 0.0

    def failures(self, url: str) -> int:
        """How often in a row a host has given no rules."""
        rules = self._rules.get(origin_of(url))
        return rules.failures if rules else 0

    def drain(self) -> list[RobotsFile]:
        """All answers since the last call, for the collection."""
        files, self._new = self._new, []
        return files

    async def _asked(self, origin: str, exclusions: Exclusions) -> _Rules:
        """One request however many wait; a waiter that is cancelled does not take it from the others."""
        task = self._asking.get(origin)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._ask(origin, exclusions))
            self._asking[origin] = task
            task.add_done_callback(lambda _: self._asking.pop(origin, None))
        return await asyncio.shield(task)

    async def _ask(self, origin: str, exclusions: Exclusions) -> _Rules:
        file = await _fetch(self._web, origin, exclusions)
        rules = self._read(file, self._rules.get(origin))
        self._new.append(file)
        self._keep(origin, rules)
        return rules

    def _keep(self, origin: str, rules: _Rules) -> None:
        self._forget(origin)
        self._rules[origin] = rules
        if rules.body_bytes:
            self._with_body[origin] = rules.body_bytes
            self._kept_bytes += rules.body_bytes
        while len(self._rules) > self._max_hosts:
            self._forget(next(iter(self._rules)))
        while self._kept_bytes > MAX_KEPT_BYTES:
            self._forget(next(iter(self._with_body)))

    def _forget(self, origin: str) -> None:
        self._rules.pop(origin, None)
        self._kept_bytes -= self._with_body.pop(origin, 0)

    def _read(self, file: RobotsFile, before: _Rules | None) -> _Rules:
        at_s = self._clock()
        if file.status is not None and 200 <= file.status < 300:
            parser = Protego.parse(plain_rules(text_of(file.body), self._token))
            delay_s = _delay_s(parser, self._token)
            return _Rules(parser, None, at_s + FRESH_S, at_s, delay_s, body_bytes=len(file.body))
        if file.status is not None and file.status < 500 and file.status != 429:
            return _Rules(None, None, at_s + FRESH_S, at_s)
        if file.reason is Reason.NOT_RECORDED:
            return _Rules(None, None, at_s + FRESH_S, at_s)
        failures = before.failures + 1 if before else 1
        retry_s = min(FIRST_RETRY_S * 2 ** (failures - 1), LAST_RETRY_S)
        if before and before.closed is None and at_s - before.read_at_s < STALE_S:
            return replace(before, until_s=at_s + retry_s, failures=failures)
        return _Rules(None, _closed(file), at_s + retry_s, at_s, None, failures)


async def _fetch(web: Web, origin: str, exclusions: Exclusions) -> RobotsFile:
    """Ask a host for its robots.txt, following redirects; never raises."""
    url: str = f"{origin}/robots.txt"
    for _ in range(MAX_REDIRECTS + 1):
        if not exclusions.ruling(url):
            detail = f"{url} is excluded"
            return RobotsFile(origin, None, detail=detail, reason=Reason.ROBOTS_UNREACHABLE)
        answer = await web.fetch(Request(url, max_body_bytes=MAX_ROBOTS_BYTES))
        if isinstance(answer, Failure):
            reason = answer.reason
            if reason in _OWN_REASONS and url != f"{origin}/robots.txt":
                reason = Reason.ROBOTS_UNREACHABLE  # not this host is barred, but the one it pointed to
            return RobotsFile(origin, None, detail=answer.detail or answer.reason, reason=reason)
        if answer.status not in REDIRECTS:
            return _file(origin, answer)
        target = parse(answer.headers.get("location", ""), url) if answer.headers.get("location") else None
        if target is None:
            break
        url = target
    return RobotsFile(origin, _LEADS_NOWHERE, detail="redirects lead nowhere")


def _file(origin: str, answer: Response) -> RobotsFile:
    if not 200 <= answer.status < 300:
        return RobotsFile(origin, answer.status)
    body = answer.body
    if answer.truncated or len(body) > MAX_ROBOTS_BYTES:
        if len(body) < MAX_ROBOTS_BYTES:  # cut short on its way: what is missing may forbid
            return RobotsFile(origin, None, detail="ended before its length", reason=Reason.BAD_FRAMING)
        body = body[:MAX_ROBOTS_BYTES]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    return RobotsFile(origin, answer.status, body)


def _closed(file: RobotsFile) -> Ruling:
    if file.reason in _OWN_REASONS:
        return Ruling(file.reason, file.detail)
    what = f"status {file.status}" if file.status is not None else file.detail
    return Ruling(Reason.ROBOTS_UNREACHABLE, f"robots.txt: {what}")


def _delay_s(parser: Protego, token: str) -> float | None:
    """The longer of Crawl-delay and Request-rate."""
    delays: list[float] = []
    if (delay_s := parser.crawl_delay(token)) is not None:
        delays.append(delay_s)
    if (rate := parser.request_rate(token)) is not None and rate.requests > 0:
        delays.append(rate.seconds / rate.requests)
    return max(delays) if delays else None
