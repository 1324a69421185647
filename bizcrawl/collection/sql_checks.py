"""Which statements a reader may give: the first of the three fences of `safe_sql`.

One statement that reads, and in it only functions that reach no further than the tables, change nothing and
make no value huge.
"""

from __future__ import annotations

import json
import re
from typing import Any

import duckdb

from bizcrawl.collection.sql_faults import SqlRefused, mistake
from bizcrawl.collection.sql_growth import GrowsTooMuch, check_growth
from bizcrawl.plaintext import visible

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

LEADING = re.compile(r"(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)
EXPLAIN = re.compile(r"explain(?:\s+analyze|\s*\([^)]*\))?\s", re.IGNORECASE)


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
