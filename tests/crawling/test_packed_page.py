"""A page is the same after its way from one process to another."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bizcrawl.page import TidiedPage
from contexts.links import links
from contexts.stored import to_bytes
from contexts.tidy import tidy
from contexts.vectors import Query

URL = "http://maker.example/list"
LISTED = (
    "<html lang=de><title>Makers</title><ul>"
    "<li><a href='/one' rel='nofollow noopener'>One\n Works</a> pumps für Brauereien"
    "<li><a href='http://two.example/\nx'><img alt='Two\n Ltd'></a>"
    "<li><a href='http://two.example/'></a></ul>"
)
PARTS = [
    "<a href='http://h{}.example/{}'>",
    "</a>",
    "<p>",
    "pumps",
    " ",
    "日本",
    "<img alt='a\tb\u2028c'>",
    "<li>",
]


def page_of(html: str) -> TidiedPage:
    tree = tidy(html)
    return TidiedPage(URL, URL, links(tree, URL), tree)


def assert_same(page: TidiedPage, other: TidiedPage) -> None:
    assert (page.url, page.final_url) == (other.url, other.final_url)
    assert page.links == other.links
    assert page.link_hosts == other.link_hosts
    assert to_bytes(page.tree) == to_bytes(other.tree)
    assert dict(page.tree.attributes) == dict(other.tree.attributes)


@pytest.mark.parametrize(
    "html", [LISTED, "", "<p>no link", "<a href='http://[/'>broken</a>", "<a href='/x'></a>"]
)
def test_a_page_travels_unchanged(html: str) -> None:
    page = page_of(html)
    assert_same(page, pickle.loads(pickle.dumps(page)))


@settings(max_examples=100)
@given(st.lists(st.sampled_from(PARTS), max_size=30))
def test_any_page_travels_unchanged_and_twice(parts: list[str]) -> None:
    page = page_of("".join(part.format(i % 3, i) for i, part in enumerate(parts)))
    once = pickle.loads(pickle.dumps(page))
    assert_same(page, once)
    assert_same(page, pickle.loads(pickle.dumps(once)))


def test_attributes_are_there_when_asked_for() -> None:
    attributes = pickle.loads(pickle.dumps(page_of(LISTED))).tree.attributes
    assert attributes[0] == {"lang": "de"}
    assert attributes.get(10_000) is None
    assert len(attributes) == len(list(attributes))


def test_contexts_are_found_in_a_page_that_travelled() -> None:
    page = page_of(LISTED)
    again = pickle.loads(pickle.dumps(page))
    query = Query.from_text("pumps works")
    np.testing.assert_array_equal(
        page.context_similarities(query, "block"), again.context_similarities(query, "block")
    )
