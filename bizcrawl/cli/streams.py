"""Standard output and standard error that are closed, full, or whose reader goes away (``| head``).

Nobody who reads is no fault: the command finishes what it has to, such as writing down what a crawl has
learned. A disk that is full is one, told in one line; where that of standard error is, nobody could be told,
and the work goes on.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from rich.console import Console
from rich.table import Table
from typer.core import TyperGroup

from bizcrawl.endings import ENDINGS

_PROCESS = os.getpid()
_OF_MATPLOTLIB = "MPLCONFIGDIR"
"""Matplotlib sets it when it makes a folder of its own."""
_GIVEN = os.environ.get(_OF_MATPLOTLIB)


class Screen(Console):
    """A console on standard output that leaves it to the command what it does when nobody reads any more.

    Tables fold what is too wide: a URL or a command that was cut would be of no use.
    """

    def __init__(self) -> None:
        """An environment that says COLUMNS=0 does not know the width, and nothing at all would be shown."""
        super().__init__(width=80 if os.environ.get("COLUMNS") == "0" else None)

    def print(self, *objects: Any, **more: Any) -> None:
        """As any console does."""
        for table in objects:
            if isinstance(table, Table):
                for column in table.columns:
                    column.overflow = "fold"
        super().print(*objects, **more)

    def on_broken_pipe(self) -> None:
        """Raises `BrokenPipeError` instead of ending the process."""
        raise BrokenPipeError


class Commands(TyperGroup):
    """Commands whose reader may go away: without this they would end with exit code 1 and no word."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        with until_nobody_reads():
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result


@contextmanager
def until_nobody_reads() -> Iterator[None]:
    """Write to standard output as long as somebody reads it; then go on behind the block, silently."""
    try:
        yield
    except BrokenPipeError:
        leave_standard_output()


def open_closed_ones() -> None:
    """Put the null device where a standard stream is closed (``>&-``).

    A collection would else get the number of the stream, and be written over by whoever prints.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free, which is this one
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - open until the end
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - open until the end


class _Unheard(io.FileIO):
    """Standard error. What can't be written there is let go."""

    def write(self, text: Any, /) -> int:
        """As any file does."""
        try:
            return super().write(text)
        except OSError:
            return len(text)


def go_on_unheard() -> None:
    """Let no command end because nobody reads standard error any more (``2>&1 | head``), or its disk is full:
    a crawl would stop at a line of progress.
    """
    if (own := sys.__stderr__) is not None and sys.stderr is own:
        raw = io.BufferedWriter(_Unheard(2, "w", closefd=False))
        sys.stderr = io.TextIOWrapper(raw, encoding=own.encoding, line_buffering=True)


def leave_standard_output() -> None:
    """Let what is written from now on, and what is left in buffers, go nowhere."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


def end_at_once(exit_code: int) -> NoReturn:
    """End the process when all has been said and done.

    The interpreter would first clear away every object that there is, which takes a fifth of a short command,
    and die of a Ctrl-C meanwhile.
    """
    for number in ENDINGS:
        signal.signal(number, signal.SIG_IGN)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    clear_away_folders()
    os._exit(exit_code)


def clear_away_folders() -> None:
    """Remove the folders that libraries remove at the interpreter's own end alone: one in which the standard
    library keeps the sockets of processes that it has started, and one that matplotlib makes where it can't
    write to the home folder. No process can be started afterwards. A fork leaves them to the process that it
    comes from.
    """
    if os.getpid() != _PROCESS:
        return
    if used := sys.modules.get("multiprocessing.util"):
        with suppress(OSError):
            shutil.rmtree(used.get_temp_dir())
    if (made := os.environ.get(_OF_MATPLOTLIB)) and made != _GIVEN:
        shutil.rmtree(made, ignore_errors=True)
