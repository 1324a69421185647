"""A recorded web behind a proxy answers live clients as the record answers the crawl."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import ssl
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest
from recording import SHARED, Page, write_warc

from bizcrawl.errors import BizcrawlError, WrongUse
from bizcrawl.netguard import AddressRules
from bizcrawl.web import Failure, Request, Response
from bizcrawl.web.live import LiveOptions, LiveWeb
from bizcrawl.web.recorded import RecordedWeb
from bizcrawl.web.web_proxy import WebProxy
from testbed.replay import serve

ROOT = Path(__file__).resolve().parents[2]
BED = SHARED / "beds" / "bizweb" / "web.warc.gz"
PAGES = [
    Page("http://a.example/", b"<p>plain"),
    Page("https://a.example/", b"<p>secure"),
    Page("http://a.example/away", b"", "302 Found", [("Location", "https://a.example/")]),
    Page("http://a.example:8080/port", b"<p>port"),
    Page(
        "http://a.example/chunks",
        b"3\r\nabc\r\n0\r\n\r\n",
        headers=[("Transfer-Encoding", "chunked"), ("Content-Type", "text/html")],
    ),
]


@pytest.fixture
async def proxy(tmp_path: Path):
    with RecordedWeb(write_warc(tmp_path / "w.warc.gz", PAGES), cache=tmp_path / "cache") as web:
        async with WebProxy(web) as proxy:
            yield proxy


def live(proxy: WebProxy) -> LiveWeb:
    """The live Web through the proxy, as strict about certificates as Python is since 3.13."""
    tls = ssl.create_default_context(cadata=proxy.authority_pem.decode())
    tls.verify_flags |= ssl.VERIFY_X509_STRICT
    return LiveWeb(
        LiveOptions(proxy=f"http://{proxy.address}", tls=tls, addresses=AddressRules(allow_private=True))
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.url)
async def test_the_live_web_through_the_proxy_sees_the_record(proxy: WebProxy, page: Page):
    web = live(proxy)
    answer, recorded = await web.fetch(Request(page.url)), await proxy._web.fetch(Request(page.url))
    await web.close()
    assert isinstance(answer, Response)
    assert isinstance(recorded, Response)
    assert (answer.status, answer.body) == (recorded.status, recorded.body)
    assert answer.headers.get("location") == recorded.headers.get("location")


@pytest.mark.parametrize("host", ["my_shop.example", "-x.example", "xn--a.example"])
async def test_hosts_that_are_no_names_by_the_rules_are_served_too(tmp_path: Path, host: str):
    page = Page(f"https://{host}/")
    with RecordedWeb(write_warc(tmp_path / "w.warc.gz", [page]), cache=tmp_path) as recorded:
        async with WebProxy(recorded) as proxy:
            web = live(proxy)
            answer = await web.fetch(Request(page.url))
            await web.close()
    assert isinstance(answer, Response)
    assert answer.body == page.body


async def test_what_is_not_recorded_is_404_with_the_reason(proxy: WebProxy):
    web = live(proxy)
    answer = await web.fetch(Request("https://b.example/nowhere"))
    await web.close()
    assert isinstance(answer, Response)
    assert (answer.status, answer.headers["x-bizcrawl-failure"]) == (404, "not_recorded")


async def test_a_client_that_does_not_trust_the_authority_is_not_fooled(proxy: WebProxy):
    web = LiveWeb(LiveOptions(proxy=f"http://{proxy.address}", addresses=AddressRules(allow_private=True)))
    answer = await web.fetch(Request("https://a.example/"))
    await web.close()
    assert isinstance(answer, Failure)
    assert answer.reason == "tls"


async def raw(proxy: WebProxy, sent: bytes) -> bytes:
    host, port = proxy.address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(sent)
    writer.write_eof()
    answer = await asyncio.wait_for(reader.read(), 5)
    writer.close()
    return answer


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET http://a.example/ HTTP/1.1\r\n\r\n", b"200"),
        (b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", b"200"),
        (b"HEAD http://a.example/ HTTP/1.1\r\n\r\n", b"200"),
        (b"POST http://a.example/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", b"405"),
        (b"GET ftp://a.example/ HTTP/1.1\r\n\r\n", b"400"),
        (b"GET http://a.example/ HTTP/1.1\r\nContent-Length: x\r\n\r\n", b"400"),
        (b"CONNECT a.example HTTP/1.1\r\n\r\n", b"400"),
        (b"CONNECT " + b"a" * 64 + b".example:443 HTTP/1.1\r\n\r\n", b"400"),
        (b"hello\r\n\r\n", b"400"),
        (b"GET http://a.example/ HTTP/1.1\r\nno field\r\n\r\n", b"400"),
        (b"GET http://a.example/" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", b"400"),
    ],
)
async def test_any_request_gets_one_answer(proxy: WebProxy, sent: bytes, status: bytes):
    answer = await raw(proxy, sent)
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert answer.count(b"HTTP/1.1 ") == 1
    if sent.startswith(b"HEAD"):
        assert answer.endswith(b"\r\n\r\n")


async def test_requests_share_a_connection_until_one_closes_it(proxy: WebProxy):
    get = b"GET http://a.example/ HTTP/1.1\r\n%b\r\n"
    answer = await raw(proxy, get % b"" + get % b"Connection: close\r\n" + get % b"")
    assert answer.count(b"HTTP/1.1 200 OK") == 2


@pytest.mark.skipif(not BED.is_file(), reason=f"no bizweb bed at {BED}")
async def test_a_sample_of_bizweb_reads_through_sockets_and_tls_as_from_the_file():
    with RecordedWeb(BED) as recorded:
        urls = random.Random(7).sample(list(recorded.urls()), 400)
        async with WebProxy(recorded) as proxy:
            web = live(proxy)
            answers = await asyncio.gather(*(web.fetch(Request(url, max_body_bytes=1 << 24)) for url in urls))
            await web.close()
        for url, answer in zip(urls, answers, strict=True):
            expected = recorded.lookup(url)
            assert isinstance(expected, Response)
            assert isinstance(answer, Response), answer
            assert answer.status == expected.status
            if expected.status == 200:
                assert answer.body == expected.body, url
            assert answer.headers.get("content-type") == expected.headers.get("content-type")


async def test_a_port_that_is_taken_is_one_clear_line(proxy: WebProxy, tmp_path: Path):
    port = int(proxy.address.split(":")[1])
    with pytest.raises(BizcrawlError, match="choose another --port"):
        await serve(tmp_path / "w.warc.gz", port, tmp_path / "ca.pem", asyncio.Event(), lambda _: None)


async def test_no_certificate_takes_the_place_of_something_else(proxy: WebProxy, tmp_path: Path):
    web = tmp_path / "w.warc.gz"
    before = web.read_bytes()
    with pytest.raises(WrongUse, match="no certificate; name another file"):
        await serve(web, 0, web, asyncio.Event(), lambda _: None)
    assert web.read_bytes() == before


def test_the_command_serves_until_it_is_interrupted(tmp_path: Path):
    warc = write_warc(tmp_path / "w.warc.gz", PAGES)
    command = [
        sys.executable,
        "-m",
        "bizcrawl",
        "testbed",
        "serve",
        str(warc),
        "--port",
        "0",
        "--ca-file",
        str(tmp_path / "ca.pem"),
    ]
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as process:
        assert process.stdout is not None
        assert "serving 5 recorded URLs" in process.stdout.readline()
        settings = dict(word.split("=", 1) for word in process.stdout.readline().split()[1:])
        asyncio.run(_visit(settings["HTTP_PROXY"], settings["SSL_CERT_FILE"]))
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode == 0
    assert "answered 2 × 200" in rest


async def _visit(proxy: str, ca_file: str) -> None:
    tls = ssl.create_default_context(cafile=ca_file)
    async with aiohttp.ClientSession() as session:
        for url, body in (("http://a.example/", "<p>plain"), ("https://a.example/", "<p>secure")):
            async with session.get(url, proxy=proxy, ssl=tls) as answer:
                assert await answer.text() == body
