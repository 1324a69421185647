"""What is kept of a page's links is in proportion to the page, however its elements stand in each other."""

from __future__ import annotations

import tracemalloc

import pytest

from bizcrawl.harvest import Body, tidied
from bizcrawl.robots.tags import FOLLOWS_ALL
from bizcrawl.strategies.apprenticeship.signs import Known, sighting_of
from contexts.links import MAX_ANCHOR_CHARS, MAX_URLS_CHARS, links
from contexts.tidy import tidy
from contexts.vectors import Query

HERE = "http://a.example/"
QUERY = Query.from_text("pumps")
MAX_GROWTH = 300
"""Bytes for each of the page, in the process that tidies. Of nothing but short links it takes a hundred."""
LINKS = "".join(f"<a href=/{n}>x</a>" for n in range(4_000))
PAGES = {
    "links in links": "<svg>" + "<a href=/x>" * 2_000 + "word " * 20_000,
    "images in links": "<svg>" + "<a href=/x>" * 1_000 + "<foreignObject>" + "<img alt='a b'>" * 5_000,
    "an alt in links": "<svg>" + "<a href=/x>" * 1_000 + f"<foreignObject><img alt='{'a' * 50_000}'>",
    "deep links": "<div>" * 4_000 + LINKS,
    "a long name": f"<{'a' * 100_000}>" + LINKS,
    "a long base": f"<base href=/{'b' * 2_000}/>" + "".join(f"<a href={n}>" for n in range(40_000)),
    "a long name in a drawing": f"<svg><{'a' * 100_000}>" + LINKS,
}


@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES)
def test_links_take_memory_in_proportion_to_the_page(html: str) -> None:
    """960 kB of links in links, with one text in them, became 3.6 GB."""
    body = Body(HERE, HERE, html.encode(), None, truncated=False, nofollow=False)
    tracemalloc.start()
    try:
        page = tidied(body, "auto", "parent", FOLLOWS_ALL).page
        sighting_of(page, QUERY, QUERY, Known(frozenset(), {}, {}), 1)
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert page.links
    assert max(len(link.anchor) for link in page.links) <= MAX_ANCHOR_CHARS
    assert most_bytes < MAX_GROWTH * len(html)


def test_urls_beyond_what_a_page_may_have_are_counted() -> None:
    page = tidy(PAGES["a long base"])
    spoilt: list[str] = []
    found = links(page, HERE, spoilt)
    assert sum(len(link.url) for link in found) <= MAX_URLS_CHARS
    assert len(found) + len(spoilt) == 40_000
