"""Opening the file: what can be wrong with it, each said in one line.

DuckDB lets one process write a file and locks everyone else out, readers included; the fault tells so and
names the process. The instance that is opened here can reach no other file, no network and no extension,
whatever SQL it is given, and its settings are locked (HAZARDS row 22).
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import duckdb

from bizcrawl.collection import schema
from bizcrawl.collection.database_files import is_no_place, is_other_file, whole_name
from bizcrawl.errors import BizcrawlError, file_trouble

MEMORY_LIMIT = "1GB"
"""What DuckDB may hold in memory, where nothing but a question is at work."""
WRITER_MEMORY_LIMIT = "128MB"
"""The same in a process that writes. DuckDB fills what it may have with blocks of the file, whether they are
needed again or not, so this decides how large a long crawl grows; what questions need beyond it goes to
disk.
"""
SPILL_LIMIT = "4GB"
"""What questions may put on disk, in a folder beside the file that goes when it is closed."""

LOCKED_DOWN = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "memory_limit": MEMORY_LIMIT,
    "max_temp_directory_size": SPILL_LIMIT,
}

THREADS = 2
"""Of DuckDB's, that work on one statement; the one that asks is one of them."""


class CollectionError(BizcrawlError):
    """The file can't be used as a collection."""


class CollectionBusy(CollectionError):  # noqa: N818 - named for what is the case
    """Another process is writing the file."""

    def __init__(
        self, held: str, advice: str = "wait for it to end, or query it with `bizcrawl sql`"
    ) -> None:
        """`held` says by whom the file is held, `advice` what can be done about it."""
        super().__init__(f"{held}; {advice}")
        self.held = held


def roll_back(con: duckdb.DuckDBPyConnection) -> None:
    """Undo the transaction that failed; a commit that the disk failed has been undone by DuckDB itself."""
    with suppress(duckdb.Error):
        con.execute("ROLLBACK")


def connect(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open a file that exists or, to write, make it; checks nothing of what is in it."""
    config: dict[str, str | bool | int | float | list[str]] = {**LOCKED_DOWN, "threads": str(THREADS)}
    if what := is_no_place(path):
        raise CollectionError(f"{path} is {what}; name a file")
    if read_only:
        if not path.exists():
            raise CollectionError(f"{path}: no such file")
    else:
        # checkpoints are taken by the writer when it chooses, not in the middle of a commit
        config["checkpoint_threshold"] = "1TB"
        config["memory_limit"] = WRITER_MEMORY_LIMIT
        # else it puts small row groups together again and again, the last time over half the file at once:
        # nothing can be written meanwhile, and a crawl of 30,000 pages waits for nine seconds
        config["max_vacuum_tasks"] = "0"
    if is_other_file(path):  # a CSV, JSON or Parquet file DuckDB would open in its own way
        raise CollectionError(f"{path} is not a DuckDB file; name another file")
    try:
        con = duckdb.connect(whole_name(path), read_only=read_only, config=config)
    except duckdb.Error as error:
        raise _explained(path, error) from error
    except OSError as error:
        raise CollectionError(f"{path}: {error.strerror or error}") from error
    con.execute("SET lock_configuration = true")
    return con


def version_of(path: Path, con: duckdb.DuckDBPyConnection) -> int:
    """The schema version that the file carries; raises if it is no collection."""
    try:
        row = con.execute("SELECT application, schema_version FROM collection").fetchone()
    except (duckdb.CatalogException, duckdb.BinderException):
        row = None
    if row is None or row[0] != schema.APPLICATION or not isinstance(row[1], int):
        raise CollectionError(f"{path} is a DuckDB file, but not a collection of bizcrawl; name another file")
    return row[1]


def _explained(path: Path, error: duckdb.Error) -> CollectionError:
    """One line for what DuckDB said when it could not open a file."""
    message = " ".join(str(error).split())
    if isinstance(error, duckdb.ConnectionException) and "different configuration" in message:
        return CollectionBusy(f"{path} is being written by this process", "query it with `bizcrawl sql`")
    if re.search(r"\b(?:set|conflicting) lock\b", message, re.IGNORECASE):  # not a damaged block
        holder = re.search(r"PID (\d+)", message)
        who = f" (process {holder[1]})" if holder else ""
        return CollectionBusy(f"{path} is open in another process{who}")
    if path.is_dir():
        return CollectionError(f"{path} is a directory; name a file")
    if not path.parent.is_dir():
        return CollectionError(f"{path}: there is no directory {path.parent}")
    if trouble := file_trouble(error):
        return CollectionError(f"{path} can't be opened: {trouble}")
    if "ermission denied" in message:
        return CollectionError(f"{path}: permission denied")
    if "Read-only file system" in message:
        return CollectionError(f"{path}: can't be written, it lies on a read-only file system")
    return CollectionError(f"{path} can't be opened: {message}")
