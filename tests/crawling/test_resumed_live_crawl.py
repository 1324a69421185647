"""What a crawl of the live Web may use holds for all its sittings together."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bizcrawl.collection.reader import Reader
from bizcrawl.collection.resume import read_resumption
from bizcrawl.collection.writer import Collection
from bizcrawl.plan import Plan
from bizcrawl.reasons import Reason
from bizcrawl.run import crawl_row, run
from bizcrawl.tally import Budget, Tally
from bizcrawl.topic import Topic
from bizcrawl.web import Failure, Request, Response

SEED = "https://endless.example/0"


class Endless:
    """A host on which every page leads to the next."""

    async def fetch(self, request: Request) -> Response | Failure:
        number = request.url.rpartition("/")[2]
        is_page = number.isdigit()
        body = (
            f"<p>pump {number} <a href=/{int(number) + 1}>next</a>" if is_page else "User-agent: *\nAllow: /"
        )
        return Response(
            url=request.url,
            status=200,
            headers={"content-type": "text/html" if is_page else "text/plain"},
            body=body.encode(),
            fetched_at=datetime(2026, 11, 28, tzinfo=UTC),
            elapsed_s=0.0,
            wire_bytes=len(body),
        )

    async def close(self) -> None: ...


def test_the_page_budget_of_a_host_does_not_begin_anew_with_a_resume(tmp_path: Path) -> None:
    plan = Plan(
        "crawl",
        Topic("t", (SEED,), "pumps"),
        Budget(pages=4),
        strategy="breadth-first",
        delay_s=0.0,
        pages_per_host=5,
        workers=0,
    )
    path = tmp_path / "c.duckdb"
    with Collection.create(path) as collection:
        collection.begin_crawl(crawl_row(plan))
        asyncio.run(run(plan, collection, Endless()))
        with collection.cursor() as con:
            resumption = read_resumption(con)
        collection.continue_crawl(resumption.crawl)
        longer = plan.with_budget(Budget(pages=100))
        ended = asyncio.run(run(longer, collection, Endless(), resumption=resumption))
    assert ended.tally.pages == 5
    assert ended.tally.turned_away[Reason.HOST_BUDGET] == 1
    assert Reader(path).rows("SELECT count(*) FROM pages") == [(5,)]


def test_what_was_turned_away_before_a_resume_is_told_at_its_end_too(tmp_path: Path) -> None:
    """Links that ask not to be followed and seeds that failed are counted as if there had been no break."""
    dead = "http://dead.example/"
    plan = Plan(
        "crawl",
        Topic("t", (dead, SEED), "pumps"),
        Budget(pages=2),
        strategy="breadth-first",
        delay_s=0.0,
        nofollow=True,
        robots=False,
        connections=1,
        workers=0,
    )

    class Shy(Endless):
        async def fetch(self, request: Request) -> Response | Failure:
            if request.url == dead:
                return Failure(dead, Reason.DNS, "no such host")
            answer = await super().fetch(request)
            assert isinstance(answer, Response)
            return replace(
                answer, body=answer.body + b"<a rel=nofollow href=/shy>x</a><a href='http://'>y</a>"
            )

    def tallies(path: Path, *budgets: int) -> Tally:
        with Collection.create(path) as collection:
            collection.begin_crawl(crawl_row(plan))
            resumption = None
            for pages in budgets:
                part = plan.with_budget(Budget(pages=pages))
                ended = asyncio.run(run(part, collection, Shy(), resumption=resumption))
                with collection.cursor() as con:
                    resumption = read_resumption(con)
        return ended.tally

    whole, resumed = tallies(tmp_path / "whole.duckdb", 4), tallies(tmp_path / "resumed.duckdb", 2, 4)
    assert whole.turned_away[Reason.NOFOLLOW] == whole.turned_away[Reason.BAD_URL] == 4
    assert resumed.turned_away == whole.turned_away
    assert resumed.seed_failures == whole.seed_failures
    assert resumed.seed_failures[dead].detail == "no such host"
