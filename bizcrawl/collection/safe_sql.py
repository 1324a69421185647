"""SQL that cannot harm: which statements a reader may give, and the limits under which they run.

Three fences, each of which would hold alone for most of what can be tried:

1. Only statements that read are let through: one SELECT (FROM, VALUES, WITH, DESCRIBE, SUMMARIZE, SHOW) or
   the EXPLAIN of one, and in it only table functions from a list that touches no file, setting or checkpoint,
   and no functions that may make a value huge (`sql_growth`).
2. The DuckDB instance can reach no file, network or extension, and its settings are locked (`opening`).
3. It runs in a read-only transaction, within a time limit and the instance's memory limit, and can be
   interrupted.

DuckDB's own documentation says that these settings are no sandbox for hostile users; SECURITY.md repeats
it.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from bizcrawl.collection.sql_growth import GrowsTooMuch, check_growth
from bizcrawl.errors import BizcrawlError, WrongUse, file_trouble, is_ctrl_c
from bizcrawl.plaintext import visible

QUERY_SECONDS = 60.0
"""How long a query may take unless its caller says otherwise."""
WATCH_S = 0.05
"""How often a running query is looked after."""
TOO_MUCH_MEMORY = "the query needs more memory than it may have; ask for less, or in parts"
BATCH_ROWS = 2_048
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
MAX_SQL_CHARS = 100_000

TABLE_FUNCTIONS = frozenset(
    {
        *("range", "generate_series", "unnest", "repeat", "repeat_row", "summary"),
        *("json_each", "json_tree"),
        *("duckdb_columns", "duckdb_constraints", "duckdb_functions", "duckdb_indexes", "duckdb_keywords"),
        *("duckdb_schemas", "duckdb_tables", "duckdb_types", "duckdb_views"),
        *("pragma_table_info", "pragma_show", "pragma_version", "pragma_storage_info"),
    }
)
"""What may stand in FROM as a function: nothing here opens, writes or changes anything."""

FORBIDDEN_FUNCTIONS = frozenset(
    {
        *("getenv", "current_setting", "nextval", "currval", "setval", "write_log", "query", "query_table"),
        *("checkpoint", "force_checkpoint", "read_text", "read_blob", "json_serialize_plan"),
        *("sleep_ms", "pg_sleep"),
    }
)
"""Functions that look outside of the tables, run hidden text, change something, or only take time."""

MAX_GROWTH_BYTES = 1_500_000_000
"""A query during which the process grows by more is stopped; some values escape DuckDB's own limit."""

LEADING = re.compile(r"(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)
EXPLAIN = re.compile(r"explain(?:\s+analyze|\s*\([^)]*\))?\s", re.IGNORECASE)


class SqlMistake(WrongUse):
    """DuckDB can't make sense of a statement; the message shows where."""


class SqlRefused(WrongUse):
    """A statement that does more than read."""


class SqlStopped(BizcrawlError):  # noqa: N818 - named for what happened
    """A query that was ended: too long, too much memory, or its asker went away."""


def check(con: duckdb.DuckDBPyConnection, sql: str) -> str:
    """The one statement that a text holds, if it only reads; `SqlMistake` or `SqlRefused` otherwise."""
    if len(sql) > MAX_SQL_CHARS:
        raise SqlRefused(f"the statement is longer than {MAX_SQL_CHARS:,} characters")
    try:
        statements = con.extract_statements(sql)
    except duckdb.Error as error:
        raise mistake(error) from error
    except TypeError as error:  # halves of characters, as input in another encoding leaves them
        raise SqlRefused("the statement is no text in UTF-8") from error
    if len(statements) != 1:
        raise SqlRefused(f"one statement at a time; there are {len(statements)} here")
    text = statements[0].query.strip().rstrip(";")
    reading = text
    kind = _kind(statements[0])
    if kind == "EXPLAIN":
        reading = LEADING.sub("", text, count=1)
        reading = EXPLAIN.sub("", reading, count=1)
        if not _is_select(con, reading):
            raise SqlRefused("only a SELECT can be explained here")
    elif kind != "SELECT":
        raise SqlRefused(
            f"{kind} is not allowed here, only statements that read: SELECT, FROM, WITH, VALUES, DESCRIBE, "
            "SUMMARIZE, SHOW, EXPLAIN (`bizcrawl sql --allow-write` changes a collection)"
        )
    _check_functions(con, reading)
    return text


def _is_select(con: duckdb.DuckDBPyConnection, sql: str) -> bool:
    try:
        statements = con.extract_statements(sql)
    except duckdb.Error:
        return False
    return len(statements) == 1 and _kind(statements[0]) == "SELECT"


def _kind(statement: duckdb.Statement) -> str:
    try:
        return str(statement.type.name)
    except ValueError:
        # DuckDB knows kinds that its Python types have no name for; none of them reads
        return "this statement"


def _check_functions(con: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Refuse functions that reach further than the tables, or make values huge."""
    row = con.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
    assert row is not None
    try:
        tree: Any = json.loads(row[0])
    except RecursionError as error:
        raise SqlRefused("the statement is nested too deeply") from error
    if tree.get("error"):
        raise SqlRefused(f"this statement can't be checked: {visible(str(tree.get('error_message')))}")
    try:
        check_growth(tree)
    except RecursionError as error:
        raise SqlRefused("the statement is nested too deeply") from error
    except GrowsTooMuch as error:
        raise SqlRefused(visible(str(error))) from error
    todo: list[Any] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo += node
        elif isinstance(node, dict):
            todo += node.values()
            name = str(node.get("function_name", "")).lower()
            if name in FORBIDDEN_FUNCTIONS:
                raise SqlRefused(f"the function {name} is not allowed here")
            if node.get("type") == "SHOW_REF" and node.get("show_type") == "SHOW":
                _check_shown(con, str(node.get("table_name")))
            if node.get("type") == "TABLE_FUNCTION":
                called = str(node.get("function", {}).get("function_name", "")).lower()
                if called not in TABLE_FUNCTIONS:
                    raise SqlRefused(f"the table function {visible(called)} is not allowed here")


def _check_shown(con: duckdb.DuckDBPyConnection, name: str) -> None:
    """Refuse to show what is no table: DuckDB would look for a setting of that name."""
    sql = "SELECT count(*) FROM duckdb_columns() WHERE lower(table_name) = lower(?)"
    if con.execute(sql, [name]).fetchone() == (0,):
        raise SqlRefused(f"there is no table {visible(name)} to show, and settings are not shown here")


def mistake(error: duckdb.Error) -> BizcrawlError:
    """What DuckDB said about a statement, as a fault of ours."""
    message = "\n".join(visible(line) for line in str(error).splitlines() if line.strip())
    if isinstance(error, duckdb.OutOfMemoryException):
        return SqlStopped(TOO_MUCH_MEMORY)
    if isinstance(error, duckdb.InterruptException):
        return SqlStopped("the query was interrupted")
    return SqlMistake(message)


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
        raise SqlStopped(why[0] if why else "the query was interrupted") from error
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
    statement = check(con, sql)
    con.execute("BEGIN TRANSACTION READ ONLY")
    reader = None
    try:
        with interrupting(con, seconds, gone):
            try:
                reader = con.sql(statement, params=list(parameters) or None).to_arrow_reader(BATCH_ROWS)
                yield reader.schema
                yield from reader
            except duckdb.InterruptException:
                raise
            except duckdb.Error as error:
                if trouble := file_trouble(error):
                    raise BizcrawlError(trouble) from error
                raise mistake(_with_position(con, statement, parameters, error)) from error
            except pa.ArrowException as error:
                if "INTERRUPT" in str(error):
                    raise duckdb.InterruptException(str(error)) from error
                raise SqlMistake(visible(str(error))) from error
    finally:
        # an open result would keep the connection from anything else
        if reader is not None:
            reader.close()
        reader = None
        _roll_back(con)


def _roll_back(con: duckdb.DuckDBPyConnection) -> None:
    """End the reading transaction, though an interrupt that came late may hit this statement instead."""
    for _ in range(2):
        try:
            con.execute("ROLLBACK")
        except duckdb.InterruptException:
            continue
        except duckdb.ConnectionException:
            # the writer has closed: nothing is open any more
            return
        return
