"""A crawl goes on with what it used itself: other crawls of the collection do not count."""

from __future__ import annotations

from pathlib import Path

import pytest
from collection_samples import TOPIC, MakePage, visit

from bizcrawl.collection.opening import CollectionError
from bizcrawl.collection.resume import pages_of_hosts, read_resumption, recorded_calls, relevant_pages
from bizcrawl.collection.rows import Batch, CallRow, CrawlRow
from bizcrawl.collection.writer import Collection
from bizcrawl.reasons import Reason


@pytest.fixture
def twice(collection: Collection, make_page: MakePage) -> Collection:
    """A crawl and its refresh: of three pages one is as it was, one has changed and one is new."""
    first = [
        make_page(f"https://{host}/", status=304, body_bytes=1_000, relevant=True, tree=host.encode())
        for host in ("a.example", "b.example")
    ]
    calls = [CallRow("start"), *(visit(page.row.url)._replace(at_s=900.0) for page in first)]
    collection.submit(Batch(first, calls)).result()
    collection.begin_crawl(CrawlRow("refresh", TOPIC, "breadth-first", settings={"plan": "of the second"}))
    again = [
        make_page("https://a.example/", status=304, body_bytes=1_000, tree=b"as it was", relevant=True),
        make_page("https://b.example/", body_bytes=30, tree=b"changed"),
        make_page("https://b.example/new", body_bytes=4, tree=b"new", relevant=False),
    ]
    ended = [visit(page.row.url)._replace(at_s=float(n)) for n, page in enumerate(again, 1)]
    failed = CallRow("fail", "https://a.example/", reason=Reason.TIMEOUT, detail="10 s", at_s=0.5)
    given = CallRow("next", n=9, given=[page.row.url for page in again])
    collection.submit(Batch(again, [CallRow("start"), given, failed, *ended])).result()
    return collection


def test_what_was_used_is_what_the_last_crawl_has_used(twice: Collection) -> None:
    with twice.cursor() as con:
        found = read_resumption(con)
        assert (found.crawl, found.settings) == (2, {"plan": "of the second"})
        assert (found.pages, found.unchanged, found.elapsed_s) == (3, 1, 3.0)
        assert found.body_bytes == 34, "of a page that is as it was nothing was sent"
        assert [relevant_pages(con, crawl) for crawl in (1, 2)] == [2, 1]
        assert pages_of_hosts(con, 1) == {"a.example": 1, "b.example": 1}
        assert pages_of_hosts(con, 2) == {"a.example": 1, "b.example": 2}


def test_calls_come_in_their_order_each_visit_with_its_page_and_no_other_call_with_any(
    twice: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bizcrawl.collection.resume.CALLS_PER_FETCH", 2)
    twice.transact(lambda con: con.execute("CREATE TEMP TABLE turned AS FROM calls ORDER BY call DESC"))
    twice.transact(lambda con: con.execute("DELETE FROM calls"))
    twice.transact(lambda con: con.execute("INSERT INTO calls FROM turned"))
    with twice.cursor() as con:
        calls = list(recorded_calls(con, 2))
    urls = ("https://a.example/", "https://b.example/", "https://b.example/new")
    assert [(call.kind, call.url, call.tree, call.final_url) for call in calls] == [
        ("start", "", None, ""),
        ("next", "", None, ""),
        ("fail", "https://a.example/", None, ""),
        ("visit", urls[0], b"as it was", urls[0]),
        ("visit", urls[1], b"changed", urls[1]),
        ("visit", urls[2], b"new", urls[2]),
    ]
    assert (calls[1].n, calls[1].given) == (9, urls)
    assert (calls[2].reason, calls[2].detail) == (Reason.TIMEOUT, "10 s")


def test_a_collection_without_a_crawl_says_that_there_is_none_to_go_on_with(path: Path) -> None:
    told = pytest.raises(CollectionError, match="no crawl in this collection to go on with")
    with Collection.create(path) as collection, collection.cursor() as con, told:
        read_resumption(con)
