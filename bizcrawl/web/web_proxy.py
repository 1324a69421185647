"""Any Web behind an HTTP forward proxy on loopback, so that browsers and other crawlers can visit it.

Plain requests are answered from the Web behind it. For https the proxy accepts CONNECT and speaks TLS itself,
with certificates of a throw-away authority that its clients must trust (`WebProxy.authority_pem`). What the
Web behind has no answer for is 404, with an ``x-bizcrawl-failure`` field that names the reason. GET and HEAD
only.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import Counter
from functools import lru_cache

from bizcrawl.urls import parse
from bizcrawl.web import Failure, Request, Response, Web
from bizcrawl.web.certificates import Authority
from bizcrawl.web.fields import status_line
from bizcrawl.web.loopback_proxy import LoopbackProxy
from bizcrawl.web.proxy_head import BadHeadError, Head, place_of, read_head

_MAX_REQUEST_BODY_BYTES = 1 << 20
_NOT_SENT_ON = frozenset(
    {
        "connection",
        "content-encoding",
        "content-length",
        "keep-alive",
        "strict-transport-security",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Fields that speak of the first connection, or would send a browser to pages that were never recorded."""


class WebProxy(LoopbackProxy):
    """Serves `web` while it is entered. Does not close the web."""

    def __init__(self, web: Web, *, port: int = 0, max_body_bytes: int | None = None) -> None:
        """`port` 0 takes any that is free. `max_body_bytes` overrides the web's own page cap."""
        super().__init__(port)
        self.answered: Counter[int] = Counter()
        """Answers given, by status."""
        self._web = web
        self._max_body_bytes = max_body_bytes
        self._authority = Authority()
        self._context = lru_cache(maxsize=10_000)(self._new_context)

    @property
    def authority_pem(self) -> bytes:
        """The certificate that clients of https pages must trust."""
        return self._authority.pem

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._converse(reader, writer)
        except (OSError, ssl.SSLError, asyncio.IncompleteReadError):
            pass  # the client has gone
        except BadHeadError as error:
            writer.write(_packed(400, {}, str(error).encode(), keeps_alive=False))

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request after the other until either side has had enough."""
        origin = ""
        while (head := await read_head(reader)) is not None:
            if head.method == "CONNECT" and not origin:
                host, port = place_of(head.target)
                context = self._context(host)
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await writer.drain()
                await writer.start_tls(context)
                origin = f"https://{_bracketed(host)}:{port}"
                continue
            if not 0 <= head.body_bytes <= _MAX_REQUEST_BODY_BYTES:
                raise BadHeadError("a body of that length is not read")
            await reader.readexactly(head.body_bytes)
            writer.write(await self._answer(head, origin))
            await writer.drain()
            if not head.keeps_alive:
                return

    async def _answer(self, head: Head, origin: str) -> bytes:
        if head.method not in {"GET", "HEAD"}:
            return self._count(405, {"allow": "GET, HEAD"}, b"", head)
        if head.target.startswith("/"):  # inside a tunnel, or from a client that was told this is the server
            url = parse((origin or f"http://{head.field('host')}") + head.target)
        else:
            url = parse(head.target)
        if url is None:
            return self._count(400, {}, b"not an http or https URL", head)
        answer = await self._web.fetch(Request(url, max_body_bytes=self._max_body_bytes))
        if isinstance(answer, Failure):
            return self._count(404, {"x-bizcrawl-failure": answer.reason.value}, b"", head)
        return self._count(answer.status, _sent_on(answer), answer.body, head)

    def _count(self, status: int, fields: dict[str, str], body: bytes, head: Head) -> bytes:
        self.answered[status] += 1
        return _packed(status, fields, body, head.keeps_alive, with_body=head.method != "HEAD")

    def _new_context(self, host: str) -> ssl.SSLContext:
        try:
            return self._authority.context(host)
        except ValueError:
            raise BadHeadError(f"no certificate can be made for {host}") from None


def _sent_on(answer: Response) -> dict[str, str]:
    return {
        name: value
        for name, value in answer.headers.items()
        if name not in _NOT_SENT_ON and not name.startswith("x-archive-orig-")
    }


def _packed(
    status: int, fields: dict[str, str], body: bytes, keeps_alive: bool, *, with_body: bool = True
) -> bytes:
    lines = [status_line(status)]
    lines += [f"{name}: {' '.join(value.split())}" for name, value in fields.items()]
    if status not in {204, 304}:
        lines.append(f"content-length: {len(body)}")
    lines.append(f"connection: {'keep-alive' if keeps_alive else 'close'}")
    head = "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n"
    return head + body if with_body and status not in {204, 304} else head


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
