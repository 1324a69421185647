"""Pages on which a parser is quadratic: they are cut, never failed, and hold nothing up for long."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from bizcrawl import harvest
from bizcrawl.download import Download
from bizcrawl.harvest import Harvested, Harvester
from bizcrawl.web import Response

NESTED = b"<p>pumps <a href=/first>first</a>" + b"<ul><li>" * 100_000


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


def test_the_beginning_of_such_a_page_is_kept_and_the_next_page_comes_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(harvest, "MAX_CPU_S", 4.0)

    async def both() -> list[Harvested | object]:
        harvester = Harvester(workers=1)
        try:
            pages = [
                download("https://a.example/", NESTED),
                download("https://b.example/", b"<p>valves <a href=/x>x</a>"),
            ]
            return await asyncio.wait_for(asyncio.gather(*map(harvester.harvest, pages)), timeout=100)
        finally:
            harvester.close()

    slow, quick = asyncio.run(both())
    assert isinstance(slow, Harvested)
    assert isinstance(quick, Harvested)
    assert [link.url for link in slow.page.links] == ["https://a.example/first"]
    assert set(slow.page.tree.cuts) == {"bytes", "depth", "time"}
    assert slow.body_bytes == len(NESTED), "what was fetched is counted whole"
    assert [link.url for link in quick.page.links] == ["https://b.example/x"]
    assert not quick.page.tree.cuts
