"""The report as a page that is served and made anew while the collection changes."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from subprocess import CompletedProcess

import aiohttp
import pytest

from bizcrawl.collection.writer import Collection
from bizcrawl.errors import BizcrawlError
from bizcrawl.report.serving import FRESH_S, PATIENCE, REST, FreshPage, serve

CommandLine = Callable[..., CompletedProcess[str]]


class Clock:
    """Time that goes by when told."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Counting:
    """Makes pages that say the how-manieth they are; each takes some seconds."""

    def __init__(self, clock: Clock, takes_s: float = 0.1) -> None:
        self.made = 0
        self._clock = clock
        self._takes_s = takes_s

    def __call__(self) -> str:
        self.made += 1
        self._clock.now_s += self._takes_s
        return f"page {self.made}"


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


async def test_a_page_is_made_anew_only_if_what_it_is_made_of_has_changed(tmp_path: Path) -> None:
    clock = Clock()
    source = written(tmp_path / "source", "a")
    page = FreshPage(Counting(clock), [source, tmp_path / "not there yet"], clock)
    assert await page.now() == "page 1"
    clock.now_s += 1_000
    assert await page.now() == "page 1"
    written(source, "ab")
    assert await page.now() == "page 2"
    clock.now_s += 1_000
    written(tmp_path / "not there yet", "")
    assert await page.now() == "page 3"


async def test_a_source_has_changed_if_its_time_or_its_length_has(tmp_path: Path) -> None:
    clock = Clock()
    source = written(tmp_path / "source", "a")
    page = FreshPage(Counting(clock), [source], clock)
    for number, (text, time_s) in enumerate((("a", 1_000), ("ab", 1_000), ("ac", 2_000)), 1):
        written(source, text)
        os.utime(source, (time_s, time_s))
        assert await page.now() == f"page {number}"
        clock.now_s += 1_000


@pytest.mark.parametrize(("takes_s", "good_s"), [(0.1, FRESH_S), (30.0, 30.0 * REST)])
async def test_a_page_is_not_made_more_often_than_it_bears(
    tmp_path: Path, takes_s: float, good_s: float
) -> None:
    clock = Clock()
    make = Counting(clock, takes_s)
    source = written(tmp_path / "source", "a")
    page = FreshPage(make, [source], clock)
    await page.now()
    written(source, "ab")
    clock.now_s += good_s - 0.01
    assert await page.now() == "page 1"
    clock.now_s += 0.02
    assert await page.now() == "page 2"


async def test_many_who_ask_at_once_get_the_same_page(tmp_path: Path) -> None:
    clock = Clock()
    make = Counting(clock)
    page = FreshPage(make, [written(tmp_path / "source", "a")], clock)
    assert await asyncio.gather(*(page.now() for _ in range(20))) == ["page 1"] * 20
    assert make.made == 1


@asynccontextmanager
async def served(
    make: Callable[[], str], sources: list[Path], now: Callable[[], Awaitable[str]] | None = None
) -> AsyncIterator[str]:
    """The URL of a page that is being served; `now` stands in for the page's own."""
    urls: asyncio.Queue[str] = asyncio.Queue()
    until = asyncio.Event()
    page = FreshPage(make, sources)
    if now:
        page.now = now  # type: ignore[assignment,method-assign]
    task = asyncio.create_task(serve(page, 0, "secret", until, urls.put_nowait))
    try:
        yield await asyncio.wait_for(urls.get(), 5)
    finally:
        until.set()
        await task


def port_of(url: str) -> int:
    return int(url.split("/")[2].rpartition(":")[2])


async def test_nobody_is_answered_who_does_not_know_the_secret() -> None:
    """Another user of the machine can reach the port too."""
    async with served(lambda: "page", []) as url, aiohttp.ClientSession() as session:
        root = url.removesuffix("secret/")
        for path, status in (("", 404), ("renew.js", 404), ("Secret/", 404), ("secret/", 200)):
            async with session.get(root + path) as answer:
                assert answer.status == status, path


async def test_nobody_is_answered_who_calls_this_machine_by_another_name() -> None:
    """DNS rebinding: a page of the Web asks for a name of its own that has come to mean 127.0.0.1."""
    async with served(lambda: "page", []) as url, aiohttp.ClientSession() as session:
        port = port_of(url)
        for host, status in (
            (f"127.0.0.1:{port}", 200),
            (f"localhost:{port}", 200),
            (f"evil.example:{port}", 421),
            ("127.0.0.1.evil.example", 421),
            ("", 421),
        ):
            for path in ("", "renew.js"):
                async with session.get(url + path, headers={"Host": host}) as answer:
                    assert answer.status == status, host
                    assert status == 200 or "for the machine it is served on" in await answer.text()
                    assert (await answer.text() == "page") == (status == 200 and not path)


async def test_nothing_can_be_changed_and_nothing_else_is_there() -> None:
    async with served(lambda: "page", []) as url, aiohttp.ClientSession() as session:
        for method, path, status in (("POST", "", 405), ("GET", "../../etc/passwd", 404), ("HEAD", "", 200)):
            async with session.request(method, url + path) as answer:
                assert answer.status == status, (method, path)
                assert answer.headers.get("Access-Control-Allow-Origin") is None


async def test_no_other_page_may_read_frame_keep_or_hear_of_what_is_served() -> None:
    """SECURITY.md: the secret is in the URL, so it goes to nobody by Referer, and not into a log."""
    pages = iter(["<p>page"])
    promised = {
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
    script = files("bizcrawl.report").joinpath("renew.js").read_text(encoding="utf-8")

    async def now() -> str:
        if page := next(pages, ""):
            return page
        raise BizcrawlError("gone")

    async with served(lambda: "", [], now) as url, aiohttp.ClientSession() as session:
        for path, status, media_type, text in (
            ("", 200, "text/html", "<p>page"),
            ("", 503, "text/plain", "gone\n"),
            ("renew.js", 200, "text/javascript", script),
        ):
            async with session.get(url + path) as answer:
                assert (answer.status, answer.content_type, await answer.text()) == (status, media_type, text)
                assert promised.items() <= answer.headers.items()


async def test_the_secret_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with (
        served(lambda: "page", []) as url,
        aiohttp.ClientSession() as session,
        session.get(url) as answer,
    ):
        assert answer.status == 200
    assert "secret" not in caplog.text


async def test_serving_ends_though_somebody_waits_for_a_page() -> None:
    async def never() -> str:
        await asyncio.Event().wait()
        return ""

    async with aiohttp.ClientSession() as session:
        async with served(lambda: "", [], never) as url:
            asking = asyncio.create_task(session.get(url))
            await asyncio.sleep(0.1)
            began_s = time.monotonic()
        assert time.monotonic() - began_s < 5
        with pytest.raises(aiohttp.ClientError):
            await asking


async def test_a_page_that_cannot_be_made_now_says_why_and_is_tried_again(tmp_path: Path) -> None:
    source = written(tmp_path / "source", "a")

    def make() -> str:
        if source.read_text() == "a":
            raise BizcrawlError("harvest.duckdb: no such file")
        return "there again"

    async with served(make, [source]) as url, aiohttp.ClientSession() as session:
        async with session.get(url) as answer:
            assert (answer.status, await answer.text()) == (503, "harvest.duckdb: no such file\n")
        written(source, "ab")
        async with session.get(url) as answer:
            assert (answer.status, await answer.text()) == (200, "there again")


async def test_the_former_page_stands_while_a_fault_may_pass(tmp_path: Path) -> None:
    clock = Clock()
    source = written(tmp_path / "source", "well")

    def make() -> str:
        if source.read_text() == "broken":
            raise BizcrawlError("harvest.duckdb: the process that writes it went away")
        return source.read_text()

    page = FreshPage(make, [source], clock)
    assert await page.now() == "well"
    for _ in range(2):
        clock.now_s += 10.0
        written(source, "broken")
        assert [await page.now() for _ in range(PATIENCE)] == ["well"] * PATIENCE
        with pytest.raises(BizcrawlError, match="went away"):
            await page.now()
        written(source, "well")
        assert await page.now() == "well"


async def test_a_port_that_is_taken_is_one_clear_line() -> None:
    async with served(lambda: "", []) as url:
        port = port_of(url)
        with pytest.raises(BizcrawlError, match=f"port {port} cannot be had: .*choose another --port"):
            await serve(FreshPage(lambda: "", []), port, "secret", asyncio.Event(), print)


async def test_the_command_serves_a_report_until_it_is_interrupted(demo_harvest: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bizcrawl", "serve", demo_harvest, "--port", "0", "--top", "3"),
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    assert process.stderr is not None
    try:
        line = (await asyncio.wait_for(process.stderr.readline(), 60)).decode()
        async with aiohttp.ClientSession() as session, session.get(line.split()[0]) as answer:
            page = await answer.text()
    finally:
        process.send_signal(signal.SIGINT)
        rest = await process.stderr.read()
    assert "Ctrl-C ends it" in line
    assert page.count('<div class="rank">3') == 1
    assert '<div class="rank">4' not in page
    assert "script-src 'self'" in page
    assert await process.wait() == 0
    assert not rest


@pytest.mark.parametrize(
    ("file", "said", "code"), [("none.duckdb", "no such file", 1), ("EMPTY", "no crawl", 2)]
)
def test_a_file_that_cannot_be_shown_is_said_at_once(
    bizcrawl: CommandLine, tmp_path: Path, file: str, said: str, code: int
) -> None:
    Collection.create(tmp_path / "EMPTY").close()
    done = bizcrawl("serve", tmp_path / file, "--port", "0")
    assert done.returncode == code
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
