"""``bizcrawl doctor``: what is missing on this machine, and how to get it."""

from __future__ import annotations

import dataclasses
import json

import typer
from rich.table import Table
from rich.text import Text

from bizcrawl.cli.choices import TableOrJsonOption, wants_json
from bizcrawl.cli.streams import Screen
from bizcrawl.doctor import Finding, State, examine, exit_code
from bizcrawl.plaintext import terminal

_STYLES = {State.OK: "green", State.LIMITED: "yellow", State.MISSING: "red"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="doctor")(doctor)


def doctor(
    format: TableOrJsonOption = None,  # noqa: A002 - the option's name
) -> None:
    """Say what this machine lacks for crawling, and the command that gets it.

    Exit code 1 if no crawl can run; limits that concern only some crawls leave it at 0.
    """
    findings = list(examine())
    if wants_json(format):
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=2))  # noqa: T201 - its output
    else:
        Screen().print(_table(findings))
    raise typer.Exit(exit_code(findings))


def _table(findings: list[Finding]) -> Table:
    table = Table("", "", "found", "remedy")
    for finding in findings:
        table.add_row(
            Text(finding.subject),
            Text(finding.state.value, style=_STYLES[finding.state]),
            Text(terminal(finding.detail)),
            Text(terminal(finding.remedy)),
        )
    return table
