"""SQL that cannot harm: the attack list is refused or stopped, at rest and while a crawl writes."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from collection_samples import MakePage
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.collection.opening import LOCKED_DOWN, connect
from bizcrawl.collection.reader import Reader
from bizcrawl.collection.rows import Batch
from bizcrawl.collection.safe_sql import run
from bizcrawl.collection.sql_checks import check
from bizcrawl.collection.sql_faults import SqlMistake, SqlRefused, SqlStopped
from bizcrawl.collection.writer import Collection

READING = [
    "SELECT url FROM pages",
    "FROM pages",
    "FROM pages;  ",
    "-- a remark\nSELECT 1; -- another",
    "/* remark */ SELECT 1",
    "WITH a AS (SELECT 1) FROM a",
    "VALUES (1), (2)",
    "TABLE pages",
    "DESCRIBE pages",
    "SUMMARIZE pages",
    "SHOW TABLES",
    "EXPLAIN SELECT 1",
    "EXPLAIN ANALYZE SELECT 1",
    "EXPLAIN (FORMAT json) SELECT 1",
    "SELECT * FROM range(3)",
    "SELECT unnest(cuts) FROM pages",
    "SELECT parts['page'] FROM links",
    "SELECT json_extract(budget, '$.pages') FROM crawls",
    "SELECT regexp_extract(url, '//([^/]*)', 1), count(*) FROM pages GROUP BY ALL",
    "FROM duckdb_columns()",
]

GROWING_CALMLY = [
    "SELECT count(*) FROM range(100000)",
    "SELECT * FROM generate_series(DATE '2026-01-01', DATE '2026-03-01', INTERVAL 1 DAY)",
    "SELECT unnest(range(24)), list_transform(range(2000, 2026), lambda y: y - 2000)",
    "SELECT rpad(title, 40, '.'), lpad(page::VARCHAR, 8, '0'), repeat('=', 1000) FROM pages",
    "SELECT replace(url, 'https://', ''), replace(title, 'a', 'b'), replace(text, ' ', '&nbsp;') FROM pages",
    "SELECT replace(url, host, '') FROM pages",
    "SELECT trim(regexp_replace(regexp_replace(text, '<[^>]*>', ' ', 'g'), '[ \n]+', ' ', 'g')) FROM pages",
    "SELECT string_agg(url, ', ' ORDER BY page), list(title), list_sort(list(DISTINCT domain)) FROM pages",
    "SELECT array_to_string(list(url), ', '), list_aggregate(list(url), 'string_agg', '; ') FROM pages",
    "SELECT list_reduce([1, 2, 3], lambda a, b: a + b), list_sum(list(page)) FROM pages",
    "SELECT list_transform(cuts, lambda c: upper(c) || '!'), [c FOR c IN cuts IF c <> ''] FROM pages",
    "SELECT format('{:.2f} of {:>10}', score, title), printf('%5.1f %%', score * 100) FROM pages",
    "SELECT concat_ws(' / ', domain, host, title), url || ' ' || title || ' ' || text FROM pages",
    "SELECT title || '!' AS a, a || '?' AS b, b || '.' AS c FROM pages",
    "WITH a AS (SELECT domain || '/' || title AS t FROM pages), b AS (SELECT t || '.' AS u FROM a) FROM b",
    (
        "WITH RECURSIVE t AS (SELECT url, url AS way FROM pages UNION ALL "
        "SELECT p.url, way || ' > ' || p.url FROM t JOIN pages p ON p.parent = t.url) SELECT way FROM t"
    ),
    "SELECT to_json(p), hex(body_hash), json_object('u', url, 't', json_array(title, text)) FROM pages p",
    "SELECT substr(text, 1, 100), left(title, 20), bar(score, 0, 1, 20), title.upper() FROM pages",
    "SELECT CASE WHEN score > 0.5 THEN 'near' ELSE 'far' END || '!', " + "page + " * 100 + "1 FROM pages",
]
"""Ordinary statements with functions that make values larger."""
LEVELS = range(30)
HUGE = [
    "SELECT len(range(300000000))",
    "SELECT len(range(-300000000, 0))",
    "SELECT len(range(0, page * 300000000, 1)) FROM pages",
    "SELECT len(generate_series(1, 300000000))",
    "SELECT len(x) FROM unnest([range(300000000)]) t(x)",
    "SELECT count(*) FROM unnest(range(300000000))",
    "SELECT length(repeat(repeat(repeat('x', 1000), 1000), 900))",
    "SELECT length(repeat(s, 1000)) FROM (SELECT repeat(s, 1000) AS s FROM (SELECT repeat('x', 1000) AS s))",
    (
        "WITH a AS (SELECT repeat('x', 1000) AS s), b AS (SELECT repeat(s, 1000) AS s FROM a) "
        "SELECT length(repeat(s, 900)) FROM b"
    ),
    "SELECT repeat('x', 1000) AS a, repeat(a, 1000) AS b, length(repeat(b, 900))",
    "SELECT length(s.repeat(1000000000)) FROM (SELECT 'x' AS s)",
    "SELECT length(system.main.repeat('x', 1000000000))",
    "SELECT length(repeat('x', CASE WHEN true THEN 1000000000 ELSE 1 END))",
    "SELECT length(repeat(text, 1000)) FROM pages",
    "SELECT length(format('{:>900000000}', 'x'))",
    "SELECT length(format('{:>{}}', 'x', 900000000))",
    "SELECT length(format('{0:>{1}}', 'x', 900000000))",
    "SELECT length(format('{:>' || '900000000}', 'x'))",
    "SELECT length(format('" + "{0}" * 10_000 + "', repeat('x', 90000)))",
    "SELECT length(printf('%900000000d', 1))",
    "SELECT length(printf('%*d', 900000000, 1))",
    "SELECT length(lpad('x', 900000000, 'y')), length(rpad('x', 900000000, 'y'))",
    "SELECT length(" + "replace(" * 9 + "'x'" + ", 'x', 'xxxxxxxxxx')" * 9 + ")",
    "SELECT length(replace(repeat('x', 90000), 'x', '" + "y" * 10_000 + "'))",
    "SELECT length(replace(s, 'x', s)) FROM (SELECT repeat('x', 40000) AS s)",
    "SELECT length(" + "regexp_replace(" * 30 + "'x'" + r", '(.)', '\1\1', 'g')" * 30 + ")",
    "SELECT length(" + "regexp_replace(" * 30 + "'x'" + ", '', 'y', 'g')" * 30 + ")",
    "SELECT len(list_resize([1], 300000000, 7))",
    "SELECT len(array_resize([1], 300000000))",
    "SELECT length(array_to_string(range(90), repeat('x', 90000)))",
    "SELECT length(bitstring('1', 900000000)::VARCHAR)",
    "SELECT len(list_transform(range(90), lambda x: repeat('x', 90000)))",
    "SELECT length(list_reduce(range(40)::VARCHAR[], lambda a, b: a || a))",
    "SELECT 'x' AS a0, " + ", ".join(f"a{n} || a{n} AS a{n + 1}" for n in LEVELS),
    "SELECT length(s) FROM " + "(SELECT s || s AS s FROM " * 30 + "(SELECT 'x' AS s)" + ")" * 30,
    "SELECT len(s) FROM " + "(SELECT list_concat(s, s) AS s FROM " * 30 + "(SELECT [1] AS s)" + ")" * 30,
    "SELECT length(" + "hex(" * 30 + "'x'" + ")" * 30 + ")",
    "SELECT length(concat(*COLUMNS(*))) FROM (SELECT s"
    + ", s" * 9_000
    + " FROM (SELECT repeat('x', 90000) s))",
    "WITH RECURSIVE t AS (SELECT 'x' AS s UNION ALL SELECT s || s || s FROM t) SELECT max(length(s)) FROM t",
]
"""Values that would be made in one step, which neither the memory limit nor an interrupt stops."""

ATTACKS = {
    "files": [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('/etc/passwd')",
        "SELECT * FROM read_json('/etc/passwd')",
        "SELECT * FROM read_parquet('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM 'https://one.example/x.csv'",
        "SELECT * FROM read_csv('https://one.example/x.csv')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM sniff_csv('/etc/passwd')",
        "SELECT * FROM parquet_metadata('/etc/passwd')",
        "SELECT (FROM read_text('/etc/passwd'))",
        "WITH x AS (FROM glob('*')) FROM x",
        "SELECT 1 WHERE EXISTS (FROM glob('*'))",
        "EXPLAIN ANALYZE SELECT * FROM read_text('/etc/passwd')",
        "COPY pages TO '/tmp/stolen.csv'",
        "COPY pages FROM '/etc/passwd'",
        "EXPORT DATABASE '/tmp/stolen'",
        "IMPORT DATABASE '/tmp/stolen'",
        "SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')",
        "SELECT * FROM query_table('/etc/passwd')",
        "SELECT getenv('HOME')",
    ],
    "attach": ["ATTACH '/tmp/other.duckdb'", "ATTACH ':memory:' AS x", "DETACH harvest", "USE memory"],
    "extensions": [
        "INSTALL httpfs",
        "LOAD httpfs",
        "FORCE INSTALL spatial FROM community",
        "UPDATE EXTENSIONS",
    ],
    "settings": [
        "SET threads = 64",
        "SET enable_external_access = true",
        "RESET memory_limit",
        "PRAGMA memory_limit = '100GB'",
        "PRAGMA database_list",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM duckdb_secrets()",
        "SELECT * FROM pragma_database_list()",
        "SELECT current_setting('home_directory')",
        "SELECT json_serialize_plan('SELECT 1', optimize := true)",
        "SHOW home_directory",
        "FROM (SHOW memory_limit)",
        "CREATE SECRET s (TYPE s3)",
        "CALL enable_logging()",
    ],
    "writing": [
        "INSERT INTO pages SELECT * FROM pages",
        "UPDATE pages SET title = 'x'",
        "DELETE FROM pages",
        "TRUNCATE pages",
        "DROP TABLE pages",
        "ALTER TABLE pages RENAME TO x",
        "CREATE TABLE x (a INTEGER)",
        "CREATE TEMP TABLE x AS SELECT 1",
        "CREATE OR REPLACE VIEW competitors AS SELECT 1",
        "CREATE MACRO m() AS 1",
        "INSERT INTO pages SELECT * FROM pages RETURNING url",
        "MERGE INTO pages USING pages AS p ON true WHEN MATCHED THEN DELETE",
        "EXPLAIN ANALYZE DELETE FROM pages",
        "EXPLAIN ANALYZE EXPLAIN ANALYZE DELETE FROM pages",
        "COMMENT ON TABLE pages IS 'x'",
        "SELECT nextval('s')",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "CHECKPOINT",
        "FORCE CHECKPOINT",
        "SELECT * FROM checkpoint('harvest')",
        "SELECT * FROM force_checkpoint('harvest')",
        "VACUUM",
        "ANALYZE",
        "PREPARE p AS DELETE FROM pages",
        "EXECUTE p",
        "SELECT 1; DELETE FROM pages",
        "SELECT 1; SELECT 2",
    ],
    "huge": HUGE,
    "waiting": ["SELECT sleep_ms(100000)", "SELECT pg_sleep(100)"],
    "nonsense": [
        "",
        ";",
        "SELEC 1",
        "SELECT * FROM nothing",
        "SELECT \x00",
        "((((",
        "SELECT " + "1+" * 30_000 + "1",
    ],
}
ENDLESS = [
    "SELECT count(*) FROM range(1000000000) a, range(1000000000) b",
    "SELECT a.range FROM range(1000000000) a, range(1000000000) b",
    "WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM t) SELECT count(*) FROM t",
    "SELECT sum(x.range) FROM range(1000000000) x, range(1000000000) y WHERE x.range % 7 = y.range % 11",
    "SELECT list(range) FROM range(10000000000)",
    "SELECT repeat('x', 4000000000)",
    "SELECT repeat('x', 2000000 * 2000)",
    "SELECT length(lpad('x', 2000000000, 'y'))",
    "WITH RECURSIVE t AS (SELECT 'x' AS s UNION ALL SELECT s || s FROM t) SELECT max(length(s)) FROM t",
    "SELECT string_agg(repeat('x', 1000000), '') FROM range(1000000)",
    "SELECT range FROM range(10000000000) ORDER BY random()",
]


@pytest.fixture
def at_rest(collection: Collection, path: Path, make_page: MakePage) -> Reader:
    """A reader of a collection that nobody writes."""
    collection.submit(Batch([make_page("https://a.example/")])).result()
    collection.close()
    return Reader(path)


@pytest.fixture
def being_written(collection: Collection, path: Path, make_page: MakePage) -> Reader:
    """A reader of a collection that is being written: it asks the writer over the socket."""
    collection.submit(Batch([make_page("https://a.example/")])).result()
    return Reader(path)


@pytest.fixture(params=["at_rest", "being_written"])
def reader(request: pytest.FixtureRequest) -> Reader:
    """Both ways to read."""
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


def test_statements_that_read_are_answered(reader: Reader) -> None:
    for sql in READING + GROWING_CALMLY:
        reader.rows(sql)


def test_refusing_what_makes_values_huge_takes_no_memory(at_rest: Reader, path: Path) -> None:
    """In a process of its own, whose highest use of memory is this test's alone."""
    script = (
        "import json, resource, sys; from pathlib import Path\n"
        "from bizcrawl.collection.reader import Reader\n"
        "from bizcrawl.collection.sql_faults import SqlRefused\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024\n"
        "reader = Reader(Path(sys.argv[1])); reader.rows('FROM pages'); before = peak()\n"
        "for sql in json.load(sys.stdin):\n"
        "    try: reader.rows(sql)\n"
        "    except SqlRefused: pass\n"
        "print(peak() - before)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        input=json.dumps(HUGE),
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(ran.stdout) < 100, "MB"


def test_every_attack_is_refused(reader: Reader, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    for kind, attacks in ATTACKS.items():
        for sql in attacks:
            with pytest.raises((SqlRefused, SqlMistake)):
                print(kind, sql[:80], reader.rows(sql))
    assert reader.rows("SELECT count(*), any_value(title) FROM pages") == [(1, "Title of https://a.example/")]
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("sql", ENDLESS)
def test_what_would_never_end_or_takes_all_memory_is_stopped(reader: Reader, sql: str) -> None:
    began_s = time.monotonic()
    with pytest.raises((SqlStopped, SqlMistake, SqlRefused)), reader.query(sql, seconds=0.5) as answer:
        # a result that only grows is stopped as well, however fast it is read
        for _ in answer.batches:
            pass
    assert time.monotonic() - began_s < 10
    assert reader.rows("SELECT count(*) FROM pages") == [(1,)]


def test_an_interrupt_stops_a_query_at_any_moment_and_leaves_no_other_fault() -> None:
    with duckdb.connect(":memory:") as database:
        database.execute("CREATE TABLE pages AS SELECT range AS page FROM range(10)")
        for _ in range(20):
            con, over = database.cursor(), threading.Event()

            def interrupt(con: duckdb.DuckDBPyConnection = con, over: threading.Event = over) -> None:
                while not over.is_set():
                    con.interrupt()

            thread = threading.Thread(target=interrupt)
            thread.start()
            try:
                with contextlib.suppress(SqlStopped):
                    assert list(run(con, "SELECT count(*) FROM pages"))[1].num_rows == 1
            finally:
                over.set()
                thread.join()


def test_the_second_fence_holds_without_the_first(at_rest: Reader, path: Path) -> None:
    """Even a statement that the checks let through reaches nothing: the instance itself is locked."""
    for read_only in (True, False):
        con = connect(path, read_only=read_only)
        for sql in [
            *ATTACKS["files"][:13],
            "ATTACH '/tmp/other.duckdb'",
            "INSTALL httpfs",
            "SET threads = 64",
        ]:
            with pytest.raises(duckdb.Error):
                con.execute(sql).fetchall()
        con.close()


def test_a_mistake_shows_where_it_is(reader: Reader) -> None:
    with pytest.raises(SqlMistake) as error:
        reader.rows("SELECT url FROM pages WHERE titel = 1")
    lines = str(error.value).splitlines()
    assert "titel" in lines[0]
    (shown,) = [n for n, line in enumerate(lines) if line.startswith("LINE 1:")]
    assert lines[shown].index("titel") == lines[shown + 1].index("^")


def test_a_statement_in_another_encoding_is_refused(reader: Reader) -> None:
    with pytest.raises(SqlRefused, match="no text in UTF-8"):
        reader.rows("SELECT '" + b"caf\xe9".decode("utf-8", "surrogateescape") + "'")


def test_parameters_are_values_never_sql(reader: Reader) -> None:
    hostile = "'; DROP TABLE pages; --"
    assert reader.rows("SELECT ?, count(*) FROM pages WHERE url = ?", [hostile, hostile]) == [(hostile, 0)]


def test_a_message_carries_no_control_characters(reader: Reader) -> None:
    with pytest.raises(SqlMistake) as error:
        reader.rows("SELECT '\x1b]0;owned\x07'::INTEGER")
    assert "\x1b" not in str(error.value)
    assert "owned" in str(error.value)


CON = duckdb.connect(":memory:", config={**LOCKED_DOWN})


class TestCheckProperties:
    @given(st.text())
    def test_any_text_is_accepted_or_refused_and_nothing_else(self, text: str) -> None:
        try:
            check(CON, text)
        except (SqlRefused, SqlMistake):
            return

    @given(st.sampled_from([sql for kind in ATTACKS.values() for sql in kind if sql.strip(";")]), st.data())
    def test_case_and_white_space_open_no_way_around(self, sql: str, data: st.DataObject) -> None:
        change: Callable[[str], str] = data.draw(st.sampled_from([str.lower, str.upper, str.swapcase]))
        space = data.draw(st.sampled_from([" ", "\n", "\t ", " /* x */ ", " -- x\n"]))
        mutated = space + change(sql.replace(" ", space) if "'" not in sql else sql) + space
        with pytest.raises((SqlRefused, SqlMistake, duckdb.Error)):
            CON.sql(check(CON, mutated)).fetchall()
