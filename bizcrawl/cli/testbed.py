"""``bizcrawl testbed``: beds from directories, hubs for their seeds, recorded webs, experiments, reports.

What a command needs is imported where it runs, so that the help page does not wait for numerical libraries.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from bizcrawl.cli import build_bed, evolve, serve_recorded, train_classifier
from bizcrawl.cli.beds import new_bed, open_bed, to_be_written, topics_of
from bizcrawl.cli.choices import MOST, RandomSeed
from bizcrawl.cli.counting import Counting
from bizcrawl.cli.saying import counted, explained, on_ctrl_c
from bizcrawl.errors import BizcrawlError, Interrupted, WrongUse
from bizcrawl.plaintext import terminal

Bed = Annotated[Path, typer.Argument(help="The bed's database.", metavar="BED")]
WebFile = Annotated[
    Path, typer.Option("--web", help="The recorded web: WARC, WACZ or a folder of WARC files.")
]
PageCap = Annotated[
    int, typer.Option("--page-cap", help="Bytes of a page that are read; the papers read 10000.", min=1)
]


def register(app: typer.Typer) -> None:
    """Add the group ``testbed`` with all its commands."""
    group = typer.Typer(help="Test beds: topics, recorded webs, experiments.", no_args_is_help=True)
    app.add_typer(group, name="testbed")
    group.command("build")(build_bed.build)
    group.command("topics")(topics)
    group.command("augment", short_help="Find hubs for the seeds through back-links.")(augment)
    group.command("record", short_help="Crawl the neighbourhood of topics into WARC files.")(record)
    group.command("run", short_help="Run strategies on all topics over a recorded web.")(run)
    group.command("report")(report)
    group.command("gate")(gate)
    group.command("serve", short_help="Serve a recorded web through an HTTP forward proxy.")(
        serve_recorded.serve_recorded
    )
    group.command("evolve", short_help="Breed rank weights, and tell what they are worth.")(evolve.evolve)
    group.command("classifier", short_help="Train a judge of pages.")(train_classifier.classifier)


def topics(
    bed: Bed,
    to: Annotated[
        Path | None, typer.Option(help="File to write the topics to, as JSON Lines, instead of showing them.")
    ] = None,
) -> None:
    """Show a bed's topics, or write them as topics.jsonl."""
    from testbed.topics import write_topics

    made = topics_of(bed)
    if to is not None:
        to_be_written(to)
        typer.echo(f"{counted(write_topics(made, to), 'topic')} in {to}")
        return
    for topic in made:
        hubs = [counted(len(topic.topic.hubs), "hub")] if topic.topic.hubs else []
        seeds, targets = counted(len(topic.topic.seeds), "seed"), counted(len(topic.targets), "target")
        typer.echo(f"{terminal(topic.name)}: {', '.join((seeds, *hubs, targets))}")


def augment(
    bed: Bed,
    backlinks: Annotated[
        str,
        typer.Option(
            help="A collection, a recorded web, a folder with Common Crawl's vertices and edges, or a search "
            "service's address."
        ),
    ],
    to: Annotated[Path, typer.Option(help="Database for the topics with hubs; must not exist.")],
    web: Annotated[
        Path | None,
        typer.Option("--web", help="Recorded web with the texts by which mirrors are recognised."),
    ] = None,
    random_order: Annotated[
        bool, typer.Option("--random-order", help="Take a seed's back-links at random, not by in-degree.")
    ] = False,
    random_seed: RandomSeed = 0,
) -> None:
    """Find hubs for the seeds through back-links; topics without any are left out, as in the paper."""
    from testbed.augmented_bed import augment_bed
    from testbed.topic_table import save_topics

    if to.exists():
        raise WrongUse(f"{to}: exists already; name another file")
    if random_seed and not random_order:
        raise WrongUse("--random-seed is for --random-order; by in-degree nothing is drawn")
    to_be_written(to)
    before = topics_of(bed)
    shuffle_seed = random_seed if random_order else None
    found = augment_bed(before, backlinks, web, shuffle_seed, Counting("URLs of the record read"))
    if found.kept:
        with new_bed(to) as con:
            save_topics(con, [one.topic for one in found.kept])
        typer.echo(f"{len(found.kept)} of {len(before)} topics have hubs, {found.hubs} in all, in {to}")
    away = ", ".join(f"{explained(reason)} {times:,}" for reason, times in sorted(found.turned_away.items()))
    typer.echo(f"{counted(found.fetches, 'page')} fetched to tell mirrors; turned away: {away or 'none'}")
    if not found.kept:
        raise BizcrawlError(f"no topic has a hub by {backlinks}, so no bed was made; try another source")


def record(
    bed: Bed,
    warc: Annotated[Path, typer.Option(help="Folder for the WARC files.")],
    topic: Annotated[
        list[str] | None, typer.Option(help="Topic to record; repeatable. Default: all of the bed.")
    ] = None,
    pages: Annotated[int, typer.Option(help="Good pages for each topic.", min=1)] = 10_000,
    web: Annotated[
        str, typer.Option("--web", help="Where pages come from: live, or a recorded web.")
    ] = "live",
    proxy: Annotated[
        str, typer.Option(help="HTTP or SOCKS proxy, as http://HOST:PORT or socks5://HOST:PORT.")
    ] = "",
    contact: Annotated[str, typer.Option(help="URL or e-mail address sent along, for complaints.")] = "",
    delay: Annotated[
        float, typer.Option(help="Seconds between two requests to a host.", min=0.0, max=MOST)
    ] = 2.0,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Allow private and loopback addresses.")
    ] = False,
) -> None:
    """Crawl the neighbourhood of topics into WARC files, on which crawls can be simulated later.

    It begins at seeds, hubs and targets, and goes breadth-first; robots.txt is obeyed.
    """
    from bizcrawl.tally import Stop
    from testbed.recording import record_topics

    if warc.exists() and not warc.is_dir():
        raise WrongUse(f"{warc}: is a file; name a folder for the WARC files")
    known = {one.name: one for one in topics_of(bed)}
    if unknown := [name for name in topic or () if name not in known]:
        raise WrongUse(f"{bed}: has no topic {unknown[0]!r}; see 'bizcrawl testbed topics {bed}'")
    chosen = [known[name] for name in topic] if topic else list(known.values())
    for name, ended in record_topics(
        chosen,
        warc,
        pages=pages,
        web=web,
        proxy=proxy,
        contact=contact,
        delay_s=delay,
        allow_private=allow_private,
    ):
        tally = ended.tally
        typer.echo(f"{terminal(name)}: {counted(tally.pages, 'page')} recorded")
        if away := [f"{explained(why)} {n:,}" for why, n in tally.turned_away.most_common() if n]:
            typer.echo(f"  without a page: {', '.join(away)}")
        if ended.stop is Stop.INTERRUPTED:
            raise Interrupted(
                f"{warc}: what was recorded is kept; name the topics that are left with --topic, "
                f"beginning with {terminal(name)}"
            )


def run(
    bed: Bed,
    web: WebFile,
    strategies: Annotated[
        str,
        typer.Option(
            help="Strategies, with commas between: NAME, NAME:option=value+option=value, all, or claims "
            "(what the papers' claims about such a bed compare).",
            show_default=True,
        ),
    ] = "hub-seeking,dom,best-first",
    pages: Annotated[int, typer.Option(help="Good pages to visit in each crawl.", min=1)] = 10_000,
    repeats: Annotated[int, typer.Option(help="Runs of each strategy that draws random numbers.", min=1)] = 5,
    random_seed: RandomSeed = 0,
    page_cap: PageCap = 10_000,
    processes: Annotated[int, typer.Option(help="Crawls at once; 0: one for each core.", min=0)] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Run strategies on all topics of a bed over a recorded web; can be interrupted and run again to go on.

    Random order, breadth-first and an oracle that knows the graph always run beside them.
    """
    from testbed.claims import name_and_kind
    from testbed.experiment import run_experiment
    from testbed.pagegraph_folder import open_graph
    from testbed.single_run import RecordedBed, strategy_names

    names = strategy_names(strategies, name_and_kind(bed)[1])
    made = topics_of(bed)
    recorded = RecordedBed(web, page_cap)
    reading = Counting("URLs of the record read", quiet=quiet)
    if faults := open_graph(recorded.warc, recorded.page_cap_bytes, recorded.cache, reading).faults:
        found = ", ".join(f"{explained(fault)} {times:,}" for fault, times in faults.items())
        typer.echo(f"the record is damaged, what can be read is used: {found}", err=True)
    with open_bed(bed) as con, on_ctrl_c(f"{bed}: finished runs are kept; the same command goes on"):
        number = run_experiment(
            con,
            recorded,
            made,
            names,
            pages=pages,
            repeats=repeats,
            random_seed=random_seed,
            processes=processes,
            progress=Counting("runs", quiet=quiet),
        )
    if not number:
        typer.echo(
            f"{bed} holds all of these runs; after a change to a strategy's code use a new file", err=True
        )
    typer.echo(f"{counted(number, 'new run')} in {bed}")


def report(
    bed: Bed,
    to: Annotated[
        Path | None, typer.Option(help="FILE.html or FILE.md to write; default: HTML beside the bed.")
    ] = None,
    reproduction: Annotated[
        bool,
        typer.Option("--reproduction", help="Compare every comparative claim of the papers with the runs."),
    ] = False,
    others: Annotated[
        list[Path] | None, typer.Option("--also", help="Further bed for --reproduction; repeatable.")
    ] = None,
) -> None:
    """Write what was measured: tables, curves and tests."""
    path = to or bed.with_suffix(".md" if reproduction else ".html")
    if path.suffix not in {".html", ".md"}:
        raise WrongUse(f"{path}: reports are written as .html or .md")
    if reproduction and path.suffix != ".md":
        raise WrongUse(f"{path}: --reproduction is written as .md")
    if others and not reproduction:
        raise WrongUse("--also is for --reproduction; without it a report is on one bed")
    to_be_written(path)
    if reproduction:
        from testbed.reproduction import write_reproduction

        with ExitStack() as opened:
            write_reproduction(
                {one: opened.enter_context(open_bed(one)) for one in (bed, *(others or []))}, path
            )
        typer.echo(f"{path}")
        return
    from testbed.report.content import report_of
    from testbed.report.writing import write_html, write_markdown

    with open_bed(bed) as con:
        made = report_of(con)
    title = f"Test bed {bed.stem}"
    if path.suffix == ".md":
        write_markdown(made, path, title)
    else:
        write_html(made, path, title)
    typer.echo(f"{path}")


def gate(
    floors: Annotated[list[Path], typer.Argument(help="Files with pinned floors.", metavar="FLOORS...")],
    beds: Annotated[
        Path | None,
        typer.Option(help="Folder with the other beds, by name; floors of absent beds are skipped."),
    ] = None,
    pin: Annotated[bool, typer.Option("--pin", help="Pin the floors at what is measured now.")] = False,
    allow_regression: Annotated[
        bool, typer.Option("--allow-regression", help="Let --pin lower floors.")
    ] = False,
) -> None:
    """Fail if a strategy is worse on a known bed than its floor. The bed `demo` is made on the spot."""
    from testbed.gate_of_beds import gate_all

    if beds is not None and not beds.is_dir():
        raise WrongUse(f"{beds}: there is no such folder")
    if allow_regression and not pin:
        raise WrongUse("--allow-regression is for --pin; add --pin or leave it out")

    for line in gate_all(floors, beds, pin=pin, allow_regression=allow_regression):
        typer.echo(line)
