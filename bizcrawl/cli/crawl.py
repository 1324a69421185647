"""``bizcrawl crawl``: a topical crawl of one's own, by any strategy, towards any predicate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bizcrawl.cli.choices import of_a_business
from bizcrawl.cli.crawling import concluding, keep_knowledge, web_to_crawl
from bizcrawl.cli.crawling import crawl as run_crawl
from bizcrawl.cli.options import CrawlOptions, crawl_options
from bizcrawl.cli.seeds import seed_urls
from bizcrawl.collection.writer import Collection
from bizcrawl.errors import WrongUse
from bizcrawl.parts import predicate_of
from bizcrawl.topic import Topic


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("crawl")(crawl)


@crawl_options
def crawl(
    seeds: Annotated[
        list[str], typer.Argument(help="Where to begin: web addresses; @FILE: one a line.", metavar="SEED...")
    ],
    crawl: CrawlOptions,
    keywords: Annotated[
        str,
        typer.Option(callback=of_a_business, help="Words of the topic, for strategies that compare pages."),
    ] = "",
    predicate: Annotated[
        str,
        typer.Option(
            help="What a good page is: an SQL expression over the page, or PACKAGE.MODULE:FUNCTION."
        ),
    ] = "",
    classifiers: Annotated[
        Path | None,
        typer.Option(help="Examples for classifier('NAME'): a folder of folders, or topics.jsonl."),
    ] = None,
) -> None:
    """Crawl from SEEDs with a strategy and, if given, a predicate; report the harvest rate."""
    urls = seed_urls(seeds)
    if not (keywords or predicate):
        raise WrongUse("say what the crawl is about: --keywords, --predicate, or both")
    if classifiers and not predicate:
        raise WrongUse(f"--classifiers {classifiers}: add a --predicate that asks for classifier('NAME')")
    topic = Topic(name=keywords or predicate, seeds=urls, keywords=keywords)
    examples = str(classifiers.resolve()) if classifiers else ""
    plan = crawl.plan("crawl", topic, "best-first", predicate=predicate, classifiers=examples)
    predicate_of(plan)
    path = crawl.collection_path()
    web = web_to_crawl(plan)
    with Collection.create(path) as collection:
        ended = run_crawl(plan, collection, web, quiet=crawl.quiet)
        with concluding(ended, collection, plan):
            keep_knowledge(ended, crawl.keep_knowledge)
