"""``bizcrawl strategies``: what decides which link comes next, with every parameter and its source."""

from __future__ import annotations

import json
import sys
from dataclasses import MISSING, fields
from typing import Annotated, Any, Literal

import typer
from rich.table import Table

from bizcrawl.cli.streams import Screen
from bizcrawl.strategies.table import Entry, UnknownStrategy, all_strategies

Format = Literal["table", "json", "lines"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("strategies")(strategies)


def strategies(
    name: Annotated[str, typer.Argument(help="One strategy, with its parameters.", metavar="[NAME]")] = "",
    format: Annotated[  # noqa: A002 - the option's name
        Format | None, typer.Option("--format", help="Default: table on a terminal, lines in a pipe.")
    ] = None,
) -> None:
    """List the crawling strategies, or the parameters of one (set them with --set NAME=VALUE)."""
    table = all_strategies()
    if name and name not in table:
        raise UnknownStrategy(f"no strategy is called {name!r}; there are: {', '.join(table)}")
    chosen = {name: table[name]} if name else table
    kind = format or ("table" if sys.stdout.isatty() else "lines")
    if kind == "json":
        typer.echo(json.dumps([_described(name, entry) for name, entry in chosen.items()], indent=2))
    elif kind == "lines":
        for each, entry in chosen.items():
            typer.echo(f"{each}\t{entry.meaning}")
            for parameter in _parameters(entry) if name else ():
                typer.echo(f"  {parameter['name']}={parameter['default']}\t{parameter['help']}")
    elif name:
        _show_one(name, chosen[name])
    else:
        _show_all(chosen)


def _described(name: str, entry: Entry) -> dict[str, Any]:
    return {"name": name, "meaning": entry.meaning, "parameters": _parameters(entry)}


def _parameters(entry: Entry) -> list[dict[str, Any]]:
    """Name, default and meaning of each parameter."""
    return [
        {
            "name": each.name,
            "default": None if each.default is MISSING else each.default,
            "help": each.metadata.get("help", ""),
        }
        for each in fields(entry.options)
    ]


def _show_all(chosen: dict[str, Entry]) -> None:
    shown = Table("strategy", "which links come first", "parameters", box=None, pad_edge=False)
    for name, entry in chosen.items():
        own = [str(parameter["name"]) for parameter in _parameters(entry)]
        shown.add_row(name, entry.meaning, " ".join(own))
    Screen().print(shown)
    typer.echo("\nbizcrawl strategies NAME tells what the parameters of one do.")


def _show_one(name: str, entry: Entry) -> None:
    typer.echo(f"{name}: {entry.meaning}\n")
    shown = Table("parameter", "default", "what it does", box=None, pad_edge=False)
    for parameter in _parameters(entry):
        shown.add_row(str(parameter["name"]), str(parameter["default"]), str(parameter["help"]))
    Screen().print(shown)
