"""What `resume` needs to go on: everything that was asked, and the calls to the strategy with their pages.

The strategy's state isn't stored: it is what the recorded calls make of a new strategy with the same random
seed (docs/decisions/resume-by-replay.md). URLs that `next` gave out and that were neither visited nor
failed were in hand when the crawl ended; they are given back first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import duckdb

from bizcrawl.collection.opening import CollectionError
from bizcrawl.reasons import Reason
from bizcrawl.topic import Topic

CALLS_PER_FETCH = 256


@dataclass(frozen=True, slots=True)
class Resumption:
    """A run as it was asked for, what it has used of its budget, and what was in hand when it ended."""

    crawl: int
    command: str
    topic: Topic
    strategy: str
    strategy_options: Mapping[str, object]
    settings: Mapping[str, object]
    budget: Mapping[str, float]
    random_seed: int
    gated: bool
    stop_reason: str | None
    """None if it was killed."""
    pages: int
    body_bytes: int
    """That were sent."""
    unchanged: int
    """Pages that a refresh did not have to fetch again."""
    elapsed_s: float
    """Seconds of crawling, as the last recorded call tells."""
    leased: tuple[str, ...]
    """URLs in hand, in the order in which `next` gave them out."""


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
    """Packed tag tree of a visited page (contexts.stored)."""
    detail: str


def read_resumption(con: duckdb.DuckDBPyConnection, crawl: int | None = None) -> Resumption:
    """The run with this number, or the last one."""
    row = con.execute(
        "SELECT crawl, command, topic, seeds, hubs, keywords, strategy, strategy_options, settings, budget, "
        "random_seed, gated, stop_reason FROM crawls "
        "WHERE crawl = coalesce(?, (SELECT max(crawl) FROM crawls))",
        [crawl],
    ).fetchone()
    if row is None:
        raise CollectionError(
            "there is no crawl in this collection to go on with; start one with `bizcrawl discover`"
        )
    number = int(row[0])
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
        command=row[1],
        topic=Topic(name=row[2], seeds=tuple(row[3]), hubs=tuple(row[4]), keywords=row[5]),
        strategy=row[6],
        strategy_options=json.loads(row[7]),
        settings=json.loads(row[8]),
        budget=json.loads(row[9]),
        random_seed=int(row[10]),
        gated=bool(row[11]),
        stop_reason=row[12],
        pages=int(used[0]),
        body_bytes=int(used[1]),
        unchanged=int(used[2]),
        elapsed_s=float(used[3]),
        leased=_leased(con, number),
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
                yield RecordedCall(
                    kind, url, n, tuple(given), Reason(reason) if reason else None, final_url, tree, detail
                )
    finally:
        cursor.close()


def _leased(con: duckdb.DuckDBPyConnection, crawl: int) -> tuple[str, ...]:
    rows = con.execute(
        "WITH given AS (SELECT call, unnest(given) AS url, generate_subscripts(given, 1) AS place "
        "FROM calls WHERE crawl = $1 AND kind = 'next'), "
        "finished AS (SELECT url, max(call) AS call FROM calls "
        "WHERE crawl = $1 AND kind IN ('visit', 'fail') GROUP BY url) "
        "SELECT g.url FROM given g LEFT JOIN finished f ON f.url = g.url AND f.call > g.call "
        "WHERE f.url IS NULL ORDER BY g.call, g.place",
        [crawl],
    ).fetchall()
    return tuple(row[0] for row in rows)


def relevant_pages(con: duckdb.DuckDBPyConnection, crawl: int) -> int:
    """How many pages of a crawl satisfy its predicate."""
    found = con.execute("SELECT count(*) FILTER (relevant) FROM pages WHERE crawl = ?", [crawl])
    return int(found.fetchall()[0][0])


def pages_of_hosts(con: duckdb.DuckDBPyConnection, crawl: int) -> dict[str, int]:
    """How many pages of each host a crawl has had."""
    found = con.execute("SELECT host, count(*) FROM pages WHERE crawl = ? GROUP BY host", [crawl])
    return dict(found.fetchall())
