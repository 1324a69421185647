"""No request ever reaches an address that the rules forbid, however it is spelled, resolved or redirected."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl import netguard
from bizcrawl.download import Download, Rules, download
from bizcrawl.netguard import AddressRules, ForbiddenAddressError, Guard, SystemResolver, unwrapped
from bizcrawl.reasons import Reason
from bizcrawl.robots.rules import Robots
from bizcrawl.urls import parse
from bizcrawl.web import Failure, Request, Response
from bizcrawl.web.live import Limits, LiveOptions, LiveWeb

PUBLIC = [
    "93.184.216.34",
    "8.8.8.8",
    "2606:4700:4700::1111",
    "64:ff9b::808:808",
    "::ffff:8.8.8.8",
    "::ffff:0:8.8.8.8",
]
INNER = [
    "127.0.0.1",
    "127.8.9.10",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "::1",
    "fc00::1",
    "fd12::1",
]
NEVER = [
    "0.0.0.0",
    "0.1.2.3",
    "169.254.169.254",
    "100.100.100.200",
    "192.0.0.8",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "2001:db8::1",
    "2001::7f00:1",
    "2002:7f00:1::",
    "2002:808:808::",
    "168.63.129.16",
    "::ffff:168.63.129.16",
    "fd00:42::42",
    "fd00:a9fe:a9fe::1",
    "fd00:c1::a9fe:a9fe",
    "fd00:ec2::23",
    "fd00:ec2::254",
    "fd20:ce::254",
    "100::1",
    "200::1",
    "::1:808:808",
    "2001:3::1",
    "2001:4:112::1",
    "2001:20::1",
    "2001:30::1",
    "192.0.0.9",
    "3ffe::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "64:ff9b:1::1",
    "::ffff:169.254.169.254",
    "::ffff:0:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "not an address",
]
WRAPPED = [
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:0:127.0.0.1",
    "::ffff:0:a00:1",
    "64:ff9b::7f00:1",
    "64:ff9b::c0a8:101",
    "::7f00:1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_allowed(address: str) -> None:
    assert AddressRules().address(address, 443)


@pytest.mark.parametrize("address", INNER + NEVER + WRAPPED)
def test_addresses_that_are_not_public_are_forbidden(address: str) -> None:
    ruling = AddressRules().address(address, 80)
    assert ruling.reason is Reason.FORBIDDEN_ADDRESS
    assert ruling.detail


@pytest.mark.parametrize("address", INNER + WRAPPED)
def test_private_addresses_are_allowed_by_option_on_any_port(address: str) -> None:
    assert AddressRules(allow_private=True).address(address, 8099)


@pytest.mark.parametrize("address", NEVER)
def test_link_local_multicast_and_reserved_stay_forbidden_with_the_option(address: str) -> None:
    assert not AddressRules(allow_private=True).address(address, 80)


@pytest.mark.parametrize("port", [22, 25, 6379, 9200, 65535])
@pytest.mark.parametrize("allow_private", [False, True])
def test_public_addresses_on_ports_that_are_not_the_webs_are_forbidden(
    port: int, allow_private: bool
) -> None:
    assert AddressRules(allow_private).address("8.8.8.8", port).reason is Reason.FORBIDDEN_PORT


@pytest.mark.parametrize("port", [80, 443, 8000, 8008, 8080, 8081, 8443, 8888])
def test_ports_of_web_servers_are_allowed(port: int) -> None:
    assert AddressRules().address("8.8.8.8", port)
    assert AddressRules().url(f"https://shop.example:{port}/")


@given(st.ip_addresses())
def test_every_allowed_address_is_global_unicast(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if AddressRules().address(str(address), 80):
        assert address.is_global
        assert not address.is_multicast


ODD_SPELLINGS = [
    "http://0x7f.1/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http:\\\\127.0.0.1\\",
    "http://[::ffff:127.0.0.1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://127.0.0.1./",
    "http://%31%32%37.0.0.1/",
    "http://１２７.０.０.１/",
    "http://user:pass@127.0.0.1/",
    "http://8.8.8.8@127.0.0.1/",
    "http://0/",
    "http://[::]/",
    "http://[fe80::1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[64:ff9b::7f00:1]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://168.63.129.16/metadata/instance",
]


@pytest.mark.parametrize("text", ODD_SPELLINGS)
async def test_no_spelling_of_an_inner_address_is_asked(text: str) -> None:
    url = parse(text)
    if url is None:
        return  # not a URL at all
    web = LiveWeb()
    got = await web.fetch(Request(url))
    await web.close()
    assert isinstance(got, Failure)
    assert got.reason is Reason.FORBIDDEN_ADDRESS


@pytest.mark.parametrize("text", ODD_SPELLINGS)
def test_every_spelling_of_an_inner_address_is_known_before_anything_is_looked_up(text: str) -> None:
    url = parse(text)
    assert url is None or AddressRules().url(url).reason is Reason.FORBIDDEN_ADDRESS


@pytest.mark.parametrize("host", ["8.8.8.8", "[2606:4700:4700::1111]", "shop.example"])
def test_a_url_without_port_is_asked_on_that_of_its_scheme(host: str) -> None:
    for scheme, port, other in (("http", 80, 443), ("https", 443, 80)):
        url = f"{scheme}://{host}/"
        assert AddressRules(ports=frozenset({port})).url(url)
        assert AddressRules(ports=frozenset({other})).url(url).reason is Reason.FORBIDDEN_PORT


@pytest.mark.parametrize(
    ("spelling", "address"),
    [
        ("::ffff:8.8.8.9", "8.8.8.9"),
        ("::ffff:0:8.8.8.9", "8.8.8.9"),
        ("64:ff9b::808:809", "8.8.8.9"),
        ("64:ff9b::f0f0:f0f1", "240.240.240.241"),
        ("::808:809", "8.8.8.9"),
        ("::1", "::1"),
        ("::", "::"),
        ("::1:808:809", "::1:808:809"),
        ("2002:808:809::", "2002:808:809::"),
        ("8.8.8.9", "8.8.8.9"),
    ],
)
def test_ipv4_addresses_are_unwrapped_where_the_last_bits_are_what_is_reached(
    spelling: str, address: str
) -> None:
    assert unwrapped(ipaddress.ip_address(spelling)) == ipaddress.ip_address(address)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://example.com:22/", Reason.FORBIDDEN_PORT),
        ("http://example.com:6379/", Reason.FORBIDDEN_PORT),
        ("ftp://example.com/", Reason.NOT_HTTP),
        ("file:///etc/passwd", Reason.NOT_HTTP),
        ("gopher://example.com:70/", Reason.NOT_HTTP),
        ("no url", Reason.BAD_URL),
    ],
)
async def test_what_is_not_the_web_is_not_asked(url: str, reason: Reason) -> None:
    web = LiveWeb(resolve=_forbidden_to_resolve)
    got = await web.fetch(Request(url))
    await web.close()
    assert isinstance(got, Failure)
    assert got.reason is reason


async def _forbidden_to_resolve(host: str, port: int) -> Sequence[str]:
    raise AssertionError(f"{host} was looked up")


class Bait:
    """A server on loopback that must never hear anything, and a way to give it names."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.port = 0
        self.answer: Callable[[str], bytes] = lambda _: b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbait!"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0].decode()
        self.heard.append(line)
        writer.write(self.answer(line.split(" ")[1]))
        await writer.drain()
        writer.close()


@pytest.fixture
async def bait() -> AsyncIterator[Bait]:
    bait = Bait()
    server = await asyncio.start_server(bait.serve, "127.0.0.1", 0)
    bait.port = server.sockets[0].getsockname()[1]
    yield bait
    server.close()
    await server.wait_closed()


def web_of(answers: dict[str, list[list[str]]], bait: Bait, *, private: bool = False) -> LiveWeb:
    """A web whose names resolve to the given answers, one after the other; the last one for ever."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        left = answers[host]
        return left.pop(0) if len(left) > 1 else left[0]

    rules = AddressRules(allow_private=private, ports=frozenset({80, 443, bait.port}))
    return LiveWeb(LiveOptions(addresses=rules, limits=Limits(timeout_s=2.0, connect_s=0.5)), resolve=resolve)


async def test_a_name_that_resolves_to_loopback_is_not_asked(bait: Bait) -> None:
    web = web_of({"inner.example": [["127.0.0.1"]]}, bait)
    got = await web.fetch(Request(f"http://inner.example:{bait.port}/"))
    await web.close()
    assert isinstance(got, Failure)
    assert got.reason is Reason.FORBIDDEN_ADDRESS
    assert bait.heard == []


async def test_one_inner_address_among_public_ones_spoils_the_answer(bait: Bait) -> None:
    web = web_of({"mixed.example": [["192.0.43.8", "127.0.0.1", "8.8.8.8"]]}, bait)
    got = await web.fetch(Request(f"http://mixed.example:{bait.port}/"))
    await web.close()
    assert isinstance(got, Failure)
    assert got.reason is Reason.FORBIDDEN_ADDRESS
    assert bait.heard == []


async def test_a_name_that_is_rebound_after_the_check_is_not_asked() -> None:
    """The address connected to is the one that was checked: there is no second look-up to rebind."""
    lookups: list[str] = []

    async def resolve(host: str, port: int) -> Sequence[str]:
        lookups.append(host)
        return ["8.8.8.8"] if len(lookups) == 1 else ["127.0.0.1"]

    guard = Guard(AddressRules(), resolve)
    first = await guard.resolve("rebinding.example", 80)
    assert [entry["host"] for entry in first] == ["8.8.8.8"]
    with pytest.raises(ForbiddenAddressError):
        await guard.resolve("rebinding.example", 80)


async def test_the_socket_itself_refuses_a_forbidden_address() -> None:
    guard = Guard(AddressRules(), _forbidden_to_resolve)
    with pytest.raises(ForbiddenAddressError):
        guard.socket((2, 1, 6, "", ("127.0.0.1", 80)))
    guard.socket((2, 1, 6, "", ("8.8.8.8", 80))).close()


async def test_of_what_is_trusted_only_that_host_and_port_may_be_inner() -> None:
    """The user's own proxy, on a machine of the user's own network."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["10.0.0.7"]

    guard = Guard(AddressRules(), resolve, frozenset({("proxy.example", 3128), ("10.0.0.9", 3128)}))
    with pytest.raises(ForbiddenAddressError):
        guard.socket((2, 1, 6, "", ("10.0.0.7", 3128)))  # nobody has said yet that it is the proxy's
    assert [entry["host"] for entry in await guard.resolve("proxy.example", 3128)] == ["10.0.0.7"]
    for address in ("10.0.0.7", "10.0.0.9"):
        guard.socket((2, 1, 6, "", (address, 3128))).close()
        with pytest.raises(ForbiddenAddressError):
            guard.socket((2, 1, 6, "", (address, 80)))
    for host, port in (("proxy.example", 80), ("inner.example", 3128)):
        with pytest.raises(ForbiddenAddressError):
            await guard.resolve(host, port)


async def test_what_the_client_is_told_of_an_address_is_the_address_that_was_checked() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["8.8.8.8", "2606:4700:4700::1111"]

    found = await Guard(AddressRules(), resolve).resolve("shop.example", 443)
    assert [(entry["hostname"], entry["host"], entry["port"], entry["family"]) for entry in found] == [
        ("shop.example", "8.8.8.8", 443, socket.AF_INET),
        ("shop.example", "2606:4700:4700::1111", 443, socket.AF_INET6),
    ]


async def test_a_name_without_an_address_is_one_that_cannot_be_reached() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return []

    with pytest.raises(OSError, match=r"nothing\.example has no address"):
        await Guard(AddressRules(), resolve).resolve("nothing.example", 80)


async def test_the_system_gives_each_address_of_a_name_once() -> None:
    resolve = SystemResolver()
    found = await resolve("localhost", 80)
    resolve.close()
    assert found
    assert len(set(found)) == len(found)
    assert all(ipaddress.ip_address(address).is_loopback for address in found)


async def test_who_waits_for_a_name_when_the_crawl_ends_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, answered = threading.Event(), threading.Event()

    def slow(host: str, port: int) -> list[tuple[object, ...]]:
        asked.set()
        answered.wait(60)
        return []

    monkeypatch.setattr(netguard, "RESOLVING_THREADS", 1)
    monkeypatch.setattr(netguard, "_getaddrinfo", slow)
    resolve = SystemResolver()
    first, second = (asyncio.ensure_future(resolve(host, 80)) for host in ("slow.example", "next.example"))
    await asyncio.to_thread(asked.wait, 60)
    before_s = time.monotonic()
    resolve.close()
    assert time.monotonic() - before_s < 10
    with pytest.raises(asyncio.CancelledError):
        await second
    answered.set()
    assert await first == []


async def test_a_rebinding_name_never_reaches_loopback_over_many_requests(bait: Bait) -> None:
    web = web_of({"rebinding.example": [["127.0.0.1"], ["127.0.0.1"], ["169.254.169.254"]]}, bait)
    for _ in range(5):
        got = await web.fetch(Request(f"http://rebinding.example:{bait.port}/"))
        assert isinstance(got, Failure)
        assert got.reason is Reason.FORBIDDEN_ADDRESS
    await web.close()
    assert bait.heard == []


@pytest.mark.parametrize(
    "target", ["http://169.254.169.254/", "http://[fe80::1]/", "http://0.0.0.0/", "http://metadata.example/"]
)
async def test_a_redirect_to_a_forbidden_address_is_not_followed(bait: Bait, target: str) -> None:
    bait.answer = lambda _: f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode()
    web = web_of({"metadata.example": [["169.254.169.254"]]}, bait, private=True)
    got = await download(f"http://127.0.0.1:{bait.port}/", web, Rules())
    await web.close()
    assert isinstance(got, Failure)
    assert got.reason is Reason.FORBIDDEN_ADDRESS
    assert target in got.detail
    assert len(bait.heard) == 1


async def test_robots_txt_is_asked_under_the_same_rules(bait: Bait) -> None:
    web = web_of({"inner.example": [["127.0.0.1"]]}, bait)
    robots = Robots(web, lambda: 0.0, "bizcrawl")
    ruling = await robots.ruling(f"http://inner.example:{bait.port}/page")
    await web.close()
    assert ruling.reason is Reason.FORBIDDEN_ADDRESS
    assert bait.heard == []


async def test_host_and_path_arrive_as_the_url_says(bait: Bait) -> None:
    web = web_of({"shop.example": [["127.0.0.1"]]}, bait, private=True)
    got = await download(f"http://shop.example:{bait.port}/a%2Fb?q=%C3%BC", web, Rules())
    await web.close()
    assert isinstance(got, Failure | Download)
    assert bait.heard == ["GET /a%2Fb?q=%C3%BC HTTP/1.1"]


async def test_user_names_and_passwords_in_links_are_never_sent(bait: Bait) -> None:
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    web = web_of({}, bait, private=True)
    got = await web.fetch(Request(f"http://user:secret@127.0.0.1:{port}/"))
    await web.close()
    server.close()
    assert isinstance(got, Response)
    assert b"authorization" not in heads[0].lower()
    assert got.address == "127.0.0.1"
