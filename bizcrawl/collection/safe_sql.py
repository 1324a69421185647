"""SQL that cannot harm: which statements a reader may give, and the limits under which they run.

Three fences, each of which would hold alone for most of what can be tried:

1. Only statements that read are let through: one SELECT (FROM, VALUES, WITH, DESCRIBE, SUMMARIZE, SHOW) or
   the EXPLAIN of one, and in it only table functions from a list that touches no file, setting or checkpoint.
2. The DuckDB instance can reach no file, network or extension, and its settings are locked (`opening`).
3. It runs in a read-only transaction, within a time limit and the instance's memory limit, and can be
   interrupted.

DuckDB's own documentation says that these settings are no sandbox for hostile users; SECURITY.md repeats
it.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

from bizcrawl.errors import BizcrawlError, WrongUse
from bizcrawl.plaintext import visible

QUERY_SECONDS = 60.0
"""How long a query may take unless its caller says otherwise."""
BATCH_ROWS = 2_048
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
        *("getenv", "nextval", "currval", "setval", "write_log", "query", "query_table"),
        *("checkpoint", "force_checkpoint", "read_text", "read_blob"),
    }
)
"""Functions that look outside of the tables, run hidden text, or change something."""

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
    if len(statements) != 1:
        raise SqlRefused(f"one statement at a time; there are {len(statements)} here")
    statement = statements[0]
    text = statement.query.strip().rstrip(";")
    reading = text
    if statement.type == duckdb.StatementType.EXPLAIN:
        reading = LEADING.sub("", text, count=1)
        reading = EXPLAIN.sub("", reading, count=1)
        if not _is_select(con, reading):
            raise SqlRefused("only a SELECT can be explained here")
    elif statement.type != duckdb.StatementType.SELECT:
        kind = statement.type.name
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
    return len(statements) == 1 and statements[0].type == duckdb.StatementType.SELECT


def _check_functions(con: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Refuse functions that reach further than the tables."""
    row = con.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
    assert row is not None
    try:
        tree: Any = json.loads(row[0])
    except RecursionError as error:
        raise SqlRefused("the statement is nested too deeply") from error
    if tree.get("error"):
        raise SqlRefused(f"this statement can't be checked: {visible(str(tree.get('error_message')))}")
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
            if node.get("type") == "TABLE_FUNCTION":
                called = str(node.get("function", {}).get("function_name", "")).lower()
                if called not in TABLE_FUNCTIONS:
                    raise SqlRefused(f"the table function {visible(called)} is not allowed here")


def mistake(error: duckdb.Error) -> BizcrawlError:
    """What DuckDB said about a statement, as a fault of ours."""
    message = "\n".join(visible(line) for line in str(error).splitlines() if line.strip())
    if isinstance(error, duckdb.OutOfMemoryException):
        return SqlStopped("the query needs more memory than it may have; ask for less, or in parts")
    if isinstance(error, duckdb.InterruptException):
        return SqlStopped("the query was interrupted")
    return SqlMistake(message)


@contextmanager
def interrupting(
    con: duckdb.DuckDBPyConnection, seconds: float, gone: Callable[[float], bool] | None = None
) -> Iterator[None]:
    """Interrupt what runs on a connection after some seconds, or as soon as its asker is `gone`.

    `gone(s)` waits up to s seconds for that and tells whether it happened; without it nobody can go away.
    """
    over = threading.Event()
    late = threading.Event()

    def watch() -> None:
        left_s = seconds
        while left_s > 0 and not over.is_set():
            step_s = min(left_s, 0.25)
            if gone is None:
                if over.wait(step_s):
                    return
            elif gone(step_s):
                break
            left_s -= step_s
        if not over.is_set():
            late.set()
            con.interrupt()

    watcher = threading.Thread(target=watch, name="query watch", daemon=True)
    watcher.start()
    try:
        yield
    except duckdb.InterruptException as error:
        if late.is_set():
            raise SqlStopped(
                f"the query was stopped after {seconds:g} s; allow more with --seconds"
            ) from error
        raise SqlStopped("the query was interrupted") from error
    finally:
        over.set()
        watcher.join()


def run(
    con: duckdb.DuckDBPyConnection,
    sql: str,
    parameters: Sequence[object] = (),
    *,
    seconds: float = QUERY_SECONDS,
    gone: Callable[[float], bool] | None = None,
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
                raise mistake(error) from error
            except pa.ArrowException as error:
                if "INTERRUPT" in str(error):
                    raise duckdb.InterruptException(str(error)) from error
                raise SqlMistake(visible(str(error))) from error
    finally:
        # an open result would keep the connection from anything else
        if reader is not None:
            reader.close()
        reader = None
        con.execute("ROLLBACK")
