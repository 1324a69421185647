"""``bizcrawl testbed evolve``: rank weights that are bred on some topics of a bed.

What a command needs is imported where it runs, so that the help page does not wait for numerical libraries.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated

import typer

from bizcrawl.cli.beds import to_be_written, topics_of
from bizcrawl.cli.choices import RandomSeed
from bizcrawl.cli.saying import on_ctrl_c
from bizcrawl.collection.replacing import write_text
from bizcrawl.errors import WrongUse
from bizcrawl.plaintext import terminal

if TYPE_CHECKING:
    from bizcrawl.strategies.rank_weights import RankWeights
    from testbed.evolve.evaluation import Evaluator
    from testbed.evolve.search import Generation, Search, State
    from testbed.topics import BedTopic

BedFile = Annotated[Path, typer.Argument(help="The bed's database, or a topics.jsonl.", metavar="BED")]


def evolve(
    bed: BedFile,
    web: Annotated[
        Path, typer.Option("--web", help="The recorded web: WARC, WACZ or a folder of WARC files.")
    ],
    topics: Annotated[
        list[str] | None,
        typer.Option(
            help="Topics to breed on, as names or patterns such as '*Gold*'; repeatable. The others are "
            "held back. Default: as many at random as there are simulations."
        ),
    ] = None,
    generations: Annotated[
        int, typer.Option(min=0, help="Generations in all; more than before continue a search.")
    ] = 50,
    population: Annotated[int, typer.Option(min=2, help="Individuals in each generation.")] = 50,
    simulations: Annotated[int, typer.Option(min=1, help="Crawls for each individual.")] = 3,
    pages: Annotated[int, typer.Option(min=1, help="Good pages to visit in each crawl.")] = 2_000,
    fitness: Annotated[
        str, typer.Option(help="What to breed for: harvest, targets, sites or discovery.")
    ] = "harvest",
    score: Annotated[
        list[str] | None,
        typer.Option(
            help="A score beside the paper's nine: hub, block, url, anchor, context:AGGREGATION; repeatable."
        ),
    ] = None,
    start_from: Annotated[
        list[str] | None,
        typer.Option(
            help="Weights to begin with beside random ones: paper, best-first or a file; repeatable."
        ),
    ] = None,
    examples: Annotated[
        str,
        typer.Option(
            help="What the judges of pages learn from: known (seeds and targets, as in the paper) or seeds."
        ),
    ] = "known",
    to: Annotated[
        Path, typer.Option(help="File for the weights; an interrupted search in it is continued.")
    ] = Path("rank.json"),
    lengths: Annotated[
        str, typer.Option(help="Crawl lengths of the final comparison, in pages.")
    ] = "1000,2000,5000",
    repeats: Annotated[
        int, typer.Option(min=0, help="Repeats of the final comparison; 0: no comparison.")
    ] = 15,
    test_topics: Annotated[int, typer.Option(min=0, help="Held-back topics to compare on; 0: all.")] = 10,
    random_seed: RandomSeed = 0,
    page_cap: Annotated[
        int, typer.Option(min=1, help="Bytes of a page that are read; the papers read 10000.")
    ] = 10_000,
    processes: Annotated[int, typer.Option(min=0, help="Crawls at once; 0: one for each core.")] = 0,
    ray: Annotated[
        str, typer.Option(help="Crawl on this Ray cluster instead: HOST:PORT, auto or local; needs Ray.")
    ] = "",
) -> None:
    """Breed rank weights on some topics of a bed and tell what they are worth on the others.

    Use them with: bizcrawl crawl --strategy evolved --set weights=rank.json
    """
    from testbed.evolve.evaluation import Bed, evaluator
    from testbed.evolve.fitness import FITNESSES
    from testbed.evolve.genetic import Breeding
    from testbed.evolve.scenario import EXAMPLES
    from testbed.evolve.search import PAPER_SCORES, Search

    if examples not in EXAMPLES:
        raise WrongUse(f"--examples {examples}: choose one of {', '.join(EXAMPLES)}")
    if fitness not in FITNESSES:
        raise WrongUse(f"--fitness {fitness}: choose one of {', '.join(FITNESSES)}")
    scores = (*PAPER_SCORES, *_signals(score or []))
    search = Search(
        scores,
        fitness,
        pages,
        simulations,
        generations,
        tuple(start_from or ()),
        Breeding(population),
        random_seed,
    )
    if not web.exists():
        raise WrongUse(f"{web}: there is no such recorded web")
    to_be_written(to)
    train, test = _split(topics_of(bed), topics or [], simulations, test_topics, random_seed)
    numbers = _lengths(lengths)
    told = {
        "bed": bed.name,
        "web": web.name,
        "page cap": page_cap,
        "topics": [topic.name for topic in train],
        "contents of topics and web": _contents(train, web, page_cap),
        "examples": examples,
    }
    state = _state(search, to, told)
    everyone = Bed(web, (*train, *test), page_cap, random_seed, examples)
    with (
        on_ctrl_c(f"{to}: finished generations are kept; the same command goes on"),
        evaluator(everyone, processes, ray) as evaluating,
    ):
        weights = _search(state, evaluating, len(train), to)
        if repeats:
            _compare(weights, evaluating, len(train), numbers, repeats, to)


def _signals(names: list[str]) -> list[str]:
    from bizcrawl.strategies.link_signals import signal

    for name in names:
        signal(name)
    return list(dict.fromkeys(names))


def _split(
    known: list[BedTopic], patterns: list[str], simulations: int, tests: int, random_seed: int
) -> tuple[list[BedTopic], list[BedTopic]]:
    """Topics to breed on and topics held back."""
    rng = Random(random_seed)
    shuffled = rng.sample(known, len(known))
    if patterns:
        train = [topic for topic in known if any(fnmatchcase(topic.name, pattern) for pattern in patterns)]
    else:
        train = shuffled[: max(1, min(simulations, len(known) - 1))]
    if not train:
        raise WrongUse(
            f"no topic of the bed fits --topics {' '.join(patterns)}; the first is {known[0].name}"
        )
    test = [topic for topic in shuffled if topic not in train]
    return train, test[: tests or None]


def _contents(topics: Sequence[BedTopic], web: Path, page_cap_bytes: int) -> str:
    """A digest: beds and webs are often called alike, and are made anew under their names."""
    from testbed.experiment import digest_of
    from testbed.pagegraph_folder import open_graph

    said = repr([(topic.topic, topic.targets, topic.excluded) for topic in topics])
    return hashlib.sha256((said + digest_of(open_graph(web, page_cap_bytes))).encode()).hexdigest()[:16]


def _lengths(text: str) -> list[int]:
    try:
        found = sorted({int(part) for part in text.split(",")})
    except ValueError:
        found = []
    if not found or found[0] < 1:
        raise WrongUse(f"--lengths {text}: give numbers of pages, such as 1000,2000,5000")
    return found


def _state(search: Search, to: Path, told: Mapping[str, object]) -> State:
    from testbed.evolve.search import new_state, read_state

    if not to.exists():
        return new_state(search, told)
    state = read_state(to, search, told)
    typer.echo(f"{to}: going on after generation {state.history[-1].number}", err=True)
    return state


def _search(state: State, evaluating: Evaluator, train: int, to: Path) -> RankWeights:
    from testbed.evolve.report import growth_svg
    from testbed.evolve.search import evolve as go_on
    from testbed.evolve.search import write_state

    total = state.search.generations
    weights = go_on(state, evaluating, train, lambda s: write_state(s, to), lambda g: _tell(g, total))
    plot = to.with_suffix(".svg")
    write_text(plot, growth_svg(state.history))
    best = state.history[-1]
    typer.echo(f"{to}: {state.search.fitness} {best.best:.4f} after {best.evaluated:,} individuals; {plot}")
    for name, weight in sorted(weights.by_score.items(), key=lambda pair: -pair[1]):
        typer.echo(f"  {weight:.4f} {terminal(name)}")
    return weights


def _tell(generation: Generation, total: int) -> None:
    line = f"generation {generation.number}/{total} · best {generation.best:.4f} · mean {generation.mean:.4f}"
    live = sys.stderr.isatty()
    typer.echo(f"\r\x1b[K{line}" if live else line, err=True, nl=not live or generation.number == total)


def _compare(
    weights: RankWeights, evaluating: Evaluator, train: int, lengths: list[int], repeats: int, to: Path
) -> None:
    from bizcrawl.cli.counting import Counting
    from testbed.evolve.comparison import compare_weights
    from testbed.evolve.report import report_markdown

    splits = {number: "train" if number < train else "test" for number in range(len(evaluating.bed.topics))}
    rows = compare_weights(weights, evaluating, splits, lengths, repeats, Counting("crawls compared"))
    path = to.with_suffix(".md")
    write_text(path, report_markdown(weights, rows))
    told = dict.fromkeys((str(weights.origin["fitness"]), "harvest", "targets"))
    typer.echo(report_markdown(weights, rows, tuple(told)))
    typer.echo(f"all measures: {path}")
