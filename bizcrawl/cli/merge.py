"""``bizcrawl merge``: several collections become one; an older one becomes one of this version."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from bizcrawl.assessing import assess_again
from bizcrawl.cli.saying import counted, say
from bizcrawl.collection.merging import merge
from bizcrawl.collection.reader import reading
from bizcrawl.collection.writer import Collection
from bizcrawl.errors import WrongUse


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="merge")(merge_collections)


def merge_collections(
    into: Annotated[
        Path, typer.Argument(help="The collection to add to; made if it isn't there.", metavar="INTO")
    ],
    sources: Annotated[
        list[Path] | None,
        typer.Argument(help="Collections to add; they stay as they are.", metavar="FROM..."),
    ] = None,
) -> None:
    """Add the runs, companies and evidence of other collections to one; nothing is added twice.

    A run that was resumed after it had been added replaces its former copy.

    Companies are then ranked anew, over all pages, for the seeds and keywords of the run that came in last.

    Without FROM, a collection of an older version is upgraded to this one.
    """
    taken = sources or []
    if into.resolve() in {source.resolve() for source in taken}:
        raise WrongUse(f"{into} can't be merged into itself")
    for source in taken:
        with reading(source):
            pass  # all of them can be read, so nothing is begun that can't be ended
    with Collection.create(into) if taken else Collection.open(into) as collection:
        for source in taken:
            found = merge(collection, source)
            known = f", {found.known_crawls} known already" if found.known_crawls else ""
            say(f"{source}: {counted(found.crawls, 'crawl')}{known}, {counted(found.pages, 'page')}")
            if found.crawls_apart:
                say(
                    f"  left out: {counted(found.crawls_apart, 'crawl')} that went on otherwise in {into}, "
                    f"with {counted(found.pages_apart, 'page')}; merge into another file to have them"
                )
        if taken:
            _rank_anew(collection)


def _rank_anew(collection: Collection) -> None:
    """Scores of different runs can't be compared: rank all companies, if there are any, for the last run."""
    with closing(collection.cursor()) as con:
        ((companies,),) = con.execute("SELECT count(*) FROM companies").fetchall()
    if companies:
        ranked = sum(company.rank is not None for company in assess_again(collection).companies)
        say(f"{ranked:,} companies ranked anew for the seeds of the last run")
