"""Several collections together: queried at once, merged into one, brought up from older versions."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest
from collection_samples import NOON, TOPIC, MakePage, visit

from bizcrawl.collection import migrations, schema
from bizcrawl.collection.merging import merge
from bizcrawl.collection.opening import CollectionBusy, CollectionError
from bizcrawl.collection.reader import Reader
from bizcrawl.collection.resume import read_resumption, recorded_calls
from bizcrawl.collection.rows import Batch, CallRow, CompanyRow, CrawlRow, DecisionRow, EvidenceRow, HostRow
from bizcrawl.collection.sql_faults import SqlMistake, SqlRefused
from bizcrawl.collection.writer import Collection
from bizcrawl.errors import WrongUse
from bizcrawl.reasons import Reason
from bizcrawl.stored_facts import stored_facts
from contexts.stored import to_bytes
from contexts.tidy import tidy


def made(path: Path, make_page: MakePage, hour: int, urls: list[str], company: str, score: float) -> Path:
    with Collection.create(path, now=lambda: NOON + timedelta(hours=hour)) as collection:
        collection.begin_crawl(CrawlRow("crawl", TOPIC, "breadth-first"))
        batch = Batch(
            [make_page(url, tree=url.encode()) for url in urls],
            [CallRow("start"), *map(visit, urls)],
            hosts=[HostRow("a.example")],
        )
        collection.submit(batch).result()
        collection.replace_companies(
            [
                CompanyRow(company, company, rank=1, score=score),
                CompanyRow("both.example", f"from {path.stem}"),
            ],
            [EvidenceRow(company, "listed", score)],
        )
    return path


@pytest.fixture
def two(tmp_path: Path, make_page: MakePage) -> tuple[Path, Path]:
    one = made(
        tmp_path / "one.duckdb", make_page, 1, ["https://a.example/", "https://b.example/"], "x.example", 0.2
    )
    two = made(
        tmp_path / "two.duckdb", make_page, 2, ["https://b.example/", "https://c.example/"], "y.example", 0.9
    )
    return one, two


def test_two_collections_are_queried_together(two: tuple[Path, Path]) -> None:
    reader = Reader(two[0], (two[1],))
    assert reader.rows("SELECT p.url FROM pages p JOIN two.pages q USING (url)") == [("https://b.example/",)]
    assert reader.rows("SELECT count(*) FROM two.competitors") == [(1,)]
    for attack in (
        "ATTACH '/tmp/x.duckdb'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
    ):
        with pytest.raises((SqlRefused, SqlMistake)):
            reader.rows(attack)


def test_collections_queried_together_must_be_told_apart_and_at_rest(
    two: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "one.duckdb").write_bytes(two[0].read_bytes())
    with pytest.raises(WrongUse, match="different names"):
        Reader(two[0], (tmp_path / "sub" / "one.duckdb",)).rows("SELECT 1")
    with Collection.open(two[1]), pytest.raises(CollectionBusy, match="together only those at rest"):
        Reader(two[0], (two[1],)).rows("SELECT 1")


def test_a_collection_may_be_called_as_the_database_calls_its_own(
    two: tuple[Path, Path], tmp_path: Path
) -> None:
    """The first one, that is; of another it could not be said which is meant."""
    for name in ("main", "system", "temp", "memory", "ONE"):
        (tmp_path / f"{name}.duckdb").write_bytes(two[0].read_bytes())
    counted = Reader(tmp_path / "main.duckdb", (two[1],)).rows("SELECT count(*) FROM pages, two.pages")
    assert counted[0][0] > 0
    for other in ("main", "system", "temp", "memory", "ONE"):
        with pytest.raises(WrongUse, match=r"called|different names"):
            Reader(two[0], (tmp_path / f"{other}.duckdb",)).rows("SELECT 1")


def test_merging_keeps_runs_pages_links_and_trees_together(two: tuple[Path, Path]) -> None:
    with Collection.open(two[0]) as target:
        merged = merge(target, two[1])
        assert (merged.crawls, merged.pages, merged.known_crawls) == (1, 2, 0)
    reader = Reader(two[0])
    assert reader.rows("SELECT crawl, page, url FROM pages ORDER BY page") == [
        (1, 1, "https://a.example/"),
        (1, 2, "https://b.example/"),
        (2, 3, "https://b.example/"),
        (2, 4, "https://c.example/"),
    ]
    assert reader.rows(
        "SELECT count(*) FROM pages p JOIN trees t USING (page) WHERE t.tree::VARCHAR = p.url"
    ) == [(4,)]
    assert reader.rows("SELECT page, count(*), any_value(crawl) FROM links GROUP BY page ORDER BY page") == [
        (1, 3, 1),
        (2, 3, 1),
        (3, 3, 2),
        (4, 3, 2),
    ]
    assert reader.rows("SELECT company, rank FROM companies ORDER BY company") == [
        ("both.example", None),
        ("x.example", 2),
        ("y.example", 1),
    ]
    assert reader.rows("SELECT name FROM companies WHERE company = 'both.example'") == [("from one",)]
    assert reader.rows("SELECT host, pages FROM hosts ORDER BY host") == [
        ("a.example", 1),
        ("b.example", 2),
        ("c.example", 1),
    ]
    assert reader.rows("SELECT count(*) FROM evidence") == [(2,)]


def test_merging_twice_changes_nothing(two: tuple[Path, Path]) -> None:
    with Collection.open(two[0]) as target:
        merge(target, two[1])
        before = {
            name: target.transact(lambda con, n=name: con.execute(f"FROM {n}").fetchall())
            for name in schema.TABLE_NAMES
        }
        merged = merge(target, two[1])
        assert (merged.crawls, merged.pages, merged.known_crawls) == (0, 0, 1)
        after = {
            name: target.transact(lambda con, n=name: con.execute(f"FROM {n}").fetchall())
            for name in schema.TABLE_NAMES
        }
    assert after == before


def go_on(path: Path, make_page: MakePage, *urls: str) -> None:
    """Resume the run of a collection and visit some more pages."""
    with Collection.open(path) as collection:
        collection.continue_crawl(1)
        for url in urls:
            batch = Batch([make_page(url, tree=url.encode())], [visit(url)], hosts=[HostRow("d.example")])
            collection.submit(batch).result()


def stored(path: Path) -> list[tuple[str, str, int, int]]:
    """URL and tree of each page, with the number of its links and of its calls."""
    return Reader(path).rows(
        "SELECT url, tree::VARCHAR, "
        "(SELECT count(*) FROM links l WHERE (l.crawl, l.page) = (p.crawl, p.page)), "
        "(SELECT count(*) FROM calls c WHERE (c.crawl, c.url) = (p.crawl, p.url)) "
        "FROM pages p JOIN trees USING (page) ORDER BY ALL"
    )


def test_a_run_that_was_resumed_since_takes_the_place_of_what_was_merged_of_it(
    two: tuple[Path, Path], make_page: MakePage
) -> None:
    with Collection.open(two[0]) as target:
        merge(target, two[1])
        go_on(two[1], make_page, "https://d.example/", "https://e.example/")
        merged = merge(target, two[1])
        assert (merged.crawls, merged.pages, merged.known_crawls, merged.crawls_apart) == (1, 4, 0, 0)
        again = merge(target, two[1])
        assert (again.crawls, again.pages, again.known_crawls, again.crawls_apart) == (0, 0, 1, 0)
    counted = "SELECT (SELECT count(*) FROM pages), (SELECT count(*) FROM trees), count(*) FROM links"
    assert Reader(two[0]).rows(counted) == [(6, 6, 18)]
    sites = ("a", "b", "b", "c", "d", "e")
    assert stored(two[0]) == [(f"https://{s}.example/", f"https://{s}.example/", 3, 1) for s in sites]
    assert Reader(two[0]).rows("SELECT count(*), count(DISTINCT crawl) FROM crawls") == [(2, 2)]
    assert Reader(two[0]).rows("SELECT pages FROM hosts WHERE host = 'd.example'") == [(1,)]


def changed_copy(path: Path, name: str, change: str) -> Path:
    """A copy of a collection in which something was otherwise."""
    copy = path.with_name(f"{name}.duckdb")
    copy.write_bytes(path.read_bytes())
    with duckdb.connect(str(copy)) as con:
        con.execute(change)
    return copy


def test_runs_that_differ_in_what_was_asked_or_when_are_two(two: tuple[Path, Path]) -> None:
    first = two[0].with_name("first.duckdb")
    first.write_bytes(two[0].read_bytes())
    with Collection.open(two[0]) as target:
        for name, what in {
            "hour": "started_at = started_at + INTERVAL 1 SECOND",
            "command": "command = 'discover competitors'",
            "topic": "topic = topic || ' '",
            "strategy": "strategy = 'best-first'",
            "seed": "random_seed = 7",
        }.items():
            merged = merge(target, changed_copy(first, name, f"UPDATE crawls SET {what}"))
            assert (merged.crawls, merged.pages, merged.known_crawls) == (1, 2, 0), name


def test_copies_of_a_run_part_where_any_of_their_calls_differs(two: tuple[Path, Path]) -> None:
    first = two[0].with_name("first.duckdb")
    first.write_bytes(two[0].read_bytes())
    last = "(SELECT max(call) FROM calls)"
    with Collection.open(two[0]) as target:
        for name, what in {
            "url": "url = 'https://z.example/'",
            "kind": "kind = 'fail'",
            "given": "given = ['https://z.example/']",
            "number": "call = 9",
        }.items():
            other = changed_copy(first, name, f"UPDATE calls SET {what} WHERE call = {last}")
            merged = merge(target, other)
            told = merged.crawls, merged.known_crawls, merged.crawls_apart, merged.pages_apart
            assert told == (0, 0, 1, 2), name


def test_runs_of_a_source_keep_their_order_and_each_its_own_pages_calls_and_decisions(
    two: tuple[Path, Path], tmp_path: Path, make_page: MakePage
) -> None:
    many = tmp_path / "many.duckdb"
    many.write_bytes(two[1].read_bytes())
    with Collection.open(many, now=lambda: NOON) as collection:  # earlier than the first of that file
        collection.begin_crawl(CrawlRow("crawl", TOPIC, "depth-first"))
        urls = ["https://d.example/", "https://e.example/", "https://f.example/"]
        batch = Batch(
            [make_page(url, tree=url.encode()) for url in urls],
            [CallRow("start"), *map(visit, urls)],
            [DecisionRow("https://z.example/", Reason.ROBOTS)],
        )
        collection.submit(batch).result()
    with Collection.open(two[0]) as target:
        merged = merge(target, many)
        assert (merged.crawls, merged.pages) == (2, 5)
    reader = Reader(two[0])
    assert reader.rows("SELECT crawl, strategy FROM crawls ORDER BY crawl") == [
        (1, "breadth-first"),
        (2, "breadth-first"),
        (3, "depth-first"),
    ]
    assert reader.rows("SELECT crawl, list(page ORDER BY page) FROM pages GROUP BY ALL ORDER BY 1") == [
        (1, [1, 2]),
        (2, [3, 4]),
        (3, [5, 6, 7]),
    ]
    assert reader.rows("SELECT crawl, count(*) FROM calls GROUP BY ALL ORDER BY 1") == [
        (1, 3),
        (2, 3),
        (3, 4),
    ]
    assert reader.rows("SELECT crawl, url FROM decisions") == [(3, "https://z.example/")]
    assert len(stored(two[0])) == 7


def test_companies_of_equal_score_are_ranked_by_name_after_merging(two: tuple[Path, Path]) -> None:
    for path in two:
        with duckdb.connect(str(path)) as con:
            con.execute("UPDATE companies SET score = 0.5")
    with Collection.open(two[1]) as target:
        merge(target, two[0])
    ranked = "SELECT company, rank FROM companies WHERE rank IS NOT NULL ORDER BY rank"
    assert Reader(two[1]).rows(ranked) == [("x.example", 1), ("y.example", 2)]


def test_a_note_goes_with_its_verdict(two: tuple[Path, Path]) -> None:
    def say(path: Path, **notes: str) -> None:
        with Collection.open(path) as collection:
            for company, note in notes.items():
                collection.add_calls(1, [CallRow("reject", f"{company}.example", detail=note)])

    say(two[0], x="ours")
    say(two[1], x="theirs", both="a dealer")
    with Collection.open(two[0]) as target:
        merge(target, two[1])
    noted = "SELECT company, verdict_note FROM companies WHERE verdict IS NOT NULL ORDER BY company"
    assert Reader(two[0]).rows(noted) == [("both.example", "a dealer"), ("x.example", "ours")]


def test_an_older_copy_of_a_run_brings_nothing_and_takes_nothing(
    two: tuple[Path, Path], make_page: MakePage, tmp_path: Path
) -> None:
    older = tmp_path / "older.duckdb"
    older.write_bytes(two[0].read_bytes())
    go_on(two[0], make_page, "https://d.example/")
    before = stored(two[0])
    with Collection.open(two[0]) as target:
        merged = merge(target, older)
    assert (merged.crawls, merged.known_crawls, merged.crawls_apart) == (0, 1, 0)
    assert stored(two[0]) == before


def test_a_run_that_went_on_in_two_ways_stays_as_it_is_and_what_is_left_out_is_told(
    two: tuple[Path, Path], make_page: MakePage, tmp_path: Path
) -> None:
    other = tmp_path / "other.duckdb"
    other.write_bytes(two[0].read_bytes())
    go_on(two[0], make_page, "https://d.example/")
    go_on(other, make_page, "https://e.example/", "https://f.example/")
    before = stored(two[0])
    with Collection.open(two[0]) as target:
        merged = merge(target, other)
        assert (merged.crawls, merged.known_crawls, merged.crawls_apart, merged.pages_apart) == (0, 0, 1, 4)
    assert stored(two[0]) == before
    counted = Reader(two[0]).rows("SELECT sum(pages) FROM hosts")
    assert counted == [(len(before),)]


def test_what_the_analyst_said_in_a_source_is_kept_unless_the_target_says_otherwise(
    two: tuple[Path, Path], make_page: MakePage
) -> None:
    def say(path: Path, verdicts: dict[str, str]) -> None:
        with Collection.open(path) as collection:
            for company, kind in verdicts.items():
                collection.add_calls(1, [CallRow(kind, company)])

    say(two[0], {"x.example": "reject"})
    say(two[1], {"x.example": "accept", "both.example": "reject", "y.example": "accept"})
    with Collection.open(two[0]) as target:
        merge(target, two[1])
    assert Reader(two[0]).rows("SELECT company, verdict FROM companies ORDER BY company") == [
        ("both.example", "rejected"),
        ("x.example", "rejected"),
        ("y.example", "accepted"),
    ]


def test_pages_of_an_older_run_are_read_before_those_of_a_newer_one_wherever_they_stand(
    two: tuple[Path, Path],
) -> None:
    title = {1: "as it was", 2: "as it is"}
    for hour, path in enumerate(two, 1):
        tree = to_bytes(tidy(f"<title>{title[hour]}</title>"))
        with Collection.open(path) as collection:
            collection.transact(lambda con, tree=tree: con.execute("UPDATE trees SET tree = ?", [tree]))
    with Collection.open(two[1]) as target:
        merge(target, two[0])
        with closing(target.cursor()) as con:
            facts = list(stored_facts(con))
    assert [page.title for page in facts if page.url == "https://b.example/"] == ["as it was", "as it is"]


def test_pages_of_known_runs_are_not_counted_again(
    two: tuple[Path, Path], tmp_path: Path, make_page: MakePage
) -> None:
    grown = tmp_path / "grown.duckdb"
    grown.write_bytes(two[0].read_bytes())
    with Collection.open(grown, now=lambda: NOON + timedelta(hours=9)) as collection:
        collection.begin_crawl(CrawlRow("crawl", TOPIC, "depth-first"))
        url = "https://d.example/"
        collection.submit(Batch([make_page(url)], [CallRow("start"), visit(url)])).result()
    with Collection.open(two[0]) as target:
        merged = merge(target, grown)
        assert (merged.crawls, merged.pages, merged.known_crawls) == (1, 1, 1)
    counted = "SELECT (SELECT count(*) FROM pages), count(*) FROM trees"
    assert Reader(two[0]).rows(counted) == [(3, 3)]


def test_a_merged_run_can_be_resumed_and_the_next_page_gets_the_next_number(
    two: tuple[Path, Path], make_page: MakePage
) -> None:
    with Collection.open(two[0]) as target:
        merge(target, two[1])
        cursor = target.cursor()
        resumption = read_resumption(cursor)
        assert (resumption.crawl, resumption.pages) == (2, 2)
        assert [(c.kind, c.url, c.tree) for c in recorded_calls(cursor, 2)] == [
            ("start", "", None),
            ("visit", "https://b.example/", b"https://b.example/"),
            ("visit", "https://c.example/", b"https://c.example/"),
        ]
        cursor.close()
        target.continue_crawl(2)
        target.submit(Batch([make_page("https://d.example/")], [visit("https://d.example/")])).result()
    assert Reader(two[0]).rows("SELECT max(page), max(call) FROM pages, calls WHERE calls.crawl = 2") == [
        (5, 4)
    ]


def test_what_is_no_collection_is_not_merged(two: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "other.duckdb"
    duckdb.connect(str(other)).close()
    with Collection.open(two[0]) as target, pytest.raises(CollectionError, match="not a collection"):
        merge(target, other)


STEP = "ALTER TABLE pages ADD COLUMN note VARCHAR DEFAULT 'none'"
NOW = schema.VERSION


def test_an_older_collection_is_brought_up_step_by_step(two: tuple[Path, Path]) -> None:
    steps = {NOW: STEP, NOW + 1: "ALTER TABLE hosts ADD COLUMN n INTEGER"}
    with duckdb.connect(str(two[0])) as con:
        assert migrations.bring_up(two[0], con, steps, target=NOW + 2) == [NOW, NOW + 1]
        assert con.execute("SELECT DISTINCT note FROM pages").fetchall() == [("none",)]
        assert con.execute("SELECT schema_version FROM collection").fetchall() == [(NOW + 2,)]
        assert migrations.bring_up(two[0], con, {}, target=NOW + 2) == []


def test_a_step_that_fails_leaves_the_collection_as_it_was(two: tuple[Path, Path]) -> None:
    steps = {NOW: STEP, NOW + 1: "ALTER TABLE nothing ADD COLUMN n INTEGER"}
    with duckdb.connect(str(two[0])) as con:
        with pytest.raises(CollectionError, match=f"from schema {NOW} to {NOW + 2}"):
            migrations.bring_up(two[0], con, steps, target=NOW + 2)
        assert con.execute("SELECT schema_version FROM collection").fetchall() == [(NOW,)]
        with pytest.raises(duckdb.BinderException):
            con.execute("SELECT note FROM pages")


def test_a_version_without_a_way_up_is_refused_with_the_reason(two: tuple[Path, Path]) -> None:
    refused = pytest.raises(CollectionError, match=f"no way from {NOW} to {NOW + 1}")
    with duckdb.connect(str(two[0])) as con, refused:
        migrations.bring_up(two[0], con, {}, target=NOW + 1)


def test_reading_an_older_collection_changes_nothing_and_names_the_command(
    two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "VERSION", NOW + 1)
    before = two[0].read_bytes()
    with pytest.raises(CollectionError, match=r"older bizcrawl.*bizcrawl merge"):
        Reader(two[0]).rows("SELECT 1")
    assert two[0].read_bytes() == before


def test_verdicts_of_an_older_collection_become_calls_of_its_last_crawl(two: tuple[Path, Path]) -> None:
    with duckdb.connect(str(two[0])) as con:
        con.execute("UPDATE collection SET schema_version = 1")
        con.execute(
            "INSERT INTO companies VALUES ('a.example', 'A', '', ['a.example', 'b.example'], '', '', '', "
            "false, 1, 1, '', now(), now(), 'rejected', NULL, '')"
        )
        last = con.execute("SELECT crawl, max(call) FROM calls GROUP BY ALL ORDER BY 1 DESC").fetchone()
    Collection.open(two[0]).close()
    assert last is not None
    assert Reader(two[0]).rows("SELECT crawl, call, url, given FROM calls WHERE kind = 'reject'") == [
        (last[0], last[1] + 1, "a.example", ["b.example"])
    ]


def test_a_collection_of_this_version_gets_the_views_of_this_bizcrawl(two: tuple[Path, Path]) -> None:
    with duckdb.connect(str(two[0])) as con:
        con.execute("CREATE OR REPLACE VIEW frontier AS SELECT 'of an earlier bizcrawl' AS url")
    Collection.open(two[0]).close()
    assert ("https://hub.example/",) in Reader(two[0]).rows("SELECT url FROM frontier")


def test_every_version_up_to_this_one_has_a_way_up() -> None:
    assert set(migrations.STEPS) == set(range(1, schema.VERSION))
