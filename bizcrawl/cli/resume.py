"""``bizcrawl resume``: go on with a crawl that was interrupted or killed, or that has used up its budget."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from bizcrawl.cli.choices import MOST, RankingFormatOption, Top
from bizcrawl.cli.crawling import concluding, crawl
from bizcrawl.cli.options import NamedPredicate, Proxy
from bizcrawl.cli.ranking import show_companies
from bizcrawl.cli.saying import say
from bizcrawl.collection.resume import read_resumption
from bizcrawl.collection.writer import Collection
from bizcrawl.parts import check_predicate_kept
from bizcrawl.tally import Budget


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("resume")(resume)


def resume(
    collection: Annotated[Path, typer.Argument(help="The collection of the crawl.", metavar="FILE")],
    pages: Annotated[
        int | None, typer.Option(min=1, help="Good pages in all; default: as the crawl was begun.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.0, max=MOST, help="Minutes in all; default: as the crawl was begun.")
    ] = None,
    megabytes: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=MOST, help="Megabytes of page bodies in all; default: as the crawl was begun."
        ),
    ] = None,
    proxy: Proxy = "",
    predicate: NamedPredicate = "",
    top: Top = 25,
    output: RankingFormatOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Go on with the last crawl of a collection: nothing that was stored is fetched again."""
    with Collection.open(collection) as opened:
        with closing(opened.cursor()) as con:
            resumption = read_resumption(con)
        plan = resumption.plan.through(proxy)
        check_predicate_kept(plan.predicate, predicate)
        plan = plan.with_budget(
            Budget(
                pages or plan.budget.pages,
                minutes if minutes is not None else plan.budget.minutes,
                int(megabytes * 1_000_000) if megabytes is not None else plan.budget.body_bytes,
            )
        )
        if resumption.pages >= plan.budget.pages:
            say(f"the crawl has {resumption.pages:,} pages already; a larger --pages asks for more")
        ended = crawl(plan, opened, resumption=resumption, quiet=quiet)
        with concluding(ended, opened, plan):
            if plan.command.startswith("discover"):
                show_companies(opened, plan, ended.met, top, output)
