"""Keeps the crawler away from machines that strangers' links must never reach (server-side request forgery).

A link, a redirect or a name server may point a crawler at the computer it runs on, at the network behind it
or at a cloud's metadata service. So a host name is resolved once, *every* answer is checked, and the socket
is opened to the address that was checked; an answer that mixes public and inner addresses is refused whole.
`Guard.socket` is asked again by the connection itself, so that no path around the resolver exists. The rules
hold at every hop, robots.txt included, because they sit below the HTTP client.

`ipaddress.is_global` alone is no guard: it is true for NAT64, 6to4 and multicast addresses, and `is_private`
is false for the shared space of carriers. Embedded IPv4 addresses are unwrapped first, then both are asked,
then lists: of IPv6, only what is given out at all is global, and no list of what is refused would ever be
complete.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import ada_url
from aiohttp.abc import AbstractResolver, ResolveResult

from bizcrawl.reasons import ALLOWED, Reason, Ruling
from bizcrawl.urls import authority_of

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""All addresses of a host name, as texts; raises OSError when there is none."""

DEFAULT_PORTS = frozenset({80, 443, 8000, 8008, 8080, 8081, 8443, 8888})
"""Ports on which public web sites are served. Others are mostly not the Web (HAZARDS row 12)."""

RESOLVING_THREADS = 64
"""Names that are looked up at once."""

_REFUSED = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "240.0.0.0/4",
        "2001::/23",
        "2002::/16",
        "3ffe::/16",
        "3fff::/20",
    )
)
_GIVEN_OUT = ipaddress.ip_network("2000::/3")
"""The part of IPv6 from which the registries give out public addresses."""
_INNER = tuple(
    ipaddress.ip_network(text)
    for text in (
        "10.0.0.0/8",
        "127.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "100.64.0.0/10",
        "::1/128",
        "fc00::/7",
    )
)
_CREDENTIALS = tuple(
    ipaddress.ip_network(text)
    for text in (
        "100.100.100.200/32",  # Alibaba
        "168.63.129.16/32",  # Azure's WireServer: an address like any other, but answered by the host machine
        "192.0.0.192/32",  # Oracle
        "fd00:42::42/128",  # Scaleway
        "fd00:a9fe:a9fe::/48",  # Akamai
        "fd00:c1::a9fe:a9fe/128",  # Oracle
        "fd00:ec2::/32",  # Amazon
        "fd20:ce::254/128",  # Google
    )
)
"""Where clouds keep their credentials, beside the link-local addresses; never allowed."""
_HOLDING_IPV4 = tuple(ipaddress.ip_network(text) for text in ("64:ff9b::/96", "::ffff:0:0:0/96"))
"""NAT64, and IPv4-translated (SIIT): the last 32 bits are an IPv4 address, which is what is reached."""


class ForbiddenAddressError(OSError):
    """A connection that the rules forbid; raised inside the HTTP client, so it is an OSError."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def unwrapped(address: Address) -> Address:
    """The IPv4 address that a mapped, translated, compatible or NAT64 address is a spelling of; others as is.

    6to4 and Teredo hold IPv4 addresses too, but lead through strangers' relays: they are refused whole.
    """
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped:
        return address.ipv4_mapped
    low = int(address) & 0xFFFF_FFFF
    if _within(address, _HOLDING_IPV4) or (int(address) >> 32 == 0 and low > 1):
        return ipaddress.IPv4Address(low)
    return address


@dataclass(frozen=True, slots=True)
class AddressRules:
    """Which addresses and ports may be connected to."""

    allow_private: bool = False
    """Loopback and private networks too, on any port, for sites one owns. Link-local and other addresses at
    which clouds keep their credentials stay forbidden, and so do multicast and reserved ones."""
    ports: frozenset[int] = DEFAULT_PORTS
    """Ports of public addresses."""

    def address(self, text: str, port: int) -> Ruling:
        """Whether a socket may be opened to an address given as text."""
        try:
            address = unwrapped(ipaddress.ip_address(text.partition("%")[0]))
        except ValueError:
            return Ruling(Reason.FORBIDDEN_ADDRESS, f"{text} is not an IP address")
        if self.allow_private and _within(address, _INNER) and not _within(address, _CREDENTIALS):
            return ALLOWED
        if not _is_public(address):
            return Ruling(Reason.FORBIDDEN_ADDRESS, f"{text} is not an address of the public Internet")
        if port not in self.ports:
            return Ruling(Reason.FORBIDDEN_PORT, f"port {port} is not one of the Web's")
        return ALLOWED

    def url(self, url: str) -> Ruling:
        """What can be said of a URL before its host is resolved: scheme, port, address if it is one."""
        return _ruling(self, authority_of(url))


@lru_cache(maxsize=65_536)
def _ruling(rules: AddressRules, authority: str) -> Ruling:
    try:
        parsed = ada_url.URL(authority)
    except ValueError:
        return Ruling(Reason.BAD_URL, "not a URL")
    if parsed.protocol not in {"http:", "https:"}:
        return Ruling(Reason.NOT_HTTP, f"{parsed.protocol.rstrip(':')} is not http or https")
    port = int(parsed.port) if parsed.port else (443 if parsed.protocol == "https:" else 80)
    if literal := address_in(parsed.hostname):
        return rules.address(literal, port)
    if not rules.allow_private and port not in rules.ports:
        return Ruling(Reason.FORBIDDEN_PORT, f"port {port} is not one of the Web's")
    return ALLOWED


def _is_public(address: Address) -> bool:
    if not address.is_global or address.is_multicast or (address.version == 6 and address not in _GIVEN_OUT):
        return False
    return not _within(address, _REFUSED) and not _within(address, _CREDENTIALS)


def _within(address: Address, networks: Sequence[Network]) -> bool:
    """Whether an address lies in one of some networks; none holds addresses of the other version."""
    return any(address in network for network in networks)


def address_in(host: str) -> str | None:
    """The IP address that a host is, brackets off; None for a name. The URL parser undid odd notations."""
    text = host.strip("[]")
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None


class SystemResolver:
    """Addresses by the operating system, in threads of its own: slow name servers hold up nothing else."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(RESOLVING_THREADS, thread_name_prefix="dns")

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """See `Resolve`."""
        found = await asyncio.get_running_loop().run_in_executor(self._pool, _getaddrinfo, host, port)
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))

    def close(self) -> None:
        """Let the threads end; answers still awaited are given up."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _getaddrinfo(host: str, port: int) -> list[tuple[Any, ...]]:
    return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG))


class Guard(AbstractResolver):
    """The rules as hooks of an HTTP client: a resolver that checks all answers, the maker of its sockets."""

    def __init__(
        self, rules: AddressRules, resolve: Resolve, trusted: frozenset[tuple[str, int]] = frozenset()
    ) -> None:
        self._rules = rules
        self._resolve = resolve
        self._trusted = trusted
        self._trusted_addresses: set[tuple[str, int]] = set()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """All addresses of a host, each checked; raises `ForbiddenAddressError` if any is forbidden.

        Hosts in `trusted` (the user's own proxy) are exempt.
        """
        try:
            addresses = await self._resolve(host, port)
        except UnicodeError as error:  # a label of no or too many letters
            raise OSError(f"{host} is no name that can be looked up: {error}") from error
        if not addresses:
            raise OSError(f"{host} has no address")
        trusted = (host, port) in self._trusted
        for text in addresses:
            if trusted:
                self._trusted_addresses.add((text, port))
            elif ruling := self._forbids(text, port):
                raise ruling
        return [_result(host, text, port) for text in addresses]

    def socket(self, info: tuple[Any, ...]) -> socket.socket:
        """A socket for one address, checked once more at the last moment before connecting."""
        family, kind, protocol, _, target = info
        text, port = str(target[0]), int(target[1])
        known = (text, port) in self._trusted_addresses or (text, port) in self._trusted
        if not known and (error := self._forbids(text, port)):
            raise error
        return socket.socket(family, kind, protocol)

    async def close(self) -> None:
        """Nothing to let go of: the resolver belongs to its maker."""

    def _forbids(self, text: str, port: int) -> ForbiddenAddressError | None:
        ruling = self._rules.address(text, port)
        return ForbiddenAddressError(ruling.reason, ruling.detail) if ruling.reason else None


def _result(host: str, text: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    return ResolveResult(
        hostname=host, host=text, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST
    )
