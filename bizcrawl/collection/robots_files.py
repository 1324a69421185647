"""What the robots.txt files of hosts said, as rows of the collection."""

from __future__ import annotations

from collections.abc import Sequence

from bizcrawl.collection.rows import HostRow
from bizcrawl.robots.rules import Robots, RobotsFile
from bizcrawl.urls import host_of


def host_rows(robots: Robots | None) -> Sequence[HostRow]:
    """A row for each file that was fetched since the last time; none if none is asked for."""
    if robots is None:
        return ()
    return [
        HostRow(
            host_of(f"{file.origin}/"),
            robots=_robots_state(file),
            delay_s=robots.delay_s(f"{file.origin}/"),
            last_failure=file.detail,
        )
        for file in robots.drain()
    ]


def _robots_state(file: RobotsFile) -> str:
    if file.status is None:
        return "unreachable"
    if file.status >= 500 or file.status == 429:
        return "closed"
    return "rules" if file.status < 300 and file.body.strip() else "open"
