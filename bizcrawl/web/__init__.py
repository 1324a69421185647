"""The Web as the crawl sees it: one request in, one response or one named failure out.

`Web` is a seam: live HTTP, a real browser, a recorded web and the demo web stand behind it. A fetch is a
single hop; redirects come back as responses, so that scope, robots.txt and safety are asked again before
the next hop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from bizcrawl.reasons import Reason

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
"""Statuses that send their visitor elsewhere."""


@dataclass(frozen=True, slots=True)
class Request:
    """One hop. `headers` are those that the crawl adds for this request alone (conditional requests)."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    max_body_bytes: int | None = None
    """Overrides the web's own cap, for robots.txt."""


@dataclass(frozen=True, slots=True)
class Response:
    """What came back from one hop, whatever its status."""

    url: str
    status: int
    headers: Mapping[str, str]
    """Names in lower case; repeated headers joined by ", "."""
    body: bytes
    """Content and transfer encodings undone, cut to the cap."""
    fetched_at: datetime
    """UTC."""
    elapsed_s: float = 0.0
    wire_bytes: int = 0
    """Bytes of body as sent."""
    truncated: bool = False
    """The cap cut the body, or it ended before its announced length."""
    address: str = ""
    """IP address that answered."""
    rendered: bool = False
    """The body is what a browser made of the page."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A fetch that brought no response."""

    url: str
    reason: Reason
    detail: str = ""
    """One line for a person."""


class Web(Protocol):
    """Where pages come from."""

    async def fetch(self, request: Request) -> Response | Failure:
        """Make one hop. Never raises for anything a server or a record does."""
        ...

    async def close(self) -> None:
        """Let go of connections and files."""
        ...
