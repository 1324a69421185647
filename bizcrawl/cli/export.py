"""``bizcrawl export``: a table, a view or a query of a collection as a file."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from bizcrawl.cli.choices import CollectionFile
from bizcrawl.cli.ctrl_c import ctrl_c
from bizcrawl.cli.sql import Format, format_of, standard_output, tell
from bizcrawl.collection import formats
from bizcrawl.collection.reader import Reader
from bizcrawl.collection.replacing import replacing
from bizcrawl.collection.schema import TABLE_NAMES
from bizcrawl.collection.views import VIEW_NAMES
from bizcrawl.errors import WrongUse

EXPORT_SECONDS = 3_600.0
NO_SEED_COMPANY = "company NOT IN (SELECT company FROM companies WHERE is_seed)"
NO_SEED_URL = "url NOT IN (SELECT unnest(seeds) FROM crawls)"
WITHOUT_SEEDS = {
    "companies": NO_SEED_COMPANY,
    "competitors": NO_SEED_COMPANY,
    "evidence": NO_SEED_COMPANY,
    "pages": NO_SEED_URL,
    "harvest": NO_SEED_URL,
    "frontier": NO_SEED_URL,
}
"""What holds for the rows of a table or view that are not of a seed."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="export")(export)


def export(
    file: CollectionFile,
    table: Annotated[
        str,
        typer.Argument(
            help='Table, view, or a SELECT such as "SELECT * FROM competitors WHERE score >= 6".',
            metavar="TABLE",
        ),
    ],
    out: Annotated[
        Path,
        typer.Argument(
            help="FILE.csv, .xlsx, .jsonl, .json, .parquet or .md; - for standard output.", metavar="OUT"
        ),
    ],
    format: Annotated[  # noqa: A002 - the option's name
        Format | None, typer.Option("--format", help="Format to use instead of what the name of OUT says.")
    ] = None,
    without_seeds: Annotated[
        bool,
        typer.Option(
            "--without-seeds", help="Leave out the seeds: their companies or, in tables of pages, their URLs."
        ),
    ] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Leave texts in CSV and Excel as they are, even formulas.")
    ] = False,
) -> None:
    """Write a table, a view or the result of a query to a file, whole or not at all."""
    query = _query(table, without_seeds)
    chosen = format_of(out, format)
    with (
        ctrl_c() as pressed,
        Reader(file).query(query, seconds=EXPORT_SECONDS, gone=pressed) as answer,
    ):
        if str(out) == "-":
            if chosen in formats.BINARY and sys.stdout.isatty():
                raise WrongUse(f"{chosen} can't be shown on a terminal; name a file")
            formats.WRITERS[chosen](answer, standard_output(), raw)
            sys.stdout.flush()
            return
        with replacing(out) as sink:
            written = formats.WRITERS[chosen](answer, sink, raw)
    tell(written, out)


def _query(table: str, without_seeds: bool) -> str:
    names = (*VIEW_NAMES, *TABLE_NAMES)
    if without_seeds:
        if table not in WITHOUT_SEEDS:
            raise WrongUse(
                f"--without-seeds works with {', '.join(WITHOUT_SEEDS)}; otherwise write a SELECT with WHERE"
            )
        return f"FROM {table} WHERE {WITHOUT_SEEDS[table]}"
    if table in names:
        return f"FROM {table}"
    if re.match(r"\s*(select|from|with|values|describe|summarize)\b", table, re.IGNORECASE):
        return table
    raise WrongUse(f"there is no table {table!r}; choose {', '.join(names)}, or write a SELECT")
