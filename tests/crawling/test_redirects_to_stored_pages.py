"""A redirect to a page that the crawl has costs no second request for that page, in any sitting, nor does a
link with other campaign parameters.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
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


def test_campaign_parameters_make_no_other_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each directory links to a company with a utm_source of its own, and each was a page of the budget."""
    found_by = [f"{PAGE}?utm_source=directory-{n}&utm_medium=link" for n in range(4)]
    shop = f"{PAGE}?id=7"
    links = [found_by[0], found_by[1], PAGE, found_by[2], "http://out.example/7", f"{shop}&gclid=x", shop]
    web = {
        SEED: page_with(*links, text="pumps"),
        **dict.fromkeys((PAGE, *found_by, shop, f"{shop}&gclid=x"), page_with(text="diaphragm pumps")),
        "http://out.example/7": (301, found_by[3]),
    }
    monkeypatch.setattr(f"{__name__}.WEB", web)
    once, ended = crawled(tmp_path / "once.duckdb", 10)
    fetched = [found_by[0], PAGE, "http://out.example/7", f"{shop}&gclid=x", shop]
    assert once.asked == [SEED, *fetched], "a URL without them is asked for whatever was met before"
    seen = "SELECT url, detail FROM decisions WHERE reason = 'seen_as_other_url' ORDER BY url"
    assert Reader(tmp_path / "once.duckdb").rows(seen) == [
        (found_by[1], PAGE),
        (found_by[2], PAGE),
        ("http://out.example/7", found_by[3]),
    ]
    again, ended_again = crawled(tmp_path / "twice.duckdb", 2, 10)
    assert (again.asked, ended_again) == (once.asked, ended)


def test_a_page_that_gives_itself_campaign_parameters_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tagged = [f"{PAGE}?utm_source=hub", f"{PAGE}?utm_source=direct"]
    web = {
        SEED: page_with(tagged[0], PAGE, text="pumps"),
        PAGE: (302, tagged[1]),
        **dict.fromkeys(tagged, page_with(text="diaphragm pumps")),
    }
    monkeypatch.setattr(f"{__name__}.WEB", web)
    _, ended = crawled(tmp_path / "c.duckdb", 10)
    assert ended[-1] == ("visit", PAGE, None)
