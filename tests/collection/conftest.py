"""Collections to test with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from collection_samples import NOON, TOPIC, MakePage, links_to

from bizcrawl.collection.rows import CrawlRow, PageRow, StoredPage
from bizcrawl.collection.writer import Collection


@pytest.fixture
def make_page() -> MakePage:
    """A page by URL, with as many links as asked for."""

    def make(url: str, links: int = 3, tree: bytes = b"tree", **facts: object) -> StoredPage:
        usual = {"final_url": url, "title": f"Title of {url}", "text": "diaphragm pumps"}
        row = PageRow(url, fetched_at=NOON, **{**usual, **facts})  # type: ignore[arg-type]
        found = links_to([f"https://other{n}.example/" for n in range(links)])
        return StoredPage(row, found, tree)

    return make


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the collection of a test lies."""
    return tmp_path / "harvest.duckdb"


@pytest.fixture
def collection(path: Path) -> Iterator[Collection]:
    """A new collection with a crawl begun."""
    with Collection.create(path, now=lambda: NOON) as opened:
        opened.begin_crawl(CrawlRow("crawl", TOPIC, "breadth_first", random_seed=7))
        yield opened
