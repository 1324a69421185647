"""``bizcrawl serve``: the report of a collection as a page in the browser that renews itself."""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime
from functools import partial
from typing import Annotated

import typer

from bizcrawl.cli.choices import CollectionFile
from bizcrawl.cli.ctrl_c import until_interrupted
from bizcrawl.cli.report import REPORT_SECONDS, FindingsShown, Shown
from bizcrawl.cli.saying import say
from bizcrawl.collection.reader import Reader
from bizcrawl.report.content import report_of
from bizcrawl.report.page import html


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="serve")(serve_report)


def serve_report(
    file: CollectionFile,
    port: Annotated[
        int, typer.Option(help="Port on 127.0.0.1; 0 for any that is free.", min=0, max=65535)
    ] = 8766,
    top: Shown = 50,
    findings: FindingsShown = 5,
) -> None:
    """Show the report in a browser on this machine, up to date while a crawl is writing the file.

    Runs until interrupted. A discovery ranks its companies after a hundred pages, and anew each time that
    number has doubled.
    """
    from bizcrawl.report.serving import FreshPage, serve  # an HTTP server, which the help page can do without

    ask = partial(Reader(file).rows, seconds=REPORT_SECONDS)

    def make() -> str:
        return html(report_of(ask, top, findings), file.name, datetime.now(UTC), renewing=True)

    def tell(url: str) -> None:
        say(f"{url} shows it; Ctrl-C ends it")

    async def until_ctrl_c() -> None:
        page = FreshPage(make, [file, file.with_name(f"{file.name}.wal")])
        await page.now()  # a file that can't be shown is said here, not in the browser
        await serve(page, port, secrets.token_urlsafe(9), until_interrupted(), tell)

    asyncio.run(until_ctrl_c())
