"""How a collection stands: its runs, what they found, what they turned away."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from bizcrawl.collection.opening import CollectionBusy
from bizcrawl.collection.reader import Reader, reading

COUNTED = ("pages", "links", "hosts", "companies", "evidence")


@dataclass(frozen=True, slots=True)
class CrawlStatus:
    """One run."""

    crawl: int
    command: str
    topic: str
    strategy: str
    started_at: str
    ended_at: str | None
    stop_reason: str | None
    state: str
    """running, ended, or killed."""
    pages: int
    queued: int
    leased: int
    failed: int
    unchanged: int
    """Pages that a refresh did not have to fetch again."""


@dataclass(frozen=True, slots=True)
class Status:
    """A whole collection."""

    path: Path
    schema_version: int
    file_bytes: int
    being_written: bool
    crawls: tuple[CrawlStatus, ...]
    rows: dict[str, int]
    """Rows of the main tables."""
    turned_away: dict[str, int]
    """URLs by reason, all runs together."""

    tidied_both_ways: int = 0
    """Pages of which the fast road's tree was compared with html5lib's."""
    tidy_differences: int = 0
    """Those among them on which the two trees differ."""
    soft_404s: int = 0
    """Pages that say "not found" in spite of their status."""
    duplicates: int = 0
    """Pages whose content an earlier page of the same run has under another URL."""

    def as_json(self) -> dict[str, object]:
        """Plain values for JSON."""
        return {**asdict(self), "path": str(self.path)}


CRAWLS = """
WITH urls AS (
    SELECT crawl, count(*) FILTER (state = 'queued') AS queued, count(*) FILTER (state = 'leased') AS leased,
        count(*) FILTER (state = 'failed') AS failed
    FROM frontier GROUP BY crawl
), found AS (
    SELECT crawl, count(*) AS pages, count(*) FILTER (status = 304) AS unchanged FROM pages GROUP BY crawl
)
SELECT c.crawl, c.command, c.topic, c.strategy, c.started_at::VARCHAR, c.ended_at::VARCHAR, c.stop_reason,
    coalesce(found.pages, 0), coalesce(urls.queued, 0), coalesce(urls.leased, 0), coalesce(urls.failed, 0),
    coalesce(found.unchanged, 0)
FROM crawls c LEFT JOIN urls USING (crawl) LEFT JOIN found USING (crawl) ORDER BY c.crawl
"""


TURNED_AWAY = """
SELECT reason, count(DISTINCT url) AS urls FROM (
    SELECT reason, url FROM decisions UNION ALL SELECT fate, url FROM links WHERE fate <> 'queued'
) GROUP BY reason
UNION ALL SELECT 'frontier_full', sum(dropped)::BIGINT FROM crawls HAVING sum(dropped) > 0
ORDER BY urls DESC, reason
"""
"""URLs that were turned away, by reason; one that several runs turned away counts once. What a full frontier
let go is counted, not listed."""
DUPLICATES = "SELECT coalesce(sum(pages - 1), 0)::BIGINT FROM duplicates"


def status_of(path: Path) -> Status:
    """Ask a collection, at rest or being written, how it stands."""
    reader = Reader(path)
    written = _being_written(path)
    runs = reader.rows(CRAWLS)
    crawls = []
    for crawl, command, topic, strategy, started_at, ended_at, stop_reason, *counts in runs:
        state = "ended" if ended_at else "running" if written and crawl == runs[-1][0] else "killed"
        crawls.append(
            CrawlStatus(crawl, command, topic, strategy, started_at, ended_at, stop_reason, state, *counts)
        )
    counted = ", ".join(f"(SELECT count(*) FROM {table})" for table in COUNTED)  # noqa: S608 - our own names
    reasons = reader.rows(TURNED_AWAY)
    (version,) = reader.rows("SELECT schema_version FROM collection")[0]
    ((both_ways, differing, soft_404s),) = reader.rows(
        "SELECT count(tidy_difference), count(*) FILTER (tidy_difference <> ''), count(*) FILTER (soft_404) "
        "FROM pages"
    )
    ((duplicates,),) = reader.rows(DUPLICATES)
    return Status(
        path=path,
        schema_version=int(version),
        file_bytes=path.stat().st_size,
        being_written=written,
        crawls=tuple(crawls),
        rows={table: int(n) for table, n in zip(COUNTED, reader.rows(f"SELECT {counted}")[0], strict=True)},
        turned_away={str(reason): int(n) for reason, n in reasons},
        tidied_both_ways=int(both_ways),
        tidy_differences=int(differing),
        soft_404s=int(soft_404s),
        duplicates=int(duplicates),
    )


def _being_written(path: Path) -> bool:
    try:
        with reading(path):
            return False
    except CollectionBusy:
        return True
