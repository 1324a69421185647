"""Reading a collection with SQL, whether it is at rest or being written.

Each query opens the file for itself and lets go of it afterwards, so that a prompt left open keeps no crawl
from starting. If another process is writing the file, the query goes to that process.
"""

from __future__ import annotations

import contextlib
import re
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from bizcrawl.collection import safe_sql
from bizcrawl.collection.asking import asked_of_writer, writer_of
from bizcrawl.collection.database_files import whole_name
from bizcrawl.collection.migrations import check_readable
from bizcrawl.collection.opening import LOCKED_DOWN, CollectionBusy, connect
from bizcrawl.errors import WrongUse

WAIT_FOR_WRITER_S = 5.0
"""Between a writer's lock and its first answer, and between its last and the end of the lock, the file can be
asked in neither way: for some tenths of a second, or longer where a large log is folded in.
"""
RETRY_S = 0.02

_TAKEN = frozenset({"main", "memory", "system", "temp", "information_schema", "pg_catalog"})
"""Names that DuckDB gives to databases and schemas of its own."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A result as it comes in: its columns, and its rows in batches. Read it once."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]

    @property
    def columns(self) -> list[str]:
        """Names of the columns; they may repeat."""
        return list(self.schema.names)

    def rows(self) -> Iterator[tuple[object, ...]]:
        """The rows as Python values."""
        for batch in self.batches:
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


@dataclass(frozen=True, slots=True)
class Reader:
    """A collection that is read."""

    path: Path
    others: tuple[Path, ...] = ()
    """More collections to query together with it; all of them must be at rest then."""

    @contextmanager
    def query(
        self,
        sql: str,
        parameters: Sequence[object] = (),
        *,
        seconds: float = safe_sql.QUERY_SECONDS,
        gone: Callable[[], bool] = lambda: False,
    ) -> Iterator[Answer]:
        """Ask one question that only reads; see `safe_sql` for what is refused and which limits hold.

        `gone` tells whether whoever asked does not want the answer any more.
        """
        with contextlib.ExitStack() as stack:
            opened = stack.enter_context(self._open())
            if isinstance(opened, socket.socket):
                parts = asked_of_writer(self.path, opened, sql, parameters, seconds)
            else:
                parts = safe_sql.run(opened, sql, parameters, seconds=seconds, gone=gone)
            stack.enter_context(contextlib.closing(parts))
            schema = next(parts)
            yield Answer(schema, parts)

    def rows(
        self, sql: str, parameters: Sequence[object] = (), *, seconds: float = safe_sql.QUERY_SECONDS
    ) -> list[tuple[Any, ...]]:
        """All rows of a small result."""
        with self.query(sql, parameters, seconds=seconds) as answer:
            return list(answer.rows())

    @contextmanager
    def _open(self) -> Iterator[duckdb.DuckDBPyConnection | socket.socket]:
        """A connection to the file, or to the process that writes it."""
        try:
            with reading_together((self.path, *self.others)) if self.others else _open(self.path) as opened:
                yield opened
        except CollectionBusy as busy:
            if not self.others:
                raise
            advice = "wait for it to end, or query it with `bizcrawl sql` alone"
            raise CollectionBusy(busy.held, f"{advice}: together only those at rest are queried") from busy


@contextmanager
def _open(path: Path) -> Iterator[duckdb.DuckDBPyConnection | socket.socket]:
    """A connection to a collection, or to the process that writes it; raises `CollectionBusy` if that does
    not answer.
    """
    until_s = time.monotonic() + WAIT_FOR_WRITER_S
    with contextlib.ExitStack() as stack:
        opened: duckdb.DuckDBPyConnection | socket.socket | None = None
        while opened is None:
            try:
                opened = stack.enter_context(reading(path))
            except CollectionBusy as busy:
                if (writer := writer_of(path)) is not None:
                    opened = stack.enter_context(writer)
                elif time.monotonic() < until_s:
                    time.sleep(RETRY_S)
                else:
                    advice = "it does not answer questions; wait for it to end"
                    raise CollectionBusy(busy.held, advice) from busy
        yield opened


@contextmanager
def reading(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only, locked-down connection to a collection at rest; `CollectionBusy` if one writes it."""
    con = connect(path, read_only=True)
    try:
        check_readable(path, con)
        yield con
    finally:
        con.close()


@contextmanager
def reading_together(paths: Sequence[Path]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Several collections at rest, read-only and locked down: the first one's tables by their names, those of
    the others by ``NAME.table``, NAME being the file's name without its suffix, and with ``_`` for what is
    neither letter nor digit. Raises `WrongUse` for names that are not to be told apart, in any case.
    """
    own, *names = [_catalog_name(path) for path in paths]
    if taken := _TAKEN.intersection(map(str.lower, names)):
        raise WrongUse(
            f"a collection to query with another can't be called {min(taken)}: the database uses that name; "
            "rename its file"
        )
    names = [own if own.lower() not in _TAKEN else f"{own}_", *names]
    if len(set(map(str.lower, names))) < len(names):
        raise WrongUse(
            f"collections queried together need different names; these are {', '.join(names)}: rename a file"
        )
    for path in paths:
        with reading(path):
            # it is a collection of this version, and nobody writes it
            pass
    con = duckdb.connect(":memory:", config={**LOCKED_DOWN, "enable_external_access": "true"})
    try:
        for path, name in zip(paths, names, strict=True):
            escaped = whole_name(path).replace("'", "''")
            con.execute(f"ATTACH '{escaped}' AS \"{name}\" (READ_ONLY)")
        con.execute(f'USE "{names[0]}"')
        con.execute("SET enable_external_access = false")
        con.execute("SET lock_configuration = true")
        yield con
    finally:
        con.close()


def _catalog_name(path: Path) -> str:
    return re.sub(r"\W", "_", path.stem)
