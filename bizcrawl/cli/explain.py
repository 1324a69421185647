"""``bizcrawl explain``: a rank taken apart. It only reads, so it starts without what ranks."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from bizcrawl.cli.choices import CollectionFile, TextOrJson, TextOrJsonOption
from bizcrawl.cli.saying import counted
from bizcrawl.collection.reader import Reader
from bizcrawl.collection.values import json_page
from bizcrawl.companies.evidence_kinds import MEANINGS
from bizcrawl.companies.explain import Explanation, explain
from bizcrawl.idn import spelled
from bizcrawl.plaintext import terminal


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explain")(explain_company)


def explain_company(
    collection: CollectionFile,
    company: Annotated[
        str, typer.Argument(help="Name, domain, URL or rank such as '#3'.", metavar="COMPANY")
    ],
    output: TextOrJsonOption = TextOrJson.TEXT,
) -> None:
    """Show what speaks for a company and against it, page by page, with the words it was found in."""
    found = explain(Reader(collection).rows, company)
    if output is TextOrJson.JSON:
        print(json_page(asdict(found)))  # noqa: T201
    else:
        _print_explanation(found)


def _print_explanation(found: Explanation) -> None:
    places = {
        f"rank {found.rank}": found.rank,
        "one of your companies": found.is_seed,
        f"{found.verdict} by you" + (f" ({found.verdict_note})" if found.verdict_note else ""): found.verdict,
    }
    place = ", ".join(text for text, holds in places.items() if holds) or "not ranked"
    about = ", ".join(filter(None, [place, f"score {found.score:.2f}", found.kind]))
    lines = [f"{found.name}  {spelled(found.home_page)}".rstrip(), about]
    if found.kind_reasons:
        lines.append(f"held to be {found.kind}: {'; '.join(found.kind_reasons)}")
    lines.append("")
    for part in found.parts:
        meaning = MEANINGS.get(part.kind, "")
        rows = counted(part.rows, "row")
        lines.append(f"{part.points:+7.2f}  {part.kind}: {meaning} (strength {part.strength:.2f}, {rows})")
        for finding in found.findings:
            if finding.kind == part.kind:
                lines.append(f"           {finding.weight:.2f}  {spelled(finding.page or finding.link)}")
                if finding.snippet:
                    lines.append(f"                 {finding.snippet}")
    sys.stdout.write("\n".join(terminal(line) for line in lines) + "\n")
