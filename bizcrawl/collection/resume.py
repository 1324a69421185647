"""What `resume` needs to go on: everything that was asked, and the calls to the strategy with their pages.

The strategy's state isn't stored: it is what the recorded calls make of a new strategy with the same random
seed (docs/decisions/resume-by-replay.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import duckdb

from bizcrawl.collection.opening import CollectionError
from bizcrawl.collection.stored_values import reason_in
from bizcrawl.plan import Plan
from bizcrawl.reasons import Reason

CALLS_PER_FETCH = 256


@dataclass(frozen=True, slots=True)
class Resumption:
    """A run as it was asked for, and what it has used of its budget."""

    crawl: int
    settings: Mapping[str, object]
    pages: int
    body_bytes: int
    """That were sent."""
    unchanged: int
    """Pages that a refresh did not have to fetch again."""
    elapsed_s: float
    """Seconds of crawling, as the last recorded call tells."""

    @property
    def plan(self) -> Plan:
        """What was asked for. Raises `BizcrawlError` if this version can't make it out."""
        return Plan.from_json(str(self.settings.get("plan", "")))


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One call to the strategy, as it was made."""

    kind: str
    url: str
    n: int
    given: tuple[str, ...]
    reason: Reason | None
    final_url: str
    """Of a visited page."""
    tree: bytes | None
    """Packed tag tree of a visited page (contexts.stored); None if it is not there any more."""
    detail: str


def read_resumption(con: duckdb.DuckDBPyConnection) -> Resumption:
    """The last run."""
    row = con.execute("SELECT crawl, settings FROM crawls ORDER BY crawl DESC LIMIT 1").fetchone()
    if row is None:
        raise CollectionError(
            "there is no crawl in this collection to go on with; start one with `bizcrawl discover`"
        )
    number, settings = int(row[0]), json.loads(row[1])
    used = con.execute(
        "SELECT (SELECT count(*) FROM pages WHERE crawl = $1), "
        "(SELECT coalesce(sum(body_bytes), 0) FROM pages WHERE crawl = $1 AND status <> 304), "
        "(SELECT count(*) FROM pages WHERE crawl = $1 AND status = 304), "
        "(SELECT coalesce(max(at_s), 0) FROM calls WHERE crawl = $1)",
        [number],
    ).fetchone()
    assert used is not None
    return Resumption(
        crawl=number,
        settings=settings if isinstance(settings, dict) else {},
        pages=int(used[0]),
        body_bytes=int(used[1]),
        unchanged=int(used[2]),
        elapsed_s=float(used[3]),
    )


def recorded_calls(con: duckdb.DuckDBPyConnection, crawl: int) -> Iterator[RecordedCall]:
    """The calls of a run in order, with the tag trees of the visited pages; memory stays flat."""
    # on a cursor of its own, so that the caller may query in between
    cursor = con.cursor()
    try:
        cursor.execute(
            "SELECT c.kind, c.url, c.n, c.given, c.reason, coalesce(p.final_url, ''), t.tree, c.detail "
            "FROM calls c LEFT JOIN pages p ON c.kind = 'visit' AND p.crawl = c.crawl AND p.url = c.url "
            "LEFT JOIN trees t ON t.page = p.page WHERE c.crawl = ? ORDER BY c.call",
            [crawl],
        )
        while rows := cursor.fetchmany(CALLS_PER_FETCH):
            for kind, url, n, given, reason, final_url, tree, detail in rows:
                why = reason_in(reason, url) if reason else None
                yield RecordedCall(kind, url, n, tuple(given), why, final_url, tree, detail)
    finally:
        cursor.close()


def relevant_pages(con: duckdb.DuckDBPyConnection, crawl: int) -> int:
    """How many pages of a crawl satisfy its predicate."""
    found = con.execute("SELECT count(*) FILTER (relevant) FROM pages WHERE crawl = ?", [crawl])
    return int(found.fetchall()[0][0])


def pages_of_hosts(con: duckdb.DuckDBPyConnection, crawl: int) -> dict[str, int]:
    """How many pages of each host a crawl has had."""
    found = con.execute("SELECT host, count(*) FROM pages WHERE crawl = ? GROUP BY host", [crawl])
    return dict(found.fetchall())
