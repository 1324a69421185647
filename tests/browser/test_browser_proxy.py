"""The browser's only way out lets through what the crawler itself may reach, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from bizcrawl.netguard import AddressRules
from bizcrawl.reasons import Reason
from bizcrawl.web.browser_proxy import BrowserProxy
from bizcrawl.web.browser_route import DirectRoute, ProxyRoute
from bizcrawl.web.proxy import Proxy

RULES = AddressRules(allow_private=True)


class Origin:
    """A server that remembers what it was asked and answers with one thing."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.asked: list[bytes] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.asked.append(await reader.read(65536))
        writer.write(self.answer)
        await writer.drain()
        writer.close()


@pytest.fixture
async def origin() -> AsyncIterator[tuple[Origin, int]]:
    server = Origin(
        b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\nhello"
    )
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    yield server, listening.sockets[0].getsockname()[1]
    listening.close()


async def to_loopback(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


async def ask(address: str, sent: bytes) -> bytes:
    host, port = address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(sent)
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return answer


def plain(url: str) -> bytes:
    return f"GET {url} HTTP/1.1\r\nHost: x\r\nProxy-Connection: keep-alive\r\nCookie: a=b\r\n\r\n".encode()


async def test_a_plain_request_goes_out_as_the_server_must_see_it(origin: tuple[Origin, int]):
    server, port = origin
    async with BrowserProxy(DirectRoute(RULES, to_loopback)) as proxy:
        answer = await ask(proxy.address, plain(f"http://shop.example:{port}/a?b=c"))
    (asked,) = server.asked
    assert asked.startswith(b"GET /a?b=c HTTP/1.1\r\n")
    assert b"Proxy-Connection" not in asked
    assert b"Cookie: a=b\r\n" in asked
    assert asked.endswith(b"Connection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 103 Early\r\n")
    assert answer.endswith(b"\r\n\r\nhello")
    assert b"keep-alive" not in answer


async def test_a_body_is_passed_on_to_its_end(origin: tuple[Origin, int]):
    server, port = origin
    sent = f"POST http://shop.example:{port}/ HTTP/1.1\r\nContent-Length: 5\r\n\r\nvalue".encode()
    async with BrowserProxy(DirectRoute(RULES, to_loopback)) as proxy:
        await ask(proxy.address, sent)
    assert b"".join(server.asked).endswith(b"\r\n\r\nvalue")


@pytest.mark.parametrize("request_of", [plain, lambda url: f"CONNECT {url[7:]} HTTP/1.1\r\n\r\n".encode()])
async def test_connections_that_are_open_at_the_end_are_cut_without_a_word(
    request_of: Callable[[str], bytes], caplog: pytest.LogCaptureFixture
):
    """Each left a traceback on the terminal when the crawl ended."""
    asked = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        await reader.read()
        writer.close()

    listening = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    async with BrowserProxy(DirectRoute(RULES, to_loopback)) as proxy:
        host, at = proxy.address.split(":")
        _, writer = await asyncio.open_connection(host, int(at))
        writer.write(request_of(f"http://shop.example:{port}"))
        await asyncio.wait_for(asked.wait(), 10)
        serving = [task for task in asyncio.all_tasks() if "_accept" in repr(task)]
        assert serving
    await asyncio.sleep(0)
    assert all(task.done() and not task.cancelled() for task in serving)
    assert not caplog.records
    writer.close()
    listening.close()


async def test_a_tunnel_carries_bytes_both_ways(origin: tuple[Origin, int]):
    server, port = origin
    async with BrowserProxy(DirectRoute(RULES, to_loopback)) as proxy:
        answer = await ask(
            proxy.address, f"CONNECT shop.example:{port} HTTP/1.1\r\n\r\nclient hello".encode()
        )
    assert server.asked == [b"client hello"]
    assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 103")


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:{port}/",
        "http://localhost:{port}/",
        "http://2130706433:{port}/",
        "http://0x7f.1:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://rebinding.example:{port}/",
        "CONNECT 127.0.0.1:{port}",
        "CONNECT [::1]:{port}",
        "CONNECT rebinding.example:{port}",
        "CONNECT 2130706433:{port}",
        "CONNECT 169.254.169.254:80",
    ],
)
async def test_inner_addresses_are_never_reached(origin: tuple[Origin, int], target: str):
    server, port = origin
    target = target.format(port=port)
    sent = f"{target} HTTP/1.1\r\n\r\n".encode() if target.startswith("CONNECT") else plain(target)

    async def mixed(host: str, _: int) -> Sequence[str]:
        return ["93.184.216.34", "127.0.0.1"] if host == "rebinding.example" else [_literal(host)]

    async with BrowserProxy(DirectRoute(AddressRules(), mixed)) as proxy:
        answer = await ask(proxy.address, sent)
        assert answer.startswith(b"HTTP/1.1 403 ")
        assert sum(proxy.refused.values()) == 1
        assert set(proxy.refused) <= {Reason.FORBIDDEN_ADDRESS, Reason.FORBIDDEN_PORT}
    assert server.asked == []


def _literal(host: str) -> str:
    return {"localhost": "127.0.0.1", "2130706433": "127.0.0.1"}.get(host, host)


@pytest.mark.parametrize(
    "sent",
    [
        b"hello\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET file:///etc/passwd HTTP/1.1\r\n\r\n",
        b"CONNECT x HTTP/1.1\r\n\r\n",
    ],
)
async def test_what_is_no_request_to_a_proxy_is_400(sent: bytes):
    async with BrowserProxy(DirectRoute(RULES, to_loopback)) as proxy:
        assert (await ask(proxy.address, sent)).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "sent",
    [
        b"CONNECT accounts.google.com:443 HTTP/1.1\r\n\r\n",
        plain("http://update.googleapis.com/service/update2/json"),
    ],
)
async def test_the_browsers_own_calls_go_nowhere_and_are_not_the_pages(sent: bytes):
    resolved: list[str] = []

    async def watched(host: str, port: int) -> Sequence[str]:
        resolved.append(host)
        return ["127.0.0.1"]

    async with BrowserProxy(DirectRoute(RULES, watched)) as proxy:
        assert (await ask(proxy.address, sent)).startswith(b"HTTP/1.1 403 ")
        assert not proxy.refused
    assert resolved == []


async def test_a_server_that_is_not_there_is_502(unused_tcp_port: int):
    async with BrowserProxy(DirectRoute(RULES, to_loopback)) as proxy:
        assert (await ask(proxy.address, plain(f"http://a.example:{unused_tcp_port}/"))).startswith(
            b"HTTP/1.1 502 "
        )


class TestThroughTheUsersProxy:
    async def test_plain_requests_name_the_whole_url_and_the_password(self, origin: tuple[Origin, int]):
        server, port = origin
        route = ProxyRoute(Proxy.of(f"http://me:secret@127.0.0.1:{port}"), AddressRules(), to_loopback)
        async with BrowserProxy(route) as proxy:
            await ask(proxy.address, plain("http://a.example/x"))
        (asked,) = server.asked
        assert asked.startswith(b"GET http://a.example/x HTTP/1.1\r\n")
        assert b"Proxy-Authorization: Basic bWU6c2VjcmV0\r\n" in asked

    async def test_tunnels_are_asked_of_it(self, origin: tuple[Origin, int]):
        server, port = origin
        server.answer = b"HTTP/1.1 200 Connection established\r\n\r\n"
        route = ProxyRoute(Proxy.of(f"http://127.0.0.1:{port}"), AddressRules(), to_loopback)
        async with BrowserProxy(route) as proxy:
            answer = await ask(proxy.address, b"CONNECT a.example:443 HTTP/1.1\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200 Connection established")
        assert server.asked[0].startswith(b"CONNECT a.example:443 HTTP/1.1\r\n")

    @pytest.mark.parametrize("scheme", ["http", "socks5", "socks5h"])
    @pytest.mark.parametrize("sent", [plain("http://10.0.0.1/"), b"CONNECT 127.0.0.1:443 HTTP/1.1\r\n\r\n"])
    async def test_it_is_never_asked_for_inner_addresses(
        self, origin: tuple[Origin, int], scheme: str, sent: bytes
    ):
        server, port = origin
        route = ProxyRoute(Proxy.of(f"{scheme}://127.0.0.1:{port}"), AddressRules(), to_loopback)
        async with BrowserProxy(route) as proxy:
            assert (await ask(proxy.address, sent)).startswith(b"HTTP/1.1 403 ")
        assert server.asked == []

    async def test_names_are_checked_here_before_a_socks_proxy_gets_their_addresses(
        self, origin: tuple[Origin, int]
    ):
        server, port = origin
        route = ProxyRoute(Proxy.of(f"socks5://127.0.0.1:{port}"), AddressRules(), to_loopback)
        async with BrowserProxy(route) as proxy:
            assert (await ask(proxy.address, plain("http://inner.example/"))).startswith(b"HTTP/1.1 403 ")
        assert server.asked == []
