"""What waits between the Web and the disk is bounded in bytes, not in pages alone."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import cast

import pytest

from bizcrawl import journal
from bizcrawl.collection.rows import Batch
from bizcrawl.collection.writer import Collection
from bizcrawl.download import Download
from bizcrawl.harvest import Harvested, Harvester
from bizcrawl.journal import CollectionJournal
from bizcrawl.strategies import ScoredLink
from bizcrawl.topic import Topic
from bizcrawl.web import Response

URL = "https://a.example/"


def fetched(body: bytes = b"<p>pumps") -> Download:
    headers = {"content-type": "text/html"}
    return Download(URL, URL, Response(URL, 200, headers, body, datetime(2026, 11, 28, tzinfo=UTC)))


class Slow:
    """A collection whose disk takes nothing until it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.pages = 0

    def submit(self, batch: Batch) -> Future[object]:
        self.go.wait(60)
        self.pages += len(batch.pages)
        done: Future[object] = Future()
        done.set_result(None)
        return done


def journal_of(collection: Slow) -> CollectionJournal:
    topic = Topic("t", (URL,), "pumps")
    return CollectionJournal(cast(Collection, collection), topic, clock=lambda: 0.0)


async def test_while_the_disk_takes_no_more_fetched_pages_are_not_tidied() -> None:
    """64 pages of a megabyte, tidied, took half a gigabyte."""
    collection = Slow()
    written = journal_of(collection)
    harvester = Harvester(has_room=written.has_room)
    first = await harvester.harvest(fetched())
    assert isinstance(first, Harvested)
    written.visited(ScoredLink(URL, 0.0), first, [])
    flushing = asyncio.create_task(written.flush(wait=True))
    await asyncio.sleep(0)
    second = asyncio.create_task(harvester.harvest(fetched()))
    await asyncio.sleep(0.05)
    assert not second.done()
    collection.go.set()
    await flushing
    assert isinstance(await second, Harvested)


async def test_large_pages_do_not_wait_until_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "FLUSH_BYTES", 90_000)
    collection = Slow()
    collection.go.set()
    written = journal_of(collection)
    handed_over = []
    for _ in range(5):
        page = await Harvester().harvest(fetched(b"<p>" + b"pumps " * 8_000))
        assert isinstance(page, Harvested)
        written.visited(ScoredLink(URL, 0.0), page, [])
        await written.flush()
        handed_over.append(collection.pages)
    assert handed_over == [0, 2, 2, 4, 4]


async def test_no_more_pages_are_tidied_at_once_than_there_are_processes_for() -> None:
    """The others wait as they were fetched, not a second time as a message to a process."""
    harvester = Harvester(workers=1)
    try:
        pages = [asyncio.create_task(harvester.harvest(fetched())) for _ in range(30)]
        await asyncio.sleep(0)
        assert harvester._workers is not None
        assert len(harvester._workers._waiting) + sum(map(len, harvester._workers._workers)) <= 3
        assert all(isinstance(page, Harvested) for page in await asyncio.gather(*pages))
    finally:
        harvester.close()
