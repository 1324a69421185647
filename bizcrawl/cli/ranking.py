"""The ranked companies as a person or a program wants them, on stdout."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from typing import Any, BinaryIO

import pyarrow as pa
from rich.table import Table
from rich.text import Text

from bizcrawl.assessing import assess_collection
from bizcrawl.cli.choices import RankingFormat
from bizcrawl.cli.saying import say
from bizcrawl.cli.streams import Screen, until_nobody_reads
from bizcrawl.collection.formats import write_csv, write_json, write_markdown
from bizcrawl.collection.reader import Answer
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.doubtful import doubts_about_seeds, not_ranked
from bizcrawl.companies.questions import question_of
from bizcrawl.companies.suggestions import Suggestions
from bizcrawl.idn import spelled
from bizcrawl.plaintext import terminal
from bizcrawl.plan import Plan

_WRITERS: dict[RankingFormat, Callable[[Answer, BinaryIO], object]] = {
    RankingFormat.JSON: write_json,
    RankingFormat.CSV: write_csv,
    RankingFormat.MARKDOWN: write_markdown,
}


def show_companies(
    collection: Collection, plan: Plan, met: Suggestions | None, top: int, output: RankingFormat | None
) -> None:
    """Assess the companies of a crawl, as `assess_collection` does, and print the first `top`; what is not
    ranked, and what is odd about the seeds, is said on stderr.
    """
    assessment = assess_collection(collection, plan.topic, question_of(plan.command), met)
    print_companies(collection, top, output)
    for doubt in doubts_about_seeds(assessment, plan.topic):
        say(terminal(doubt))
    if left := not_ranked(assessment):
        say("sites not ranked: " + ", ".join(f"{kind} {n:,}" for kind, n in left.most_common()))


def print_companies(collection: Collection, top: int, output: RankingFormat | None) -> None:
    """Print the first `top` competitors; without `output` as a table on a terminal, else as CSV."""
    output = output or (RankingFormat.TABLE if sys.stdout.isatty() else RankingFormat.CSV)
    with closing(collection.cursor()) as con:
        result: pa.Table = con.sql(
            "SELECT rank, name AS company, home_page AS site, score, why FROM companies "
            "WHERE rank IS NOT NULL ORDER BY rank LIMIT ?",
            params=[top],
        ).to_arrow_table()
    with until_nobody_reads():
        if output is not RankingFormat.TABLE:
            _WRITERS[output](Answer(result.schema, iter(result.to_batches())), sys.stdout.buffer)
            sys.stdout.flush()
        elif len(result):
            Screen().print(_table(result.to_pylist()))
    if not len(result):
        say(
            "no companies found; more --pages, other seeds or --keywords may help, or pages that link to the "
            "seeds (--backlinks)"
        )


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("#", justify="right")
    table.add_column("company", ratio=3)
    table.add_column("site", ratio=3)
    table.add_column("score", justify="right")
    table.add_column("why", ratio=5)
    for row in rows:
        shown = (row["company"], spelled(row["site"]), row["why"])
        name, site, why = (Text(terminal(text)) for text in shown)
        table.add_row(str(row["rank"]), name, site, f"{row['score']:.2f}", why)
    return table
