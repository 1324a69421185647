"""Values that several tests of the collection use."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from bizcrawl.collection.rows import CallRow, StoredPage
from bizcrawl.topic import Topic

NOON = datetime(2026, 11, 28, 12, 0, 0)  # noqa: DTZ001 - stored without zone
TOPIC = Topic("pumps", ("https://seed.example/",), "diaphragm pumps", hubs=("https://hub.example/",))

MakePage = Callable[..., StoredPage]


def visit(url: str) -> CallRow:
    """The call that belongs to a page."""
    return CallRow("visit", url)
