"""Rendered pages: what scripts make is seen, and nothing a page does gets further than the crawler may go."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiohttp import web as server

from bizcrawl.netguard import AddressRules
from bizcrawl.reasons import ALLOWED, Reason, Ruling
from bizcrawl.web import Failure, Request, Response
from bizcrawl.web.browser import BrowserOptions, BrowserUnavailableError
from bizcrawl.web.recorded import RecordedWeb
from bizcrawl.web.recording import RecordingWeb
from bizcrawl.web.rendering import RenderingWeb
from bizcrawl.web.rendering_counts import Outcome
from bizcrawl.web.warc_writer import WarcWriter

pytestmark = pytest.mark.browser

PROSE = "<p>" + "We make gaming tables and slot machines. " * 12
QUICK = BrowserOptions(tabs=2, deadline_s=20, settle_s=4, patience_s=0.5, product="bizcrawl-test/1")


class Scripted:
    """A Web of the given pages."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.pages = dict(pages)

    async def fetch(self, request: Request) -> Response | Failure:
        if request.url not in self.pages:
            return Failure(request.url, Reason.NOT_RECORDED)
        body = self.pages[request.url].encode()
        kind = "text/html" if b"<" in body[:20] else "application/json"
        kind = "text/javascript" if request.url.endswith(".js") else kind
        return Response(request.url, 200, {"content-type": kind}, body, datetime(2026, 1, 2, tzinfo=UTC))

    async def close(self) -> None:
        self.pages.clear()


async def to_loopback(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


async def render(
    html: str, *, rules: AddressRules | None = None, options: BrowserOptions = QUICK
) -> tuple[Response, RenderingWeb]:
    """One page through the browser, always."""
    url = "http://shop.example/page"
    web = RenderingWeb(Scripted({url: html}), "always", rules=rules, resolve=to_loopback, options=options)
    try:
        answer = await web.fetch(Request(url))
    finally:
        await web.close()
    assert isinstance(answer, Response)
    return answer, web


class TestWhatScriptsMake:
    async def test_links_that_only_a_script_writes_are_there(self):
        html = (
            PROSE
            + """<div id=root></div><script>setTimeout(() => {
            root.innerHTML = "<a href=/products>Products</a>"; }, 50)</script>"""
        )
        answer, web = await render("<!doctype html>" + html)
        assert b'<a href="/products">Products</a>' in answer.body
        assert answer.body.startswith(b"<!DOCTYPE html>")
        assert (answer.status, answer.rendered) == (200, True)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert web.counts.outcomes == {Outcome.RENDERED: 1}

    async def test_shadow_roots_show_what_a_reader_sees(self):
        answer, _ = await render(
            PROSE
            + """<x-menu></x-menu><script>customElements.define("x-menu", class extends HTMLElement {
            connectedCallback() {
                this.attachShadow({mode: "open"}).innerHTML = "<a href=/inside>inside</a>";
            } })</script>"""
        )
        assert b'<a href="/inside">inside</a>' in answer.body

    async def test_dialogs_and_windows_hold_nothing_up(self):
        answer, _ = await render(
            PROSE + "<script>alert(1); confirm(2); window.open('/x'); document.body.append('after')</script>"
        )
        assert b"after" in answer.body

    async def test_the_browser_says_who_is_crawling(self):
        answer, _ = await render(PROSE + "<script>document.body.append(navigator.userAgent)</script>")
        assert b"Chrome/" in answer.body
        assert b"bizcrawl-test/1" in answer.body

    async def test_long_pages_are_cut(self):
        many = PROSE + "<script>document.body.append('x'.repeat(50000))</script>"
        answer, _ = await render(many, options=BrowserOptions(tabs=1, max_chars=10_000))
        assert (len(answer.body), answer.truncated) == (10_000, True)

    async def test_the_cap_counts_bytes(self):
        many = PROSE + "<script>document.body.append('ü'.repeat(50000))</script>"
        answer, _ = await render(many, options=BrowserOptions(tabs=1, max_chars=10_000))
        assert (len(answer.body), answer.truncated) == (10_000, True)

    async def test_what_is_made_of_a_page_that_was_cut_is_cut_too(self):
        class Cut(Scripted):
            async def fetch(self, request: Request) -> Response | Failure:
                answer = await super().fetch(request)
                return replace(answer, truncated=True) if isinstance(answer, Response) else answer

        web = RenderingWeb(Cut({"http://shop.example/": "<!doctype html>" + PROSE}), "always", options=QUICK)
        answer = await web.fetch(Request("http://shop.example/"))
        await web.close()
        assert isinstance(answer, Response)
        assert (answer.rendered, answer.truncated) == (True, True)

    async def test_cookies_and_scripts_of_one_page_are_gone_for_the_next(self):
        urls = ["http://shop.example/1", "http://shop.example/2"]
        html = (
            PROSE
            + "<script>document.body.append(`[${document.cookie}]`); document.cookie = 'visit=1'</script>"
        )
        web = RenderingWeb(Scripted(dict.fromkeys(urls, html)), "always", options=BrowserOptions(tabs=1))
        answers = [await web.fetch(Request(url)) for url in urls]
        await web.close()
        assert [b"[]" in answer.body for answer in answers if isinstance(answer, Response)] == [True, True]

    async def test_one_tab_serves_pages_of_many_sites(self):
        html = PROSE + "<script>document.body.append(`made at ${location.host}`)</script>"
        urls = [f"http://{name}.example/" for name in ("one", "two", "three", "four")]
        web = RenderingWeb(Scripted(dict.fromkeys(urls, html)), "always", options=BrowserOptions(tabs=1))
        answers = [await web.fetch(Request(url)) for url in urls]
        await web.close()
        for url, answer in zip(urls, answers, strict=True):
            assert isinstance(answer, Response)
            assert f"made at {url[7:-1]}".encode() in answer.body

    async def test_a_page_that_goes_on_after_its_time_does_not_disturb_the_next(self):
        restless = "<script>setInterval(() => { location.href = '/elsewhere' }, 1500)</script>"
        urls = ["http://a.example/restless", "http://b.example/next"]
        pages = {urls[0]: PROSE + restless, urls[1]: PROSE + "<script>document.body.append('made')</script>"}
        web = RenderingWeb(Scripted(pages), "always", options=BrowserOptions(tabs=1))
        first = await web.fetch(Request(urls[0]))
        await asyncio.sleep(2)
        second = await web.fetch(Request(urls[1]))
        await web.close()
        assert [answer.status for answer in (first, second) if isinstance(answer, Response)] == [200, 200]
        assert isinstance(second, Response)
        assert b"made" in second.body

    async def test_pages_that_follow_at_once_do_not_disturb_each_other(self):
        restless = "<script>setTimeout(() => { location.href = '/elsewhere' }, 130)</script>"
        made = "<script>document.body.append('made')</script>"
        pages = {f"http://h{n}.example/": PROSE + (made if n % 2 else restless) for n in range(8)}
        web = RenderingWeb(Scripted(pages), "always", options=BrowserOptions(tabs=1))
        answers = await asyncio.gather(*(web.fetch(Request(url)) for url in pages))
        await web.close()
        for n, answer in enumerate(answers):
            assert isinstance(answer, Response)
            if n % 2:
                assert (answer.status, b"made</body>" in answer.body) == (200, True)
            elif answer.status == 302:  # or it was left before it got to that
                assert answer.headers["location"] == f"http://h{n}.example/elsewhere"

    async def test_pictures_fonts_and_films_are_not_loaded(self):
        asked: list[str] = []

        async def watched(host: str, port: int) -> Sequence[str]:
            asked.append(host)
            return ["127.0.0.1"]

        html = (
            PROSE
            + """<style>@font-face { font-family: f; src: url(http://font.example/f.woff2) }
            p { font-family: f; background: url(http://back.example/b.png) }</style>
            <img src=http://image.example/i.jpg><video src=http://film.example/f.mp4 autoplay></video>
            <script src=http://script.example/s.js></script>"""
        )
        pages = {"http://shop.example/": html}
        web = RenderingWeb(Scripted(pages), "always", resolve=watched, options=QUICK)
        await web.fetch(Request("http://shop.example/"))
        await web.close()
        assert set(asked) == {"script.example"}


class TestAuto:
    async def test_only_pages_with_a_sign_are_rendered(self):
        pages = {
            "http://a.example/app": "<div id=root></div><script>root.innerHTML = '<a href=/x>made'</script>",
            "http://a.example/text": PROSE + "<a href=/y>y</a><script>document.body.append('made')</script>",
            "http://a.example/data": '{"a": 1}',
        }
        web = RenderingWeb(Scripted(pages), "auto", options=QUICK)
        app, text, data = [await web.fetch(Request(url)) for url in pages]
        robots = await web.fetch(Request("http://a.example/app", max_body_bytes=1000))
        gone = await web.fetch(Request("http://a.example/gone"))
        await web.close()
        assert [answer.rendered for answer in (app, text, data, robots) if isinstance(answer, Response)] == [
            True,
            False,
            False,
            False,
        ]
        assert web.counts.signs == {"empty_mount": 1}
        assert isinstance(gone, Failure)

    async def test_no_browser_is_one_clear_line(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("BIZCRAWL_CHROMIUM", "/nowhere/chromium")
        with pytest.raises(BrowserUnavailableError, match="playwright install chromium"):
            RenderingWeb(Scripted({}))

    async def test_a_program_that_is_no_browser_is_one_clear_line(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("BIZCRAWL_CHROMIUM", "/bin/true")
        with pytest.raises(BrowserUnavailableError, match=r"/bin/true does not start"):
            await render(PROSE)


class TestScriptsThatLeadElsewhere:
    @pytest.mark.parametrize(
        "script",
        [
            "location.href = '/moved'",
            "location.replace('http://shop.example/moved')",
            "setTimeout(() => location.assign('/moved'), 100)",
            "var navigation = {}; onload = () => setTimeout(() => location.assign('/moved'), 60)",
            "document.head.innerHTML = '<meta http-equiv=refresh content=\"0; url=/moved\">'",
        ],
    )
    async def test_are_redirects_for_the_crawl_to_judge(self, script: str):
        answer, web = await render(PROSE + f"<script>{script}</script>")
        assert (answer.status, answer.headers) == (302, {"location": "http://shop.example/moved"})
        assert web.counts.outcomes == {Outcome.LED_ELSEWHERE: 1}
        assert not web.counts.refused  # nothing was asked of the network

    @pytest.mark.parametrize("script", ["location.reload()", "location.href = location.href"])
    async def test_a_page_that_loads_itself_again_is_answered_as_it_was_fetched(self, script: str):
        answer, web = await render(f"<!doctype html>{PROSE}<script>{script}</script>")
        assert (answer.status, answer.rendered) == (200, False)
        assert PROSE.encode() in answer.body
        assert web.counts.outcomes == {Outcome.NOT_RENDERED: 1}

    async def test_a_change_of_the_address_alone_is_none(self):
        answer, _ = await render(
            PROSE + "<script>history.pushState({}, '', '/other'); location.hash = 'x'</script>"
        )
        assert (answer.status, answer.rendered) == (200, True)


class TestTrouble:
    @pytest.mark.parametrize(
        "script",
        [
            "window.Promise = function () {}",
            "window.Promise = function () { return 5 }",
            "window.Promise = function () { return [{}, 1] }",
            "window.MutationObserver = undefined",
            "document.documentElement.remove()",
            "Object.defineProperty(HTMLElement.prototype, 'innerText', {get() { throw 'spoilt' }})",
        ],
    )
    async def test_a_page_that_spoils_what_its_source_is_asked_with_is_answered_as_it_was_fetched(
        self, script: str
    ):
        """It raised in the crawl, which ended with that, or had the tab until its deadline."""
        html = f"<p>fetched<script>{script}</script>"
        async with asyncio.timeout(QUICK.deadline_s / 2):
            answer, web = await render(html)
        assert (answer.status, answer.body) == (200, html.encode())
        assert web.counts.outcomes == {Outcome.NOT_RENDERED: 1}

    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits other processes")
    async def test_scripts_that_only_take_memory_beside_their_heap_are_stopped_by_a_limit(self):
        """One took 7.4 GB until its time was over."""
        greedy = """<script>
            const held = [];
            try { while (held.length < 80) held.push(new Uint8Array(5e7).fill(1)) } catch (refused) {
                document.body.append(`refused after ${held.length * 50} MB`)
            }
        </script>"""
        answer, _ = await render(PROSE + greedy)
        told = re.search(rb"refused after (\d+) MB", answer.body)
        assert told, answer.body[-200:]
        assert 200 < int(told[1]) < 2_000

    async def test_an_endless_script_ends_at_the_deadline_and_the_next_page_is_rendered(self):
        pages = {
            "http://a.example/endless": PROSE + "<script>while (true) {}</script>",
            "http://a.example/next": PROSE + "<script>document.body.append('made')</script>",
        }
        options = BrowserOptions(tabs=1, deadline_s=4)
        web = RenderingWeb(Scripted(pages), "always", options=options)
        began = time.monotonic()
        endless, following = [await web.fetch(Request(url)) for url in pages]
        took_s = time.monotonic() - began
        await web.close()
        assert isinstance(endless, Response)
        assert isinstance(following, Response)
        assert (endless.rendered, endless.body) == (False, pages["http://a.example/endless"].encode())
        assert b"made" in following.body
        assert web.counts.outcomes == {Outcome.NOT_RENDERED: 1, Outcome.RENDERED: 1}
        assert took_s < 30

    async def test_a_killed_browser_is_started_again(self):
        html = PROSE + "<script>document.body.append('made')</script>"
        web = RenderingWeb(
            Scripted({f"http://a.example/{n}": html for n in range(4)}), "always", options=QUICK
        )
        answers = [await web.fetch(Request("http://a.example/0"))]
        for pid in browsers_of(os.getpid()):
            os.kill(pid, signal.SIGKILL)
        answers += [await web.fetch(Request(f"http://a.example/{n}")) for n in (1, 2, 3)]
        await web.close()
        rendered = [isinstance(answer, Response) and answer.rendered for answer in answers]
        assert rendered[0]
        assert rendered[-1]
        assert rendered.count(False) <= 1


def browsers_of(ancestor: int) -> list[int]:
    """Browser processes that descend from a process."""
    parents: dict[int, int] = {}
    browsers = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if b"--remote-debugging" in (folder / "cmdline").read_bytes():
                    browsers.append(int(folder.name))
            except OSError:
                continue

    def descends(pid: int) -> bool:
        while pid in parents and pid != ancestor:
            pid = parents[pid]
        return pid == ancestor

    return [pid for pid in browsers if descends(pid)]


@dataclass(frozen=True, slots=True)
class AllBut(AddressRules):
    """Loopback may be reached, but for one port: the machine that must never be reached."""

    secret_port: int = 0

    def address(self, text: str, port: int) -> Ruling:
        return Ruling(Reason.FORBIDDEN_ADDRESS, "secret") if port == self.secret_port else ALLOWED


@pytest.fixture
async def inner() -> AsyncIterator[tuple[list[str], int]]:
    """A server whose every connection is a breach."""
    reached: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.append((await reader.read(200)).decode("latin-1"))
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield reached, listening.sockets[0].getsockname()[1]
    listening.close()


@pytest.fixture
async def public(inner: tuple[list[str], int]) -> AsyncIterator[tuple[list[str], int]]:
    """A server that may be reached, and sends its visitors to the inner one."""
    asked: list[str] = []

    async def redirect(request: server.Request) -> server.Response:
        asked.append(request.path)
        location = f"http://{request.query.get('host', '127.0.0.1')}:{inner[1]}{request.path}"
        return server.Response(status=302, headers={"Location": location, "Access-Control-Allow-Origin": "*"})

    site = server.Application()
    site.add_routes([server.get("/{way}", redirect)])
    runner = server.AppRunner(site, access_log=None)
    await runner.setup()
    await server.TCPSite(runner, "127.0.0.1", 0).start()
    yield asked, runner.addresses[0][1]
    await runner.cleanup()


HTML_THAT_REACHES = {
    "redirected script": "<script src='{away}'></script>",
    "redirected style": "<link rel=stylesheet href='{away}'>",
    "redirected frame": "<iframe src='{away}'></iframe>",
    "redirected fetch": "<script>fetch('{away}').catch(() => {{}})</script>",
    "redirected fetch by name": "<script>fetch('{away}?host=rebinding.example').catch(() => {{}})</script>",
    "redirected sandboxed fetch": "<script>fetch('{away}', {{mode: 'no-cors'}}).catch(() => {{}})</script>",
    "frame": "<iframe src='{inner}'></iframe><iframe srcdoc=\"<script src='{inner}'></script>\"></iframe>",
    "script": "<script src='{inner}'></script>",
    "image": "<img src='{inner}'><script>new Image().src = '{inner}'</script>",
    "xhr": "<script>const x = new XMLHttpRequest(); x.open('POST', '{inner}'); x.send('a')</script>",
    "beacon": "<script>navigator.sendBeacon('{inner}', 'a')</script>",
    "web socket": "<script>new WebSocket('{inner}'.replace('http', 'ws'))</script>",
    "event source": "<script>new EventSource('{inner}')</script>",
    "prefetch": "<link rel=prefetch href='{inner}'><link rel=preconnect href='{inner}'>"
    "<link rel=dns-prefetch href='{inner}'>",
    "form": "<form action='{inner}' method=post><input name=a></form>"
    "<script>document.forms[0].submit()</script>",
    "window": "<a href='{inner}' target=_blank id=a>x</a><script>a.click(); window.open('{inner}')</script>",
    "worker": "<script>new Worker(URL.createObjectURL(new Blob([\"fetch('{inner}')\"])))</script>",
    "module": "<script type=module>import '{inner}'</script>",
    "download": "<a download href='{inner}' id=a>x</a><script>a.click()</script>",
    "object": "<object data='{inner}'></object><embed src='{inner}'>",
    "media": "<video src='{inner}' autoplay></video><audio src='{inner}' autoplay></audio>",
    "web transport": "<script>try {{ new WebTransport('{inner}'.replace('http', 'https')) }}"
    " catch (e) {{}}</script>",
    "web rtc": "<script>const p = new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{port}'}}, "
    "{{urls: 'turn:127.0.0.1:{port}?transport=tcp', username: 'a', credential: 'b'}}]}});"
    "p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o))</script>",
}


async def visit_all(rules: AddressRules, port: int, public_port: int) -> RenderingWeb:
    """Let every page try its way, on one browser."""
    pages = {}
    for way, html in HTML_THAT_REACHES.items():
        page = way.replace(" ", "-")
        away, to = f"http://public.example:{public_port}/{page}", f"http://127.0.0.1:{port}/{page}"
        pages[f"http://shop.example/{page}"] = PROSE + html.format(away=away, inner=to, port=port) + AT_REST
    web = RenderingWeb(Scripted(pages), "always", rules=rules, resolve=to_loopback, options=QUICK)
    answers = await asyncio.gather(*(web.fetch(Request(url)) for url in pages))
    await web.close()
    assert all(isinstance(answer, Response) and answer.rendered for answer in answers)
    return web


AT_REST = """<script>
    addEventListener("load", () => setTimeout(() => document.body.append("at rest"), 300));
</script>"""


async def test_no_request_of_a_page_ever_reaches_a_refused_address(
    inner: tuple[list[str], int], public: tuple[list[str], int]
):
    reached, port = inner
    asked, public_port = public
    web = await visit_all(AllBut(allow_private=True, secret_port=port), port, public_port)
    assert reached == []
    assert len(set(asked)) == sum(way.startswith("redirected") for way in HTML_THAT_REACHES)
    assert web.counts.refused[Reason.FORBIDDEN_ADDRESS] >= len(HTML_THAT_REACHES) // 2


async def test_the_same_pages_do_reach_it_where_it_is_allowed(
    inner: tuple[list[str], int], public: tuple[list[str], int]
):
    """Else the test above would show nothing."""
    reached, port = inner
    await visit_all(AddressRules(allow_private=True), port, public[1])
    ways = {line.split(" ")[1].removeprefix("/").replace("-", " ") for line in reached if " /" in line}
    harmless = {
        "image",
        "window",
        "form",
        "download",
        "web transport",
        "web rtc",
        "redirected sandboxed fetch",
    }
    assert ways >= HTML_THAT_REACHES.keys() - harmless


async def test_files_of_this_machine_are_not_read(tmp_path: Path):
    (tmp_path / "secret.html").write_text("TOPSECRET")
    url = (tmp_path / "secret.html").as_uri()
    html = f"""<iframe src='{url}'></iframe><script>
        fetch('{url}').then(r => r.text()).then(t => document.body.append(t))
        .catch(() => document.body.append('refused'))
        </script>"""
    answer, _ = await render(PROSE + html)
    assert b"refused" in answer.body
    assert b"TOPSECRET" not in answer.body


async def test_service_workers_are_not_registered():
    html = """<script>
        navigator.serviceWorker.register("/worker.js").catch(() => 0).then(async () => {
            const workers = await navigator.serviceWorker.getRegistrations();
            document.body.append(`${workers.length} workers`);
        })</script>"""
    pages = {"https://shop.example/": PROSE + html, "https://shop.example/worker.js": "self.x = 1"}
    web = RenderingWeb(Scripted(pages), "always", options=QUICK, from_web=True)
    answer = await web.fetch(Request("https://shop.example/"))
    await web.close()
    assert isinstance(answer, Response)
    assert b"0 workers" in answer.body


class TestOverARecord:
    async def test_scripts_and_data_come_from_the_record_and_nowhere_else(self):
        pages = {
            "https://a.example/": "<div id=root></div><script>fetch('/data.json').then(r => r.json())"
            ".then(d => root.innerHTML = `<a href=${d.to}>made</a>`)</script>",
            "https://a.example/data.json": '{"to": "/made"}',
        }
        web = RenderingWeb(Scripted(pages), "auto", options=QUICK, from_web=True)
        answer = await web.fetch(Request("https://a.example/"))
        await web.close()
        assert isinstance(answer, Response)
        assert b'<a href="/made">made</a>' in answer.body

    async def test_a_rendered_crawl_crawls_the_same_from_its_record_without_a_browser(self, tmp_path: Path):
        url = "http://a.example/"
        html = "<div id=root></div><script>root.innerHTML = '<a href=/x>made</a>'</script>"
        rendering = RenderingWeb(Scripted({url: html}), "auto", options=QUICK)
        web = RecordingWeb(rendering, WarcWriter(tmp_path, software="test"))
        first = await web.fetch(Request(url))
        await web.close()
        with RecordedWeb(tmp_path) as record:
            again = record.lookup(url)
        assert isinstance(first, Response)
        assert isinstance(again, Response)
        assert (again.body, again.rendered) == (first.body, True)
