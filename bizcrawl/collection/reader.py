"""Reading a collection: the file itself when nobody writes it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from bizcrawl.collection.opening import check_version, connect


@contextmanager
def reading(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only, locked-down connection to a collection; one line says why if there is none."""
    con = connect(path, read_only=True)
    try:
        check_version(path, con)
        yield con
    finally:
        con.close()
