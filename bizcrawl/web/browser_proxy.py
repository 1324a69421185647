"""The one way out of the browser: a forward proxy on loopback that lets through only what the crawler itself
may reach.

A browser resolves names, follows redirects and opens sockets as pages ask it to, and hooks inside it do not
see all of that (redirect hops, service workers, web sockets). So it is given no network but this proxy, and
every connection, CONNECT or plain, is checked here, where it is made. What is refused is 403 and counted by
reason.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Final

import ada_url

from bizcrawl.netguard import ForbiddenAddressError
from bizcrawl.reasons import Reason
from bizcrawl.web.browser_route import Route, Way
from bizcrawl.web.loopback_proxy import LoopbackProxy
from bizcrawl.web.proxy_head import IDLE_S, BadHeadError, Head, place_of, read_head

_PIECE_BYTES: Final = 65_536
_BROWSERS_OWN: Final = frozenset(
    {
        "accounts.google.com",
        "android.clients.google.com",
        "clients2.google.com",
        "clients4.google.com",
        "content-autofill.googleapis.com",
        "edgedl.me.gvt1.com",
        "mtalk.google.com",
        "optimizationguide-pa.googleapis.com",
        "redirector.gvt1.com",
        "safebrowsing.googleapis.com",
        "update.googleapis.com",
    }
)
"""Whom a whole Chromium calls of its own accord (updates, sign-in), whatever its switches say: nobody asked
it to.
"""
_HOP_FIELDS: Final = frozenset({"connection", "proxy-connection", "keep-alive", "proxy-authorization"})


class BrowserProxy(LoopbackProxy):
    """Filters while it is entered; `address` is then what the browser must be told."""

    def __init__(self, route: Route, refused: Counter[Reason] | None = None) -> None:
        """`refused` is where connections that are not made are counted, by reason."""
        super().__init__()
        self.refused = Counter() if refused is None else refused
        self._route = route

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of the browser, which carries one request or one tunnel."""
        try:
            head = await read_head(reader)
            if head is not None:
                await self._forward(head, reader, writer)
        except BadHeadError:
            writer.write(_refusal(400))
        except ForbiddenAddressError as error:
            self.refused[error.reason] += 1
            writer.write(_refusal(403))
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            writer.write(_refusal(502))

    async def _forward(self, head: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if head.method == "CONNECT":
            host, port = place_of(head.target)
            if host in _BROWSERS_OWN:
                writer.write(_refusal(403))
                return
            way = await self._route.open(host, port, tunnel=True)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await _tunnel(reader, writer, way)
            return
        url = _plain_url(head.target)
        port = int(url.port) if url.port else 80
        if url.hostname in _BROWSERS_OWN:
            writer.write(_refusal(403))
            return
        way = await self._route.open(url.hostname.strip("[]"), port, tunnel=False)
        try:
            way.writer.write(_request(head, url, way))
            await _copy_request_body(head, reader, way.writer)
            await _copy_answer(way.reader, writer)
        finally:
            way.writer.close()


def _plain_url(target: str) -> ada_url.URL:
    """The URL of a plain request. Raises `BadHeadError` for all but http."""
    try:
        url = ada_url.URL(target)
    except ValueError:
        raise BadHeadError("not a URL") from None
    if url.protocol != "http:" or not url.hostname:
        raise BadHeadError("not a plain http URL")
    return url


def _request(head: Head, url: ada_url.URL, way: Way) -> bytes:
    """The request as the server must see it; the connection is for this one alone."""
    target = head.target if way.to_proxy else f"{url.pathname}{url.search}"
    fields = [(name, value) for name, value in head.fields if name.lower() not in _HOP_FIELDS]
    lines = [
        f"{head.method} {target} HTTP/1.1",
        *(f"{name}: {value}" for name, value in (*fields, *way.fields)),
    ]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1")


async def _copy_request_body(head: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    missing = head.body_bytes
    if missing < 0:
        raise BadHeadError("a body of unknown length")  # browsers send none over HTTP/1
    while missing:
        piece = await reader.read(min(missing, _PIECE_BYTES))
        if not piece:
            raise asyncio.IncompleteReadError(b"", missing)
        writer.write(piece)
        await writer.drain()
        missing -= len(piece)
    await writer.drain()


async def _copy_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on the answer, told to the browser as the last one of its connection."""
    while True:
        async with asyncio.timeout(IDLE_S):
            raw = await reader.readuntil(b"\r\n\r\n")
        first, *lines = raw[:-4].split(b"\r\n")
        kept = [
            line
            for line in lines
            if line.partition(b":")[0].strip().lower().decode("latin-1") not in _HOP_FIELDS
        ]
        writer.write(b"\r\n".join([first, *kept, b"Connection: close", b"", b""]))
        if first[9:10] != b"1":  # else an interim answer, and the final one follows
            break
    await _copy(reader, writer)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Everything until the end, or until a minute of silence."""
    with suppress(OSError):  # TimeoutError too: either side has gone
        while True:
            async with asyncio.timeout(IDLE_S):
                piece = await reader.read(_PIECE_BYTES)
            if not piece:
                return
            writer.write(piece)
            await writer.drain()


async def _tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: Way) -> None:
    """Bytes both ways until either side ends."""
    ways = [
        asyncio.ensure_future(_copy(reader, way.writer)),
        asyncio.ensure_future(_copy(way.reader, writer)),
    ]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in ways:
            task.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        way.writer.close()


def _refusal(status: int) -> bytes:
    return f"HTTP/1.1 {status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
