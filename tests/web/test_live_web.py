"""TLS, cookies, proxies, credentials, and the limits of one request."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
import trustme
from aiohttp import web as server
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.errors import WrongUse
from bizcrawl.netguard import AddressRules
from bizcrawl.reasons import Reason
from bizcrawl.user_agent import user_agent_of
from bizcrawl.web import Failure, Request, Response
from bizcrawl.web.cookies import MAX_ORIGIN_BYTES, Cookies
from bizcrawl.web.live import Limits, LiveOptions, LiveWeb
from bizcrawl.web.proxy import Proxy

PRIVATE = AddressRules(allow_private=True)
QUICK = Limits(timeout_s=2.0)


async def to_loopback(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


@asynccontextmanager
async def live(**options: object) -> AsyncIterator[LiveWeb]:
    options = {"addresses": PRIVATE, "limits": QUICK, **options}
    web = LiveWeb(LiveOptions(**options), resolve=to_loopback)  # type: ignore[arg-type]
    try:
        yield web
    finally:
        await web.close()


@asynccontextmanager
async def serving(
    answer: Callable[[server.Request], Awaitable[server.StreamResponse]], tls: ssl.SSLContext | None = None
) -> AsyncIterator[int]:
    app = server.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = server.AppRunner(app)
    await runner.setup()
    site = server.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await site.start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


@asynccontextmanager
async def listening(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[int]:
    running = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield running.sockets[0].getsockname()[1]
    finally:
        running.close()
        await running.wait_closed()


async def hello(_: server.Request) -> server.Response:
    return server.Response(text="<p>hello", content_type="text/html")


def got_page(answer: Response | Failure) -> Response:
    assert isinstance(answer, Response), answer
    return answer


def got_none(answer: Response | Failure) -> Failure:
    assert isinstance(answer, Failure), answer
    return answer


class TestTls:
    @pytest.fixture
    def authority(self) -> trustme.CA:
        return trustme.CA()

    @staticmethod
    def of(authority: trustme.CA, *names: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(*names).configure_cert(context)
        return context

    @asynccontextmanager
    async def pages(
        self, authority: trustme.CA, name: str, **options: object
    ) -> AsyncIterator[tuple[LiveWeb, int]]:
        async with serving(hello, self.of(authority, name)) as port, live(**options) as web:
            yield web, port

    @staticmethod
    def trusting(authority: trustme.CA) -> ssl.SSLContext:
        context = ssl.create_default_context()
        authority.configure_trust(context)
        return context

    async def test_a_good_certificate_for_the_name_asked(self, authority: trustme.CA) -> None:
        async with self.pages(authority, "shop.example", tls=self.trusting(authority)) as (web, port):
            answer = got_page(await web.fetch(Request(f"https://shop.example:{port}/")))
        assert answer.body == b"<p>hello"

    async def test_a_certificate_for_another_name_is_a_recorded_failure(self, authority: trustme.CA) -> None:
        async with self.pages(authority, "other.example", tls=self.trusting(authority)) as (web, port):
            failure = got_none(await web.fetch(Request(f"https://shop.example:{port}/")))
        assert failure.reason is Reason.TLS
        assert "shop.example" in failure.detail

    async def test_an_untrusted_certificate_is_refused(self, authority: trustme.CA) -> None:
        async with serving(hello, self.of(authority, "shop.example")) as port, live() as web:
            assert got_none(await web.fetch(Request(f"https://shop.example:{port}/"))).reason is Reason.TLS

    async def test_an_expired_certificate_is_refused(self, authority: trustme.CA) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        old = authority.issue_cert("shop.example", not_after=datetime(2020, 1, 1, tzinfo=UTC))
        old.configure_cert(context)
        async with serving(hello, context) as port, live(tls=self.trusting(authority)) as web:
            failure = got_none(await web.fetch(Request(f"https://shop.example:{port}/")))
        assert failure.reason is Reason.TLS
        assert "expired" in failure.detail

    async def test_only_hosts_named_by_the_user_are_excepted(self, authority: trustme.CA) -> None:
        async with self.pages(authority, "x.example", insecure_hosts=frozenset({"old.example"})) as (
            web,
            port,
        ):
            got_page(await web.fetch(Request(f"https://old.example:{port}/")))
            failure = got_none(await web.fetch(Request(f"https://new.example:{port}/")))
        assert failure.reason is Reason.TLS

    @pytest.mark.parametrize(
        "entry", ["Shop.Example", "shop.example.", "https://shop.example/", "shop.example:8443"]
    )
    async def test_an_excepted_host_may_be_written_as_people_write_it(
        self, authority: trustme.CA, entry: str
    ) -> None:
        async with self.pages(authority, "other.example", insecure_hosts=frozenset({entry})) as (web, port):
            got_page(await web.fetch(Request(f"https://shop.example:{port}/")))

    def test_an_excepted_host_that_is_none_is_wrong_use_in_one_line(self) -> None:
        with pytest.raises(WrongUse, match="--insecure-host a b: "):
            LiveWeb(LiveOptions(insecure_hosts=frozenset({"a b"})))

    async def test_https_where_only_http_is_spoken_is_a_tls_failure(self) -> None:
        async with serving(hello) as port, live() as web:
            assert got_none(await web.fetch(Request(f"https://shop.example:{port}/"))).reason is Reason.TLS


class TestIdentity:
    async def test_the_crawler_says_who_it_is_and_where_to_complain(self) -> None:
        seen: list[server.Request] = []

        async def answer(request: server.Request) -> server.Response:
            seen.append(request)
            return await hello(request)

        async with serving(answer) as port, live(contact="mailto:crawl@analyst.example") as web:
            await web.fetch(Request(f"http://shop.example:{port}/", headers={"If-None-Match": '"1"'}))
        agent = seen[0].headers["User-Agent"]
        assert agent.startswith("bizcrawl/")
        assert agent.endswith("(+mailto:crawl@analyst.example)")
        assert seen[0].headers["If-None-Match"] == '"1"'
        assert user_agent_of("FocusBot/2") == "FocusBot/2"

    async def test_headers_of_an_origin_go_to_no_other_scheme_host_or_port(self) -> None:
        seen: dict[str, str | None] = {}

        async def answer(request: server.Request) -> server.Response:
            seen[request.host] = request.headers.get("Authorization")
            return await hello(request)

        async with serving(answer) as port, serving(answer) as other:
            secret = {f"http://intranet.example:{port}": {"Authorization": "Basic c2VjcmV0"}}
            async with live(origin_headers=secret) as web:
                for place in (
                    f"intranet.example:{port}",
                    f"intranet.example:{other}",
                    f"x.example:{port}",
                ):
                    await web.fetch(Request(f"http://{place}/"))
        assert seen == {
            f"intranet.example:{port}": "Basic c2VjcmV0",
            f"intranet.example:{other}": None,
            f"x.example:{port}": None,
        }


class TestLimits:
    async def test_the_page_cap_cuts_and_says_so(self) -> None:
        async def answer(request: server.Request) -> server.Response:
            return server.Response(body=b"<p>" + b"x" * 20_000, content_type="text/html")

        async with serving(answer) as port, live(limits=Limits(max_body_bytes=10_000)) as web:
            page = got_page(await web.fetch(Request(f"http://h.example:{port}/")))
            whole = got_page(await web.fetch(Request(f"http://h.example:{port}/", max_body_bytes=50_000)))
        assert (len(page.body), page.truncated) == (10_000, True)
        assert (len(whole.body), whole.truncated) == (20_003, False)

    async def test_a_page_as_long_as_the_cap_is_whole(self) -> None:
        async def answer(request: server.Request) -> server.Response:
            return server.Response(body=b"x" * 10_000, content_type="text/html")

        async with serving(answer) as port, live(limits=Limits(max_body_bytes=10_000)) as web:
            page = got_page(await web.fetch(Request(f"http://h.example:{port}/")))
        assert (len(page.body), page.truncated) == (10_000, False)

    async def test_waiting_for_a_free_connection_does_not_count_as_time_of_the_request(self) -> None:
        async def answer(request: server.Request) -> server.Response:
            await asyncio.sleep(0.3)
            return await hello(request)

        async with serving(answer) as port, live(limits=Limits(timeout_s=0.8), connections=1) as web:
            urls = [f"http://h.example:{port}/{i}" for i in range(5)]
            answers = await asyncio.gather(*(web.fetch(Request(url)) for url in urls))
        assert all(isinstance(answer, Response) for answer in answers)

    async def test_a_first_byte_that_is_late_is_a_timeout(self) -> None:
        async def answer(request: server.Request) -> server.Response:
            await asyncio.sleep(1)
            return await hello(request)

        async with serving(answer) as port, live(limits=Limits(timeout_s=5, first_byte_s=0.2)) as web:
            assert got_none(await web.fetch(Request(f"http://h.example:{port}/"))).reason is Reason.TIMEOUT

    async def test_a_name_server_that_never_answers_is_a_timeout(self) -> None:
        async def never(host: str, port: int) -> Sequence[str]:
            await asyncio.sleep(60)
            return []

        web = LiveWeb(LiveOptions(limits=Limits(timeout_s=0.2)), resolve=never)
        failure = got_none(await web.fetch(Request("http://h.example/")))
        await web.close()
        assert failure.reason is Reason.TIMEOUT

    @pytest.mark.parametrize("error", [OSError("no such host"), UnicodeError("label too long")])
    async def test_a_name_without_address_is_a_dns_failure(self, error: Exception) -> None:
        async def unknown(host: str, port: int) -> Sequence[str]:
            raise error

        web = LiveWeb(LiveOptions(limits=QUICK), resolve=unknown)
        failure = got_none(await web.fetch(Request("http://h.example/")))
        await web.close()
        assert failure.reason is Reason.DNS

    async def test_nobody_listens(self) -> None:
        async with live() as web:
            failure = got_none(await web.fetch(Request("http://127.0.0.1:1/")))
        assert failure.reason is Reason.CONNECTION

    async def test_connections_are_kept_and_reused(self) -> None:
        peers: set[object] = set()

        async def answer(request: server.Request) -> server.Response:
            assert request.transport is not None
            peers.add(request.transport.get_extra_info("peername"))
            return await hello(request)

        async with serving(answer) as port, live() as web:
            for _ in range(5):
                got_page(await web.fetch(Request(f"http://h.example:{port}/")))
        assert len(peers) == 1

    async def test_a_connection_closed_between_two_requests_is_opened_anew(self) -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi")
            await writer.drain()
            await asyncio.sleep(0.05)
            writer.close()

        async with listening(serve) as port, live() as web:
            for pause_s in (0.0, 0.045, 0.055, 0.1):
                got_page(await web.fetch(Request(f"http://h.example:{port}/")))
                await asyncio.sleep(pause_s)


NOON_S = datetime(2026, 11, 28, 12, tzinfo=UTC).timestamp()


class TestCookies:
    def test_a_cookie_goes_back_to_its_own_host_only(self) -> None:
        jar = Cookies()
        jar.take("http://a.example/x", ["id=1; Domain=.example; Path=/"], NOON_S)
        assert jar.header("http://a.example/y") == "id=1"
        assert jar.header("http://b.example/y") == ""
        assert jar.header("http://sub.a.example/y") == ""

    @pytest.mark.parametrize("origin", ["http://a.example", "https://a.example:8443", "https://b.example"])
    def test_a_cookie_goes_back_to_its_own_scheme_and_port_only(self, origin: str) -> None:
        jar = Cookies()
        jar.take("https://a.example/", ["id=1", "s=2; Secure"], NOON_S)
        assert jar.header("https://a.example:443/") == "id=1; s=2"
        assert jar.header(f"{origin}/") == ""

    def test_a_secure_cookie_over_http_is_none(self) -> None:
        jar = Cookies()
        jar.take("http://a.example/", ["s=2; Secure"], NOON_S)
        assert jar.header("http://a.example/") == ""

    def test_paths_expiry_and_replacement(self) -> None:
        jar = Cookies()
        jar.take("http://a.example/", ["p=1; Path=/shop", "q=2", "r=3"], NOON_S)
        assert jar.header("http://a.example/shop/x") == "p=1; q=2; r=3"
        assert jar.header("http://a.example/shopping") == "q=2; r=3"
        jar.take(
            "http://a.example/", ["q=; Max-Age=0", "r=4", "p=; expires=Thu, 01 Jan 1970 00:00:00 GMT"], NOON_S
        )
        assert jar.header("http://a.example/shop/x") == "p=1; r=4", "one of another path is another cookie"
        jar.take("http://a.example/", ["p=; Path=/shop; expires=Thu, 01 Jan 1970 00:00:00 GMT"], NOON_S)
        assert jar.header("http://a.example/shop/x") == "r=4"

    @pytest.mark.parametrize("path", ["", "; Path=", "; Path=shop", '; Path="/"'])
    def test_a_cookie_without_a_path_holds_in_the_directory_of_its_page(self, path: str) -> None:
        """RFC 6265 5.1.4 and 5.2.4: the default path."""
        jar = Cookies()
        jar.take("http://a.example/shop/cart?from=/x/y", [f"id=1{path}"], NOON_S)
        for place in ("/shop", "/shop/", "/shop/pumps/1"):
            assert jar.header(f"http://a.example{place}") == "id=1"
        for place in ("/", "/shopping", "/x/"):
            assert jar.header(f"http://a.example{place}") == ""
        jar.take("http://b.example/shop", [f"id=2{path}"], NOON_S)
        assert jar.header("http://b.example/") == "id=2"

    def test_cookies_of_one_name_are_told_apart_by_their_paths_and_the_deeper_one_comes_first(self) -> None:
        """RFC 6265 5.3 (11) and 5.4 (2)."""
        jar = Cookies()
        jar.take("http://a.example/", ["id=all", "id=new; Path=/", "id=shop; Path=/shop"], NOON_S)
        assert jar.header("http://a.example/shop/1") == "id=shop; id=new"
        assert jar.header("http://a.example/") == "id=new"

    @pytest.mark.parametrize(
        ("field", "sent"),
        [
            ("\t id \t=\t 1 \t; Path=/", "id=1"),
            ('id="1"', 'id="1"'),
            ("visit=Sat 28 Nov", "visit=Sat 28 Nov"),
            ("cart[items]=2=3", "cart[items]=2=3"),
            ("id=", "id="),
            ("id=1; MAX-AGE = 60 ; pAtH=/", "id=1"),
            ("id=1; Max-Age=1", "id=1"),
            ("id=1; Max-Age=+0", "id=1"),
            ("id=1; Max-Age=-1", ""),
            ("id", ""),
            ("=1", ""),
            ("", ""),
        ],
    )
    def test_a_cookie_is_read_as_browsers_do_and_sent_back_as_it_came(self, field: str, sent: str) -> None:
        """RFC 6265 5.2: a name and a value are all that stands there, but for white space around them."""
        jar = Cookies()
        jar.take("http://a.example/", [field], NOON_S)
        assert jar.header("http://a.example/") == sent

    @pytest.mark.parametrize(
        "mark", ["\r\nHost: evil.example", "\n", "\r", "\0", "\x7f", "\x0b", "é", "\udce9"]
    )
    @pytest.mark.parametrize("field", ["{}id=1", "i{}d=1", "id{}=1", "id={}1", "id=1{}2", "id=1{}"])
    def test_what_cannot_stand_in_a_request_is_never_sent_back(self, field: str, mark: str) -> None:
        jar = Cookies()
        jar.take("http://a.example/", [field.format(mark), "sane=1"], NOON_S)
        assert jar.header("http://a.example/") == "sane=1"

    def test_the_oldest_cookies_and_origins_make_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("bizcrawl.web.cookies.MAX_ORIGINS", 5)
        jar = Cookies()
        many = [f"n{i:02}={'v' * 96}" for i in range(40)]
        jar.take("http://a.example/", [*many, f"n22={'w' * 96}"], NOON_S)
        kept = jar.header("http://a.example/").split("; ")
        assert kept == [*(f"n{i:02}={'v' * 96}" for i in range(20, 40) if i != 22), f"n22={'w' * 96}"]
        assert sum(len(pair) for pair in kept) <= MAX_ORIGIN_BYTES
        for i in range(5):
            jar.take(f"http://h{i}.example/", ["id=1"], NOON_S)
        assert jar.header("http://a.example/") == ""
        assert [jar.header(f"http://h{i}.example/") for i in range(5)] == ["id=1"] * 5

    def test_long_paths_count_too(self) -> None:
        jar = Cookies()
        jar.take("http://a.example/", [f"n{i}=1; Path=/{'p' * 900}" for i in range(9)], NOON_S)
        assert jar.header(f"http://a.example/{'p' * 900}") == "n7=1; n8=1"

    def test_a_cookie_is_sent_as_long_as_its_server_said(self) -> None:
        clock_s = 1_000.0
        jar = Cookies(clock=lambda: clock_s)
        fields = [
            "age=1; Max-Age=60; Expires=Thu, 01 Jan 2015 00:00:00 GMT",
            "date=2; expires=Sat, 28-Nov-2026 12:02:00 GMT",
            "past=3; expires=Sat, 28 Nov 2026 11:59:00 GMT",
            "crawl=4; expires=some day",
        ]
        jar.take("http://a.example/", fields, NOON_S)
        assert jar.header("http://a.example/") == "age=1; date=2; crawl=4"
        clock_s += 60
        assert jar.header("http://a.example/") == "date=2; crawl=4"
        clock_s += 60
        assert jar.header("http://a.example/") == "crawl=4"

    @given(st.lists(st.text(max_size=100), max_size=20))
    def test_no_field_makes_it_raise_or_grow_or_split_a_header(self, fields: list[str]) -> None:
        jar = Cookies()
        jar.take("http://a.example/", [*fields, *(f"n{i}={'v' * 100}" for i in range(40))], NOON_S)
        header = jar.header("http://a.example/")
        assert len(header) < 3_000
        assert header.isprintable()


class TestProxies:
    async def test_an_http_proxy_is_asked_with_its_password_and_the_site_never_sees_it(self) -> None:
        seen: list[tuple[str, str | None]] = []

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
            seen.append((head.split("\r\n")[0], fields.get("Proxy-Authorization")))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi")
            writer.close()

        async with listening(serve) as port:
            options = LiveOptions(proxy=f"http://me:p%40ss@127.0.0.1:{port}", limits=QUICK)
            web = LiveWeb(options, resolve=to_loopback)
            page = await web.fetch(Request("http://shop.example/x"))
            inner = await web.fetch(Request("http://127.0.0.1/x"))
            await web.close()
        assert got_page(page).body == b"hi"
        assert got_none(inner).reason is Reason.FORBIDDEN_ADDRESS
        assert seen == [("GET http://shop.example/x HTTP/1.1", "Basic bWU6cEBzcw==")]

    async def test_hosts_behind_one_proxy_do_not_share_its_address(self) -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi")
            writer.close()

        async with listening(serve) as port, live() as direct, live(proxy=f"http://127.0.0.1:{port}") as web:
            assert (
                got_page(await direct.fetch(Request(f"http://shop.example:{port}/"))).address == "127.0.0.1"
            )
            assert got_page(await web.fetch(Request("http://shop.example/"))).address == ""

    @staticmethod
    async def socks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: list[object]) -> None:
        _, methods = await reader.readexactly(2)
        await reader.readexactly(methods)
        writer.write(b"\x05\x00")
        _, _, _, kind = await reader.readexactly(4)
        if kind == 1:
            asked.append(".".join(map(str, await reader.readexactly(4))))
        else:
            asked.append((await reader.readexactly((await reader.readexactly(1))[0])).decode())
        await reader.readexactly(2)
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi")
        await writer.drain()
        writer.close()

    @pytest.mark.parametrize(("scheme", "told"), [("socks5", "93.184.216.34"), ("socks5h", "shop.example")])
    async def test_socks_proxies_are_told_the_checked_address_or_by_option_the_name(
        self, scheme: str, told: str
    ) -> None:
        asked: list[object] = []

        async def resolve(host: str, _: int) -> Sequence[str]:
            return {"shop.example": ["93.184.216.34"], "inner.example": ["10.0.0.1"]}[host]

        async with listening(lambda r, w: self.socks(r, w, asked)) as port:
            options = LiveOptions(proxy=f"{scheme}://127.0.0.1:{port}", limits=QUICK)
            web = LiveWeb(options, resolve=resolve)
            page = await web.fetch(Request("http://shop.example/"))
            inner = await web.fetch(Request("http://inner.example/"))
            await web.close()
        assert got_page(page).body == b"hi"
        if scheme == "socks5":
            assert got_none(inner).reason is Reason.FORBIDDEN_ADDRESS
        assert asked[0] == told

    async def test_a_proxy_that_is_not_there_is_a_connection_failure(self) -> None:
        web = LiveWeb(LiveOptions(proxy="http://127.0.0.1:1", limits=QUICK), resolve=to_loopback)
        failure = got_none(await web.fetch(Request("http://shop.example/")))
        await web.close()
        assert failure.reason is Reason.CONNECTION

    async def test_tls_through_a_socks_proxy_asks_for_the_name(self) -> None:
        authority = trustme.CA()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("shop.example").configure_cert(context)
        trusting = ssl.create_default_context()
        authority.configure_trust(trusting)

        async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while data := await reader.read(65_536):
                writer.write(data)
            writer.close()

        async with serving(hello, context) as site:

            async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await reader.readexactly(3)
                writer.write(b"\x05\x00")
                await reader.readexactly(10)
                writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
                there = await asyncio.open_connection("127.0.0.1", site)
                await asyncio.gather(pipe(reader, there[1]), pipe(there[0], writer))

            async with listening(proxy) as port:
                options = LiveOptions(proxy=f"socks5://127.0.0.1:{port}", limits=QUICK, tls=trusting)

                async def resolve(host: str, _: int) -> Sequence[str]:
                    return ["93.184.216.34"]

                web = LiveWeb(options, resolve=resolve)
                page = await web.fetch(Request("https://shop.example/"))
                other = await web.fetch(Request("https://other.example/"))
                await web.close()
        assert got_page(page).body == b"<p>hello"
        assert got_none(other).reason is Reason.TLS

    @pytest.mark.parametrize("url", ["ftp://p.example:1", "p.example:3128", "socks6://p.example", "nonsense"])
    def test_what_is_no_proxy_is_wrong_use_in_one_line(self, url: str) -> None:
        with pytest.raises(WrongUse) as fault:
            Proxy.of(url)
        assert "\n" not in str(fault.value)
