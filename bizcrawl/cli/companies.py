"""``bizcrawl accept``, ``reject``, ``withdraw``: the answer corrected."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from bizcrawl.assessing import assess_again
from bizcrawl.cli.choices import CollectionFile, RankingFormat, RankingFormatOption, Top
from bizcrawl.cli.ranking import print_companies
from bizcrawl.cli.saying import on_ctrl_c, say
from bizcrawl.collection.asking import tell_writer
from bizcrawl.collection.opening import CollectionBusy
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.opinions import Judgement
from bizcrawl.errors import WrongUse
from bizcrawl.judging import judge_at_rest
from bizcrawl.plaintext import terminal
from bizcrawl.text_files import spelled_out

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


def accept(
    collection: CollectionFile,
    companies: Companies,
    note: Note = "",
    top: Top = 25,
    output: RankingFormatOption = None,
) -> None:
    """Say that companies are in the business: they count as seeds from now on, and all others rank anew."""
    _judge(collection, companies, Judgement.ACCEPT, note, top, output)


def reject(
    collection: CollectionFile,
    companies: Companies,
    note: Note = "",
    top: Top = 25,
    output: RankingFormatOption = None,
) -> None:
    """Say that companies are not in the business: they leave the ranking and speak for nobody."""
    _judge(collection, companies, Judgement.REJECT, note, top, output)


def withdraw(
    collection: CollectionFile,
    companies: Companies,
    top: Top = 25,
    output: RankingFormatOption = None,
) -> None:
    """Take back verdicts on companies: they are weighed and ranked like all others again."""
    _judge(collection, companies, Judgement.WITHDRAW, "", top, output)


def _judge(
    path: Path, named: list[str], judgement: Judgement, note: str, top: int, output: RankingFormat | None
) -> None:
    companies = list(spelled_out(named, told=say))
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
        # before the ranking: who ends that has to know that "#1" is, or will be, another company
        say(f"{judgement.done}: {_listed(keys)}")
        with on_ctrl_c("interrupted; the verdict is stored, and the next one ranks anew"):
            assess_again(opened)
        print_companies(opened, top, output)


def _listed(keys: Sequence[str]) -> str:
    return ", ".join(terminal(key) for key in keys)
