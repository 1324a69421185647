"""``bizcrawl discover``: from a few known companies, or from words alone, to everyone else (R134)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from bizcrawl.cli.choices import RankingFormat, RankingFormatOption, Top, of_a_business
from bizcrawl.cli.crawling import concluding, keep_knowledge, no_seed, web_of, web_to_crawl
from bizcrawl.cli.crawling import crawl as run_crawl
from bizcrawl.cli.options import CrawlOptions, crawl_options
from bizcrawl.cli.ranking import show_companies
from bizcrawl.cli.saying import say
from bizcrawl.cli.seeds import seed_urls
from bizcrawl.cli.starting import backlinks_from, hubs_by_backlinks, pages_about
from bizcrawl.collection.writer import Collection
from bizcrawl.discover import DEFAULT_STRATEGY, MAX_SEEDS_READ, VERIFY_SHARE, read_seeds
from bizcrawl.errors import WrongUse
from bizcrawl.plaintext import terminal
from bizcrawl.plan import Plan
from bizcrawl.topic import Topic
from contexts.vectors import Query

Seeds = Annotated[
    list[str],
    typer.Argument(help="Web addresses of known companies; @FILE: one a line.", metavar="SEED..."),
]
Keywords = Annotated[
    str,
    typer.Option(
        callback=of_a_business, help="Words of the business; default: derived from the seeds' pages."
    ),
]
BacklinkSource = Annotated[
    str,
    typer.Option(
        help="Also begin at pages that link to several seeds, by this source: a collection, a recorded web, "
        "a folder with Common Crawl's vertices and edges, or a search service's address."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    group = typer.Typer(help="Find companies from a few known ones, or from words.", no_args_is_help=True)
    for question, (meaning, line) in QUESTIONS.items():
        group.command(question, help=meaning, short_help=line)(_asking(question))
    group.command("companies", short_help="Companies of a business, from words alone.")(companies)
    app.add_typer(group, name="discover")


QUESTIONS = {
    "competitors": (
        "Find the competitors of the companies at SEEDs, ranked, with the evidence in DuckDB.",
        "Who else is in the business of known companies.",
    ),
    "partners": (
        "Find partners, customers and suppliers of the companies at SEEDs.",
        "Partners, customers and suppliers of known companies.",
    ),
    "acquisitions": (
        "Find small companies that do much the same as the companies at SEEDs.",
        "Small companies that do much the same as known ones.",
    ),
}
"""What can be asked about known companies, at length and in the line of a list: the same crawl, ranked by
other weights.
"""


def _asking(question: str) -> Callable[..., None]:
    """The command for one of `QUESTIONS`."""

    @crawl_options
    def command(
        seeds: Seeds,
        crawl: CrawlOptions,
        keywords: Keywords = "",
        backlinks: BacklinkSource = "",
        top: Top = 25,
        output: RankingFormatOption = None,
    ) -> None:
        _discover(question, seeds, keywords, backlinks, crawl, top, output)

    return command


@crawl_options
def companies(
    crawl: CrawlOptions,
    keywords: Annotated[str, typer.Option(callback=of_a_business, help="Words of the business.")],
    source: Annotated[
        Path,
        typer.Option("--from", help="Where to begin: a collection or a recorded web."),
    ],
    top: Top = 25,
    output: RankingFormatOption = None,
) -> None:
    """Find companies of a business without knowing any, from pages of an earlier crawl or recorded web."""
    found = pages_about(Query.from_text(keywords), source)
    if not found:
        raise WrongUse(f"{source}: holds no page with words of {keywords!r}; try other words")
    say(f"beginning at {len(found)} pages about it, such as {terminal(found[0])}")
    topic = Topic(name=keywords, seeds=(), keywords=keywords, hubs=tuple(found))
    _crawl_and_show(
        crawl.plan("discover companies", topic, DEFAULT_STRATEGY, VERIFY_SHARE), crawl, top, output
    )


def _discover(
    question: str,
    seeds: list[str],
    keywords: str,
    backlinks: str,
    crawl: CrawlOptions,
    top: int,
    output: RankingFormat | None,
) -> None:
    urls = seed_urls(seeds)
    topic = Topic(name=keywords, seeds=urls, keywords=keywords)
    plan = crawl.plan(f"discover {question}", topic, DEFAULT_STRATEGY, VERIFY_SHARE)
    # a bad place or source is refused before anybody is asked for a page
    crawl.collection_path()
    source = backlinks_from(backlinks) if backlinks else None
    if not keywords:
        derived = _derived(plan)
        plan = plan.with_topic(Topic(name=derived, seeds=urls, keywords=derived))
    if source is not None:
        plan = plan.with_topic(hubs_by_backlinks(plan.topic, source, plan.exclude))
    _crawl_and_show(plan, crawl, top, output)


def _crawl_and_show(plan: Plan, crawl: CrawlOptions, top: int, output: RankingFormat | None) -> None:
    path = crawl.collection_path()
    is_there = path.exists() and path.stat().st_size > 0
    web = web_to_crawl(plan)
    with Collection.create(path) as collection:
        if is_there:
            say(f"{path} exists: the crawl is added to it, and its companies are ranked anew for these seeds")
        ended = run_crawl(plan, collection, web, quiet=crawl.quiet)
        with concluding(ended, collection, plan):
            show_companies(collection, plan, ended.met, top, output)
            keep_knowledge(ended, crawl.keep_knowledge)


def _derived(plan: Plan) -> str:
    if plan.gated:
        say("reading the companies' own pages for the words of their business (--keywords skips this)")
    read = asyncio.run(read_seeds(plan, web_of(plan)))
    if len(read.failures) == len(plan.topic.seeds[:MAX_SEEDS_READ]):
        raise no_seed(read.failures)
    if plan.render == "never":
        for seed in read.shells:
            say(f"a seed that shows next to nothing without its scripts: {terminal(seed)}; see --render auto")
    if not read.keywords:
        raise WrongUse("the seeds' pages share no words to go by; say what the business is with --keywords")
    say(f"keywords, from the seeds' pages: {terminal(read.keywords)}")
    return read.keywords
