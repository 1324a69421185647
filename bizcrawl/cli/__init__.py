"""The command line: the only part that knows all three packages.

Exit codes: 0 done, 1 the task failed (one line on stderr says what and why), 2 wrong use, 130 interrupted and
resumable.
"""

from __future__ import annotations

import importlib
import io
import os
import sys

import typer

from bizcrawl.errors import BizcrawlError

COMMANDS = (
    "discover",
    "crawl",
    "resume",
    "status",
    "sql",
    "export",
    # "companies",
    # "context",
    # "strategies",
    # "testbed",
    # "serve_recorded",
    # "evolve",
    # "doctor",
)
"""Modules of this package in the order of the help page; each registers its commands."""


def build_app() -> typer.Typer:
    """The whole command line."""
    app = typer.Typer(
        name="bizcrawl",
        help="From a few known companies to everyone else in their business, with the evidence.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    for name in COMMANDS:
        importlib.import_module(f"bizcrawl.cli.{name}").register(app)
    return app


def main() -> None:
    """Run a command; a fault becomes one line and an exit code, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that is not UTF-8 shows "?" instead of failing
    try:
        build_app()()
    except BizcrawlError as error:
        print(f"bizcrawl: {error}", file=sys.stderr)  # noqa: T201 - stderr is the place for it
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # the reader (head, less) has seen enough; keep the interpreter from complaining while it flushes
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
