"""Pages that say "not found" with status 200 are kept, marked, and told."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from bizcrawl.collection.status import status_of
from bizcrawl.collection.writer import Collection
from bizcrawl.harvest import Body, tidied
from bizcrawl.plan import Plan
from bizcrawl.robots.tags import FOLLOWS_ALL
from bizcrawl.run import crawl_row, run
from bizcrawl.tally import Budget
from bizcrawl.topic import Topic
from bizcrawl.web import Failure, Request, Response
from testbed.demo import DemoWeb

URL = "http://a.example/"
SEED = "https://roastwell.example/"


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ("<h1>Page not found</h1>", True),
        ("<title>404 Not Found</title><h1>Oops</h1><p>Try our home page.", True),
        ("<title>Shop</title><h2>Seite nicht gefunden</h2>", True),
        ("<title>404 - File or directory not found.</title><p>The resource might have been removed.", True),
        ("<title>Shop</title><p>Sorry, this page no longer exists.", True),
        ("<title>Oops</title><h1>Oops! That page can&rsquo;t be found.</h1><p>Try a search?", True),
        ("<title>Shop</title><h1>We couldn't find that page</h1>", True),
        ("<title>Shop</title><h1>Can't find the pump you need?</h1><p>Call us.", False),
        (
            "<title>Shop</title><p>This product does not exist in blue. " + "<p>We have it in red. " * 30,
            False,
        ),
        ("<h1>How to fix 'page not found' errors</h1>" + "<p>Eight hundred words about it. " * 200, False),
        ("<title>Pumps</title><h1>Pumps found here</h1>" + "<p>Our catalogue lists parts. " * 30, False),
        ("<p>Our catalogue<script>show('page not found')</script><!-- page not found -->", False),
    ],
)
def test_an_error_page_with_status_200_is_known_by_few_words_that_say_so(body: str, missing: bool) -> None:
    page = Body(URL, URL, body.encode(), "text/html", truncated=False, nofollow=False)
    assert tidied(page, "auto", "parent", FOLLOWS_ALL).soft_404 is missing


@pytest.mark.parametrize(
    "said",
    [
        "Diese Seite existiert leider nicht mehr",
        "La page demandée n’a pas été trouvée",
        "No se encontró la página: esta página no existe",
        "A página que você procura não foi encontrada",
        "Страница, которую вы ищете, не найдена",
        "Такой страницы не существует",
        "Сторінку не знайдено",
        "お探しのページは見つかりませんでした。",
        "ページが存在しません",
        "您访问的页面不存在",
        "抱歉，找不到您要的网页",
        "페이지를 찾을 수 없습니다",
        "الصفحة التي تبحث عنها غير موجودة",
        "הדף המבוקש לא נמצא",
    ],
)
def test_it_may_say_so_in_another_language(said: str) -> None:
    body = f"<meta charset=utf-8><title>X</title><h1>{said}</h1><p>404".encode()
    page = Body(URL, URL, body, "text/html", truncated=False, nofollow=False)
    assert tidied(page, "auto", "parent", FOLLOWS_ALL).soft_404


class WithoutSeed(DemoWeb):
    """The demo web, in which the seed's page has gone without the server's saying so."""

    async def fetch(self, request: Request) -> Response | Failure:
        """See `Web`."""
        found = await super().fetch(request)
        if isinstance(found, Response) and request.url == SEED:
            return replace(found, body=b"<h1>Page not found</h1><a href='/about'>About us</a>")
        return found


def test_it_stands_in_the_collection_and_is_counted_by_status(tmp_path: Path) -> None:
    plan = Plan("crawl", Topic("coffee", (SEED,), "coffee"), Budget(2), web="demo", connections=1)
    path = tmp_path / "h.duckdb"
    with Collection.create(path) as collection:
        collection.begin_crawl(crawl_row(plan))
        asyncio.run(run(plan, collection, WithoutSeed()))
        rows = collection.transact(
            lambda con: con.execute("SELECT url, soft_404 FROM pages ORDER BY page").fetchall()
        )
    assert rows[0] == (SEED, True)
    assert status_of(path).soft_404s == 1
