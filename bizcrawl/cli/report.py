"""``bizcrawl report``: what a collection found, as one HTML page."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from bizcrawl.cli.choices import CollectionFile
from bizcrawl.cli.saying import say
from bizcrawl.collection.reader import Reader
from bizcrawl.collection.replacing import replacing
from bizcrawl.errors import WrongUse
from bizcrawl.report.content import report_of
from bizcrawl.report.page import html

REPORT_SECONDS = 600.0
"""Longest time for one of its questions: hubs of a large collection are counted over all links."""


Shown = Annotated[int, typer.Option(min=1, help="Ranked companies to show.")]
FindingsShown = Annotated[
    int, typer.Option(min=1, help="Rows of evidence to show of each kind, for each company.")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="report")(report)


def report(
    file: CollectionFile,
    out: Annotated[
        Path | None,
        typer.Argument(
            help="FILE.html; - for standard output. Default: FILE with .html as its suffix.", metavar="OUT"
        ),
    ] = None,
    top: Shown = 50,
    findings: FindingsShown = 5,
) -> None:
    """Write what a collection found as one HTML page: the companies with the evidence, hubs, and the crawl.

    The page has no script and loads nothing, so it can be sent and opened anywhere. Works while a crawl is
    writing the file.
    """
    target = out or file.with_suffix(".html")
    if str(target) != "-" and target.suffix.lower() not in {".html", ".htm"}:
        raise WrongUse(f"{target}: a report is HTML; name a file that ends in .html")
    ask = partial(Reader(file).rows, seconds=REPORT_SECONDS)
    page = html(report_of(ask, top, findings), file.name, datetime.now(UTC))
    if str(target) == "-":
        sys.stdout.write(page)
        return
    with replacing(target) as sink:
        sink.write(page.encode())
    say(f"report: {target}")
