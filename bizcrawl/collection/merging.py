"""Several collections in one: runs and pages keep their order and get new numbers.

Everything of one source goes in in one transaction. A run that the target holds already is not taken again,
so merging twice changes nothing; one that was resumed since takes the place of what the target has of it. The
target's own verdicts and companies stay; what only the source knows is added: companies, and what the analyst
said there of companies on which the target has no verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from bizcrawl.collection.host_counts import count_hosts
from bizcrawl.collection.reader import reading
from bizcrawl.collection.writer import Collection

SAME_RUN = "started_at, command, topic, strategy, random_seed"
"""What tells one run from another, whatever its number."""

NUMBERED = {
    "pages": "crawl AS former_crawl, page + $pages AS page, * EXCLUDE (crawl, page)",
    "links": "crawl AS former_crawl, page + $pages AS page, * EXCLUDE (crawl, page)",
    "calls": "crawl AS former_crawl, * EXCLUDE (crawl)",
    "decisions": "crawl AS former_crawl, * EXCLUDE (crawl)",
}
"""Tables whose rows belong to a run."""

TAKEN = {
    "hosts": "ON CONFLICT (host) DO NOTHING",
    "companies": """ON CONFLICT (company) DO UPDATE SET verdict = coalesce(verdict, excluded.verdict),
        verdict_note = CASE WHEN verdict IS NULL THEN excluded.verdict_note ELSE verdict_note END""",
}
"""Tables with one row for each thing of the world, and what a row says that the target has already."""

BEGINNING = """
SELECT count(*), bit_xor(hash(call, kind, url, given)) FROM calls WHERE crawl = ? AND call <= ?
"""
"""Tells whether two copies of a run have the same first calls. One is further than the other if it has all
its calls and more."""

RANK_AGAIN = """
UPDATE companies SET rank = ranked.rank FROM (
    SELECT company, row_number() OVER (ORDER BY score DESC, company) AS rank
    FROM companies WHERE rank IS NOT NULL
) AS ranked WHERE companies.company = ranked.company
"""


@dataclass(frozen=True, slots=True)
class Merged:
    """What one source brought."""

    source: Path
    crawls: int
    pages: int
    """Pages of those runs; pages of runs that were known are left out with them."""
    known_crawls: int
    """Runs that the target held already, as they are or further."""
    crawls_apart: int = 0
    """Runs that went on in the target and, in another way, in the source: the target's stay."""
    pages_apart: int = 0
    """Pages of the source's copies of these, which are left out."""


def merge(target: Collection, source: Path) -> Merged:
    """Take the runs of another collection in. Raises `CollectionError` if it can't be read as one."""
    with reading(source) as con:
        return target.transact(lambda writing: _take(writing, con, source))


@dataclass(frozen=True, slots=True)
class _Compared:
    """The runs of a source beside those of the target, by their numbers."""

    new: list[int]
    """In the source: to be taken."""
    outgrown: list[int]
    """In the target: the source has them further."""
    apart: list[int]
    """In the source: each went on in another way than the target's copy."""
    known: int
    """How many the target has, as they are or further."""


def _take(writing: duckdb.DuckDBPyConnection, con: duckdb.DuckDBPyConnection, source: Path) -> Merged:
    """Take everything of a source in, within a transaction; `con` reads it."""
    runs = _compared(writing, con)
    first_crawl = _largest(writing, "crawl", "crawls")
    numbers = {former: first_crawl + n for n, former in enumerate(runs.new, 1)}
    last_page = _largest(writing, "page", "pages")
    _forget(writing, runs.outgrown)
    pages = _take_runs(writing, con, numbers, last_page) if numbers else 0
    for table, known_already in TAKEN.items():
        _stream(writing, con, f"FROM {table}")
        writing.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming {known_already}")  # noqa: S608
    count_hosts(writing)
    _stream(writing, con, "FROM evidence")
    writing.execute("INSERT INTO evidence BY NAME FROM incoming EXCEPT FROM evidence")
    writing.execute(RANK_AGAIN)
    writing.unregister("incoming")
    ((left_out,),) = con.execute(
        "SELECT count(*) FROM pages WHERE list_contains(?, crawl)", [runs.apart]
    ).fetchall()
    return Merged(source, len(runs.new), pages, runs.known, len(runs.apart), int(left_out))


def _compared(writing: duckdb.DuckDBPyConnection, con: duckdb.DuckDBPyConnection) -> _Compared:
    """Which runs of a source, read by `con`, the target lacks, and which it has less of."""
    mine = dict(_runs(writing))
    new, outgrown, apart, known = [], [], [], 0
    for run, crawl in _runs(con):
        if run not in mine:
            new.append(crawl)
            continue
        source_goes_on = _is_beginning(writing, mine[run], con, crawl)
        target_goes_on = _is_beginning(con, crawl, writing, mine[run])
        if target_goes_on:
            known += 1
        elif source_goes_on:
            outgrown.append(mine[run])
            new.append(crawl)
        else:
            apart.append(crawl)
    return _Compared(new, outgrown, apart, known)


def _take_runs(
    writing: duckdb.DuckDBPyConnection,
    con: duckdb.DuckDBPyConnection,
    numbers: Mapping[int, int],
    last_page: int,
) -> int:
    """Copy runs under new numbers, with all that belongs to them; how many pages they have.

    `numbers`: new number of each, by the one in the source. Pages are numbered on from `last_page`.
    """
    writing.execute("CREATE OR REPLACE TEMP TABLE renumbered (former_crawl INTEGER, crawl INTEGER)")
    writing.executemany("INSERT INTO renumbered VALUES (?, ?)", list(numbers.items()))
    _copy(writing, con, "crawls", "crawl AS former_crawl, * EXCLUDE (crawl)")
    copied = {
        table: _copy(writing, con, table, columns.replace("$pages", str(last_page)))
        for table, columns in NUMBERED.items()
    }
    # trees belong to pages, and those of runs that were known are left out with them
    _stream(writing, con, f"SELECT page + {last_page} AS page, tree FROM trees")  # noqa: S608
    writing.execute("INSERT INTO trees BY NAME SELECT * FROM incoming SEMI JOIN pages USING (page)")
    return copied["pages"]


def _runs(con: duckdb.DuckDBPyConnection) -> list[tuple[tuple[object, ...], int]]:
    """What tells each run from others, and its number, in order."""
    rows = con.execute(f"SELECT crawl, {SAME_RUN} FROM crawls ORDER BY crawl").fetchall()  # noqa: S608
    return [(row[1:], row[0]) for row in rows]


def _is_beginning(
    con: duckdb.DuckDBPyConnection, crawl: int, other: duckdb.DuckDBPyConnection, other_crawl: int
) -> bool:
    """Whether the copy of a run on `con` is the beginning, or all, of the one on the other connection."""
    ((last,),) = con.execute("SELECT coalesce(max(call), 0) FROM calls WHERE crawl = ?", [crawl]).fetchall()
    here = con.execute(BEGINNING, [crawl, last]).fetchall()
    return here == other.execute(BEGINNING, [other_crawl, last]).fetchall()


def _forget(writing: duckdb.DuckDBPyConnection, crawls: list[int]) -> None:
    """Take out runs of which the source has more."""
    if not crawls:
        return
    writing.execute(
        "DELETE FROM trees WHERE page IN (SELECT page FROM pages WHERE list_contains(?, crawl))", [crawls]
    )
    for table in (*NUMBERED, "crawls"):
        writing.execute(f"DELETE FROM {table} WHERE list_contains(?, crawl)", [crawls])  # noqa: S608


def _copy(
    writing: duckdb.DuckDBPyConnection, con: duckdb.DuckDBPyConnection, table: str, columns: str
) -> int:
    """Copy the rows of the new runs; how many they were."""
    _stream(writing, con, f"SELECT {columns} FROM {table}")  # noqa: S608 - our own names
    ((rows,),) = writing.execute(
        f"INSERT INTO {table} BY NAME SELECT r.crawl, i.* EXCLUDE (former_crawl) "  # noqa: S608
        "FROM incoming i JOIN renumbered r USING (former_crawl)"
    ).fetchall()
    return int(rows)


def _stream(writing: duckdb.DuckDBPyConnection, con: duckdb.DuckDBPyConnection, query: str) -> None:
    """Let the target read a query of the source as ``incoming``, batch by batch."""
    writing.register("incoming", con.sql(query).to_arrow_reader(2_048))


def _largest(con: duckdb.DuckDBPyConnection, column: str, table: str) -> int:
    ((found,),) = con.execute(f"SELECT coalesce(max({column}), 0) FROM {table}").fetchall()  # noqa: S608
    return int(found)
