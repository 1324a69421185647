"""What our two proxies share: connections on loopback, each answered by itself, all cut off at the end."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Self

from bizcrawl.web.proxy_head import MAX_HEAD_BYTES


class LoopbackProxy(ABC):
    """Serves while it is entered."""

    def __init__(self, port: int = 0) -> None:
        """`port` 0 takes any that is free."""
        self._port = port
        self._server: asyncio.Server | None = None
        self._clients: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}
        """Connections, and who serves each."""

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
        serving = list(self._clients.items())
        for client, server in serving:
            client.transport.abort()
            if server is not None:
                server.cancel()
        await asyncio.gather(*filter(None, (server for _, server in serving)), return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients[writer] = asyncio.current_task()
        try:
            with suppress(asyncio.CancelledError):  # asyncio prints a traceback of each that ends so
                await self._serve(reader, writer)
        finally:
            del self._clients[writer]
            writer.close()

    @abstractmethod
    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection, which is closed afterwards."""
