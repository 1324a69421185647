"""SQL that cannot harm: a statement of a stranger runs behind fences.

Three fences, each of which would hold alone for most of what can be tried:

1. Only statements that read are let through: one SELECT (FROM, VALUES, WITH, DESCRIBE, SUMMARIZE, SHOW) or
   the EXPLAIN of one, and in it only table functions from a list that touches no file, setting or checkpoint,
   and no functions that may make a value huge (`sql_checks`, `sql_growth`).
2. The DuckDB instance can reach no file, network or extension, and its settings are locked (`opening`).
3. It runs in a read-only transaction, within a time limit and the instance's memory limit, and can be
   interrupted.

DuckDB's own documentation says that these settings are no sandbox for hostile users; SECURITY.md repeats
it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa
from duckdb.sqltypes import DuckDBPyType

from bizcrawl.collection.sql_checks import check
from bizcrawl.collection.sql_faults import TOO_MUCH_MEMORY, SqlMistake, SqlStopped, mistake
from bizcrawl.errors import BizcrawlError, file_trouble, is_ctrl_c
from bizcrawl.plaintext import visible

QUERY_SECONDS = 60.0
"""How long a query may take unless its caller says otherwise."""
WATCH_S = 0.05
"""How often a running query is looked after."""
BATCH_ROWS = 2_048
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
LOST_IN_ARROW = frozenset(
    {"bignum", "bit", "geometry", "time with time zone", "time_ns", "uhugeint", "variant"}
)
"""Types of DuckDB of which Arrow gets bytes or, like -1 for a number of 128 bits, another value."""
MAX_GROWTH_BYTES = 1_500_000_000
"""A query during which the process grows by more is stopped; some values escape DuckDB's own limit."""

INTERRUPTED = "the query was interrupted"


@contextmanager
def interrupting(
    con: duckdb.DuckDBPyConnection, seconds: float, gone: Callable[[], bool] = lambda: False
) -> Iterator[None]:
    """Interrupt what runs on a connection after some seconds, or as soon as its asker is `gone`."""
    over = threading.Event()
    why: list[str] = []
    before = _resident_bytes()

    def watch() -> None:
        end_s = time.monotonic() + seconds
        while not over.wait(WATCH_S):
            if _resident_bytes() - before > MAX_GROWTH_BYTES:
                why.append(TOO_MUCH_MEMORY)
            if why or gone() or time.monotonic() >= end_s:
                break
        why.append(f"the query was stopped after {seconds:g} s; allow more with --seconds")
        # again and again: an interrupt between two steps of a query would be lost
        while not over.wait(WATCH_S):
            con.interrupt()

    watcher = threading.Thread(target=watch, name="query watch", daemon=True)
    watcher.start()
    try:
        yield
    except duckdb.InterruptException as error:
        raise SqlStopped(why[0] if why else INTERRUPTED) from error
    except RuntimeError as error:
        if is_ctrl_c(error):
            raise KeyboardInterrupt from error
        raise
    finally:
        over.set()
        watcher.join()


def _with_position(
    con: duckdb.DuckDBPyConnection, statement: str, parameters: Sequence[object], error: duckdb.Error
) -> duckdb.Error:
    """The same fault with the place shown, which a relation leaves out for what it can't bind."""
    if not isinstance(error, duckdb.BinderException | duckdb.CatalogException) or "LINE " in str(error):
        return error
    try:
        con.execute("ROLLBACK")
        con.execute("BEGIN TRANSACTION READ ONLY")
        con.execute(statement, list(parameters))
    except (duckdb.BinderException, duckdb.CatalogException) as placed:
        return placed
    return error


def _resident_bytes() -> int:
    """Memory that this process occupies; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * PAGE_BYTES


def run(
    con: duckdb.DuckDBPyConnection,
    sql: str,
    parameters: Sequence[object] = (),
    *,
    seconds: float = QUERY_SECONDS,
    gone: Callable[[], bool] = lambda: False,
) -> Generator[pa.Schema | pa.RecordBatch, None, None]:
    """Run one statement that reads: its schema first, then its rows in batches, never all at once.

    `parameters` stand for the statement's ``?`` or ``$1``.
    """
    reader = None
    try:
        statement = check(con, sql)
        con.execute("BEGIN TRANSACTION READ ONLY")
        with interrupting(con, seconds, gone):
            try:
                # no relation is held on to: it would keep the connection while its rows are read
                reader = _as_arrow_knows(con.sql(statement, params=list(parameters) or None)).to_arrow_reader(
                    BATCH_ROWS
                )
                yield reader.schema
                yield from reader
            except duckdb.InterruptException:
                raise
            except duckdb.Error as error:
                if trouble := file_trouble(error):
                    raise BizcrawlError(trouble) from error
                raise mistake(_with_position(con, statement, parameters, error)) from error
            except (pa.ArrowException, OSError) as error:  # Arrow's own are of either kind
                if "INTERRUPT" in str(error):
                    raise duckdb.InterruptException(str(error)) from error
                if not isinstance(error, pa.ArrowException):
                    raise
                raise SqlMistake(visible(str(error))) from error
    except duckdb.InterruptException as error:  # before it was watched over: a closing writer interrupts all
        raise SqlStopped(INTERRUPTED) from error
    finally:
        # an open result would keep the connection from anything else
        if reader is not None:
            reader.close()
        reader = None
        _roll_back(con)


def _as_arrow_knows(asked: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The same columns; those of types that would come to Arrow as bytes or as another value are text."""
    if not any(map(_lost_in_arrow, asked.types)):
        return asked
    columns = []
    for place, (name, kind) in enumerate(zip(asked.columns, asked.types, strict=True), 1):
        taken = f"CAST(#{place} AS VARCHAR)" if _lost_in_arrow(kind) else f"#{place}"
        columns.append(f'{taken} AS "{name.replace(chr(34), chr(34) * 2)}"')
    return asked.project(", ".join(columns))


def _lost_in_arrow(kind: DuckDBPyType) -> bool:
    if kind.id in {"list", "array", "struct", "map", "union"}:
        return any(isinstance(part, DuckDBPyType) and _lost_in_arrow(part) for _, part in kind.children)
    return kind.id in LOST_IN_ARROW


def _roll_back(con: duckdb.DuckDBPyConnection) -> None:
    """End the reading transaction, though an interrupt that came late may hit this statement instead."""
    for _ in range(2):
        try:
            con.execute("ROLLBACK")
        except duckdb.InterruptException:
            continue
        except (duckdb.ConnectionException, duckdb.TransactionException):
            # the writer has closed, or the statement was refused before it began: nothing is open
            return
        return
