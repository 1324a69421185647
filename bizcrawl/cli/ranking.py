"""The ranked companies as a person or a program wants them, on stdout."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from typing import BinaryIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bizcrawl.assessing import assess_collection
from bizcrawl.cli.crawling import say
from bizcrawl.collection.formats import write_csv, write_json, write_markdown
from bizcrawl.collection.reader import Answer
from bizcrawl.collection.writer import Collection
from bizcrawl.plaintext import terminal
from bizcrawl.plan import Plan

FORMATS = ("table", "json", "csv", "markdown")
_WRITERS: dict[str, Callable[[Answer, BinaryIO], object]] = {
    "json": write_json,
    "csv": write_csv,
    "markdown": write_markdown,
}


def show_companies(collection: Collection, plan: Plan, top: int, output: str) -> None:
    """Assess the companies of a crawl and print the first `top`; see `print_companies`."""
    assess_collection(collection, plan.topic, plan.command.removeprefix("discover "))
    print_companies(collection, top, output)


def print_companies(collection: Collection, top: int, output: str) -> None:
    """Print the first `top` competitors; without `output` as a table on a terminal, else as CSV."""
    output = output or ("table" if sys.stdout.isatty() else "csv")
    with closing(collection.cursor()) as con:
        result = con.execute(
            "SELECT rank, name AS company, home_page AS site, score, why FROM companies "
            "WHERE rank IS NOT NULL ORDER BY rank LIMIT ?",
            [top],
        )
        if output == "table":
            rows = result.fetchall()
            if rows:
                Console().print(_table(rows))
        else:
            reader = result.to_arrow_reader()
            _WRITERS[output](Answer(reader.schema, iter(reader)), sys.stdout.buffer)
            sys.stdout.flush()
            rows = [(0,)] if con.execute("SELECT 1 FROM companies WHERE rank IS NOT NULL").fetchone() else []
    if not rows:
        say("no competitors found; more --pages, other seeds or --keywords may help")


def _table(rows: list[tuple[int, str, str, float, str]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("#", justify="right")
    table.add_column("company", ratio=3, overflow="fold")
    table.add_column("site", ratio=3, overflow="fold")
    table.add_column("score", justify="right")
    table.add_column("why", ratio=5, overflow="fold")
    for rank, name, site, score, why in rows:
        table.add_row(
            str(rank), *(Text(terminal(text)) for text in (name, site)), f"{score:.2f}", Text(terminal(why))
        )
    return table
