"""A crawl is brought back by making the recorded calls again (docs/decisions/resume-by-replay.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from crawling_samples import PaperWeb, page_with

from bizcrawl.collection.resume import RecordedCall, read_resumption
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.opinions import Judgement, Opinion
from bizcrawl.errors import BizcrawlError
from bizcrawl.page import Page
from bizcrawl.plan import Plan
from bizcrawl.reasons import Reason
from bizcrawl.replay import Replayed, replay
from bizcrawl.robots.tags import FOLLOWS_ALL, Heed
from bizcrawl.run import crawl_row, run
from bizcrawl.strategies import Gate, ScoredLink
from bizcrawl.tally import Budget, Tally
from bizcrawl.topic import Topic
from contexts.stored import to_bytes
from contexts.tidy import tidy

SEEDS = ("http://one.example/", "http://two.example/")
TOPIC = Topic("t", SEEDS, "pumps")


class Told:
    """A strategy that remembers what it is told, and gives out what it is made to."""

    def __init__(self, *given: Sequence[str]) -> None:
        self.told: list[object] = []
        self._given = list(given)

    def start(self, topic: Topic) -> None:
        self.told.append(("start", topic))

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        self.told.append(("next", n))
        return [ScoredLink(url, 0.5) for url in self._given.pop(0)]

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        self.told.append(("visit", page.url, page.final_url, [link.url for link in page.links]))
        return []

    def fail(self, url: str, reason: Reason) -> None:
        self.told.append(("fail", url, reason))

    def __len__(self) -> int:
        return 0


class Listening(Told):
    """One that heeds the analyst, and can be told what it gave out."""

    def judge(self, opinion: Opinion) -> None:
        self.told.append((opinion.judgement, opinion.company, opinion.others, opinion.note))

    def give(self, urls: Sequence[str], *, chosen: bool = True) -> list[ScoredLink]:
        self.told.append(("give", tuple(urls)))
        return [ScoredLink(url, 0.7) for url in urls[:-1]]  # the last does not wait any more


def call(kind: str, url: str = "", *, n: int = 0, given: Sequence[str] = (), **more: object) -> RecordedCall:
    known: dict[str, object] = {"reason": None, "final_url": "", "tree": None, "detail": ""}
    return RecordedCall(kind, url, n, tuple(given), **known | more)  # type: ignore[arg-type]


def visit(url: str, html: str, final_url: str = "") -> RecordedCall:
    return call("visit", url, final_url=final_url or url, tree=to_bytes(tidy(html)))


def replayed(
    calls: Sequence[RecordedCall], strategy: Told, *, gated: bool, heed: Heed = FOLLOWS_ALL
) -> Replayed:
    return replay(calls, TOPIC, strategy, gated=gated, heed=heed)


def test_every_call_is_made_again_in_its_order_and_what_did_not_end_is_in_hand() -> None:
    strategy = Told(SEEDS, ["http://x.example/"])
    seen: list[int] = []
    calls = [
        call("start"),
        call("next", n=2, given=SEEDS),
        visit(SEEDS[0], "<a href=/p>p</a>", "http://www.one.example/"),
        call("next", n=7, given=["http://x.example/"]),
        call("fail", SEEDS[1], reason=Reason.TIMEOUT, detail="10 s"),
        visit("http://y.example/", "<p>nobody gave it out"),
    ]
    back = replay(calls, TOPIC, strategy, gated=False, heed=FOLLOWS_ALL, observe=seen.append)
    assert strategy.told == [
        ("start", TOPIC),
        ("next", 2),
        ("visit", SEEDS[0], "http://www.one.example/", ["http://www.one.example/p"]),
        ("next", 7),
        ("fail", SEEDS[1], Reason.TIMEOUT),
        ("visit", "http://y.example/", "http://y.example/", []),
    ]
    assert back.started
    assert list(back.leased.values()) == [ScoredLink("http://x.example/", 0.5)]
    assert back.stored == [SEEDS[0], "http://www.one.example/", "http://y.example/", "http://y.example/"]
    assert (back.tally.pages, seen) == (2, [1, 2])
    assert back.tally.turned_away[Reason.TIMEOUT] == 1
    assert back.tally.seed_failures[SEEDS[1]].detail == "10 s"


def test_a_strategy_that_answers_otherwise_than_it_did_is_told_so() -> None:
    calls = [call("start"), call("next", n=2, given=SEEDS)]
    for given in (SEEDS[::-1], SEEDS[:1], ()):
        with pytest.raises(BizcrawlError, match="does not repeat what it did"):
            replayed(calls, Told(given), gated=False)


def test_where_hosts_had_to_wait_nothing_is_asked_again_and_who_can_be_told_is() -> None:
    calls = [call("start"), call("next", n=2, given=SEEDS)]
    plain, told = Told(SEEDS), Listening(SEEDS)
    assert replayed(calls, plain, gated=True).leased == {}
    assert plain.told == [("start", TOPIC)]
    assert list(replayed(calls, told, gated=True).leased.values()) == [ScoredLink(SEEDS[0], 0.7)]
    assert told.told == [("start", TOPIC), ("give", SEEDS)]


def test_what_the_analyst_said_is_told_to_who_listens_once_there_is_a_topic() -> None:
    calls = [
        call("accept", "early.example"),
        call("start"),
        call("reject", "x.example", given=["x2.example"], detail="a dealer"),
        call("withdraw", "y.example"),
    ]
    plain, listening = Told(), Listening()
    for strategy in (plain, listening):
        back = replayed(calls, strategy, gated=False)
        assert not back.tally.turned_away
    assert plain.told == [("start", TOPIC)]
    assert listening.told == [
        ("start", TOPIC),
        (Judgement.REJECT, "x.example", ("x2.example",), "a dealer"),
        (Judgement.WITHDRAW, "y.example", (), ""),
    ]


def test_a_crawl_that_ended_before_its_start_has_not_started() -> None:
    assert not replayed([call("accept", "x.example")], Listening(), gated=False).started
    assert not replayed([], Told(), gated=False).started


def test_links_that_are_left_alone_and_addresses_that_are_none_are_counted_again() -> None:
    html = "<a href=/a>a</a><a href=/b rel=nofollow>b</a><a href='http://'>c</a>"
    strategy = Told()
    back = replayed([visit(SEEDS[0], html)], strategy, gated=False, heed=Heed(nofollow=True))
    assert strategy.told == [("visit", SEEDS[0], SEEDS[0], [f"{SEEDS[0]}a"])]
    assert (back.tally.turned_away[Reason.NOFOLLOW], back.tally.turned_away[Reason.BAD_URL]) == (1, 1)


WEB = {
    SEEDS[0]: page_with("http://a.example/", "http://b.example/", *SEEDS, text="pumps and pumps"),
    SEEDS[1]: page_with("http://c.example/", text="nothing of that"),
    **{f"http://{name}.example/": page_with(text="pumps " * 9) for name in "abc"},
}


def sittings(path: Path, *budgets: int) -> tuple[Tally, list[tuple[int, int]], list[str]]:
    """Crawl in so many sittings; the last tally, what was told of going through again, what was asked."""
    plan = Plan(
        "crawl", TOPIC, Budget(1), web="paper", strategy="breadth-first", predicate="text LIKE '%pumps%'",
        connections=1, workers=0, robots=False,
    )  # fmt: skip
    told: list[tuple[int, int]] = []
    web = PaperWeb(WEB)
    with Collection.create(path) as collection:
        collection.begin_crawl(crawl_row(plan))
        resumption = None
        for pages in budgets:
            part = plan.with_budget(Budget(pages))
            again = lambda done, pages: told.append((done, pages))  # noqa: E731
            ended = asyncio.run(run(part, collection, web, resumption=resumption, again=again))
            with collection.cursor() as con:
                resumption = read_resumption(con)
    return ended.tally, told, web.asked


def test_two_sittings_are_as_one_and_the_second_tells_how_far_it_has_gone_through_the_first(
    tmp_path: Path,
) -> None:
    whole, told, asked = sittings(tmp_path / "whole.duckdb", 5)
    assert told == []
    resumed, told, asked_again = sittings(tmp_path / "resumed.duckdb", 3, 5)
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert asked_again == asked
    assert whole.relevant == 4
    for tally in (whole, resumed):
        tally.elapsed_s = 0.0
    assert resumed == whole
