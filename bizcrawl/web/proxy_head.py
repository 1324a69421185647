"""The head of a request to a forward proxy (RFC 9112), as our two proxies read it."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

MAX_HEAD_BYTES = 65_536
IDLE_S = 60.0
"""A client that says nothing for so long is let go."""


class BadHeadError(ValueError):
    """What came is no HTTP request."""


class Head(NamedTuple):
    """Request line and fields."""

    method: str
    target: str
    """Absolute URL, ``host:port`` of a CONNECT, or a path."""
    fields: list[tuple[str, str]]
    """In their order, names as sent."""

    def field(self, name: str) -> str:
        """The last value of a field, "" if there is none."""
        return next((value for known, value in reversed(self.fields) if known.lower() == name), "")

    @property
    def keeps_alive(self) -> bool:
        """Whether another request may follow on the connection."""
        return "close" not in (self.field("connection") + self.field("proxy-connection")).lower()

    @property
    def body_bytes(self) -> int:
        """Announced length of the request's body; -1 for one of unknown length."""
        if self.field("transfer-encoding"):
            return -1
        length = self.field("content-length") or "0"
        if not length.isdecimal():
            raise BadHeadError(f"Content-Length {length}")
        return int(length)


async def read_head(reader: asyncio.StreamReader) -> Head | None:
    """The next request's head; None when the client has gone, or says nothing. Raises `BadHeadError`."""
    try:
        async with asyncio.timeout(IDLE_S):
            raw = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, TimeoutError, OSError):
        return None
    except asyncio.LimitOverrunError:
        raise BadHeadError("the head is too long") from None
    first, *lines = raw[:-4].decode("latin-1").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise BadHeadError("no request line of HTTP/1")
    fields = []
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or name != name.strip():
            raise BadHeadError("a line that is no field")
        fields.append((name, value.strip()))
    return Head(parts[0], parts[1], fields)


def place_of(authority: str) -> tuple[str, int]:
    """Host (brackets off) and port of a CONNECT target. Raises `BadHeadError`."""
    host, colon, port = authority.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise BadHeadError(f"CONNECT to {authority}")
    return host.strip("[]"), int(port)
