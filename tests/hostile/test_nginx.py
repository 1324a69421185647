"""A real server: nginx with TLS, gzip, redirects and a rate limit, started on loopback."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme

from bizcrawl.download import Download, Rules, download
from bizcrawl.netguard import AddressRules
from bizcrawl.politeness import Manners, Politeness
from bizcrawl.reasons import Reason
from bizcrawl.robots.rules import Robots
from bizcrawl.web import Failure
from bizcrawl.web.live import Limits, LiveOptions, LiveWeb
from bizcrawl.web.polite import PoliteWeb

PAGE = b"<!doctype html><title>Brindle Pumps</title>" + b"<p>Diaphragm pumps for breweries.</p>" * 2_000
CONFIGURATION = """
{user} worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  types {{ text/html html; application/pdf pdf; }} default_type application/octet-stream;
  gzip on; gzip_min_length 1; gzip_types text/html;
  limit_req_zone $server_name zone=slow:1m rate=10r/s; limit_req_status 429;
  server {{ listen 127.0.0.1:{http}; server_name shop.example; return 301
  https://shop.example:{https}$request_uri; }} server {{
    listen 127.0.0.1:{https} ssl; server_name shop.example; root {folder}/site; index index.html;
    ssl_certificate {folder}/chain.pem; ssl_certificate_key {folder}/key.pem;
    location /limited/ {{ limit_req zone=slow; alias {folder}/site/; }}
    location /closed/ {{ deny all; }}
    location /busy/ {{ add_header Retry-After 1 always; return 503; }}
  }}
}}
"""


@dataclass(frozen=True)
class Nginx:
    folder: Path
    http: int
    https: int
    trusting: ssl.SSLContext

    def requests(self) -> list[str]:
        return [line.split('"')[1] for line in (self.folder / "access.log").read_text().splitlines()]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    if shutil.which("nginx") is None:
        pytest.skip("nginx is not installed (Debian and Ubuntu: apt-get install nginx-light)")
    folder = tmp_path_factory.mktemp("nginx")
    authority, context = trustme.CA(), ssl.create_default_context()
    authority.configure_trust(context)
    certificate = authority.issue_cert("shop.example")
    certificate.private_key_pem.write_to_path(folder / "key.pem")
    for pem in certificate.cert_chain_pems:
        pem.write_to_path(folder / "chain.pem", append=True)
    site = folder / "site"
    site.mkdir()
    for name in ("index", *"0123456789"):
        (site / f"{name}.html").write_bytes(PAGE + name.encode())
    (site / "leaflet.pdf").write_bytes(b"%PDF-1.7" + bytes(2_000_000))
    (site / "unnamed").write_bytes(PAGE)
    (site / "dir").mkdir()
    (site / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n")
    ports = free_port(), free_port()
    configuration = folder / "nginx.conf"
    user = "user root root;" if os.geteuid() == 0 else ""  # or its workers could not read our folder
    text = CONFIGURATION.format(folder=folder, http=ports[0], https=ports[1], user=user)
    configuration.write_text(text)
    server = subprocess.Popen(["nginx", "-p", os.fspath(folder), "-c", os.fspath(configuration)])
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", ports[1])) == 0:
                    break
            time.sleep(0.05)
        yield Nginx(folder, *ports, context)
    finally:
        server.terminate()
        server.wait(10)


async def to_loopback(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


@asynccontextmanager
async def crawling(nginx: Nginx, manners: Manners) -> AsyncIterator[tuple[PoliteWeb, Rules]]:
    options = LiveOptions(
        tls=nginx.trusting,
        addresses=AddressRules(allow_private=True),
        limits=Limits(timeout_s=5.0),
    )
    live = LiveWeb(options, resolve=to_loopback)
    politeness = Politeness(manners, time.monotonic, wall_clock=time.time)
    web = PoliteWeb(live, politeness)
    try:
        yield web, Rules(robots=Robots(web, time.monotonic, live.user_agent), politeness=politeness)
    finally:
        await web.close()


async def test_http_leads_to_https_and_the_gzipped_page_is_the_file(nginx: Nginx) -> None:
    async with crawling(nginx, Manners(delay_s=0.0)) as (web, rules):
        got = await download(f"http://shop.example:{nginx.http}/", web, rules)
    assert isinstance(got, Download), got
    assert got.final_url == f"https://shop.example:{nginx.https}/"
    assert got.response.headers["content-encoding"] == "gzip"
    assert got.response.body == PAGE + b"index"
    assert got.response.wire_bytes < len(PAGE) / 5


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("missing.html", Reason.HTTP_ERROR),
        ("closed/x", Reason.HTTP_ERROR),
        ("dir/", Reason.HTTP_ERROR),
        ("dir", Reason.HTTP_ERROR),
        ("leaflet.pdf", Reason.NOT_HTML),
        ("private/x", Reason.ROBOTS),
        ("busy/x", Reason.RATE_LIMITED),
        ("unnamed", None),
        ("0.html", None),
    ],
)
async def test_each_answer_has_its_outcome(nginx: Nginx, path: str, reason: Reason | None) -> None:
    async with crawling(nginx, Manners(delay_s=0.0, first_back_off_s=0.1)) as (web, rules):
        got = await download(f"https://shop.example:{nginx.https}/{path}", web, rules)
    assert (got.reason if isinstance(got, Failure) else None) is reason


async def test_a_polite_crawl_never_meets_the_rate_limit(nginx: Nginx) -> None:
    async with crawling(nginx, Manners(delay_s=0.12, per_address_s=0.12)) as (web, rules):
        for i in range(8):
            got = await download(f"https://shop.example:{nginx.https}/limited/{i}.html", web, rules)
            assert isinstance(got, Download), got


async def test_an_impatient_crawl_backs_off_and_gets_its_pages_all_the_same(nginx: Nginx) -> None:
    manners = Manners(delay_s=0.0, per_host=4, first_back_off_s=0.3, max_failures=50)
    async with crawling(nginx, manners) as (web, rules):
        urls = [f"https://shop.example:{nginx.https}/limited/{i}.html" for i in range(6)]
        got = [await download(url, web, rules) for url in urls]
    assert all(isinstance(one, Download) for one in got), got
    assert any(" /limited/" in line for line in nginx.requests())
