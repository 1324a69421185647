"""docs/collection.md can't rot: its queries run, and every table and view stands in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from collection_samples import TOPIC, MakePage, visit

from bizcrawl.collection import schema
from bizcrawl.collection.reader import Reader
from bizcrawl.collection.rows import Batch, CallRow, CompanyRow, CrawlRow, DecisionRow, EvidenceRow, HostRow
from bizcrawl.collection.views import VIEW_NAMES
from bizcrawl.collection.writer import Collection
from bizcrawl.reasons import Reason

TEXT = (Path(__file__).parents[2] / "docs" / "collection.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", TEXT, re.DOTALL)

MAY_BE_EMPTY = {"WHERE pages % 100 = 0"}
"""Examples that a crawl of few pages gives no rows for."""


@pytest.fixture
def reader(path: Path, make_page: MakePage) -> Reader:
    """A small collection with something in every table."""
    with Collection.create(path) as collection:
        collection.begin_crawl(CrawlRow("crawl", TOPIC, "breadth-first"))
        pages = [
            make_page("https://hub.example/", hub_score=1.0, similarity=0.5, relevant=True),
            make_page("https://seed.example/", similarity=0.4, body_hash=b"2", sketch=5),
            make_page("https://seed.example/index.html", body_hash=b"2", sketch=5, robots_tags=["noindex"]),
            make_page("https://seed.example/today", body_hash=b"3", sketch=7),
        ]
        calls = [
            CallRow("start"),
            CallRow("next", n=2, given=("https://hub.example/",)),
            visit("https://hub.example/"),
        ]
        decisions = [DecisionRow("https://x.example/", Reason.ROBOTS, detail="closed")]
        hosts = [HostRow("x.example", robots="closed")]
        collection.submit(Batch(pages, calls, decisions, hosts)).result()
        collection.end_crawl("page budget used")
        collection.replace_companies(
            [
                CompanyRow("other0.example", "Other", rank=1, score=0.9),
                CompanyRow("other1.example", "Seed", is_seed=True),
            ],
            [EvidenceRow("other0.example", "listed", 0.9)],
        )
    return Reader(path)


@pytest.mark.parametrize("query", QUERIES)
def test_the_example_runs_and_finds_something(reader: Reader, query: str) -> None:
    rows = reader.rows(query)
    assert rows or any(part in query for part in MAY_BE_EMPTY)


def test_every_table_and_view_has_an_example() -> None:
    for name in (*schema.TABLE_NAMES, *VIEW_NAMES):
        assert f"`{name}`:" in TEXT, f"{name} is not explained"
        assert any(re.search(rf"\b{name}\b", query) for query in QUERIES), f"{name} has no example"


def test_every_reason_is_explained() -> None:
    first_column = " ".join(re.findall(r"^\| (`[^|]+) \|", TEXT, re.MULTILINE))
    assert {str(reason) for reason in Reason} == set(re.findall(r"`(\w+)`", first_column))


def test_every_table_and_view_of_the_file_is_known_to_the_schema(reader: Reader) -> None:
    found = {str(name) for (name,) in reader.rows("SELECT name FROM (SHOW TABLES)")}
    assert found == {*schema.TABLE_NAMES, *VIEW_NAMES}
