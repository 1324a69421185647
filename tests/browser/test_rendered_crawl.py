"""A crawl with ``--render`` ends with what the browser was asked for, and why."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bizcrawl.collection.writer import Collection
from bizcrawl.plan import Plan
from bizcrawl.run import Ended, crawl_row, run
from bizcrawl.tally import Budget
from bizcrawl.topic import Topic
from bizcrawl.web import Failure, Request, Response

pytestmark = pytest.mark.browser
SHELL = b"<div id=root></div><script>root.innerHTML = '<a href=http://other.example/>made</a>'</script>"


class OneShell:
    """A web of one page that is nothing without its script."""

    async def fetch(self, request: Request) -> Response | Failure:
        return Response(
            request.url, 200, {"content-type": "text/html"}, SHELL, datetime(2026, 11, 28, tzinfo=UTC)
        )

    async def close(self) -> None:
        pass


def crawled(path: Path, render: str) -> Ended:
    plan = Plan(
        "crawl", Topic("t", ("http://shop.example/",), "pumps"), Budget(1), web="paper", render=render,
        strategy="breadth-first", connections=1, workers=0, robots=False,
    )  # fmt: skip
    with Collection.create(path) as collection:
        collection.begin_crawl(crawl_row(plan))
        return asyncio.run(run(plan, collection, OneShell()))


def test_the_signs_are_counted_where_a_sign_decides(tmp_path: Path) -> None:
    ended = crawled(tmp_path / "auto.duckdb", "auto")
    assert ended.in_browser.outcomes == {"rendered": 1}
    assert ended.in_browser.signs == {"empty_mount": 1}


def test_where_every_page_is_rendered_there_is_no_reason_to_tell(tmp_path: Path) -> None:
    ended = crawled(tmp_path / "always.duckdb", "always")
    assert ended.in_browser.outcomes == {"rendered": 1}
    assert ended.in_browser.signs == {}
