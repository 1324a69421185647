"""What pages ask of robots, that they are copies, and what a full frontier let go of is recorded and told."""

from __future__ import annotations

import asyncio
import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from crawling_samples import CommandLine

from bizcrawl.collection.link_columns import links_table
from bizcrawl.collection.reader import Reader
from bizcrawl.collection.rows import PageLinks, PageRow, StoredPage
from bizcrawl.collection.status import status_of
from bizcrawl.collection.writer import Collection
from bizcrawl.harvest import Body, tidied
from bizcrawl.plan import Plan
from bizcrawl.robots.tags import FOLLOWS_ALL
from bizcrawl.run import crawl_row, run
from bizcrawl.tally import Budget
from bizcrawl.topic import Topic
from bizcrawl.web import Failure, Request, Response

SEED = "http://seed.example/"
WORDS = " ".join(random.Random(0).choices([f"pump{n}" for n in range(300)], k=300))
PAGES = {
    "index.html": f"<title>Copied</title><p>{WORDS}",
    "home": f"<title>Copied</title><p>{WORDS}",
    "today": f"<title>Copied today</title><p>{WORDS}",
    "asks": "<title>Asks</title><meta name=robots content='NOINDEX, follow'><p>One",
    "forbids": "<title>Forbids</title><meta name=Robots content=none><a href=/deeper>Deeper</a>",
    "by-field": "<title>Field</title><a href=/deeper>Deeper</a>",
}
FIELDS = {"by-field": "nofollow, otherbot: noindex"}


class Telling:
    """A seed that links to a few pages of its host, some of them with an X-Robots-Tag."""

    async def fetch(self, request: Request) -> Response | Failure:
        name = request.url.removeprefix(SEED)
        links = "".join(f"<p><a href=/{page}>{page}</a>" for page in PAGES)
        fields = {"content-type": "text/html", "x-robots-tag": FIELDS.get(name, "")}
        body = PAGES.get(name, f"<title>{name}</title>{links}" if not name else f"<title>{name}</title>")
        return Response(request.url, 200, fields, body.encode(), datetime(2026, 11, 28, tzinfo=UTC))

    async def close(self) -> None:
        pass


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    return crawl(tmp_path / "c.duckdb")


def crawl(path: Path, **options: Any) -> Path:
    plan = Plan(
        "crawl", Topic("t", (SEED,), "pumps"), Budget(20), web="paper", strategy="breadth-first",
        connections=1, workers=0, robots=False, **options,
    )  # fmt: skip
    with Collection.create(path) as collection:
        collection.begin_crawl(crawl_row(plan))
        asyncio.run(run(plan, collection, Telling()))
        collection.end_crawl("nothing left to visit")
    return path


def test_what_pages_and_fields_ask_of_robots_is_recorded_although_it_is_not_kept(crawled: Path) -> None:
    asked = Reader(crawled).rows("SELECT url, robots_tags FROM pages WHERE robots_tags <> [] ORDER BY page")
    assert asked == [
        (f"{SEED}asks", ["follow", "noindex"]),
        (f"{SEED}forbids", ["nofollow", "noindex", "none"]),
        (f"{SEED}by-field", ["nofollow"]),
    ]
    assert Reader(crawled).rows("SELECT count(*) FROM pages WHERE robots_tags IS NULL") == [(0,)]
    assert Reader(crawled).rows(f"SELECT count(*) FROM pages WHERE url = '{SEED}deeper'") == [(1,)]


@pytest.mark.parametrize(("user_agent", "goes_deeper"), [("", 1), ("Acme-Bot/2.1 (+http://a.example)", 0)])
def test_a_page_can_speak_to_one_robot_by_the_name_that_it_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user_agent: str, goes_deeper: int
) -> None:
    named = "<title>Named</title><meta name=ACME-bot content=nofollow><a href=/deeper>Deeper</a>"
    monkeypatch.setattr(f"{__name__}.PAGES", {"named": named})
    path = crawl(tmp_path / "named.duckdb", nofollow=True, user_agent=user_agent)
    assert Reader(path).rows(f"SELECT count(*) FROM pages WHERE url = '{SEED}deeper'") == [(goes_deeper,)]
    asked = Reader(path).rows(f"SELECT robots_tags FROM pages WHERE url = '{SEED}named'")
    assert asked == [([] if goes_deeper else ["nofollow"],)]


def test_the_same_content_under_another_url_is_stored_and_reported(crawled: Path) -> None:
    rows = Reader(crawled).rows("SELECT url, pages, copies FROM duplicates")
    assert rows == [(f"{SEED}index.html", 2, [f"{SEED}home"])]
    assert status_of(crawled).duplicates == 1


def test_nearly_the_same_text_is_reported(crawled: Path) -> None:
    ((url, like_url, bits),) = Reader(crawled).rows("SELECT url, like_url, bits FROM near_duplicates")
    assert (url, like_url) == (f"{SEED}today", f"{SEED}index.html")
    assert bits <= 6


def test_what_a_full_frontier_let_go_of_is_told_as_long_as_the_collection_is_there(
    tmp_path: Path, bizcrawl: CommandLine
) -> None:
    path = tmp_path / "c.duckdb"
    done = bizcrawl(
        "crawl", "http://roastwell.example/", "--web", "demo", "--strategy", "breadth-first",
        "--set", "max_frontier=5", "--pages", 20, "--keywords", "coffee", "--to", path,
    )  # fmt: skip
    ((times,),) = Reader(path).rows("SELECT times FROM turned_away WHERE reason = 'frontier_full'")
    assert times > 0
    assert f"frontier full {times}" in done.stderr
    assert json.loads(bizcrawl("status", path).stdout)["turned_away"]["frontier_full"] == times


def test_links_that_lead_nowhere_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = "http://no where.example/"
    page = f"<a href='{nowhere}'>x</a><a href='{SEED}{'y' * 2048}'>y</a><a href='mailto:a@b.example'>z</a>"
    monkeypatch.setattr(f"{__name__}.PAGES", {"bad": page})
    path = crawl(tmp_path / "c.duckdb")
    assert status_of(path).turned_away == {"bad_url": 2}
    told = Reader(path).rows("SELECT url, parent FROM decisions ORDER BY length(url)")
    assert told[0] == (nowhere, f"{SEED}bad")
    assert Reader(path).rows("SELECT sum(failures) FROM hosts") == [(0,)], "no host failed"


def test_a_predicate_tried_on_a_stored_page_sees_the_answer_too(bizcrawl: CommandLine, crawled: Path) -> None:
    asked = (
        "context",
        "--in",
        crawled,
        f"{SEED}asks",
        "--predicate",
        "status = 200 AND depth = 1 AND bytes > 9",
    )
    assert json.loads(bizcrawl(*asked).stdout)["predicate"]["holds"]


def test_a_stored_page_is_found_however_its_address_is_typed(bizcrawl: CommandLine, crawled: Path) -> None:
    for typed in (SEED.rstrip("/"), f"{SEED.upper()}#top", "1"):
        assert json.loads(bizcrawl("context", "--in", crawled, typed).stdout)["url"] == SEED


@pytest.mark.parametrize(
    ("aggregation", "kept"),
    [
        ("parent", [("We make pumps for", 3), ("Bakeries buy ovens", 8)]),
        ("window:1", [("make pump bakeri", -1), ("bakeri bui oven", -1)]),
        ("window:9999", [("make pump bakeri bui oven", -1)] * 2),
    ],
)
def test_the_context_that_a_score_came_from_is_kept(aggregation: str, kept: list[tuple[str, int]]) -> None:
    """A text where it is below one node, and otherwise its terms."""
    html = "<p>We make <a href=/a>pumps</a> for</p><p>Bakeries <a href=/b>buy</a> ovens</p>"
    body = Body(SEED, SEED, html.encode(), "text/html", truncated=False, nofollow=False)
    made = tidied(body, "auto", aggregation, FOLLOWS_ALL)
    row = PageRow(SEED, SEED, datetime(2026, 11, 28, tzinfo=UTC))
    page = StoredPage(row, PageLinks(made.stored_links, [0, 0], [{}, {}], ["", ""]), b"")
    found = links_table([page], 1, 1)
    assert list(zip(*found.select(["context", "aggregation_node"]).to_pydict().values(), strict=True)) == kept
