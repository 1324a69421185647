"""What a user calls a good page (R106): an SQL expression over the page as a row, or a function of one's own.

    host LIKE '%.uk' AND text ILIKE '%dealer%' AND classifier('automobiles') > 0.5
    mypackage.mymodule:is_dealer

SQL is DuckDB's, without access to files, network or settings. NULL counts as false.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import duckdb

from bizcrawl.companies.titles import language_of, title_of
from bizcrawl.errors import WrongUse
from bizcrawl.page import Page
from bizcrawl.urls import domain_of, host_of

Row = Mapping[str, object]
Predicate = Callable[[Row], bool]
TextScore = Callable[[str], float]
"""Text to the probability that it belongs to a class."""

COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "url": "VARCHAR",
        "host": "VARCHAR",
        "domain": "VARCHAR",
        "title": "VARCHAR",
        "text": "VARCHAR",
        "language": "VARCHAR",
        "status": "INTEGER",
        "depth": "INTEGER",
        "bytes": "BIGINT",
    }
)
"""What a predicate knows of a page, as the collection's columns of these names have it; what is not known is
NULL."""


class BadPredicate(WrongUse):
    """The predicate can't be understood, or can't be evaluated."""


def compile_predicate(text: str, classifiers: Mapping[str, TextScore] = MappingProxyType({})) -> Predicate:
    """A predicate from its text: ``package.module:function`` or an SQL expression over `COLUMNS`.

    ``classifier('name')`` in SQL is the score of the page's text by one of `classifiers`. Raises
    `BadPredicate` with one line that says what is wrong.
    """
    if names_function(text):
        return _function(text.strip())
    return SqlPredicate(text, classifiers)


def names_function(text: str) -> bool:
    """Whether a predicate is the name of a function, which is imported and run, rather than SQL."""
    return bool(re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", text.strip()))


def row_of(page: Page, **more: object) -> dict[str, object]:
    """A page as the row that predicates see; `more` fills what the page alone doesn't say, such as status and
    depth.
    """
    host = host_of(page.final_url)
    return {
        "url": page.final_url,
        "host": host,
        "domain": domain_of(host),
        "title": title_of(page.tree),
        "text": page.tree.text,
        "language": language_of(page.tree),
        **more,
    }


class SqlPredicate:
    """An SQL expression, evaluated on one page at a time (about a millisecond)."""

    def __init__(self, expression: str, classifiers: Mapping[str, TextScore]) -> None:
        self.expression = expression
        self._classifiers = classifiers
        self._scores: dict[str, float] = {}
        self._text = ""
        self._connection = duckdb.connect(":memory:")
        self._connection.create_function("classifier", self._score, ["VARCHAR"], "DOUBLE", side_effects=True)
        for setting in ("enable_external_access = false", "threads = 1", "lock_configuration = true"):
            self._connection.execute(f"SET {setting}")
        self._statement = _statement(expression)
        try:
            if len(self._connection.extract_statements(f"SELECT ({expression}\n)")) != 1:
                raise BadPredicate(f"--predicate {expression!r}: one expression, not several statements")
            self._run(self._statement, {"text": "", "url": ""})
        except duckdb.Error as error:
            raise BadPredicate(f"--predicate {expression!r}: {_first_line(error)}") from None

    def __call__(self, row: Row) -> bool:
        """Whether the expression is true of a page."""
        try:
            return bool(self._run(self._statement, row))
        except duckdb.Error as error:
            raise BadPredicate(f"--predicate {self.expression!r}: {_first_line(error)}") from None

    def parts(self, row: Row) -> dict[str, bool | float | str | None]:
        """What decides for a page: the value of each part that AND, OR and NOT join, as DuckDB writes it, and
        the scores of the classifiers that were asked. Of a part that fails by itself, which it need not do in
        the whole, the line that says why.
        """
        values: dict[str, bool | float | str | None] = {}
        scores: dict[str, float] = {}
        for part in conditions(self._connection, self.expression):
            try:
                values[part] = self._run(_statement(part), row)
            except duckdb.Error as error:
                values[part] = _first_line(error)
            scores |= self._scores
        return values | {f"classifier('{name}')": score for name, score in scores.items()}

    def _run(self, statement: str, row: Row) -> bool | None:
        self._text = str(row.get("text") or "")
        self._scores.clear()
        values = [row.get(name) for name in COLUMNS]
        found = self._connection.execute(statement, values).fetchone()
        return found[0] if found else None

    def _score(self, name: str) -> float:
        if name not in self._classifiers:
            known = ", ".join(sorted(self._classifiers)) or "none; give --classifiers a folder of examples"
            raise KeyError(f"no classifier is called {name!r}; there are: {known}")
        if name not in self._scores:
            self._scores[name] = self._classifiers[name](self._text)
        return self._scores[name]


def _statement(expression: str) -> str:
    columns = ", ".join(f"CAST(? AS {kind}) AS {name}" for name, kind in COLUMNS.items())
    return f"SELECT CAST(({expression}\n) AS BOOLEAN) FROM (SELECT {columns})"  # noqa: S608


def conditions(con: duckdb.DuckDBPyConnection, expression: str) -> list[str]:
    """The conditions that AND, OR and NOT join in an SQL expression, each once, in order."""
    ((told,),) = con.execute("SELECT json_serialize_sql(?)", [f"SELECT ({expression}\n)"]).fetchall()
    tree: Any = json.loads(told)
    if tree["error"]:  # of what DuckDB can't write down the whole is one condition
        return [expression]
    node = tree["statements"][0]["node"]
    waiting, found = list(node["select_list"]), []
    while waiting:
        part = waiting.pop(0)
        if part["type"] in {"CONJUNCTION_AND", "CONJUNCTION_OR", "OPERATOR_NOT"}:
            waiting[:0] = part["children"]
            continue
        node["select_list"] = [part]
        ((text,),) = con.execute("SELECT json_deserialize_sql(?::JSON)", [json.dumps(tree)]).fetchall()
        found.append(_QUOTED_OR_OPERATOR.sub(_as_people_write, text.removeprefix("SELECT ")))
    return list(dict.fromkeys(found))


_OPERATORS = {"~~": "LIKE", "!~~": "NOT LIKE", "~~*": "ILIKE", "!~~*": "NOT ILIKE", "~~~": "GLOB"}
"""What DuckDB calls them when it writes an expression, and what people do."""
_QUOTED_OR_OPERATOR = re.compile(r"""'[^']*+'|"[^"]*+"|(?<= )!?~~[~*]?(?= )""")


def _as_people_write(found: re.Match[str]) -> str:
    return _OPERATORS.get(found[0], found[0])


def _function(name: str) -> Predicate:
    """The function that ``package.module:function`` names; the working folder is searched too."""
    module_name, _, function_name = name.partition(":")
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # whatever a module of one's own raises
        raise BadPredicate(f"--predicate {name}: can't be imported: {_in_one_line(error)}") from error
    finally:
        sys.path.remove(here)
    function: Any = getattr(module, function_name, None)
    if not callable(function):
        raise BadPredicate(f"--predicate {name}: {module_name} has no function {function_name}")

    def holds(row: Row) -> bool:
        try:
            return bool(function(dict.fromkeys(COLUMNS) | dict(row)))
        except Exception as error:  # whatever a function of one's own raises
            why = f"fails on {row.get('url')}: {_in_one_line(error)}"
            raise BadPredicate(f"--predicate {name}: {why}") from error

    return holds


def _in_one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, ImportError) else f"{type(error).__name__}: {text}"


def _first_line(error: Exception) -> str:
    """The line of a DuckDB error that a person needs."""
    text = str(error)
    own = re.search(r"no classifier is called .*", text)
    if own:
        return own[0].rstrip("\"'")
    columns = f"; a page has {', '.join(COLUMNS)}" if "Referenced column" in text else ""
    return text.strip().splitlines()[0] + columns
