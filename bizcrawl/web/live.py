"""The live Web: one HTTP request, within limits, to an address that was checked.

`LiveWeb` promises for every request: one named outcome; no connection to an address that `netguard` forbids;
an end within the deadline, however the server drips; no more memory than the caps, whatever the server packs;
TLS verified but for hosts named by the user; and nothing secret sent anywhere but to the origin for which the
user gave it. Redirects are not followed here: `bizcrawl.download` makes a new request of each, so that all
rules are asked again.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import ada_url
import aiohttp
import yarl

from bizcrawl.netguard import AddressRules, Guard, Resolve, SystemResolver
from bizcrawl.reasons import Reason
from bizcrawl.urls import authority_of, host_of, key_of
from bizcrawl.user_agent import user_agent_of
from bizcrawl.web import Failure, Request, Response
from bizcrawl.web.answer import Answer
from bizcrawl.web.codings import BombError, DecodingError
from bizcrawl.web.content import may_be_html
from bizcrawl.web.cookies import Cookies
from bizcrawl.web.decoding import Body
from bizcrawl.web.faults import failure_of
from bizcrawl.web.fields import joined, sent_s
from bizcrawl.web.proxy import Proxy
from bizcrawl.web.unverified import hosts_named, unverified

_ERROR_BODY_BYTES = 65_536
"""As much is read of the body of a redirect or an error page."""
_ERROR_BODY_SHARE = 0.1
"""So much of a request's time is waited for it: status and fields have said all by then."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may use."""

    timeout_s: float = 10.0
    """From the first packet to the last byte (R56)."""
    connect_s: float = 10.0
    first_byte_s: float = 10.0
    min_bytes_per_s: float = 500.0
    """Mean rate of a body, once it has taken longer than `grace_s`; slower ones are given up."""
    grace_s: float = 5.0
    max_header_bytes: int = 65_536
    max_header_lines: int = 256
    max_body_bytes: int = 1 << 20
    """Page cap: decoded bytes that are kept of a body."""
    max_ratio: int = 100
    """Decoded bytes for each byte sent, once there is more than a megabyte of them."""


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """How the crawler appears, and what it may do."""

    user_agent: str = ""
    """"" for the product's own name, which robots.txt then knows it by."""
    contact: str = ""
    """Where the owner of a site can complain: an e-mail address or a URL; stands in the User-Agent."""
    connections: int = 32
    """Requests at once, to all hosts together."""
    limits: Limits = field(default_factory=Limits)
    addresses: AddressRules = field(default_factory=AddressRules)
    insecure_hosts: frozenset[str] = frozenset()
    """Hosts whose certificates are not verified."""
    tls: ssl.SSLContext | None = None
    """Certificates to trust; None for the system's."""
    cookies: bool = False
    """Keep a jar for each scheme, host and port."""
    proxy: str = ""
    """``http://``, ``socks5://`` (names are resolved and checked here) or ``socks5h://`` URL of a proxy."""
    origin_headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Headers such as Authorization by origin (``https://intranet.example``); never sent to another origin.
    """
    keepalive_s: float = 15.0


class LiveWeb:
    """The `Web` of aiohttp. Make it anywhere; it opens its session at the first request."""

    def __init__(
        self,
        options: LiveOptions | None = None,
        *,
        resolve: Resolve | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`resolve` finds the addresses of a name (the system's resolver by default); raises `WrongUse` for a
        bad proxy, and for an insecure host that is no host.
        """
        self.options = options or LiveOptions()
        self.user_agent = user_agent_of(self.options.user_agent, self.options.contact)
        self._system: SystemResolver | None = None
        if resolve is None:
            self._system = resolve = SystemResolver()
        self._proxy = Proxy.of(self.options.proxy) if self.options.proxy else None
        trusted = frozenset({self._proxy.place}) if self._proxy else frozenset()
        self._guard = Guard(self.options.addresses, resolve, trusted)
        self._clock = clock
        self._now = now
        self._cookies = Cookies(clock) if self.options.cookies else None
        self._slots = asyncio.Semaphore(self.options.connections)
        self._session: aiohttp.ClientSession | None = None
        self._insecure_hosts = hosts_named(self.options.insecure_hosts)
        self._insecure = unverified() if self._insecure_hosts else None

    async def fetch(self, request: Request) -> Response | Failure:
        """Make one hop. Never raises for anything a server does."""
        limits = self.options.limits
        ruling = self.options.addresses.url(request.url)
        if ruling.reason:
            return Failure(request.url, ruling.reason, ruling.detail)
        async with self._slots:
            try:
                async with asyncio.timeout(limits.timeout_s):
                    return await self._hop(request)
            except TimeoutError:
                return Failure(request.url, Reason.TIMEOUT, f"no whole answer in {limits.timeout_s:g} s")
            except Exception as error:  # a server can provoke any of the client's exceptions
                return Failure(request.url, *failure_of(error))

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None
        if self._system is not None:
            self._system.close()

    async def _hop(self, request: Request) -> Response | Failure:
        limits = self.options.limits
        started_s = self._clock()
        place = _place(authority_of(request.url))
        url = yarl.URL(place.without_user(request.url), encoded=True)
        if url.raw_host != place.host:
            return Failure(request.url, Reason.BAD_URL, "two readings of its host")
        session = self._session or self._open()
        opening = session.get(
            url,
            headers=self._headers(request, place.origin),
            allow_redirects=False,
            ssl=self._insecure if self._insecure and host_of(request.url) in self._insecure_hosts else True,
            **(self._proxy.arguments if self._proxy else {}),
        )
        if limits.first_byte_s < limits.timeout_s:
            async with asyncio.timeout(limits.first_byte_s):
                answer = await opening
        else:
            answer = await opening
        try:
            return await self._read(request, answer, started_s)
        finally:
            answer.release()

    async def _read(
        self, request: Request, answer: aiohttp.ClientResponse, started_s: float
    ) -> Response | Failure:
        limits = self.options.limits
        raw = answer.raw_headers
        if (size := sum(len(name) + len(value) + 4 for name, value in raw)) > limits.max_header_bytes:
            return Failure(request.url, Reason.BAD_HEADERS, f"{size} bytes of headers")
        headers = joined(raw)
        if self._cookies is not None:
            now_s = sent_s(headers, self._now().timestamp())
            self._cookies.take(request.url, answer.headers.getall("Set-Cookie", ()), now_s)
        cap = request.max_body_bytes or limits.max_body_bytes
        if not 200 <= answer.status < 300:
            cap = min(cap, _ERROR_BODY_BYTES)
        body = Body(headers.get("content-encoding", ""), cap + 1, limits.max_ratio)
        torn = False
        if answer.status in {204, 205, 304}:
            pass
        elif request.max_body_bytes is None and not may_be_html(headers.get("content-type", "")):
            torn = True  # nothing that could be a page: its bytes are not worth the owner's line
        elif 200 <= answer.status < 300:
            fault = await self._pour(answer, body)
            if isinstance(fault, Failure):
                return fault
            torn = fault
        else:  # no fault of its body makes a redirect lead nowhere, or a missing robots.txt unreadable
            torn = True
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_ERROR_BODY_SHARE * limits.timeout_s):
                    torn = await self._pour(answer, body) is not False
        content = body.content
        return Response(
            url=request.url,
            status=answer.status,
            headers=headers,
            body=content[:cap],
            fetched_at=self._now(),
            elapsed_s=self._clock() - started_s,
            wire_bytes=body.wire_bytes,
            truncated=torn or len(content) > cap,
            # who is spoken to through a proxy is not known, and hosts do not share its place
            address=answer.peer if isinstance(answer, Answer) and not self._proxy else "",
        )

    async def _pour(self, answer: aiohttp.ClientResponse, body: Body) -> Failure | bool:
        """Read a body into its decoder; True if it ended before its announced length."""
        limits, url = self.options.limits, str(answer.url)
        started_s = self._clock()
        content = answer.content
        try:
            while not body.full:
                piece = await content.readany()
                if not piece:
                    break
                body.feed(piece)
                took_s = self._clock() - started_s
                if took_s > limits.grace_s and body.wire_bytes < took_s * limits.min_bytes_per_s:
                    return Failure(url, Reason.TOO_SLOW, f"{body.wire_bytes / took_s:.0f} bytes/s")
            body.close()
        except BombError as error:
            return Failure(url, Reason.BOMB, str(error))
        except DecodingError as error:
            return True if body.content else Failure(url, Reason.BAD_ENCODING, str(error))
        except (aiohttp.ClientPayloadError, aiohttp.ClientConnectionError) as error:
            return True if body.content else Failure(url, Reason.BAD_FRAMING, failure_of(error)[1])
        return body.torn

    def _headers(self, request: Request, origin: str) -> dict[str, str]:
        headers = dict(request.headers)
        if self.options.origin_headers:
            headers.update(self.options.origin_headers.get(origin, {}))
        if self._cookies is not None and (cookies := self._cookies.header(request.url)):
            headers["Cookie"] = cookies
        return headers

    def _open(self) -> aiohttp.ClientSession:
        limits, options = self.options.limits, self.options
        _allow_files()
        arguments: dict[str, Any] = {
            "limit": 0,  # `_slots` counts, so that waiting for a slot is not counted against a request's time
            "keepalive_timeout": options.keepalive_s,
            "resolver": self._guard,
            "socket_factory": self._guard.socket,
            "ttl_dns_cache": 300,
            "ssl": options.tls or ssl.create_default_context(),
        }
        connector = self._proxy.connector(arguments) if self._proxy else aiohttp.TCPConnector(**arguments)
        self._session = aiohttp.ClientSession(
            connector=connector,
            response_class=Answer,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=limits.connect_s),
            max_field_size=limits.max_header_bytes,
            max_headers=limits.max_header_lines,
            headers={
                "User-Agent": self.user_agent,
                "Accept": "text/html,application/xhtml+xml,*/*;q=0.1",
                "Accept-Encoding": "gzip, deflate, br, zstd",
            },
        )
        return self._session


@dataclass(frozen=True, slots=True)
class _Place:
    """What the authority of a URL says."""

    host: str
    origin: str
    has_user: bool

    def without_user(self, url: str) -> str:
        """The URL to ask for: user names and passwords that stand in links are never sent."""
        return key_of(url) if self.has_user else url


@lru_cache(maxsize=16_384)
def _place(authority: str) -> _Place:
    parsed = ada_url.URL(authority)
    return _Place(parsed.hostname.strip("[]"), parsed.origin, bool(parsed.username or parsed.password))


def _allow_files() -> None:
    """Let the process hold as many sockets as the system lets it: a thousand hosts keep as many alive."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(ValueError, OSError):  # some systems say "unlimited" and do not mean it
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
