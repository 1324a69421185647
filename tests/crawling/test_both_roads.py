"""One page in 500 takes both roads to the tag tree, and a difference is kept and told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bizcrawl import harvest
from bizcrawl.collection.status import status_of
from bizcrawl.collection.writer import Collection
from bizcrawl.harvest import Body, tidied
from bizcrawl.plan import Plan
from bizcrawl.robots.tags import FOLLOWS_ALL
from bizcrawl.run import crawl_row, run
from bizcrawl.tally import Budget
from bizcrawl.topic import Topic
from testbed.demo import DemoWeb

PAGE = b"<title>t</title><p>pumps <a href='/x'>x</a>"


def made() -> harvest.Tidied:
    url = "http://a.example/"
    return tidied(
        Body(url, url, PAGE, "text/html", truncated=False, nofollow=False), "auto", "parent", FOLLOWS_ALL
    )


def test_most_pages_take_one_road_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harvest, "BOTH_ROADS_EVERY", 2**64)
    assert made().difference is None


def test_a_page_that_takes_both_roads_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harvest, "BOTH_ROADS_EVERY", 1)
    assert made().difference == ""
    monkeypatch.setattr(harvest, "difference", lambda _a, _b: "tags at html/body")
    assert made().difference == "tags at html/body"


def test_differences_stand_in_the_collection_and_in_its_status(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(harvest, "BOTH_ROADS_EVERY", 1)
    monkeypatch.setattr(harvest, "difference", lambda _a, b: "text" if "roast" in b.text.lower() else "")
    topic = Topic("coffee", ("https://roastwell.example/",), "coffee roasters")
    plan = Plan("crawl", topic, Budget(20), web="demo", connections=1)
    path = tmp_path / "h.duckdb"
    with Collection.create(path) as collection:
        collection.begin_crawl(crawl_row(plan))
        asyncio.run(run(plan, collection, DemoWeb()))
        rows = collection.transact(lambda con: con.execute("FROM tidy_differences").fetchall())
    status = status_of(path)
    assert status.tidied_both_ways > 0
    assert status.tidy_differences == len(rows) > 0
