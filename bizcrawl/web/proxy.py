"""HTTP and SOCKS proxies: requests leave through one machine that the user names.

A proxy is trusted as far as its own address goes. Through ``socks5://`` the names of the Web are still
resolved and checked here, and the proxy is given the address; through ``http://`` and ``socks5h://`` the
proxy resolves names, so what it may reach is its owner's to say, and only literal addresses are checked here.
Its password is sent to it alone.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from ssl import SSLContext
from typing import Any
from urllib.parse import quote, unquote

import ada_url
import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.client_proto import ResponseHandler
from aiohttp_socks import ProxyConnector
from python_socks import ProxyType

from bizcrawl.errors import WrongUse

SOCKS = {"socks4:": ProxyType.SOCKS4, "socks5:": ProxyType.SOCKS5, "socks5h:": ProxyType.SOCKS5}
"""Kinds of SOCKS proxies, by protocol."""
_PORTS = {"http:": 80, "socks4:": 1080, "socks5:": 1080, "socks5h:": 1080}


@dataclass(frozen=True, slots=True)
class Proxy:
    """One proxy, with the user's name and password for it."""

    protocol: str
    host: str
    port: int
    username: str = ""
    password: str = ""

    @classmethod
    def of(cls, url: str) -> Proxy:
        """Read a proxy's URL. Raises `WrongUse` for anything but http, socks4, socks5 and socks5h."""
        try:
            parsed = ada_url.URL(url)
        except ValueError as error:
            raise WrongUse(f"--proxy: {url} is not a URL such as http://proxy.example:3128") from error
        if parsed.protocol not in _PORTS or not parsed.hostname:
            raise WrongUse(
                f"--proxy: {parsed.protocol}// can't be used; begin it with http://, socks4://, socks5:// or socks5h://"
            )
        port = int(parsed.port) if parsed.port else _PORTS[parsed.protocol]
        host = parsed.hostname.strip("[]")
        return cls(parsed.protocol, host, port, unquote(parsed.username), unquote(parsed.password))

    @property
    def place(self) -> tuple[str, int]:
        """Host and port, exempt from the address rules."""
        return self.host, self.port

    @property
    def arguments(self) -> dict[str, Any]:
        """What each request of an HTTP client must be given."""
        if self.protocol in SOCKS:
            return {}
        host = f"[{self.host}]" if ":" in self.host else self.host
        user = f"{quote(self.username, '')}:{quote(self.password, '')}@" if self.username else ""
        return {"proxy": f"http://{user}{host}:{self.port}"}

    def connector(self, arguments: dict[str, Any]) -> aiohttp.TCPConnector:
        """The connector for this proxy, with the arguments of a plain one."""
        if self.protocol not in SOCKS:
            return aiohttp.TCPConnector(**arguments)
        place: dict[str, Any] = {
            "proxy_type": SOCKS[self.protocol],
            "host": self.host,
            "port": self.port,
            "username": self.username or None,
            "password": self.password or None,
        }
        if self.protocol == "socks5h:":
            return ProxyConnector(rdns=True, **place, **arguments)
        return _CheckedConnector(guard=arguments["resolver"], **place, **arguments)


class _CheckedConnector(ProxyConnector):
    """Tells the proxy an address that the guard has checked; TLS still asks for the name."""

    def __init__(self, *, guard: AbstractResolver, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._guard = guard

    async def _connect_via_proxy(
        self, host: str, port: int, ssl: SSLContext | None = None, timeout: float | None = None
    ) -> tuple[asyncio.Transport, ResponseHandler]:
        checked = await self._guard.resolve(host, port)
        transport, protocol = await super()._connect_via_proxy(checked[0]["host"], port, None, timeout)
        if ssl is None:
            return transport, protocol
        loop = asyncio.get_running_loop()
        secured = await loop.start_tls(transport, protocol, ssl, server_hostname=host)
        if secured is None:
            raise ConnectionError("the connection ended in the TLS handshake")
        protocol.connection_made(secured)
        return secured, protocol
