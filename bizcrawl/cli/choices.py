"""Options that several commands have, and what they may be given.

Such an option refuses all else before its command has done any work: a crawl of hours must not end in a
format that nobody can write.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bizcrawl.errors import WrongUse

MOST = 1e9
"""Of minutes, megabytes or seconds that can be meant; infinitely many can't be stored or counted with."""

MOST_SEED = 2**62
"""A random seed is stored as a number of 64 bits."""


class TidierName(StrEnum):
    """Which road to the tag tree is taken."""

    AUTO = "auto"
    HTML5LIB = "html5lib"


class RenderMode(StrEnum):
    """Which pages a browser is asked for."""

    NEVER = "never"
    AUTO = "auto"
    ALWAYS = "always"


class RankingFormat(StrEnum):
    """How ranked companies are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


class TextOrJson(StrEnum):
    """How what is read by people is written."""

    TEXT = "text"
    JSON = "json"


class TableOrJson(StrEnum):
    """How something is described."""

    TABLE = "table"
    JSON = "json"


CollectionFile = Annotated[Path, typer.Argument(help="The collection.", metavar="FILE")]
RankingFormatOption = Annotated[
    RankingFormat | None,
    typer.Option("--format", help="Default: table on a terminal, csv in a pipe."),
]
TextOrJsonOption = Annotated[TextOrJson, typer.Option("--format", help="How to print it.")]
TableOrJsonOption = Annotated[
    TableOrJson | None, typer.Option("--format", help="Default: table on a terminal, json in a pipe.")
]
RandomSeed = Annotated[
    int,
    typer.Option(
        help="Seed of all random choices; the same seed gives the same ones.", min=-MOST_SEED, max=MOST_SEED
    ),
]
Top = Annotated[int, typer.Option(min=1, help="Number of companies to print.")]


def of_a_business(keywords: str) -> str:
    """The value of ``--keywords``, "" for none. Raises `WrongUse` if it is nothing but stop words."""
    from contexts.text import stems  # takes a tenth of a second, and few commands have keywords

    if keywords and not stems(keywords):
        raise WrongUse(
            f"--keywords {keywords!r}: only stop words; name the business, as in 'gambling equipment'"
        )
    return keywords


def wants_json(asked: TableOrJson | None) -> bool:
    """Whether JSON is to be written."""
    return asked is TableOrJson.JSON if asked is not None else not sys.stdout.isatty()
