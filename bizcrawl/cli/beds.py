"""What the commands of ``testbed`` are given: beds, and places for what they write.

What is none is refused in one line before any work is done.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bizcrawl.collection.database_files import is_no_place, whole_name
from bizcrawl.errors import BizcrawlError, WrongUse

if TYPE_CHECKING:
    import duckdb

    from testbed.topics import BedTopic


def open_bed(path: Path, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """The database of a bed that is there; `read_only` leaves the file alone, which may be write-protected.

    Raises WrongUse if it is not, or is a collection, BizcrawlError if it cannot be opened.
    """
    if not path.exists():
        raise WrongUse(f"{path}: there is no such bed; make one with 'bizcrawl testbed build'")
    if what := is_no_place(path):
        raise WrongUse(f"{path} is {what}; name a bed")
    if path.suffix == ".jsonl":  # DuckDB would open it as tables of its own making
        raise WrongUse(f"{path}: is a list of topics; make a bed of it with 'bizcrawl testbed build {path}'")
    con = database(path, read_only=read_only)
    if con.execute("FROM duckdb_tables() WHERE table_name = 'crawls'").fetchone():
        con.close()
        raise WrongUse(
            f"{path}: is the collection of a crawl, no bed; make one with 'bizcrawl testbed build'"
        )
    return con


def database(path: Path, memory: str = "2GB", *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """A bed's database, made if it is not there, unless it is only read."""
    import duckdb

    from testbed.odp.load import connect

    name = whole_name(path)
    try:
        return duckdb.connect(name, read_only=True) if read_only else connect(name, memory)
    except duckdb.Error as problem:
        raise BizcrawlError(f"{path}: cannot be opened: {str(problem).splitlines()[0]}") from None


@contextmanager
def new_bed(path: Path, memory: str = "2GB") -> Iterator[duckdb.DuckDBPyConnection]:
    """The database of a bed that is being made. It gets its name when it is whole; nothing is left of one
    that could not be made.
    """
    path = Path(os.path.realpath(path))  # a link stays one, and the bed is made where it leads
    partial = path.with_name(path.name + ".partial")
    _remove(partial)
    try:
        with database(partial, memory) as con:
            yield con
        partial.rename(path)
    finally:
        _remove(partial)


def _remove(database: Path) -> None:
    for path in (database, database.with_name(database.name + ".wal")):
        path.unlink(missing_ok=True)


def topics_of(bed: Path) -> list[BedTopic]:
    """The topics of a bed, or of a topics.jsonl. Raises BizcrawlError if there are none."""
    from testbed.topic_table import load_topics
    from testbed.topics import read_topics

    if bed.suffix == ".jsonl" and bed.exists():
        return read_topics(bed)
    with open_bed(bed, read_only=True) as con:
        return load_topics(con)


def to_be_written(path: Path) -> Path:
    """The path, if a file can be written there.

    Raises WrongUse if it is a folder or stands in none.
    """
    if path.is_dir():
        raise WrongUse(f"{path}: that is a folder; name a file")
    if not path.parent.is_dir():
        raise WrongUse(f"{path}: there is no folder {path.parent}")
    return path
