"""``--format`` of commands that describe something: a table on a terminal, JSON in a pipe."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer


class TableOrJson(StrEnum):
    """How something is described."""

    TABLE = "table"
    JSON = "json"


FormatOption = Annotated[
    TableOrJson | None, typer.Option("--format", help="Default: table on a terminal, json in a pipe.")
]


def wants_json(asked: TableOrJson | None) -> bool:
    """Whether JSON is to be written."""
    return asked is TableOrJson.JSON if asked is not None else not sys.stdout.isatty()
