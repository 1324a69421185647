"""The ranking of a crawl that is still running."""

from __future__ import annotations

import asyncio
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from bizcrawl import assessing, so_far
from bizcrawl.assessing import assess_again, assess_collection
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.suggestions import Suggestions
from bizcrawl.plan import Plan
from bizcrawl.run import crawl_row, run
from bizcrawl.so_far import FIRST_AFTER_PAGES
from bizcrawl.tally import Budget, Tally
from testbed.demo import DemoWeb, demo_topics

Ranking = list[tuple[object, ...]]


def ranking(collection: Collection) -> Ranking:
    with closing(collection.cursor()) as con:
        return con.execute(
            "SELECT company, name, rank, score, why, is_seed FROM companies ORDER BY is_seed, rank, company"
        ).fetchall()


def crawled(
    path: Path, pages: int, command: str = "discover competitors"
) -> tuple[dict[int, Ranking], Ranking]:
    """The ranking in the collection when the crawl had so many pages, and the one that it ends with."""
    plan = Plan(
        command,
        demo_topics()[0].topic,
        Budget(pages),
        web="demo",
        strategy="apprentice",
        connections=1,
        verify_share=0.5,
    )
    seen: dict[int, Ranking] = {}
    with Collection.create(path) as collection:
        collection.begin_crawl(crawl_row(plan))

        def look(tally: Tally) -> None:
            seen.setdefault(tally.pages, ranking(collection))  # a fetch that fails adds no page

        ended = asyncio.run(run(plan, collection, DemoWeb(), observe=look))
        collection.end_crawl(ended.stop)
        assess_again(collection)
        return seen, ranking(collection)


def test_the_ranking_so_far_is_the_one_with_which_the_crawl_would_have_ended(tmp_path: Path) -> None:
    _, at_the_end = crawled(tmp_path / "short.duckdb", FIRST_AFTER_PAGES)
    seen, _ = crawled(tmp_path / "long.duckdb", FIRST_AFTER_PAGES + 10)
    assert any(rank is not None for _, _, rank, *_ in at_the_end)
    assert seen[FIRST_AFTER_PAGES] == []
    assert seen[FIRST_AFTER_PAGES + 1] == at_the_end


def test_it_is_made_anew_whenever_the_crawl_has_doubled(tmp_path: Path) -> None:
    seen, _ = crawled(tmp_path / "c.duckdb", 2 * FIRST_AFTER_PAGES + 5)
    changes = [after for before, after in pairwise(sorted(seen)) if seen[before] != seen[after]]
    assert changes == [FIRST_AFTER_PAGES + 1, 2 * FIRST_AFTER_PAGES + 1]


@pytest.mark.parametrize(
    ("resumed_at", "ranked_at"),
    [(0, [100, 200, 400]), (99, [100, 200, 400]), (101, [200, 400]), (373, [400]), (430, [])],
)
def test_a_crawl_that_goes_on_is_ranked_when_it_would_have_been_and_not_at_once(
    resumed_at: int, ranked_at: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ranked: list[int] = []
    tally = Tally()
    monkeypatch.setattr(so_far, "rank_so_far", lambda *_: ranked.append(tally.pages))
    with Collection.create(tmp_path / "c.duckdb") as collection:
        topic = demo_topics()[0].topic
        ranking = so_far.RankingSoFar(collection, Suggestions(topic), "competitors", 1_000, lambda _: None)
        for tally.pages in range(resumed_at, 500):
            ranking(tally)
    assert ranked == ranked_at


def test_a_crawl_that_is_not_ranked_at_its_end_is_not_ranked_before_it(tmp_path: Path) -> None:
    seen, _ = crawled(tmp_path / "c.duckdb", FIRST_AFTER_PAGES + 5, "crawl")
    assert not any(seen.values())


def test_what_the_crawl_knows_of_its_pages_ranks_as_what_is_stored_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(
        "discover competitors",
        demo_topics()[0].topic,
        Budget(60),
        web="demo",
        strategy="apprentice",
        verify_share=0.5,
    )
    reads = []
    read = assessing.stored_facts
    monkeypatch.setattr(assessing, "stored_facts", lambda con: reads.append(con) or read(con))

    def crawled_and_ranked(collection: Collection) -> Ranking:
        collection.begin_crawl(crawl_row(plan))
        ended = asyncio.run(run(plan, collection, DemoWeb()))
        collection.end_crawl(ended.stop)
        assess_collection(collection, plan.topic, "competitors", ended.met)
        return ranking(collection)

    with Collection.create(tmp_path / "c.duckdb") as collection:
        from_memory = crawled_and_ranked(collection)
        assert not reads
        assess_again(collection)
        assert from_memory == ranking(collection)
        assert len(reads) == 1
        crawled_and_ranked(collection)  # a second crawl in the same file knows nothing of the first
        assert len(reads) == 2
