"""What our two proxies share: connections on loopback, each answered by itself, all cut off at the end."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import Self

from bizcrawl.web.proxy_head import MAX_HEAD_BYTES


class LoopbackProxy(ABC):
    """Serves while it is entered."""

    def __init__(self, port: int = 0) -> None:
        """`port` 0 takes any that is free."""
        self._port = port
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.StreamWriter] = set()

    @property
    def address(self) -> str:
        """``127.0.0.1:port`` of the running proxy."""
        assert self._server is not None, "the proxy is not running"
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._accept, "127.0.0.1", self._port, limit=MAX_HEAD_BYTES, backlog=1024
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for client in list(self._clients):
            client.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients.add(writer)
        try:
            await self._serve(reader, writer)
        finally:
            self._clients.discard(writer)
            writer.close()

    @abstractmethod
    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection, which is closed afterwards."""
