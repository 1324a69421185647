"""How the browser's connections leave this machine: straight to an address that was checked, or by the user's
proxy.

Both promise what `LiveWeb` promises: no connection to an address that `netguard` forbids.
"""

from __future__ import annotations

import asyncio
import base64
import socket
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from python_socks import ProxyConnectionError, ProxyError, ProxyTimeoutError, ProxyType
from python_socks.async_.asyncio import Proxy as SocksProxy

from bizcrawl.netguard import AddressRules, ForbiddenAddressError, Guard, Resolve
from bizcrawl.web.proxy import SOCKS, Proxy
from bizcrawl.web.proxy_head import MAX_HEAD_BYTES

CONNECT_S = 10.0
_KINDS = {"http:": ProxyType.HTTP, **SOCKS}


class Way(NamedTuple):
    """An open connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    to_proxy: bool = False
    """Requests must name the whole URL, with `fields` besides."""
    fields: tuple[tuple[str, str], ...] = ()


class Route(Protocol):
    """Opens connections for the browser."""

    async def open(self, host: str, port: int, *, tunnel: bool) -> Way:
        """A connection to a host, for a tunnel or for one plain request. Raises OSError, which
        `ForbiddenAddressError` is.
        """
        ...


class DirectRoute:
    """Resolves, checks every address, and connects to one that was checked."""

    def __init__(self, rules: AddressRules, resolve: Resolve) -> None:
        self._guard = Guard(rules, resolve)

    async def open(self, host: str, port: int, *, tunnel: bool) -> Way:
        """See `Route`."""
        del tunnel  # both are the same here
        fault: OSError | None = None
        for found in await self._guard.resolve(host, port):
            place = (found["host"], port)
            opened = self._guard.socket((found["family"], socket.SOCK_STREAM, 0, "", place))
            try:
                opened.setblocking(False)
                async with asyncio.timeout(CONNECT_S):
                    await asyncio.get_running_loop().sock_connect(opened, place)
                return Way(*await asyncio.open_connection(sock=opened, limit=MAX_HEAD_BYTES))
            except OSError as error:  # TimeoutError too
                opened.close()
                fault = error
            except BaseException:
                opened.close()
                raise
        raise fault or OSError(f"{host} has no address")


@dataclass(frozen=True, slots=True)
class ProxyRoute:
    """By the proxy that the user named. Names it resolves are its owner's business; literal addresses and,
    for ``socks5://``, all names are checked here.
    """

    proxy: Proxy
    rules: AddressRules
    resolve: Resolve

    async def open(self, host: str, port: int, *, tunnel: bool) -> Way:
        """See `Route`."""
        bracketed = f"[{host}]" if ":" in host else host
        ruling = self.rules.url(f"{'https' if tunnel else 'http'}://{bracketed}:{port}/")
        if ruling.reason:
            raise ForbiddenAddressError(ruling.reason, ruling.detail)
        if self.proxy.protocol == "http:" and not tunnel:
            opened = await asyncio.open_connection(self.proxy.host, self.proxy.port, limit=MAX_HEAD_BYTES)
            return Way(*opened, to_proxy=True, fields=self._password())
        if self.proxy.protocol in {"socks4:", "socks5:"}:
            host = (await Guard(self.rules, self.resolve).resolve(host, port))[0]["host"]
        proxy = SocksProxy(
            _KINDS[self.proxy.protocol],
            self.proxy.host,
            self.proxy.port,
            username=self.proxy.username or None,
            password=self.proxy.password or None,
            rdns=self.proxy.protocol != "socks5:",
        )
        try:
            through = await proxy.connect(host, port, timeout=CONNECT_S)
        except (ProxyError, ProxyConnectionError, ProxyTimeoutError) as error:
            raise ConnectionError(str(error)) from error
        return Way(*await asyncio.open_connection(sock=through, limit=MAX_HEAD_BYTES))

    def _password(self) -> tuple[tuple[str, str], ...]:
        if not self.proxy.username:
            return ()
        secret = base64.b64encode(f"{self.proxy.username}:{self.proxy.password}".encode()).decode()
        return (("Proxy-Authorization", f"Basic {secret}"),)
