"""Word lists with their sources. A line that starts with # is a comment; the first ones say where a list is
from."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def lines(name: str) -> tuple[str, ...]:
    """The lines of a list that are no comments and not empty."""
    text = files(__name__).joinpath(name).read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line.strip() and not line.startswith("#"))
