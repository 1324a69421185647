"""``bizcrawl accept``, ``reject``, ``withdraw``, ``refresh``: the answer corrected, and renewed."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import duckdb
import typer

from bizcrawl.assessing import assess_again, assess_collection, plan_of
from bizcrawl.cli.choices import RankingFormat, RankingFormatOption, TextOrJson, TextOrJsonOption, Top
from bizcrawl.cli.explain import File
from bizcrawl.cli.options import Proxy
from bizcrawl.cli.ranking import print_companies
from bizcrawl.cli.saying import say
from bizcrawl.collection.asking import tell_writer
from bizcrawl.collection.opening import CollectionBusy
from bizcrawl.collection.opinions import call_of, opinions_kept, set_verdicts
from bizcrawl.collection.writer import Collection, utc_now
from bizcrawl.companies.assess import Company
from bizcrawl.companies.differences import Difference, differences
from bizcrawl.companies.opinions import Judgement
from bizcrawl.companies.questions import question_of
from bizcrawl.companies.unreached import at_home, listing_pages, unreached
from bizcrawl.errors import WrongUse
from bizcrawl.judging import judge_at_rest
from bizcrawl.plaintext import terminal
from bizcrawl.text_files import spelled_out

HUBS_FIRST = 40
"""Hub pages that a refresh visits before anything else."""
BEST_HUBS = """
SELECT url FROM hubs GROUP BY url ORDER BY max(hub_score) DESC, max(seed_domains) DESC, min(page) LIMIT ?
"""
"""Each once, though several runs may have met it."""

Companies = Annotated[
    list[str],
    typer.Argument(
        help="Names, domains, URLs or ranks such as '#3'; @FILE: one a line.", metavar="COMPANY..."
    ),
]
Note = Annotated[str, typer.Option(help="Why, in your words; `explain` and the report show it.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("accept")(accept)
    app.command("reject")(reject)
    app.command("withdraw")(withdraw)
    app.command("refresh")(refresh)


def accept(
    collection: File,
    companies: Companies,
    note: Note = "",
    top: Top = 25,
    output: RankingFormatOption = None,
) -> None:
    """Say that companies are in the business: they work as seeds from now on, and all others rank anew."""
    _judge(collection, companies, Judgement.ACCEPT, note, top, output)


def reject(
    collection: File,
    companies: Companies,
    note: Note = "",
    top: Top = 25,
    output: RankingFormatOption = None,
) -> None:
    """Say that companies are not in the business: they are out, and their word counts for nothing."""
    _judge(collection, companies, Judgement.REJECT, note, top, output)


def withdraw(
    collection: File,
    companies: Companies,
    top: Top = 25,
    output: RankingFormatOption = None,
) -> None:
    """Take back what was said of companies: they are weighed and ranked like all others again."""
    _judge(collection, companies, Judgement.WITHDRAW, "", top, output)


def _judge(
    path: Path, named: list[str], judgement: Judgement, note: str, top: int, output: RankingFormat | None
) -> None:
    companies = list(spelled_out(named))
    if not companies:
        raise WrongUse(f"{' '.join(named)}: names no company")
    try:
        opened = Collection.open(path)
    except CollectionBusy as busy:
        keys = tell_writer(path, judgement, companies, note, busy)
        say(f"{judgement.done}: {_listed(keys)}; the running crawl heeds it, and ranks when that is due")
        return
    with opened:
        keys = judge_at_rest(opened, judgement, companies, note)
        assess_again(opened)
        say(f"{judgement.done}: {_listed(keys)}")
        print_companies(opened, top, output)


def _listed(keys: Sequence[str]) -> str:
    return ", ".join(terminal(key) for key in keys)


def refresh(
    collection: File,
    to: Annotated[Path | None, typer.Option(help="New collection; default: FILE-2, FILE-3, …")] = None,
    proxy: Proxy = "",
    top: Top = 50,
    output: TextOrJsonOption = TextOrJson.TEXT,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Crawl again, hubs first and only for what has changed: who appeared, vanished, moved, was renamed."""
    from bizcrawl.cli.crawling import concluding, crawl  # the other commands here start without it

    target = to or _next_path(collection)
    if target.exists():
        raise WrongUse(f"{target} exists already; name a new file with --to")
    with Collection.open(collection) as opened, closing(opened.cursor()) as con:
        plan = plan_of(con).through(proxy)
        before = companies_in(con)
        listed = listing_pages(con)
        verdicts = [call_of(opinion, 0.0) for opinion in opinions_kept(con)]
        hubs = [url for (url,) in con.execute(BEST_HUBS, [HUBS_FIRST]).fetchall()]
    if not before:
        raise WrongUse(
            f"{collection}: holds no companies to compare with; refresh is for what discover wrote"
        )
    seeds = set(plan.topic.seeds)
    topic = plan.topic.__class__(
        plan.topic.name,
        plan.topic.seeds,
        plan.topic.keywords,
        tuple(dict.fromkeys([*plan.topic.hubs, *(hub for hub in hubs if hub not in seeds)])),
    )
    with Collection.create(target) as renewed:
        renewed.transact(lambda con: set_verdicts(con, verdicts, utc_now()))
        ended = crawl(plan.repeated(str(collection.resolve()), topic), renewed, quiet=quiet)
        with concluding(ended, renewed, plan):
            assess_collection(renewed, topic, question_of(plan.command), ended.met)
            with closing(renewed.cursor()) as con:
                now = companies_in(con)
                missed, met = unreached(before, listed, con), at_home(before, con)
            _show_differences(differences(before, now, top, missed, met), output)


def companies_in(con: duckdb.DuckDBPyConnection) -> list[Company]:
    """The companies of a collection, seeds first, then by rank."""
    rows = con.execute(
        "SELECT company, name, home_page, domains, country, language, description, kind, is_seed, rank, "
        "score, why FROM companies WHERE is_seed OR rank IS NOT NULL OR verdict = 'accepted' "
        "ORDER BY rank NULLS FIRST, company"
    ).fetchall()
    return [Company(row[0], row[1], row[2], tuple(row[3]), *row[4:]) for row in rows]


def _next_path(path: Path) -> Path:
    n = 2
    while (candidate := path.with_name(f"{path.stem}-{n}{path.suffix}")).exists():
        n += 1
    return candidate


def _show_differences(found: list[Difference], output: TextOrJson) -> None:
    if output is TextOrJson.JSON:
        print(json.dumps([asdict(entry) for entry in found], ensure_ascii=False, indent=2))  # noqa: T201
        return
    if not found:
        say("nothing has changed")
    for entry in found:
        rank = f"#{entry.rank}" if entry.rank else "seed"
        before = f"  (was {entry.before})" if entry.before and entry.before != entry.company else ""
        sys.stdout.write(
            terminal(f"{entry.change:9} {rank:>5}  {entry.name}  {entry.company}{before}") + "\n"
        )
