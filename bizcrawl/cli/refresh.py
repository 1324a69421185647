"""``bizcrawl refresh``: the answer renewed, and what is new in it."""

from __future__ import annotations

import sys
from collections.abc import Collection as Container
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import duckdb
import typer

from bizcrawl.assessing import assess_collection, plan_of
from bizcrawl.cli.choices import CollectionFile, TextOrJson, TextOrJsonOption, Top
from bizcrawl.cli.crawling import concluding, crawl, web_to_crawl
from bizcrawl.cli.options import NamedPredicate, Proxy
from bizcrawl.cli.saying import say
from bizcrawl.collection.opinions import call_of, opinions_kept, set_verdicts
from bizcrawl.collection.rows import CallRow
from bizcrawl.collection.values import json_page
from bizcrawl.collection.writer import Collection, utc_now
from bizcrawl.companies.assess import Company
from bizcrawl.companies.differences import Difference, differences
from bizcrawl.companies.questions import question_of
from bizcrawl.companies.unreached import at_home, listing_pages, unreached
from bizcrawl.errors import WrongUse
from bizcrawl.parts import check_predicate_kept
from bizcrawl.plaintext import terminal
from bizcrawl.plan import Plan
from bizcrawl.topic import Topic

HUBS_FIRST = 40
"""Hub pages that a refresh visits before anything else."""
BEST_HUBS = """
SELECT url FROM hubs GROUP BY url ORDER BY max(hub_score) DESC, max(seed_domains) DESC, min(page) LIMIT ?
"""
"""Each once, though several runs may have met it."""


@dataclass(frozen=True, slots=True)
class Former:
    """What a collection holds that a refresh needs."""

    plan: Plan
    companies: Sequence[Company]
    listed: Mapping[str, Container[str]]
    """Pages that list a company, by its key."""
    verdicts: Sequence[CallRow]
    """What the analyst said."""
    hubs: Sequence[str]
    """URLs of the best, the best first."""

    def topic(self) -> Topic:
        """What was asked, with the hubs that were found among those to begin with."""
        asked = self.plan.topic
        found = [hub for hub in self.hubs if hub not in asked.seeds]
        return replace(asked, hubs=tuple(dict.fromkeys([*asked.hubs, *found])))


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("refresh")(refresh)


def refresh(
    collection: CollectionFile,
    to: Annotated[
        Path | None, typer.Option(help="New collection to write; default: FILE-2, FILE-3, …")
    ] = None,
    proxy: Proxy = "",
    predicate: NamedPredicate = "",
    top: Top = 50,
    output: TextOrJsonOption = TextOrJson.TEXT,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Crawl again, hubs first, and only for what changed; tell who appeared, vanished, moved, was renamed."""
    target = to or _next_path(collection)
    if target.exists():
        raise WrongUse(f"{target} exists already; name a new file with --to")
    former = _former(collection, proxy)
    topic, plan = former.topic(), former.plan
    check_predicate_kept(plan.predicate, predicate)
    repeated = plan.repeated(str(collection.resolve()), topic)
    web = web_to_crawl(repeated)
    with Collection.create(target) as renewed:
        renewed.transact(lambda con: set_verdicts(con, former.verdicts, utc_now()))
        ended = crawl(repeated, renewed, web, quiet=quiet)
        with concluding(ended, renewed, plan):
            assess_collection(renewed, topic, question_of(plan.command), ended.met)
            with closing(renewed.cursor()) as con:
                now = companies_in(con)
                missed = unreached(former.companies, former.listed, con)
                met = at_home(former.companies, con)
            _show_differences(differences(former.companies, now, top, missed, met), output)


def _former(path: Path, proxy: str) -> Former:
    """Raises `WrongUse` for a collection without companies."""
    with Collection.open(path) as opened, closing(opened.cursor()) as con:
        former = Former(
            plan=plan_of(con).through(proxy),
            companies=companies_in(con),
            listed=listing_pages(con),
            verdicts=[call_of(opinion, 0.0) for opinion in opinions_kept(con)],
            hubs=[url for (url,) in con.execute(BEST_HUBS, [HUBS_FIRST]).fetchall()],
        )
    if not former.companies:
        raise WrongUse(f"{path}: holds no companies to compare with; refresh is for what discover wrote")
    return former


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
        print(json_page([asdict(entry) for entry in found]))  # noqa: T201
        return
    if not found:
        say("nothing has changed")
    for entry in found:
        rank = f"#{entry.rank}" if entry.rank else "seed"
        before = f"  (was {entry.before})" if entry.before and entry.before != entry.company else ""
        sys.stdout.write(
            terminal(f"{entry.change:9} {rank:>5}  {entry.name}  {entry.company}{before}") + "\n"
        )
