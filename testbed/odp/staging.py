"""Loads that count only when they are whole.

A load fills tables of its own, which take the place of the directory's in one short transaction at its end.
One transaction over the whole load would promise the same, and keep in memory most of what it inserts: 1.4 GB
for a dump of 2 GB. Tables that a killed process left unfinished are dropped when the database is opened next.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from bizcrawl.collection.opening import roll_back
from testbed.odp.tables import DIRECTORY, STAGE_TABLES, STAGES, TABLES

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
def whole_or_nothing(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Tables to be filled in the block; if it fails, or the process is killed, the directory is as it was.

    Each statement of the block is a transaction of its own.
    """
    con.execute(TABLES)
    discard_unfinished(con)
    con.execute(_BEGIN + STAGE_TABLES)
    try:
        yield
        con.execute(f"BEGIN; {_FINISH} COMMIT")
    except BaseException:
        roll_back(con)  # a transaction is open only if it was the last step that failed
        raise
    finally:
        discard_unfinished(con)


def discard_unfinished(con: duckdb.DuckDBPyConnection) -> None:
    """Drop what a load left that did not come to its end."""
    con.execute(_DISCARD)
