"""Loads that count only when they are whole.

A load fills tables of its own, which take the place of the directory's in one short transaction at its end.
One transaction over the whole load would promise the same, and keep in memory most of what it inserts: 1.4 GB
for a dump of 2 GB. Tables that a killed process left unfinished are dropped when the database is opened next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import duckdb

from testbed.odp.tables import DIRECTORY, STAGE_TABLES, STAGES, TABLES

COMMIT_BYTES = 50_000_000
"""Rows are committed after so many bytes of a dump: a transaction keeps about .7 of them in memory."""

Taken = Callable[[int], None]
"""Told how many bytes of a dump have been inserted since it was last told."""

_DISCARD = "".join(
    [
        *(f"DROP TABLE IF EXISTS unfinished_{name};" for name in DIRECTORY),
        *(f"DROP TABLE IF EXISTS temp.{name};" for name in STAGES),
    ]
)
# what the directory holds already stays: a load adds to it
_BEGIN = "".join(f"CREATE TABLE unfinished_{name} AS FROM {name};" for name in DIRECTORY)
_FINISH = "".join(f"DROP TABLE {name}; ALTER TABLE unfinished_{name} RENAME TO {name};" for name in DIRECTORY)


@contextmanager
def whole_or_nothing(con: duckdb.DuckDBPyConnection) -> Iterator[Taken]:
    """Tables to be filled in the block; if it fails, or the process is killed, the directory is as it was."""
    con.execute(TABLES)
    discard_unfinished(con)
    con.execute(_BEGIN + STAGE_TABLES)
    inserted_bytes = 0

    def taken(size: int) -> None:
        nonlocal inserted_bytes
        inserted_bytes += size
        if inserted_bytes >= COMMIT_BYTES:
            con.execute("COMMIT; BEGIN")
            inserted_bytes = 0

    con.execute("BEGIN")
    try:
        yield taken
        con.execute(f"COMMIT; BEGIN; {_FINISH} COMMIT")
    except BaseException:
        with suppress(duckdb.TransactionException):  # there is none if it was the commit that failed
            con.execute("ROLLBACK")
        raise
    finally:
        discard_unfinished(con)


def discard_unfinished(con: duckdb.DuckDBPyConnection) -> None:
    """Drop what a load left that did not come to its end."""
    con.execute(_DISCARD)
