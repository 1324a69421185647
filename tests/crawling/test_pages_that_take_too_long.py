"""Pages on which a parser is quadratic: they are cut, never failed, and hold nothing up for long."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

import pytest

from bizcrawl import harvest
from bizcrawl.assembly import fetching
from bizcrawl.download import Download, Rules
from bizcrawl.harvest import Harvested, Harvester
from bizcrawl.politeness import Manners, Politeness
from bizcrawl.reasons import Reason
from bizcrawl.strategies import ScoredLink
from bizcrawl.web import Request, Response

LONG = b"<p>pumps <a href=/first>first</a>" + (b"<div title='" + b"x" * 100 + b"'>") * 8_000
"""A page that takes the exact road longer than these tests let it, and whose beginning does not."""


def download(url: str, body: bytes) -> Download:
    response = Response(
        url=url,
        status=200,
        headers={"content-type": "text/html; charset=utf-8"},
        body=body,
        fetched_at=datetime(2026, 11, 28, tzinfo=UTC),
        elapsed_s=0.1,
        wire_bytes=len(body),
    )
    return Download(url, url, response)


def test_each_counts_against_its_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harvest, "MAX_CPU_S", 0.5)
    bodies = {"https://a.example/": LONG, "https://b.example/": b"<p>valves"}

    class Served:
        async def fetch(self, request: Request) -> Response:
            return download(request.url, bodies[request.url]).response

        async def close(self) -> None: ...

    async def crawl_both() -> list[Reason | None]:
        gate = Politeness(Manners(max_stalls=1), time.monotonic, wall_clock=time.time)
        harvester = Harvester(workers=1, tidier="html5lib")
        fetch = fetching(Served(), Rules(politeness=gate), harvester, None, lambda _: False)
        try:
            for url in bodies:
                await fetch(ScoredLink(url, 0.0))
        finally:
            harvester.close()
        return [gate.ruling(host).reason for host in ("a.example", "b.example")]

    assert asyncio.run(crawl_both()) == [Reason.TIDY_FAILED, None]


def test_the_beginning_of_such_a_page_is_kept_and_the_next_page_comes_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(harvest, "MAX_CPU_S", 0.5)

    async def both() -> list[Harvested | object]:
        harvester = Harvester(workers=1, tidier="html5lib")
        try:
            pages = [
                download("https://a.example/", LONG),
                download("https://b.example/", b"<p>valves <a href=/x>x</a>"),
            ]
            return await asyncio.wait_for(asyncio.gather(*map(harvester.harvest, pages)), timeout=100)
        finally:
            harvester.close()

    slow, quick = asyncio.run(both())
    assert isinstance(slow, Harvested)
    assert isinstance(quick, Harvested)
    assert [link.url for link in slow.page.links] == ["https://a.example/first"]
    assert set(slow.page.tree.cuts) == {"bytes", "time"}
    assert slow.body_bytes == len(LONG), "what was fetched is counted whole"
    assert [link.url for link in quick.page.links] == ["https://b.example/x"]
    assert not quick.page.tree.cuts
