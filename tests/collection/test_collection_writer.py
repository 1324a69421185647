"""What the writer promises: whole batches in order, nothing twice, one clear line when it can't go on."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from collection_samples import NOON, TOPIC, MakePage, links_to, visit

from bizcrawl.collection import schema, transactions, writer
from bizcrawl.collection.opening import CollectionBusy, CollectionError
from bizcrawl.collection.reader import reading
from bizcrawl.collection.rows import (
    Batch,
    CallRow,
    CompanyRow,
    CrawlRow,
    DecisionRow,
    EvidenceRow,
    HostRow,
    StoredPage,
)
from bizcrawl.collection.transactions import DiskFull
from bizcrawl.collection.views import VIEW_NAMES
from bizcrawl.collection.writer import Collection
from bizcrawl.reasons import Reason
from bizcrawl.topic import Topic


def rows(collection: Collection, query: str) -> list[tuple[object, ...]]:
    cursor = collection.cursor()
    try:
        return cursor.execute(query).fetchall()
    finally:
        cursor.close()


async def commit(collection: Collection, batch: Batch) -> None:
    """Hand a batch over, and return once it is on disk."""
    await asyncio.wrap_future(collection.submit(batch))


async def test_a_committed_page_is_there_with_its_links_tree_and_call(
    collection: Collection, make_page: MakePage
) -> None:
    await commit(collection, Batch([make_page("https://a.example/", links=4)], [visit("https://a.example/")]))
    assert rows(collection, "SELECT page, url, host, domain, title FROM pages") == [
        (1, "https://a.example/", "a.example", "a.example", "Title of https://a.example/")
    ]
    assert rows(collection, "SELECT count(*), max(score), any_value(parts) FROM links WHERE page = 1") == [
        (4, 0.3, {"page": 0.1, "context": 0.2})
    ]
    assert rows(collection, "SELECT tree FROM trees WHERE page = 1") == [(b"tree",)]
    assert rows(collection, "SELECT call, kind, url FROM calls") == [(1, "visit", "https://a.example/")]


async def test_pages_and_calls_are_numbered_in_the_order_in_which_they_were_handed_over(
    collection: Collection, make_page: MakePage
) -> None:
    urls = [f"https://a.example/{n}" for n in range(300)]
    futures = [collection.submit(Batch([make_page(url)], [visit(url)])) for url in urls]
    await asyncio.gather(*map(asyncio.wrap_future, futures))
    assert [url for (url,) in rows(collection, "SELECT url FROM pages ORDER BY page")] == urls
    assert rows(collection, "SELECT min(call), max(call), count(*) FROM calls") == [(1, 300, 300)]


async def test_a_page_is_never_stored_twice_in_a_crawl_and_its_batch_leaves_nothing_behind(
    collection: Collection, make_page: MakePage
) -> None:
    page = make_page("https://a.example/", links=5)
    first = collection.submit(Batch([page]))
    again = collection.submit(Batch([page], [CallRow("next", given=("https://lost.example/",))]))
    after = collection.submit(Batch([make_page("https://b.example/")]))
    first.result()
    with pytest.raises(CollectionError, match="refused a batch"):
        again.result()
    after.result()
    assert rows(collection, "SELECT page, url FROM pages ORDER BY page") == [
        (1, "https://a.example/"),
        (2, "https://b.example/"),
    ]
    assert rows(collection, "SELECT count(*) FROM links") == [(8,)]
    assert rows(collection, "SELECT count(*) FROM calls") == [(0,)]


async def test_the_same_page_may_be_stored_again_by_a_later_crawl(
    collection: Collection, make_page: MakePage
) -> None:
    await commit(collection, Batch([make_page("https://a.example/")]))
    collection.end_crawl("done")
    assert collection.begin_crawl(CrawlRow("refresh", TOPIC, "breadth_first")) == 2
    await commit(collection, Batch([make_page("https://a.example/")]))
    assert rows(collection, "SELECT crawl, page FROM pages ORDER BY page") == [(1, 1), (2, 2)]


async def test_a_lone_surrogate_in_a_title_loses_no_row(collection: Collection, make_page: MakePage) -> None:
    """Case i06."""
    titles = ["ok", "bad \ud83d end", "ok2"]
    pages = [make_page(f"https://a.example/{n}", title=title) for n, title in enumerate(titles)]
    await commit(collection, Batch(pages))
    assert rows(collection, "SELECT title FROM pages ORDER BY page") == [
        ("ok",),
        ("bad \ufffd end",),
        ("ok2",),
    ]


@pytest.mark.parametrize(
    "hostile", ["\x00", "\x1b]0;x\x07", "a\u2028b", "\udcff", "'; DROP TABLE pages; --", "\U0001f600"]
)
async def test_any_text_can_stand_in_any_text_column(
    collection: Collection, make_page: MakePage, hostile: str
) -> None:
    links = links_to([f"https://b.example/{hostile}"], hostile, hostile, hostile, {hostile: 1.0})
    page = make_page(f"https://a.example/{hostile}", title=hostile, text=hostile, cuts=(hostile,))
    call = CallRow("fail", hostile, given=(hostile,), detail=hostile, reason=Reason.DNS)
    decision = DecisionRow(hostile, Reason.TRAP, hostile, hostile)
    await commit(
        collection,
        Batch(
            [StoredPage(page.row, links, b"")], [call], [decision], [HostRow(hostile, last_failure=hostile)]
        ),
    )
    expected = hostile.replace("\udcff", "\ufffd")
    assert rows(collection, "SELECT title, text, cuts FROM pages") == [(expected, expected, [expected])]
    assert rows(collection, "SELECT anchor, parts FROM links") == [(expected, {expected: 1.0})]


async def test_a_context_is_cut_and_the_text_of_the_page_is_not(
    collection: Collection, make_page: MakePage
) -> None:
    page = make_page("https://a.example/", text="x" * 5_000)
    links = links_to(["https://b.example/"], context="y" * 5_000)
    await commit(collection, Batch([StoredPage(page.row, links, b"")]))
    assert rows(collection, "SELECT length(context) FROM links") == [(300,)]
    assert rows(collection, "SELECT length(text) FROM pages") == [(5_000,)]


async def test_the_newest_row_of_a_host_counts_and_its_verdict_stays(collection: Collection) -> None:
    await commit(collection, Batch(hosts=[HostRow("www.a.example"), HostRow("www.a.example", robots="open")]))
    collection.transact(lambda con: con.execute("UPDATE hosts SET verdict = 'directory'"))
    await commit(collection, Batch(hosts=[HostRow("www.a.example", robots="closed")]))
    assert rows(collection, "SELECT host, domain, robots, verdict FROM hosts") == [
        ("www.a.example", "a.example", "closed", "directory")
    ]


async def test_pages_and_failures_of_a_host_are_counted_when_a_run_ends(
    collection: Collection, make_page: MakePage
) -> None:
    await commit(collection, Batch(hosts=[HostRow("a.example", robots="rules")]))
    await commit(
        collection,
        Batch(
            [make_page("https://a.example/1"), make_page("https://a.example/2")],
            decisions=[
                DecisionRow("https://a.example/3", Reason.HTTP_ERROR, detail="status 500"),
                DecisionRow("https://a.example/4", Reason.TIMEOUT),
                DecisionRow("https://b.example/", Reason.DNS, detail="no address"),
            ],
        ),
    )
    for _ in range(2):  # a run that is resumed ends twice
        collection.end_crawl("interrupted")
        assert rows(
            collection,
            "SELECT host, domain, robots, pages, failures, last_failure FROM hosts ORDER BY host",
        ) == [
            ("a.example", "a.example", "rules", 2, 2, "timeout"),
            ("b.example", "b.example", "", 0, 1, "dns: no address"),
        ]


def test_companies_are_replaced_and_what_the_analyst_said_stays(path: Path) -> None:
    later = NOON.replace(day=29)
    clock = iter([NOON, NOON, later])
    with Collection.create(path, now=lambda: next(clock)) as collection:
        collection.replace_companies(
            [CompanyRow("a.example", "A", rank=1), CompanyRow("b.example", "B", rank=2)],
            [EvidenceRow("a.example", "listed", 0.5)],
        )
        collection.transact(
            lambda con: con.execute("UPDATE companies SET verdict = 'rejected' WHERE name = 'A'")
        )
        collection.replace_companies(
            [CompanyRow("a.example", "A Ltd", rank=2), CompanyRow("c.example", "C", rank=1)], []
        )
        assert rows(
            collection,
            "SELECT company, name, verdict, first_seen, last_seen FROM companies ORDER BY 1",
        ) == [
            ("a.example", "A Ltd", "rejected", NOON, later),
            ("c.example", "C", None, later, later),
        ]
        assert rows(collection, "SELECT count(*) FROM evidence") == [(0,)]
        # the rejected one is no competitor any more
        assert rows(collection, "SELECT name FROM competitors") == [("C",)]


def test_a_verdict_follows_a_company_to_its_new_main_site_and_outlives_its_absence(path: Path) -> None:
    with Collection.create(path, now=lambda: NOON) as collection:
        collection.replace_companies([CompanyRow("a.example", "A", rank=1), CompanyRow("b.example", "B")], [])
        collection.begin_crawl(CrawlRow("crawl", TOPIC, "breadth_first"))
        collection.submit(
            Batch(calls=[CallRow("reject", "a.example"), CallRow("accept", "b.example", given=["b.test"])])
        ).result()
        collection.replace_companies([CompanyRow("c.example", "A", domains=["c.example", "a.example"])], [])
        found = "SELECT company, rank, verdict, domains FROM companies ORDER BY 1"
        assert rows(collection, found) == [
            ("b.example", None, "accepted", []),
            ("c.example", None, "rejected", ["c.example", "a.example"]),
        ]


async def test_the_states_of_urls_follow_from_the_calls(collection: Collection, make_page: MakePage) -> None:
    await commit(
        collection,
        Batch(
            [make_page("https://seed.example/")],
            [
                CallRow("start"),
                CallRow(
                    "next",
                    n=3,
                    given=("https://seed.example/", "https://dead.example/", "https://hand.example/"),
                ),
                visit("https://seed.example/"),
                CallRow("fail", "https://dead.example/", reason=Reason.DNS),
            ],
            [DecisionRow("https://dead.example/", Reason.DNS)],
        ),
    )
    states = dict(rows(collection, "SELECT url, state FROM frontier"))
    assert states == {
        "https://seed.example/": "done",
        "https://dead.example/": "failed",
        "https://hand.example/": "leased",
        "https://hub.example/": "queued",
        "https://other0.example/": "queued",
        "https://other1.example/": "queued",
        "https://other2.example/": "queued",
    }
    assert rows(collection, "SELECT reason, urls FROM turned_away") == [("dns", 1)]


async def test_a_seed_that_is_written_in_another_way_stands_under_one_name(path: Path) -> None:
    topic = Topic("pumps", ("https://Seed.example",), "pumps", hubs=("HTTPS://hub.example/a/../#top",))
    with Collection.create(path) as collection:
        collection.begin_crawl(CrawlRow("crawl", topic, "breadth-first"))
        await commit(collection, Batch([], [CallRow("next", n=1, given=("https://seed.example/",))]))
        states = rows(collection, "SELECT url, state FROM frontier ORDER BY url")
    assert states == [("https://hub.example/", "queued"), ("https://seed.example/", "leased")]


async def test_a_url_that_was_reached_under_another_name_is_not_queued_any_more(
    collection: Collection, make_page: MakePage
) -> None:
    moved = make_page("https://old.example/", final_url="https://other0.example/")
    await commit(collection, Batch([moved], [CallRow("start"), visit("https://old.example/")]))
    states = dict(rows(collection, "SELECT url, state FROM frontier"))
    assert states["https://old.example/"] == states["https://other0.example/"] == "done"
    assert states["https://other1.example/"] == "queued"


async def test_every_column_and_every_view_has_rows_that_can_be_read(
    collection: Collection, make_page: MakePage
) -> None:
    await commit(collection, Batch([make_page("https://a.example/", hub_score=1.0, relevant=True)]))
    for name in (*schema.TABLE_NAMES, *VIEW_NAMES):
        rows(collection, f"FROM {name}")
    described = {
        name
        for (name,) in rows(collection, "SELECT table_name FROM duckdb_tables() WHERE comment IS NOT NULL")
    }
    assert described == set(schema.TABLE_NAMES)
    described = {
        name for (name,) in rows(collection, "SELECT view_name FROM duckdb_views() WHERE comment IS NOT NULL")
    }
    assert described == set(VIEW_NAMES)
    assert rows(collection, "SELECT pages, harvest_rate, hubs FROM progress") == [(1, 1.0, 1)]


def test_every_time_says_that_it_is_utc_and_every_key_what_it_joins(collection: Path) -> None:
    comments = {
        (table, column): (kind, comment or "")
        for table, column, kind, comment in rows(
            collection,
            "SELECT table_name, column_name, data_type, comment FROM duckdb_columns() "
            "WHERE table_name IN (SELECT table_name FROM duckdb_tables())",
        )
    }
    times = [comment for kind, comment in comments.values() if kind == "TIMESTAMP"]
    assert len(times) == 6
    assert all(comment.startswith("UTC") for comment in times)
    for table in ("pages", "links", "calls", "decisions"):
        assert comments[table, "crawl"][1].endswith("of crawls")
    assert "pages.final_url" in comments["evidence", "page"][1]
    assert "pages.url" in comments["pages", "parent"][1]


def test_every_column_of_a_view_says_what_it_is_or_comes_from_a_table(collection: Path) -> None:
    columns = rows(collection, "SELECT table_name, column_name, comment FROM duckdb_columns()")
    stored = {column for table, column, _ in columns if table in schema.TABLE_NAMES}
    of_views = [row for row in columns if row[0] in VIEW_NAMES]
    assert not [row for row in of_views if row[1] not in stored and not row[2]]
    assert all(comment.startswith("UTC") for _, column, comment in of_views if column.endswith("_at"))


async def test_hubs_count_companies_at_all_their_sites_tenants_of_a_shared_host_included(
    collection: Collection, make_page: MakePage
) -> None:
    listed = [
        "https://shop.new.example/x",  # two sites of one company
        "https://old.example/",
        "http://www.free.example/%7ETenant/index.html",
        "http://free.example/~other/",
        "https://blog.platform.example/a",
        "https://www.platform.example/shop/Two",
        "https://rival.example/",
    ]
    await commit(collection, Batch([replace(make_page("https://hub.example/"), links=links_to(listed))]))
    collection.replace_companies(
        [
            CompanyRow("new.example", "New", domains=("new.example", "old.example"), is_seed=True),
            CompanyRow("free.example/~tenant", "Tenant", domains=("free.example/~tenant",), is_seed=True),
            CompanyRow("free.example/~ten", "Ten", domains=("free.example/~ten",), is_seed=True),
            CompanyRow("blog.platform.example", "Blog", domains=("blog.platform.example",), rank=1),
            CompanyRow("platform.example/shop/two", "Two", domains=("platform.example/shop/two",), rank=2),
            CompanyRow("rival.example", "Rival", domains=("rival.example",), rank=3),
        ],
        [],
    )
    counted = "SELECT seed_domains, competitor_domains FROM hubs"
    assert rows(collection, counted) == [(2, 3)]
    collection.transact(
        lambda con: con.execute(
            "UPDATE companies SET rank = NULL, verdict = 'accepted' WHERE company = 'rival.example'"
        )
    )
    assert rows(collection, counted) == [(3, 2)]
    collection.transact(
        lambda con: con.execute("UPDATE companies SET verdict = 'rejected' WHERE company = 'new.example'")
    )
    assert rows(collection, counted) == [(2, 2)]


async def test_hubs_count_companies_that_they_list_in_two_steps_as_the_ranking_does(
    collection: Collection, make_page: MakePage
) -> None:
    hub, fair, known = "https://hub.example/list", "https://fair.example/", "https://known.example/"
    leads = {hub: "https://hub.example/out?id=1", fair: "https://fair.example/rival"}
    show = "https://show.example/"
    pages = [
        make_page(show),
        replace(make_page(hub), links=links_to([leads[hub], known])),
        replace(make_page(fair), links=links_to([leads[fair]])),
    ]
    await commit(collection, Batch(pages))
    beside = "1 of your companies among 2 on “List”: Rival"
    collection.replace_companies(
        [
            CompanyRow("known.example", "Known", domains=("known.example",), is_seed=True),
            CompanyRow("rival.example", "Rival", domains=("rival.example",), rank=1),
        ],
        [
            EvidenceRow("rival.example", "listed", 0.3, hub, leads[hub], beside),
            EvidenceRow("rival.example", "listed", 0.3, fair, leads[fair], beside),
            EvidenceRow(
                "rival.example", "listed", 0.3, show, "", "2 companies of the kind among 3 on “Show”"
            ),
            EvidenceRow("rival.example", "similar", 0.5, fair, "", "7 words"),
            EvidenceRow("nobody.example", "listed", 0.3, hub, leads[hub], beside),
        ],
    )
    counted = "SELECT url, seed_domains, competitor_domains, domains FROM hubs ORDER BY url"
    # on the fair the known company stands in two steps too, and has no evidence of its own for it; none
    # stands on the show
    assert rows(collection, counted) == [(fair, 1, 1, 2), (hub, 1, 1, 2)]


def test_a_full_disk_ends_the_writing_with_one_line_and_what_was_acknowledged_stays(
    path: Path, make_page: MakePage
) -> None:
    free = [10 * transactions.MIN_FREE_BYTES]
    opened = Collection.create(path)
    opened.close()
    from bizcrawl.collection.opening import connect

    with Collection(path, connect(path, read_only=False), free_bytes=lambda _: free[0]) as collection:
        collection.begin_crawl(CrawlRow("crawl", TOPIC, "breadth_first"))
        collection.submit(Batch([make_page("https://a.example/")])).result()
        free[0] = transactions.MIN_FREE_BYTES - 1
        with pytest.raises(DiskFull, match=r"disk is full.*bizcrawl resume"):
            collection.submit(Batch([make_page("https://b.example/")])).result()
        free[0] = 10 * transactions.MIN_FREE_BYTES
        # once it has failed it stays so: the calls after the lost batch must not be written without it
        with pytest.raises(DiskFull):
            collection.submit(Batch([make_page("https://c.example/")])).result()
    with reading(path) as con:
        assert con.execute("SELECT url FROM pages").fetchall() == [("https://a.example/",)]


@pytest.mark.parametrize("moved", [True, False])
def test_a_file_that_is_moved_or_deleted_while_it_is_written_ends_the_writing(
    collection: Collection, path: Path, make_page: MakePage, moved: bool
) -> None:
    """The crawl went on to its end, into a file without a name, and told where it could be found."""
    collection.submit(Batch([make_page("https://a.example/1")])).result()
    elsewhere = path.with_name("elsewhere.duckdb")
    path.rename(elsewhere)
    if not moved:
        elsewhere.unlink()
    for _ in range(2):
        with pytest.raises(CollectionError, match=r"was moved or deleted .* under its new name$"):
            collection.submit(Batch([make_page("https://a.example/2")])).result()
    collection.close()
    if moved:
        with reading(elsewhere) as con:
            assert con.execute("SELECT url FROM pages").fetchall() == [("https://a.example/1",)]


def test_a_log_that_somebody_deletes_takes_no_page_along(
    collection: Collection, path: Path, make_page: MakePage
) -> None:
    """What stood in it is folded into the file at once: a kill would lose it."""
    collection.submit(Batch([make_page("https://a.example/1")])).result()
    Path(f"{path}.wal").unlink()
    collection.submit(Batch([make_page("https://a.example/2")])).result()
    collection.transact(lambda _: None)
    as_if_killed = path.with_name("killed.duckdb")
    for suffix in ("", ".wal"):
        with contextlib.suppress(FileNotFoundError):
            Path(f"{as_if_killed}{suffix}").write_bytes(Path(f"{path}{suffix}").read_bytes())
    with reading(as_if_killed) as con:
        assert con.execute("SELECT count(*) FROM pages").fetchall() == [(2,)]


def test_no_collection_is_begun_on_a_full_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty one was left in the way, with the advice to resume it."""
    monkeypatch.setattr(writer, "free_bytes_of", lambda _directory: transactions.MIN_FREE_BYTES - 1)
    with pytest.raises(DiskFull, match=r"the disk is full; make room \(64 MB at least\)"):
        Collection.create(path)
    assert not list(path.parent.iterdir())


@pytest.mark.parametrize(("bound", "most"), [("MAX_WAITING_PAGES", 2), ("MAX_WAITING_BYTES", 15_000)])
def test_too_many_waiting_pages_hold_the_crawl_back(
    collection: Collection, make_page: MakePage, monkeypatch: pytest.MonkeyPatch, bound: str, most: int
) -> None:
    """Or too large ones: while a disk stood still pages of megabytes gathered by the thousand."""
    monkeypatch.setattr(transactions, bound, most)

    def page(n: int) -> StoredPage:
        made = make_page(f"https://a.example/{n}")
        return replace(made, row=made.row._replace(text="pump " * 2_000))

    held, go = threading.Event(), threading.Event()

    def block(con: object) -> None:
        held.set()
        go.wait()

    blocking = threading.Thread(target=lambda: collection.transact(block))
    blocking.start()
    held.wait()
    for n in range(2):
        collection.submit(Batch([page(n)]))
    third = threading.Thread(target=lambda: collection.submit(Batch([page(2)])).result())
    third.start()
    third.join(0.2)
    assert third.is_alive(), "the third page is held back while two wait"
    go.set()
    third.join(10)
    blocking.join(10)
    assert rows(collection, "SELECT count(*) FROM pages") == [(3,)]


def test_large_pages_go_to_the_disk_a_few_at_a_time(
    collection: Collection, make_page: MakePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each transaction is a copy of its pages, in columns."""
    monkeypatch.setattr(transactions, "MAX_BYTES_PER_TRANSACTION", 15_000)
    written: list[int] = []
    insert = collection._transactions._insert

    def inserting(con: duckdb.DuckDBPyConnection, batches: Sequence[Batch]) -> None:
        written.append(len(batches))
        insert(con, batches)

    monkeypatch.setattr(collection._transactions, "_insert", inserting)
    go = threading.Event()
    blocking = threading.Thread(target=lambda: collection.transact(lambda _: go.wait()))
    blocking.start()
    waiting = []
    for n in range(6):
        made = make_page(f"https://a.example/{n}")
        waiting.append(collection.submit(Batch([replace(made, row=made.row._replace(text="pump " * 2_000))])))
    go.set()
    blocking.join(10)
    for future in waiting:
        future.result()
    assert written == [2, 2, 2]


async def test_a_run_that_can_not_be_gone_on_with_ends_as_it_had(
    collection: Collection, make_page: MakePage
) -> None:
    """Unless it did go on: then how it ended is not known."""
    await commit(collection, Batch([make_page("https://a.example/")], [CallRow("start")]))
    collection.end_crawl("page budget used")
    asked = "SELECT ended_at, stop_reason, budget FROM crawls"
    ended = rows(collection, asked)
    collection.continue_crawl(1, {"pages": 60})
    assert rows(collection, asked) == [(None, None, '{"pages": 60}')]
    collection.leave_as_it_was()
    assert rows(collection, asked) == ended
    collection.continue_crawl(1, {"pages": 60})
    await commit(collection, Batch([], [CallRow("next", n=1)]))
    collection.leave_as_it_was()
    assert rows(collection, asked) == [(None, None, '{"pages": 60}')]


async def test_the_log_is_folded_into_the_file_when_it_has_grown(
    collection: Collection, path: Path, make_page: MakePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions, "CHECKPOINT_WAL_BYTES", 100_000)
    for n in range(5):
        await commit(collection, Batch([make_page(f"https://a.example/{n}", tree=bytes(50_000))]))
    collection.transact(lambda con: None)
    # without a byte left in it there is no log
    assert sum(log.stat().st_size for log in path.parent.glob("*.wal")) < 150_000
    assert rows(collection, "SELECT count(*) FROM trees") == [(5,)]


async def test_what_is_folded_in_once_is_not_written_again(
    collection: Collection, make_page: MakePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row is written once: else the last of many checkpoints would write half of the file again."""
    monkeypatch.setattr(transactions, "CHECKPOINT_WAL_BYTES", 0)
    for n in range(12):
        await commit(collection, Batch([make_page(f"https://a.example/{n}", tree=bytes(50_000))]))
    collection.transact(lambda con: None)
    row_groups = "SELECT DISTINCT row_group_id, count FROM pragma_storage_info('trees') WHERE column_id = 0"
    cursor = collection.cursor()
    sizes = [count for _, count in cursor.execute(row_groups + " AND segment_type != 'VALIDITY'").fetchall()]
    cursor.close()
    assert sizes == [1] * 12


@pytest.mark.parametrize(
    ("message", "told", "is_the_end"),
    [
        ("Could not write file: what it is", "can't be written: .*what it is", True),
        ("write: No space left on device", "the disk is full", True),
        ("write: File too large", "the disk is full", True),
        ("Input/output error", "can't be written", True),
        ("fsync failed", "can't be written", True),
        ("Constraint Error: a key that is there", "refused a batch: .*a key that is there", False),
    ],
)
def test_a_fault_of_the_file_system_ends_the_writing_and_one_of_a_batch_does_not(
    collection: Collection,
    make_page: MakePage,
    monkeypatch: pytest.MonkeyPatch,
    message: str,
    told: str,
    is_the_end: bool,
) -> None:
    """DuckDB says it under several types of error, and in one of several ways."""

    def fail(con: duckdb.DuckDBPyConnection, batches: Sequence[Batch]) -> None:
        raise duckdb.TransactionException(message)

    with monkeypatch.context() as patched:
        patched.setattr(collection._transactions, "_insert", fail)
        with pytest.raises(CollectionError, match=told):
            collection.submit(Batch([make_page("https://a.example/")])).result()
    later = collection.submit(Batch([make_page("https://b.example/")])).exception()
    assert isinstance(later, CollectionError) is is_the_end
    with pytest.raises(CollectionError, match=told) if is_the_end else contextlib.nullcontext():
        collection.transact(lambda con: None)


def test_a_batch_of_nonsense_fails_alone(collection: Collection, make_page: MakePage) -> None:
    nonsense = make_page("https://a.example/", status="not a number")
    with pytest.raises(Exception, match="not a number"):
        collection.submit(Batch([nonsense])).result()
    collection.submit(Batch([make_page("https://b.example/")])).result()
    assert rows(collection, "SELECT url FROM pages") == [("https://b.example/",)]


def test_a_second_process_or_object_is_told_that_the_file_is_open(collection: Collection, path: Path) -> None:
    with pytest.raises(CollectionBusy, match=r"harvest\.duckdb"), reading(path):
        pass


def test_a_closed_collection_takes_nothing(path: Path, make_page: MakePage) -> None:
    collection = Collection.create(path)
    collection.close()
    collection.close()
    with pytest.raises(CollectionError, match="closed"):
        collection.submit(Batch([make_page("https://a.example/")]))
