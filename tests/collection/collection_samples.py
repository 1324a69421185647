"""Values that several tests of the collection use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from bizcrawl.collection.link_columns import pack
from bizcrawl.collection.rows import CallRow, PageLinks, StoredPage
from bizcrawl.topic import Topic
from contexts.links import Link

NOON = datetime(2026, 11, 28, 12, 0, 0)  # noqa: DTZ001 - stored without zone
TOPIC = Topic("pumps", ("https://seed.example/",), "diaphragm pumps", hubs=("https://hub.example/",))

MakePage = Callable[..., StoredPage]


def visit(url: str) -> CallRow:
    """The call that belongs to a page."""
    return CallRow("visit", url)


def links_to(
    urls: Sequence[str],
    anchor: str = "anchor",
    context: str = "",
    path: str = "html/body/a",
    parts: Mapping[str, float] | None = None,
) -> PageLinks:
    """Links of a page; the n-th scores n/10."""
    links = [Link(url, n + 2, n, anchor, "a", "") for n, url in enumerate(urls)]
    n = len(links)
    return PageLinks(
        pack(links, [context] * n, [1] * n, [path] * n),
        scores=[i / 10 for i in range(n)],
        parts=[parts or {"page": 0.1, "context": 0.2}] * n,
        fates=["queued"] * n,
    )
