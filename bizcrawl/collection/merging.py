"""Several collections in one: runs and pages keep their order and get new numbers.

Everything of one source goes in in one transaction. A run that the target holds already is not taken again,
so merging twice changes nothing. The target's own verdicts and companies stay; what only the source knows is
added: companies, and what the analyst said there of companies on which the target has no verdict.
"""

from __future__ import annotations

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
    """Runs that the target held already."""


def merge(target: Collection, source: Path) -> Merged:
    """Take the runs of another collection in. Raises `CollectionError` if it can't be read as one."""
    with reading(source) as con:
        return target.transact(lambda writing: _take(writing, con, source))


def _take(writing: duckdb.DuckDBPyConnection, con: duckdb.DuckDBPyConnection, source: Path) -> Merged:
    known = set(writing.execute(f"SELECT {SAME_RUN} FROM crawls").fetchall())  # noqa: S608 - our own names
    runs = con.execute(f"SELECT crawl, {SAME_RUN} FROM crawls ORDER BY crawl").fetchall()  # noqa: S608
    new = [run[0] for run in runs if run[1:] not in known]
    first_crawl = _largest(writing, "crawl", "crawls")
    numbers = {former: first_crawl + n for n, former in enumerate(new, 1)}
    offset = _largest(writing, "page", "pages")
    pages = 0
    if numbers:
        writing.execute("CREATE OR REPLACE TEMP TABLE renumbered (former_crawl INTEGER, crawl INTEGER)")
        writing.executemany("INSERT INTO renumbered VALUES (?, ?)", list(numbers.items()))
        _copy(writing, con, "crawls", "crawl AS former_crawl, * EXCLUDE (crawl)")
        copied = {
            table: _copy(writing, con, table, columns.replace("$pages", str(offset)))
            for table, columns in NUMBERED.items()
        }
        pages = copied["pages"]
        # trees belong to pages, and those of runs that were known are left out with them
        _stream(writing, con, f"SELECT page + {offset} AS page, tree FROM trees")  # noqa: S608
        writing.execute("INSERT INTO trees BY NAME SELECT * FROM incoming SEMI JOIN pages USING (page)")
    for table, known_already in TAKEN.items():
        _stream(writing, con, f"FROM {table}")
        writing.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming {known_already}")  # noqa: S608
    count_hosts(writing)
    _stream(writing, con, "FROM evidence")
    writing.execute("INSERT INTO evidence BY NAME FROM incoming EXCEPT FROM evidence")
    writing.execute(RANK_AGAIN)
    writing.unregister("incoming")
    return Merged(source, len(new), pages, len(runs) - len(new))


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
