"""What commands say to a person on stderr. Knows nothing of crawls: commands that only read start without
them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bizcrawl.errors import Interrupted


def say(text: str) -> None:
    """A line for a person, on stderr."""
    print(text, file=sys.stderr)  # noqa: T201 - stderr is the place for it


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
def resumable(path: Path) -> Iterator[None]:
    """Ctrl-C in this block, which stands where a crawl is in the collection, says how to go on."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        raise Interrupted(interrupted(path)) from None
