"""Events of a crawl become rows in their order, and none of them waits long for the collection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, cast

import pytest

from bizcrawl.collection.rows import Batch, HostRow
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.opinions import Judgement, Opinion
from bizcrawl.download import Download
from bizcrawl.harvest import Harvested, Harvester
from bizcrawl.journal import FLUSH_EVENTS, FLUSH_PAGES, FLUSH_S, CollectionJournal
from bizcrawl.reasons import Reason
from bizcrawl.relevance.predicates import BadPredicate
from bizcrawl.robots.tags import FOLLOWS_ALL, Heed
from bizcrawl.strategies import ScoredLink
from bizcrawl.topic import Topic
from bizcrawl.web import Failure, Response

URL = "https://a.example/"
TOPIC = Topic("t", (URL, "https://b.example/", "https://c.example/"), "pumps")


class Kept:
    """A collection that keeps what it is handed, and may fail."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.fault: Exception | None = None

    def submit(self, batch: Batch) -> Future[object]:
        self.batches.append(batch)
        done: Future[object] = Future()
        if self.fault is None:
            done.set_result(None)
        else:
            done.set_exception(self.fault)
        return done


class Written:
    """A journal over a collection of that kind, and a clock that is set by hand."""

    def __init__(self, **asked: Any) -> None:
        self.now_s = 1_000.0
        self.kept = Kept()
        self.journal = CollectionJournal(
            cast(Collection, self.kept), TOPIC, clock=lambda: self.now_s, **asked
        )

    async def in_one_batch(self) -> Batch:
        await self.journal.flush(wait=True)
        (batch,) = self.kept.batches
        return batch


async def harvested(
    body: str = "<title>Pumps</title><p>pumps", heed: Heed = FOLLOWS_ALL, **response: Any
) -> Harvested:
    known = {"headers": {"content-type": "text/html"}, "fetched_at": datetime(2026, 11, 28, tzinfo=UTC)}
    answer = Response(**{"url": URL, "status": 200, "body": body.encode(), **known, **response})
    page = await Harvester(heed=heed).harvest(Download(URL, URL, answer))
    assert isinstance(page, Harvested)
    return page


async def test_an_event_is_handed_over_after_a_second_and_where_there_is_none_nothing_is() -> None:
    written = Written()
    handed_over = []
    for pause_s in (0.0, FLUSH_S - 0.01, 0.01, 0.5, 0.5, 5.0):
        written.now_s += pause_s
        if len(handed_over) in (0, 3):
            written.journal.called("next", [URL], 3)
        await written.journal.flush()
        handed_over.append(len(written.kept.batches))
    assert handed_over == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("event", "most"),
    [
        (lambda journal, _: journal.called("next", [URL]), FLUSH_EVENTS),
        (lambda journal, page: journal.visited(ScoredLink(URL, 0.0), page, []), FLUSH_PAGES),
    ],
)
async def test_many_events_or_pages_do_not_wait_for_the_second(
    event: Callable[[CollectionJournal, Harvested], None], most: int
) -> None:
    written, page = Written(), await harvested()
    for _ in range(most - 1):
        event(written.journal, page)
    await written.journal.flush()
    assert written.kept.batches == []
    event(written.journal, page)
    await written.journal.flush()
    assert [len(batch.calls) for batch in written.kept.batches] == [most]


async def test_large_pages_do_not_wait_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    written, page = Written(), await harvested()
    written.journal.visited(ScoredLink(URL, 0.0), page, [])
    (stored,) = (await written.in_one_batch()).pages
    monkeypatch.setattr("bizcrawl.journal.FLUSH_BYTES", 2 * stored.held_bytes)
    handed_over = []
    for _ in range(4):
        written.journal.visited(ScoredLink(URL, 0.0), page, [])
        await written.journal.flush()
        handed_over.append(len(written.kept.batches) - 1)
    assert handed_over == [0, 1, 1, 2]


async def test_calls_are_written_in_their_order_with_the_time_of_all_sittings() -> None:
    written, page = Written(), await harvested()
    journal = written.journal
    journal.called("start", TOPIC.seeds)
    written.now_s += 1.0
    journal.called("next", [URL], 4)
    journal.resumed(100.0)
    journal.visited(ScoredLink(URL, 0.0), page, [])
    written.now_s += 2.0
    journal.failed(ScoredLink("https://x.example/", 0.0), Failure("https://x.example/", Reason.DNS, "no"))
    journal.judged(Opinion(Judgement.REJECT, "y.example", note="not one"))
    calls = (await written.in_one_batch()).calls
    assert [(call.kind, call.at_s) for call in calls] == [
        ("start", 0.0),
        ("next", 1.0),
        ("visit", 100.0),
        ("fail", 102.0),
        ("reject", 102.0),
    ]
    assert [call.n for call in calls[:2]] == [0, 4]
    assert [call.given for call in calls[:2]] == [TOPIC.seeds, (URL,)]
    assert (calls[3].url, calls[3].reason, calls[3].detail) == ("https://x.example/", Reason.DNS, "no")


async def test_a_url_that_failed_and_an_address_that_is_none_are_turned_away_with_their_page() -> None:
    written = Written()
    page = await harvested('<a href="https://[broken/">x</a>')
    written.journal.visited(ScoredLink(URL, 0.0), page, [])
    link = ScoredLink("https://x.example/", 0.0, parent=URL)
    written.journal.failed(link, Failure(link.url, Reason.TIMEOUT, "10 s"))
    assert [tuple(row) for row in (await written.in_one_batch()).decisions] == [
        ("https://[broken/", Reason.BAD_URL, URL, "a link, as it is written"),
        ("https://x.example/", Reason.TIMEOUT, URL, "10 s"),
    ]


async def test_of_a_page_on_which_the_predicate_fails_nothing_is_written() -> None:
    def fails(link: ScoredLink, page: Harvested) -> bool:
        raise BadPredicate("title is no number")

    written = Written(relevant=fails)
    written.journal.called("next", [URL])
    with pytest.raises(BadPredicate):
        written.journal.visited(ScoredLink(URL, 0.0), await harvested('<a href="https://[broken/">x</a>'), [])
    batch = await written.in_one_batch()
    assert [call.kind for call in batch.calls] == ["next"]
    assert not batch.pages
    assert not batch.decisions


async def test_each_link_has_its_score_and_what_became_of_it() -> None:
    written = Written(fate=lambda url: f"fate of {url}")
    page = await harvested(
        '<a href="/one">1</a><a href="/paid" rel="nofollow">2</a><a href="/two">3</a>', Heed(nofollow=True)
    )
    scored = [
        ScoredLink(f"{URL}{name}", score, parts={"p": score}) for name, score in (("one", 1), ("two", 2))
    ]
    written.journal.visited(ScoredLink(URL, 0.0), page, scored)
    links = (await written.in_one_batch()).pages[0].links
    assert links.scores == [1, 2, 0.0]
    assert links.parts == [{"p": 1}, {"p": 2}, {}]
    assert links.fates == [f"fate of {URL}one", f"fate of {URL}two", Reason.NOFOLLOW]
    assert len(page.tidied.page.links) == 2


async def test_a_page_is_written_as_its_server_sent_it_and_as_it_was_come_by() -> None:
    written = Written(
        relevant=lambda link, page: link.score > 0.5 and page.final_url == URL, hub_score=lambda n: n * 10.0
    )
    page = await harvested(
        '<html lang=de><title>Pumps</title><p>pumps<a href="https://b.example/x">b</a><a href="https://d.example/">d</a>',
        headers={
            "content-type": " Application/XHTML+XML ; charset=utf-8",
            "etag": '"v1"',
            "last-modified": "Sat, 28 Nov 2026 00:00:00 GMT",
            "x-robots-tag": "noindex",
        },
        fetched_at=datetime(2026, 11, 28, 3, tzinfo=timezone(timedelta(hours=3))),
        status=203,
        elapsed_s=1.5,
        wire_bytes=77,
        address="93.184.216.34",
        truncated=True,
        rendered=True,
    )
    written.journal.visited(ScoredLink(URL, 0.75, parent="https://p.example/", depth=4), page, [])
    row = (await written.in_one_batch()).pages[0].row
    assert (row.url, row.final_url, row.status, row.media_type) == (URL, URL, 203, "application/xhtml+xml")
    assert row.fetched_at == datetime(2026, 11, 28)  # noqa: DTZ001 - columns hold UTC without a zone
    assert (row.etag, row.last_modified) == ('"v1"', "Sat, 28 Nov 2026 00:00:00 GMT")
    assert (row.elapsed_s, row.wire_bytes, row.address) == (1.5, 77, "93.184.216.34")
    assert (row.truncated, row.rendered) == (True, True)
    assert (row.score, row.parent, row.depth, row.relevant) == (0.75, "https://p.example/", 4, True)
    assert (row.title, row.language, row.charset, row.charset_source) == ("Pumps", "de", "utf-8", "header")
    assert row.body_bytes == len(page.response.body)
    assert row.hub_score == 10.0  # of two sites, one is a seed's
    assert row.similarity > 0


async def test_what_was_seen_while_a_page_was_read_is_written_with_it() -> None:
    written = Written()
    page = await harvested("<title>Not found</title><h1>404 Not found</h1><p>" + "gone for ever " * 50)
    tree = replace(page.page.tree, cuts=("nodes",))
    made = replace(page.tidied, page=replace(page.page, tree=tree), sketch=77, difference="/html/body")
    page = replace(page, tidied=made, robots_tags=frozenset({"noindex", "nofollow", "noarchive", "none"}))
    written.journal.visited(ScoredLink(URL, 0.0), page, [])
    row = (await written.in_one_batch()).pages[0].row
    assert (row.soft_404, row.sketch, row.hub_score) == (True, 77, 0.0)
    assert (row.tidy_road, row.tidy_difference, row.cuts) == (tree.road, "/html/body", ("nodes",))
    assert row.robots_tags == ["noarchive", "nofollow", "noindex", "none"]
    assert (row.text, row.body_hash) == (tree.text, made.body_hash)


async def test_news_of_hosts_go_with_the_next_batch() -> None:
    news = [HostRow("a.example", "open")]
    written = Written(hosts=lambda: [news.pop()] if news else [])
    for _ in range(2):
        written.journal.called("next", [URL])
        await written.journal.flush(wait=True)
    assert [[row.host for row in batch.hosts] for batch in written.kept.batches] == [["a.example"], []]


async def test_the_crawl_goes_on_while_the_disk_writes_and_waits_for_it_at_its_end_alone() -> None:
    written = Written()
    writing: list[Future[object]] = []

    def submit(batch: Batch) -> Future[object]:
        assert not written.journal.has_room.is_set()
        writing.append(Future())
        return writing[-1]

    written.kept.submit = submit  # type: ignore[method-assign]
    for _ in range(2):
        written.now_s += FLUSH_S
        written.journal.called("next", [URL])
        await asyncio.wait_for(written.journal.flush(), 60)
    ending = asyncio.create_task(written.journal.flush(wait=True))
    for number, future in enumerate(writing):
        await asyncio.sleep(0.01)
        assert not ending.done(), f"batch {number} is not on disk"
        future.set_result(None)
    await asyncio.wait_for(ending, 60)


@pytest.mark.parametrize("wait", [True, False])
async def test_what_the_disk_refused_is_no_secret(wait: bool) -> None:
    written = Written()
    written.kept.fault = OSError("the disk is full")
    written.journal.called("next", [URL])
    written.now_s += FLUSH_S
    with pytest.raises(OSError, match="disk is full"):
        await written.journal.flush(wait)
    assert written.journal.has_room.is_set()
    await written.journal.flush(
        wait=True
    )  # it is told once, and what was handed over is not handed over again
    assert len(written.kept.batches) == 1
