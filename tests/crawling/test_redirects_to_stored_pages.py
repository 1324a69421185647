"""A redirect to a page that the crawl has costs no second request for that page, in any sitting."""

from __future__ import annotations

import asyncio
from pathlib import Path

from crawling_samples import PaperWeb, page_with

from bizcrawl.collection.reader import Reader
from bizcrawl.collection.resume import read_resumption
from bizcrawl.collection.writer import Collection
from bizcrawl.plan import Plan
from bizcrawl.run import crawl_row, run
from bizcrawl.tally import Budget
from bizcrawl.topic import Topic

SEED = "http://seed.example/"
PAGE = "http://a.example/"
MOVED = ["http://www.a.example/", "http://a.example/index", "http://a.example/home"]
WEB = {
    SEED: page_with(PAGE, *MOVED, text="pumps"),
    PAGE: page_with(text="diaphragm pumps"),
    **dict.fromkeys(MOVED[:2], (301, PAGE)),
    MOVED[2]: (301, MOVED[1]),
}


def crawled(path: Path, *budgets: int) -> tuple[PaperWeb, list[tuple[object, ...]]]:
    """Crawl the web, a sitting for each budget of pages; what was asked, and the pages and failures."""
    web = PaperWeb(WEB)
    for sitting, pages in enumerate(budgets):
        plan = Plan(
            "crawl", Topic("t", (SEED,), "pumps"), Budget(pages), web="paper", strategy="breadth-first",
            connections=1, workers=0, robots=False,
        )  # fmt: skip
        with Collection.create(path) if sitting == 0 else Collection.open(path) as collection:
            resumption = None
            if sitting == 0:
                collection.begin_crawl(crawl_row(plan))
            else:
                with collection.cursor() as con:
                    resumption = read_resumption(con)
                collection.continue_crawl(resumption.crawl)
            asyncio.run(run(plan, collection, web, resumption=resumption))
    ended = "SELECT kind, url, reason FROM calls WHERE kind IN ('visit', 'fail') ORDER BY call"
    return web, Reader(path).rows(ended)


def test_the_page_is_fetched_once_and_the_redirects_count_as_seen(tmp_path: Path) -> None:
    web, ended = crawled(tmp_path / "c.duckdb", 10)
    assert web.asked == [SEED, PAGE, *MOVED, MOVED[1]]
    assert ended == [
        ("visit", SEED, None),
        ("visit", PAGE, None),
        *(("fail", url, "seen_as_other_url") for url in MOVED),
    ]


def test_a_resumed_crawl_knows_the_pages_of_its_earlier_sittings(tmp_path: Path) -> None:
    web, ended = crawled(tmp_path / "once.duckdb", 10)
    again, ended_again = crawled(tmp_path / "twice.duckdb", 2, 10)
    assert ended_again == ended
    assert again.asked == web.asked
