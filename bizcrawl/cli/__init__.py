"""The command line: the only part that knows all three packages.

Exit codes: 0 done, 1 the task failed (one line on stderr says what and why), 2 wrong use, 130 interrupted and
resumable.
"""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from bizcrawl import __version__
from bizcrawl.cli.saying import say
from bizcrawl.cli.streams import (
    Commands,
    end_at_once,
    go_on_unheard,
    leave_standard_output,
    open_closed_ones,
    until_nobody_reads,
)
from bizcrawl.endings import endings_heard
from bizcrawl.errors import BizcrawlError, Interrupted, WrongUse, is_ctrl_c, machine_trouble, system_trouble

COMMANDS = {
    "discover": ("discover", "From a few known companies, or from words, to others, ranked."),
    "crawl": ("crawl", "A topical crawl of your own: any strategy, any predicate."),
    "resume": ("resume", "Go on with the last crawl of a collection."),
    "status": ("status", "What a collection holds, and what was turned away."),
    "sql": ("sql", "Query a collection, even while it is being written."),
    "export": ("export", "Write a table, a view or the result of a query to a file."),
    "merge": ("merge", "Make one collection of several."),
    "report": ("report", "What a collection found, as one HTML page."),
    "serve": ("serve", "The same page in the browser, kept up to date."),
    "explain": ("explain", "What speaks for a company and against it, page by page."),
    "accept": ("companies", "Say that companies are in the business; rank anew."),
    "reject": ("companies", "Say that companies are not in the business; rank anew."),
    "withdraw": ("companies", "Take back a verdict on companies."),
    "refresh": ("refresh", "Crawl again: who appeared, vanished, moved, was renamed."),
    "context": ("context", "Links of a page with their contexts and scores."),
    "strategies": ("strategies", "The crawling strategies, with their parameters."),
    "testbed": ("testbed", "Test beds: topics, recorded webs, experiments."),
    "doctor": ("doctor", "What this machine lacks, and how to get it."),
}
"""Commands in the order of the help page: the module of this package that registers each, and what the page
says of it.
"""


def build_app(only: str = "") -> typer.Typer:
    """The command line. If one command is asked for, only its module is loaded, so that it starts fast.

    ``--version`` needs no command. For ``--help``, and for a command that does not exist, the names of all
    are enough.
    """
    app = typer.Typer(
        name="bizcrawl",
        cls=Commands,
        help="From a few known companies to everyone else in their business, with the evidence.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback(help=app.info.help)(_common)
    if only == "--help" or (only[:1].isalpha() and only not in COMMANDS):
        for name, (_, line) in COMMANDS.items():
            app.command(name, help=line)(_named_only)
        return app
    needed = [COMMANDS[only]] if only in COMMANDS else COMMANDS.values()
    for module in () if only == "--version" else dict.fromkeys(module for module, _ in needed):
        importlib.import_module(f"bizcrawl.cli.{module}").register(app)
    return app


def _named_only() -> None:
    """Stands in the help page for a command that is not asked for."""


def _say_version(asked: bool) -> None:
    if asked:
        typer.echo(f"bizcrawl {__version__}")
        raise typer.Exit


def _common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Options before the command."""


def main() -> NoReturn:
    """Run a command and end with its exit code; a fault becomes one line, never a traceback."""
    open_closed_ones()
    go_on_unheard()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that is not UTF-8 shows "?" instead of failing
    for number in endings_heard():
        signal.signal(number, _interrupted)
    try:
        _refuse_what_is_no_text(sys.argv[1:])
        exit_code = _run(sys.argv[1] if len(sys.argv) > 1 else "--help")
    except BizcrawlError as error:
        say(f"bizcrawl: {error}")
        exit_code = error.exit_code
    except OSError as error:
        leave_standard_output()  # its buffer would fail again
        say(f"bizcrawl: {system_trouble(error)}")
        exit_code = BizcrawlError.exit_code
    except Exception as fault:
        if is_ctrl_c(fault):
            exit_code = Interrupted.exit_code
        elif trouble := machine_trouble(fault):
            say(f"bizcrawl: {trouble}")
            exit_code = BizcrawlError.exit_code
        else:
            raise
    end_at_once(exit_code)


def _refuse_what_is_no_text(arguments: Sequence[str]) -> None:
    """Arguments in another encoding than the system's hold halves of characters, which no collection can
    store.
    """
    for argument in arguments:
        if not argument.isascii() and any("\ud800" <= character <= "\udfff" for character in argument):
            shown = os.fsencode(argument).decode(errors="replace")
            encoding = sys.getfilesystemencoding().upper()
            raise WrongUse(f"{shown!r} is no text in {encoding}, the encoding of this system; write it so")


def _run(command: str) -> int:
    """Run the command that the arguments ask for; gives its exit code."""
    exit_code = 0
    try:
        build_app(command)(prog_name="bizcrawl")
    except SystemExit as ended:
        exit_code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    with until_nobody_reads():
        sys.stdout.flush()
    return exit_code


def _interrupted(_signal: int, _frame: object) -> None:
    """Ctrl-C, SIGTERM or a closed terminal before a crawl has begun, after it, or in a command that has
    nothing to finish: what is half written is cleared away.
    """
    raise SystemExit(Interrupted.exit_code)
