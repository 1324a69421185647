"""Rows into tables: what the writer does inside its transactions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

import duckdb
import pyarrow as pa

from bizcrawl.collection import columns
from bizcrawl.collection.link_columns import links_table
from bizcrawl.collection.opinions import KEEP_VERDICTS, set_verdicts
from bizcrawl.collection.rows import Batch, CallRow, CompanyRow, CrawlRow, EvidenceRow

UPDATE_HOST = (
    "ON CONFLICT (host) DO UPDATE SET robots = excluded.robots, delay_s = excluded.delay_s, "
    "last_failure = excluded.last_failure"
)


def insert_crawl(con: duckdb.DuckDBPyConnection, row: CrawlRow, now: datetime) -> int:
    """Write down a new run; returns its number."""
    crawl = 1 + _count(con, "SELECT coalesce(max(crawl), 0) FROM crawls")
    topic = row.topic
    con.execute(
        "INSERT INTO crawls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL)",
        [
            crawl,
            row.command,
            topic.name,
            list(topic.seeds),
            list(topic.hubs),
            topic.keywords,
            row.strategy,
            json.dumps(dict(row.strategy_options)),
            json.dumps(dict(row.settings)),
            json.dumps(dict(row.budget)),
            row.random_seed,
            row.gated,
            now,
        ],
    )
    return crawl


def reopen_crawl(
    con: duckdb.DuckDBPyConnection, crawl: int, budget: Mapping[str, float] | None
) -> tuple[object, ...]:
    """A run goes on, with a new budget if one is given; how it had ended, for `close_again`."""
    former = con.execute(
        "SELECT ended_at, stop_reason, budget FROM crawls WHERE crawl = ?", [crawl]
    ).fetchone()
    con.execute("UPDATE crawls SET ended_at = NULL, stop_reason = NULL WHERE crawl = ?", [crawl])
    if budget is not None:
        con.execute("UPDATE crawls SET budget = ? WHERE crawl = ?", [json.dumps(budget), crawl])
    return former or (None, None, None)


def close_again(con: duckdb.DuckDBPyConnection, crawl: int, former: Sequence[object]) -> None:
    """A run that was reopened stays as it was."""
    con.execute(
        "UPDATE crawls SET ended_at = ?, stop_reason = ?, budget = ? WHERE crawl = ?", [*former, crawl]
    )


def insert_batches(
    con: duckdb.DuckDBPyConnection,
    batches: Sequence[Batch],
    crawl: int,
    first_page: int,
    first_call: int,
    now: datetime,
) -> tuple[int, int]:
    """Put pages, their links and trees, calls, decisions and hosts into their tables, numbered from the first
    ones; returns the numbers of the next page and the next call.
    """
    pages = [page for batch in batches for page in batch.pages]
    calls: list[CallRow] = [call for batch in batches for call in batch.calls]
    decisions = [decision for batch in batches for decision in batch.decisions]
    hosts = [host for batch in batches for host in batch.hosts]
    if pages:
        _load(con, "pages", columns.pages_table(pages, crawl, first_page))
        _load(con, "trees", columns.trees_table(pages, first_page))
        _load(con, "links", links_table(pages, crawl, first_page))
    if calls:
        _load(con, "calls", columns.calls_table(calls, crawl, first_call))
        set_verdicts(con, calls, now)
    if decisions:
        _load(con, "decisions", columns.decisions_table(decisions, crawl))
    if hosts:
        _load(con, "hosts", columns.hosts_table(hosts), UPDATE_HOST)
    return first_page + len(pages), first_call + len(calls)


def replace_companies(
    con: duckdb.DuckDBPyConnection,
    companies: Sequence[CompanyRow],
    evidence: Sequence[EvidenceRow],
    now: datetime,
) -> None:
    """Put companies and evidence in place of the former ones; verdicts and first sightings are kept."""
    con.execute("CREATE OR REPLACE TEMP TABLE former AS FROM companies")
    con.execute("TRUNCATE companies")
    con.execute("TRUNCATE evidence")
    _load(con, "companies", columns.companies_table(companies, now))
    _load(con, "evidence", columns.evidence_table(evidence))
    con.execute(
        "UPDATE companies SET first_seen = former.first_seen FROM former "
        "WHERE former.company = companies.company"
    )
    con.execute(KEEP_VERDICTS)
    con.execute("DROP TABLE former")


def _load(con: duckdb.DuckDBPyConnection, table: str, rows: pa.Table, on_conflict: str = "") -> None:
    """Append an Arrow table to a table of the same columns."""
    if not len(rows):
        return
    # not unregistered after a fault: the transaction is lost then, and DuckDB would only say so
    con.register("incoming", rows)
    con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming {on_conflict}")  # noqa: S608 - our own names
    con.unregister("incoming")


def next_page(con: duckdb.DuckDBPyConnection) -> int:
    """Number of the page that comes next in the file."""
    return 1 + _count(con, "SELECT coalesce(max(page), 0) FROM pages")


def next_call(con: duckdb.DuckDBPyConnection, crawl: int) -> int:
    """Number of the call that comes next in a run."""
    return 1 + _count(con, "SELECT coalesce(max(call), 0) FROM calls WHERE crawl = ?", crawl)


def _count(con: duckdb.DuckDBPyConnection, query: str, *parameters: object) -> int:
    """The one number that a query asks for."""
    # all rows, for DuckDB keeps a result open until its end was seen
    ((found,),) = con.execute(query, parameters).fetchall()
    return int(found)
