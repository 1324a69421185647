"""A verdict that is told to a crawl while it runs: it counts once, or the analyst is asked to repeat it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import pytest

from bizcrawl import judging
from bizcrawl.collection.rows import CompanyRow
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.opinions import Judgement, Opinion
from bizcrawl.crawl import Crawl
from bizcrawl.errors import BizcrawlError


class Told:
    """A crawl as far as it is told of opinions."""

    def __init__(self) -> None:
        self.opinions: list[Opinion] = []

    def judge(self, opinion: Opinion) -> None:
        self.opinions.append(opinion)


async def test_a_verdict_for_which_a_busy_crawl_had_no_time_is_not_told_to_it_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "TELLING_S", 0.05)
    crawl = Told()
    with Collection.create(tmp_path / "harvest.duckdb") as collection, ThreadPoolExecutor(1) as analyst:
        collection.replace_companies([CompanyRow("acorn.example", "Acorn")], [])
        judging.heed_the_analyst(collection, cast(Crawl, crawl))
        assert collection.judge is not None
        said = (collection.judge, Judgement.ACCEPT, ["Acorn"], "they make pumps")
        in_vain = analyst.submit(*said).exception(timeout=10)  # the loop of the crawl waits here
        assert isinstance(in_vain, BizcrawlError)
        assert "repeat the command" in str(in_vain)
        monkeypatch.setattr(judging, "TELLING_S", 10.0)
        assert await asyncio.wrap_future(analyst.submit(*said)) == ["acorn.example"]
    assert crawl.opinions == [Opinion(Judgement.ACCEPT, "acorn.example", (), "they make pumps")]
