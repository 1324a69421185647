"""``bizcrawl testbed classifier``: a judge of pages, from examples of one of three kinds.

What a command needs is imported where it runs, so that the help page does not wait for numerical libraries.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bizcrawl.cli.beds import to_be_written, topics_of
from bizcrawl.cli.choices import RandomSeed
from bizcrawl.errors import WrongUse

if TYPE_CHECKING:
    from bizcrawl.relevance.classifier import Classifier


def classifier(
    to: Annotated[Path, typer.Argument(help="The classifier to write, as JSON.", metavar="FILE")],
    relevant: Annotated[Path | None, typer.Option(help="Folder of relevant pages.")] = None,
    others: Annotated[Path | None, typer.Option(help="Folder of other pages.")] = None,
    collection: Annotated[
        Path | None, typer.Option(help="Collection whose accepted and rejected companies are the examples.")
    ] = None,
    bed: Annotated[Path | None, typer.Option(help="Bed with the topic whose seeds are the examples.")] = None,
    web: Annotated[Path | None, typer.Option("--web", help="Recorded web of the bed.")] = None,
    topic: Annotated[str, typer.Option(help="Name of the topic.")] = "",
    random_seed: RandomSeed = 0,
) -> None:
    """Train a judge of pages: from folders, from an analyst's verdicts, or from a topic's seeds.

    Use it with: bizcrawl crawl --strategy evolved --set classifier=FILE
    """
    to_be_written(to)
    sources = (relevant is not None and others is not None, collection is not None, bed is not None)
    if sum(sources) > 1:
        raise WrongUse("name one source of examples: --relevant and --others, --collection, or --bed")
    if relevant and others:
        made = _from_folders(relevant, others, random_seed)
    elif collection:
        made = _from_verdicts(collection, random_seed)
    elif bed and web and topic:
        made = _from_seeds(bed, web, topic, random_seed)
    else:
        raise WrongUse(
            "name the examples: --relevant and --others, --collection, or --bed with --web and --topic"
        )
    made.save(to)
    told = ", ".join(f"{made.origin[key]} {key}" for key in ("relevant pages", "other pages"))
    typer.echo(f"{to}: {len(made.weights):,} features learned from {told}")


def _from_folders(relevant: Path, others: Path, random_seed: int) -> Classifier:
    from bizcrawl.relevance.classifier import train
    from bizcrawl.relevance.training import trees_in_folder

    return train(
        trees_in_folder(relevant),
        trees_in_folder(others),
        origin={"relevant": str(relevant), "others": str(others)},
        random_seed=random_seed,
    )


def _from_verdicts(collection: Path, random_seed: int) -> Classifier:
    """From the companies that an analyst accepted and rejected."""
    from bizcrawl.collection.reader import reading
    from bizcrawl.relevance.classifier import train
    from bizcrawl.relevance.training import judged_trees

    with reading(collection) as con:
        return train(
            list(judged_trees(con, accepted=True)),
            list(judged_trees(con, accepted=False)),
            origin={"collection": str(collection)},
            random_seed=random_seed,
        )


def _from_seeds(bed: Path, web: Path, topic: str, random_seed: int) -> Classifier:
    from testbed.evolve.scenario import train_from_seeds
    from testbed.pagegraph_folder import open_graph

    chosen = [one for one in topics_of(bed) if one.name == topic]
    if not chosen:
        raise WrongUse(f"{bed}: has no topic {topic!r}; see 'bizcrawl testbed topics {bed}'")
    return train_from_seeds(open_graph(web), chosen[0], random_seed)
