"""``bizcrawl merge``: several collections become one; an older one becomes one of this version."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from bizcrawl.collection.merging import merge
from bizcrawl.collection.writer import Collection
from bizcrawl.errors import WrongUse


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="merge")(merge_collections)


def merge_collections(
    into: Annotated[
        Path, typer.Argument(help="The collection to fill; made if it isn't there.", metavar="INTO")
    ],
    sources: Annotated[
        list[Path] | None,
        typer.Argument(help="Collections to take in; they stay as they are.", metavar="FROM..."),
    ] = None,
) -> None:
    """Take in the runs, companies and evidence of other collections; what is there is not taken twice.

    Without others, a collection of an older version is brought up to this one.
    """
    taken = sources or []
    if into.resolve() in {source.resolve() for source in taken}:
        raise WrongUse(f"{into} can't be merged into itself")
    with Collection.create(into) if taken else Collection.open(into) as collection:
        for source in taken:
            found = merge(collection, source)
            known = f", {found.known_crawls} known already" if found.known_crawls else ""
            print(f"{source}: {found.crawls} crawls{known}, {found.pages:,} pages", file=sys.stderr)  # noqa: T201
