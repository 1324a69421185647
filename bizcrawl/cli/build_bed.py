"""``bizcrawl testbed build``: a directory read into a database, and topics made of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bizcrawl.cli.beds import new_bed, to_be_written
from bizcrawl.cli.choices import RandomSeed
from bizcrawl.cli.saying import counted
from bizcrawl.errors import BizcrawlError, WrongUse

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

    from testbed.topics import BedTopic


def build(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Content dumps of the Open Directory (plain, gz, bz2, xz; also the ad- and kt- files), "
            "a directory as CSV, JSON or JSON Lines with url, category, title, description; or topics.jsonl.",
            metavar="FILE...",
        ),
    ],
    structure: Annotated[
        list[Path] | None, typer.Option(help="Structure dump that goes with the content; repeatable.")
    ] = None,
    recipe: Annotated[
        str, typer.Option(help="How topics are made: business, leaves, examples or neighbours.")
    ] = "business",
    to: Annotated[Path, typer.Option(help="The bed's database; must not exist.")] = Path("bed.duckdb"),
    count: Annotated[
        int | None,
        typer.Option(
            help="Number of topics; default: 50 leaves, 100 examples or neighbours. Not for business.", min=1
        ),
    ] = None,
    distance: Annotated[
        int | None,
        typer.Option(help="Move the seeds up to so many links away from the targets (TOIT's D).", min=0),
    ] = None,
    backlinks: Annotated[
        str | None, typer.Option(help="Source of back-links, as for augment; for --distance and neighbours.")
    ] = None,
    random_seed: RandomSeed = 0,
    processes: Annotated[int, typer.Option(help="Processes that parse; 0: one for each core.", min=0)] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Read a directory into a database and make topics of it."""
    from testbed.directory_rows import lists_urls
    from testbed.topic_table import save_topics

    if to.exists():
        raise WrongUse(f"{to}: exists already; name another file with --to")
    to_be_written(to)
    tables = [file for file in files if lists_urls(file)]
    others = [file for file in files if file not in tables]
    if not tables and all(file.suffix == ".jsonl" for file in others):
        make = None
        if structure or recipe != "business" or any((count, distance is not None, backlinks)):
            raise WrongUse(
                "a topics.jsonl is taken as it is: --structure, --recipe, --count, --distance, --backlinks "
                "are for directories"
            )
    else:
        make = _recipe(recipe, count, random_seed, distance, backlinks)
    with new_bed(to, "192MB") as con:
        if make is None:
            made = _read_topics(files)
        else:
            _load(con, tables, others, structure or [], processes, quiet)
            made = make(con)
        number = save_topics(con, made)
        _some(number, recipe)
    targets = sum(len(topic.targets) for topic in made)
    typer.echo(f"{counted(number, 'topic')}, {counted(targets, 'target')} in {to}")


def _some(number: int, recipe: str) -> None:
    if not number:
        raise BizcrawlError(
            f"no category fits the recipe {recipe}; try another --recipe, or a larger directory"
        )


def _read_topics(files: list[Path]) -> list[BedTopic]:
    from testbed.topics import read_topics

    return [topic for file in files for topic in read_topics(file)]


def _load(
    con: duckdb.DuckDBPyConnection,
    tables: list[Path],
    dumps: list[Path],
    structure: list[Path],
    processes: int,
    quiet: bool,
) -> None:
    from bizcrawl.cli.counting import Counting
    from testbed.directory import load_directory
    from testbed.odp.load import load_dumps, summary

    for table in tables:
        load_directory(con, table)
    if dumps or structure:
        counting, read = Counting("MB read", quiet=quiet), [0]

        def progress(size: int) -> None:
            read[0] += size
            counting(read[0] // 1_000_000)

        load_dumps(con, dumps, structure, processes=processes, progress=progress)
    loaded = summary(con)
    typer.echo(f"{loaded.categories:,} categories, {loaded.listings:,} listings")
    if loaded.faults:
        faults = ", ".join(f"{kind} {times:,}" for kind, times in loaded.faults.items())
        typer.echo(f"repaired (see the table faults): {faults}", err=True)


def _recipe(
    recipe: str, count: int | None, random_seed: int, distance: int | None, backlinks: str | None
) -> Callable[[duckdb.DuckDBPyConnection], list[BedTopic]]:
    """What makes topics of a directory. Options that don't fit are refused before the directory is read."""
    from testbed.backlinks.opening import open_backlinks
    from testbed.links_away import links_away
    from testbed.recipes import examples, leaves, recipe_named
    from testbed.topics import TopicsError

    if recipe == "neighbours":
        if distance is not None:
            raise WrongUse("the recipe neighbours has seeds two links away; --distance is for the others")
        recipe, distance = "examples", 2
    if distance is not None and backlinks is None:
        raise WrongUse("--distance and the recipe neighbours need a source of back-links: --backlinks SOURCE")
    if backlinks is not None and distance is None:
        raise WrongUse("--backlinks is for --distance and the recipe neighbours")
    try:
        chosen = recipe_named(recipe)
    except TopicsError as error:
        raise WrongUse(f"--recipe: {error}") from error
    if count is not None and chosen not in (leaves, examples):
        raise WrongUse("--count is for recipes that draw categories; business takes all that fit")
    drawn = () if count is None else (count,)

    def make(con: duckdb.DuckDBPyConnection) -> list[BedTopic]:
        made = chosen(con, random_seed, *drawn)
        if distance is None or backlinks is None:
            return made
        source = open_backlinks(backlinks, across_hosts=False)
        moved = asyncio.run(links_away(made, source, random_seed, distance))
        if left_out := len(made) - len(moved):
            typer.echo(
                f"{counted(left_out, 'topic')} left out: nothing is known to link to their targets", err=True
            )
        return [topic.with_facts(backlinks={"source": backlinks}) for topic in moved]

    return make
