"""The loop itself: budgets, stop reasons, what is told to whom, and faults."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping

import pytest
from crawling_samples import RememberingJournal, harvested, page_with

from bizcrawl.crawl import Crawl
from bizcrawl.errors import BizcrawlError
from bizcrawl.harvest import Harvested
from bizcrawl.reasons import Reason
from bizcrawl.strategies import ScoredLink
from bizcrawl.strategies.table import make_strategy
from bizcrawl.tally import Budget, Stop
from bizcrawl.topic import Topic
from bizcrawl.web import Failure

SEED = "http://seed.example/"
PAGES = {
    SEED: page_with("http://a.example/", "http://b.example/", "http://gone.example/"),
    "http://a.example/": page_with("http://seed.example/", "http://c.example/"),
    "http://b.example/": page_with("http://other.example/"),
    "http://c.example/": page_with(),
}


def crawl_of(
    pages: Mapping[str, str], *, budget: Budget, connections: int = 1, **more: object
) -> tuple[Crawl, RememberingJournal]:
    async def fetch(link: ScoredLink) -> Harvested | Failure:
        await asyncio.sleep(0)
        html = pages.get(link.url)
        return harvested(link.url, html) if html is not None else Failure(link.url, Reason.NOT_RECORDED)

    journal = RememberingJournal()
    topic = Topic("t", (SEED,), "pumps")
    strategy = make_strategy("breadth-first", random.Random(0))
    crawl = Crawl(topic, strategy, more.pop("fetch", fetch), journal, budget, connections=connections, **more)
    return crawl, journal


def test_a_crawl_visits_what_can_be_reached_and_ends_when_nothing_is_left() -> None:
    crawl, journal = crawl_of(PAGES, budget=Budget(100))
    assert asyncio.run(crawl.run()) is Stop.FRONTIER_EMPTY
    assert journal.urls("visit") == [SEED, "http://a.example/", "http://b.example/", "http://c.example/"]
    assert crawl.tally.pages == 4
    assert +crawl.tally.turned_away == {Reason.NOT_RECORDED: 2}


@pytest.mark.parametrize("connections", [1, 3, 64])
@pytest.mark.parametrize("pages", [1, 2, 3])
def test_the_page_budget_is_kept_to_the_page_however_many_connections(pages: int, connections: int) -> None:
    crawl, journal = crawl_of(PAGES, budget=Budget(pages), connections=connections)
    assert asyncio.run(crawl.run()) is Stop.PAGES
    assert len(journal.urls("visit")) == pages


def test_failures_do_not_count_against_the_page_budget() -> None:
    stale = [f"http://gone{i}.example/" for i in range(20)]
    crawl, _ = crawl_of({**PAGES, SEED: page_with(*stale, "http://a.example/")}, budget=Budget(2))
    assert asyncio.run(crawl.run()) is Stop.PAGES
    assert crawl.tally.turned_away[Reason.NOT_RECORDED] == 20


def test_the_time_budget_ends_a_crawl() -> None:
    ticks = iter(range(0, 10_000, 30))
    crawl, _ = crawl_of(PAGES, budget=Budget(100, minutes=1.0), clock=lambda: float(next(ticks)))
    assert asyncio.run(crawl.run()) is Stop.MINUTES


def test_the_byte_budget_ends_a_crawl() -> None:
    crawl, journal = crawl_of(PAGES, budget=Budget(100, body_bytes=1))
    assert asyncio.run(crawl.run()) is Stop.BYTES
    assert journal.urls("visit") == [SEED]


def test_a_page_reached_by_two_urls_is_stored_once_and_the_other_is_counted() -> None:
    async def fetch(link: ScoredLink) -> Harvested | Failure:
        if link.url == SEED:
            return harvested(SEED, PAGES[SEED])
        page = harvested("http://a.example/", page_with())
        return page if link.url != "http://gone.example/" else Failure(link.url, Reason.DNS)

    crawl, journal = crawl_of(PAGES, budget=Budget(100), fetch=fetch)
    asyncio.run(crawl.run())
    assert journal.urls("visit") == [SEED, "http://a.example/"]
    assert ("http://b.example/", Reason.SEEN_AS_OTHER_URL) in journal.urls("fail")


def test_every_url_given_out_ends_in_exactly_one_visit_or_failure() -> None:
    crawl, journal = crawl_of(PAGES, budget=Budget(100), connections=3)
    asyncio.run(crawl.run())
    given = [url for urls in journal.urls("next") for url in urls]  # type: ignore[union-attr]
    ended = [*journal.urls("visit"), *(url for url, _ in journal.urls("fail"))]  # type: ignore[misc]
    assert sorted(given) == sorted(ended)


def test_an_interrupted_crawl_stops_and_what_was_in_hand_is_neither_visited_nor_failed() -> None:
    started = asyncio.Event()

    async def fetch(link: ScoredLink) -> Harvested | Failure:
        if link.url != SEED:
            started.set()
            await asyncio.sleep(3600)
        return harvested(SEED, PAGES[SEED])

    async def interrupted() -> tuple[Stop, RememberingJournal]:
        crawl, journal = crawl_of(PAGES, budget=Budget(100), fetch=fetch, connections=2)
        running = asyncio.create_task(crawl.run())
        await started.wait()
        crawl.interrupt()
        return await asyncio.wait_for(running, 5), journal

    stop, journal = asyncio.run(interrupted())
    assert stop is Stop.INTERRUPTED
    assert journal.urls("visit") == [SEED]


def test_a_crawl_whose_time_is_used_up_does_not_wait_for_what_is_in_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A host that asks to be left alone for five minutes may be all that there is left."""

    async def fetch(link: ScoredLink) -> Harvested | Failure:
        await asyncio.sleep(3600)
        raise AssertionError

    monkeypatch.setattr("bizcrawl.crawl.DRAIN_S", 0.0)
    crawl, _ = crawl_of(PAGES, budget=Budget(100, minutes=0.001), fetch=fetch)
    assert asyncio.run(asyncio.wait_for(crawl.run(), 5)) is Stop.MINUTES


def test_a_fault_of_our_own_ends_the_crawl_instead_of_hanging_it() -> None:
    async def fetch(link: ScoredLink) -> Harvested | Failure:
        raise ZeroDivisionError

    crawl, journal = crawl_of(PAGES, budget=Budget(100), fetch=fetch)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(asyncio.wait_for(crawl.run(), 5))
    assert journal.events[-1][0] == "flush"


def test_when_several_fetches_fail_by_a_fault_of_our_own_what_came_before_is_written_down() -> None:
    async def fetch(link: ScoredLink) -> Harvested | Failure:
        if link.url == SEED:
            return harvested(SEED, PAGES[SEED])
        raise BizcrawlError(f"no room for {link.url}")  # as the record of the crawl on a full disk

    crawl, journal = crawl_of(PAGES, budget=Budget(100), fetch=fetch, connections=3)
    with pytest.raises(BizcrawlError, match="no room"):
        asyncio.run(crawl.run())
    assert [event for event, _ in journal.events] == ["start", "next", "visit", "next", "flush"]


def test_reasons_of_seeds_that_could_not_be_visited_are_kept() -> None:
    crawl, _ = crawl_of({}, budget=Budget(100))
    asyncio.run(crawl.run())
    assert crawl.tally.seed_failures[SEED].reason is Reason.NOT_RECORDED


def test_hubs_and_the_sites_they_list_are_counted() -> None:
    hub = page_with("http://seed.example/", "http://two.example/", "http://x.example/", "http://y.example/")
    topic = Topic("t", (SEED, "http://two.example/"), "pumps")
    crawl, _ = crawl_of({SEED: hub}, budget=Budget(1))
    crawl._topic = topic
    asyncio.run(crawl.run())
    assert crawl.tally.hubs == 1
    assert crawl.tally.listed >= {"x.example", "y.example"}
