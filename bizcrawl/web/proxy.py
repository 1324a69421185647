"""HTTP and SOCKS proxies: requests leave through one machine that the user names.

A proxy is trusted as far as its own address goes. Through ``socks5://`` the names of the Web are still
resolved and checked here, and the proxy is given the address; through ``http://`` and ``socks5h://`` the
proxy resolves names, so what it may reach is its owner's to say, and only literal addresses are checked here.
Its password is sent to it alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import ada_url
import aiohttp
from aiohttp_socks import ProxyConnector
from python_socks import ProxyType

from bizcrawl.errors import WrongUse

_SOCKS = {"socks4:": ProxyType.SOCKS4, "socks5:": ProxyType.SOCKS5, "socks5h:": ProxyType.SOCKS5}
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
                f"--proxy: {parsed.protocol}// is none of http://, socks4://, socks5://, socks5h://"
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
        if self.protocol in _SOCKS:
            return {}
        host = f"[{self.host}]" if ":" in self.host else self.host
        found: dict[str, Any] = {"proxy": f"http://{host}:{self.port}"}
        if self.username:
            found["proxy_auth"] = aiohttp.BasicAuth(self.username, self.password)
        return found

    def connector(self, arguments: dict[str, Any]) -> aiohttp.TCPConnector:
        """The connector for this proxy, with the arguments of a plain one."""
        if self.protocol not in _SOCKS:
            return aiohttp.TCPConnector(**arguments)
        return ProxyConnector(
            proxy_type=_SOCKS[self.protocol],
            host=self.host,
            port=self.port,
            username=self.username or None,
            password=self.password or None,
            rdns=self.protocol == "socks5h:",
            **arguments,
        )
