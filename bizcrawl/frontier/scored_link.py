"""What waits in the frontier, and what may keep it waiting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol


class ScoredLink(NamedTuple):
    """A URL of the frontier, with its score taken apart. A page has a hundred, so they are named tuples."""

    url: str
    score: float
    depth: int = 0
    """Links followed from a seed."""
    parent: str = ""
    """URL of the page on which the link with this score stood; "" for a seed."""
    parts: Mapping[str, float] = {}
    """What the score was made from, by name: page, context, hub, …"""


class Gate(Protocol):
    """When hosts may be asked: all that politeness asks of an ordering."""

    def now_s(self) -> float:
        """Monotonic time."""
        ...

    def wait_s(self, host: str) -> float:
        """Seconds until a host may be asked again; 0 if it may be asked now."""
        ...
