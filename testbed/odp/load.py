"""Dumps into DuckDB: one pass over each file, spread over processes; each load as a whole or not at all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from bizcrawl.workers import usable_processors
from testbed.odp.arrow import content_tables, structure_tables
from testbed.odp.faults import DumpError
from testbed.odp.staging import discard_unfinished, whole_or_nothing
from testbed.odp.stream import CHUNK_BYTES, Chunk, chunks
from testbed.odp.tables import DIRECTORY, MERGE_CATEGORIES, PLACE_LOOSE
from testbed.parallel import Mapping, mapping

_SMALL_BYTES = 4_000_000
"""Smaller files are read sooner than processes start."""

BATCH_BYTES = 50_000_000
"""Rows are inserted after so many bytes of a dump: as many as DuckDB compresses together, and few enough that
they do not fill the memory.
"""

READING_MEMORY = "96MB"
"""What DuckDB may hold while other processes parse beside it: inserting needs no more. What follows, over all
rows, does.
"""

Parsed = tuple[int, dict[str, pa.Table]]
"""Length of a chunk in bytes, and its rows by table."""

Progress = Callable[[int], None]
"""Told the number of bytes of text read since it was last told."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a directory holds."""

    categories: int
    listings: int
    faults: dict[str, int]
    """Number of repairs by kind."""


def connect(path: Path | str, memory: str = "192MB") -> duckdb.DuckDBPyConnection:
    """A database set up for bulk loads of text, with `memory` for DuckDB's own use.

    What a killed load left unfinished is dropped.
    """
    con = duckdb.connect(str(path))
    # dict_fsst packs short texts best, at half the speed of the whole load
    con.execute("SET disabled_compression_methods = 'dict_fsst'; SET preserve_insertion_order = false")
    con.execute("SET enable_progress_bar = false")
    con.execute(f"SET memory_limit = '{memory}'; SET threads = 2")
    discard_unfinished(con)
    return con


def load_dumps(
    con: duckdb.DuckDBPyConnection,
    content: Sequence[Path],
    structure: Sequence[Path] = (),
    *,
    processes: int = 0,
    chunk_bytes: int = CHUNK_BYTES,
    progress: Progress = lambda _: None,
) -> Loaded:
    """Read content and structure dumps (also the kt- and ad- files) into a database.

    `processes` parse beside this one, which reads and writes; 0 for as many as there are cores, 1 for none
    beside. Raises DumpError if a file is no dump of its kind. Until all is read the database shows what it
    held before, and so it does after a failure.
    """
    with whole_or_nothing(con):
        with _held_to(con, READING_MEMORY), mapping(_processes(processes, [*content, *structure])) as spread:
            for path in structure:
                _load_structure(con, path, chunks(path, chunk_bytes), spread, progress)
            for path in content:
                _load_content(con, path, chunks(path, chunk_bytes), spread, progress)
        con.execute(PLACE_LOOSE + MERGE_CATEGORIES)
    return summary(con)


@contextmanager
def _held_to(con: duckdb.DuckDBPyConnection, memory: str) -> Iterator[None]:
    """A lower memory limit for a while. What was comes back to a tenth of a MiB, as DuckDB tells it."""
    (usual,) = con.execute("SELECT current_setting('memory_limit')").fetchall()[0]
    con.execute(f"SET memory_limit = '{memory}'")
    try:
        yield
    finally:
        con.execute(f"SET memory_limit = '{usual}'")


def summary(con: duckdb.DuckDBPyConnection) -> Loaded:
    """Count what a database holds."""
    counts = con.execute(
        "SELECT (SELECT count(*) FROM categories), (SELECT count(*) FROM listings)"
    ).fetchone()
    faults = con.execute("SELECT kind, count(*) FROM faults GROUP BY kind ORDER BY kind").fetchall()
    categories, listings = counts or (0, 0)
    return Loaded(categories, listings, dict(faults))


def _processes(wanted: int, paths: Iterable[Path]) -> int:
    size = sum(path.stat().st_size for path in paths if path.exists())
    if size <= _SMALL_BYTES and not any(path.is_fifo() for path in paths):  # how long a pipe is nobody knows
        return 1
    return wanted or usable_processors()


def _load_content(
    con: duckdb.DuckDBPyConnection, path: Path, parts: Iterator[Chunk], spread: Mapping, progress: Progress
) -> None:
    rows = _insert(con, path, spread(content_tables, parts), progress)
    if not rows["listings"] + rows["loose_pages"] + rows["loose_links"]:
        raise DumpError(f"{path}: names categories but lists no pages; is it the structure dump?")


def _load_structure(
    con: duckdb.DuckDBPyConnection, path: Path, parts: Iterator[Chunk], spread: Mapping, progress: Progress
) -> None:
    def checked() -> Iterator[Parsed]:
        for size, (tables, pages) in spread(structure_tables, parts):
            if pages:
                raise DumpError(f"{path}: lists external pages, so it is a content dump, not the structure")
            yield size, tables

    _insert(con, path, checked(), progress)


def _insert(
    con: duckdb.DuckDBPyConnection, path: Path, parsed: Iterable[Parsed], progress: Progress
) -> Counter[str]:
    """Insert the rows of a dump's chunks, those of many chunks at once; their number by table."""
    rows: Counter[str] = Counter()
    waiting: defaultdict[str, list[pa.Table]] = defaultdict(list)
    waiting_bytes = 0
    for size, tables in parsed:
        for name, table in tables.items():
            rows[name] += len(table)
            waiting[name].append(table)
        waiting_bytes += size
        if waiting_bytes >= BATCH_BYTES:
            insert_batch(con, path, waiting)
            waiting_bytes = 0
        progress(size)
    insert_batch(con, path, waiting)
    return rows


def insert_batch(con: duckdb.DuckDBPyConnection, path: Path, waiting: dict[str, list[pa.Table]]) -> None:
    """Insert rows that wait, by the table they are for, and forget them."""
    for name, tables in waiting.items():
        source = "" if name in {"named", "described", "category_links"} else "? AS source, "
        into = f"unfinished_{name}" if name in DIRECTORY else name
        con.register("incoming", pa.concat_tables(tables))
        con.execute(
            f"INSERT INTO {into} BY NAME SELECT {source}* FROM incoming",  # noqa: S608 - our own tables
            [path.name] if source else [],
        )
        con.unregister("incoming")
    waiting.clear()
