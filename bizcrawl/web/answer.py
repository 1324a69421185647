"""What the HTTP client gives back, with two things mended: who answered, and when a broken body ends."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp


class Answer(aiohttp.ClientResponse):
    """A response that remembers who gave it, and whose reader learns at once when the connection ends."""

    peer: str = ""

    async def start(self, connection: Any) -> aiohttp.ClientResponse:
        protocol = connection.protocol
        if connection.transport is not None:
            name = connection.transport.get_extra_info("peername")
            self.peer = str(name[0]) if name else ""
        await super().start(connection)
        if not self.content.is_eof() and (closed := protocol.closed) is not None:
            _end_with(closed, self.content)
        return self


def _end_with(closed: asyncio.Future[None], content: aiohttp.StreamReader) -> None:
    """Wake the reader of a body when its connection ends.

    The HTTP client closes the connection at a fault within the chunks of a body but leaves its reader
    waiting.
    """

    def tell(_: asyncio.Future[None]) -> None:
        if not content.is_eof() and content.exception() is None:
            content.set_exception(aiohttp.ClientPayloadError("the connection ended within the body"))

    def forget() -> None:
        closed.remove_done_callback(tell)

    closed.add_done_callback(tell)
    content.on_eof(forget)
