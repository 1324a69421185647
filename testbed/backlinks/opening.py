"""A source of back-links from what a person writes on the command line."""

from __future__ import annotations

import random
from pathlib import Path

from bizcrawl.collection.database_files import is_database
from bizcrawl.errors import WrongUse
from testbed.backlinks import BacklinkError, Backlinks
from testbed.backlinks.collection import CollectionBacklinks
from testbed.backlinks.commoncrawl import CommonCrawlGraph
from testbed.backlinks.linkgraph import LinkGraph, graph_backlinks
from testbed.backlinks.search import SearchService
from testbed.pagegraph_folder import open_graph

SOURCES = (
    "a collection (.duckdb), a recorded web (.warc.gz, .wacz), a folder with Common Crawl's vertices "
    "and edges, or the address of a search service"
)


def open_backlinks(
    source: str,
    rng: random.Random | None = None,
    *,
    across_hosts: bool = True,
    page_cap_bytes: int | None = 100_000,
) -> Backlinks:
    """The source of back-links that a text names: one of `SOURCES`.

    With `rng` a recorded web gives back-links in random order instead of by in-degree (A20); without
    `across_hosts` it gives those from the page's own host too. Raises WrongUse for `rng` with another source.
    """
    made = _opened(source, rng, across_hosts, page_cap_bytes)
    if rng is not None and not isinstance(made, LinkGraph):
        raise WrongUse(f"{source}: back-links in random order come from a recorded web alone")
    return made


def _opened(
    source: str, rng: random.Random | None, across_hosts: bool, page_cap_bytes: int | None
) -> Backlinks:
    if source.startswith(("http://", "https://")):
        return SearchService(source)
    path = Path(source)
    if not path.exists():
        raise BacklinkError(f"{source}: there is no such file; back-links come from {SOURCES}")
    if path.is_dir() and list(path.glob("*vertices*")):
        return CommonCrawlGraph.in_folder(path)
    if is_database(path):
        return CollectionBacklinks(path)
    return graph_backlinks(open_graph(path, page_cap_bytes), rng, across_hosts=across_hosts)
