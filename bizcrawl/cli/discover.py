"""``bizcrawl discover``: from a few known companies to everyone else in their business."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from bizcrawl.cli.crawling import crawl as run_crawl
from bizcrawl.cli.crawling import say, summary, web_of
from bizcrawl.cli.options import CrawlOptions, crawl_options, seed_urls
from bizcrawl.cli.ranking import FORMATS, show_companies
from bizcrawl.collection.writer import Collection
from bizcrawl.discover import DEFAULT_STRATEGY, VERIFY_SHARE, keywords_of_seeds
from bizcrawl.errors import WrongUse
from bizcrawl.plaintext import terminal
from bizcrawl.plan import Plan
from bizcrawl.topic import Topic


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    group = typer.Typer(help="From a few known companies to others.", no_args_is_help=True)
    group.command("competitors")(competitors)
    app.add_typer(group, name="discover")


@crawl_options
def competitors(
    seeds: Annotated[list[str], typer.Argument(help="Web addresses of known companies.", metavar="SEED...")],
    crawl: CrawlOptions,
    keywords: Annotated[
        str, typer.Option(help="Words of the business; default: derived from the seeds' pages.")
    ] = "",
    top: Annotated[int, typer.Option(min=1, help="Companies to print.")] = 25,
    output: Annotated[
        str,
        typer.Option(
            "--format", help="table, json, csv or markdown; default: table on a terminal, else csv."
        ),
    ] = "",
) -> None:
    """Find the competitors of the companies at SEEDs, ranked, with the evidence in one DuckDB file."""
    if output and output not in FORMATS:
        raise WrongUse(f"--format {output}: choose one of {', '.join(FORMATS)}")
    urls = seed_urls(seeds)
    plan = crawl.plan("discover competitors", _topic(urls, keywords), DEFAULT_STRATEGY, VERIFY_SHARE)
    if not keywords:
        plan = plan.with_topic(_topic(urls, _derived(plan)))
    path = crawl.collection_path()
    with Collection.create(path) as collection:
        ended = run_crawl(plan, collection, quiet=crawl.quiet)
        show_companies(collection, plan, top, output)
    summary(ended, path, command="discover")


def _topic(seeds: tuple[str, ...], keywords: str) -> Topic:
    topic = Topic(name=keywords, seeds=seeds, keywords=keywords)
    if keywords and not topic.query:
        raise WrongUse(
            f"--keywords {keywords!r}: only stop words; name the business, as in 'gambling equipment'"
        )
    return topic


def _derived(plan: Plan) -> str:
    keywords = asyncio.run(keywords_of_seeds(plan, web_of(plan)))
    if not keywords:
        raise WrongUse("the seeds' pages share no words to go by; say what the business is with --keywords")
    say(f"keywords, from the seeds' pages: {terminal(keywords)}")
    return keywords
