"""What commands say to a person on stderr. Knows nothing of crawls: commands that only read start without
them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from bizcrawl.errors import Interrupted, is_ctrl_c
from bizcrawl.plaintext import terminal_lines


def say(text: str) -> None:
    """A line or several for a person, on stderr. What strangers wrote may stand in it."""
    print(terminal_lines(text), file=sys.stderr)  # noqa: T201 - stderr is the place for it


def explained(name: str) -> str:
    """The name of a reason, fault or outcome as a person reads it."""
    return name.replace("_", " ")


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 hub", "1,200 hubs"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def go_on(path: Path) -> str:
    """The command that goes on with the crawl of a collection, as a shell takes it."""
    return f"bizcrawl resume {shlex.quote(str(path))}"


def interrupted(path: Path) -> str:
    """What an interrupted crawl says of how to go on."""
    return f"interrupted; go on with: {go_on(path)}"


@contextmanager
def on_ctrl_c(message: str) -> Iterator[None]:
    """Ctrl-C in this block ends the command with a message that says how to go on."""
    try:
        yield
    except BaseException as fault:
        if is_ctrl_c(fault):
            raise Interrupted(message) from None
        raise


def resumable(path: Path) -> AbstractContextManager[None]:
    """The same where a crawl is in the collection."""
    return on_ctrl_c(interrupted(path))
