"""Which pages of a seed's site are read for the words of its business."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from crawling_samples import PaperWeb, harvested

from bizcrawl.discover import MAX_FRAMES, PAGES_READ, pages_of_company, read_seeds
from bizcrawl.page import Page
from bizcrawl.plan import Plan
from bizcrawl.tally import Budget
from bizcrawl.topic import Topic

HOME = "http://a.example/"


async def read(web: Mapping[str, str]) -> list[str]:
    """URLs of the pages that are asked for, in order, where a web has some pages of its own."""
    asked = []

    async def visit(url: str) -> Page | None:
        asked.append(url)
        return harvested(url, web[url]).tidied.page if url in web else None

    pages = await pages_of_company(harvested(HOME, web[HOME]).tidied.page, visit)
    assert [page.url for page in pages] == [HOME, *(url for url in asked if url in web)]
    return asked


def linking(*links: tuple[str, str]) -> str:
    return "".join(f"<p><a href='{href}'>{text}</a></p>" for href, text in links)


async def test_pages_that_tell_what_a_company_does_come_before_its_news() -> None:
    home = linking(("/news", "News"), ("/p", "Products"), ("/imprint", "Imprint"), ("/about", "About us"))
    asked = await read({HOME: home, f"{HOME}p": "Pumps", f"{HOME}about": "We make pumps"})
    assert asked == [f"{HOME}about", f"{HOME}p"]
    assert len(asked) == PAGES_READ - 1


async def test_a_page_that_can_not_be_read_counts_and_no_page_is_asked_for_twice() -> None:
    home = linking(("/about", "About us"), (HOME, "Home"))
    assert await read({HOME: home}) == [f"{HOME}about"]
    assert await read({HOME: "<p>Pumps</p>"}) == []


async def test_frames_belong_to_the_page_and_what_they_link_to_is_read_as_well() -> None:
    frameset = "<frameset>" + "".join(f"<frame src=/{name}>" for name in ("nav", "main", "foot", "x"))
    web = {
        HOME: frameset,
        f"{HOME}nav": linking(("/about", "About us"), ("/p", "Products")),
        f"{HOME}main": "<p>Welcome</p>",
    }
    asked = await read(web)
    assert asked == [f"{HOME}{name}" for name in ("nav", "main", "foot", "about", "p")]
    assert len(asked) == MAX_FRAMES + PAGES_READ - 1


async def test_what_is_a_link_to_another_site_is_not_read_for_this_one() -> None:
    assert await read({HOME: linking(("http://b.example/about", "About us"))}) == []


async def test_another_tenant_of_a_platform_is_another_site() -> None:
    home, other = "http://example.test/~acorn/", "http://example.test/~birch/"
    page = harvested(home, linking((f"{other}about", "About us"), (f"{home}about", "Company"))).tidied.page
    asked = []

    async def visit(url: str) -> None:
        asked.append(url)

    await pages_of_company(page, visit)
    assert asked == [f"{home}about"]


@pytest.mark.parametrize(("nofollow", "words"), [(False, "pumps"), (True, "")])
async def test_links_not_to_be_followed_are_left_alone_where_that_is_obeyed(
    nofollow: bool, words: str
) -> None:
    web = {}
    for name in "ab":
        web[f"http://{name}.example/"] = "<p>Welcome</p><a rel=nofollow href=/about>About us</a>"
        web[f"http://{name}.example/about"] = "<p>Pumps</p>"
    topic = Topic("", ("http://a.example/", "http://b.example/"), "")
    plan = Plan(
        "discover competitors", topic, Budget(pages=9), web="recorded", robots=False, nofollow=nofollow
    )
    paper_web = PaperWeb(web)
    read = await read_seeds(plan, paper_web)
    assert (read.keywords, read.failures) == (words, ())
    assert paper_web.closed
