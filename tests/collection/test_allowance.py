"""Questions have a share of the time: one now and then is answered at once, many in a row wait their turn."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from bizcrawl.collection.allowance import AT_FIRST_S, LONGEST_WAIT_S, SHARE, Allowance
from bizcrawl.collection.answering import QueryServer
from bizcrawl.collection.reader import Reader
from bizcrawl.errors import BizcrawlError


class Clock:
    """Time that goes by when told."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Spent(Allowance):
    """An allowance that remembers."""

    def __init__(self, share: float = SHARE, at_first_s: float = AT_FIRST_S) -> None:
        super().__init__(share, at_first_s=at_first_s)
        self.answers_s: list[float] = []

    def spend(self, seconds: float) -> None:
        self.answers_s.append(seconds)
        super().spend(seconds)


def test_a_question_now_and_then_never_waits() -> None:
    clock = Clock()
    allowance = Allowance(share=0.1, most_s=1.0, clock_s=clock)
    clock.now_s += 10.0
    for _ in range(100):
        assert allowance.wait_s() == 0
        clock.now_s += 0.07
        allowance.spend(0.07)
        clock.now_s += 1.0


def test_whoever_asks_without_a_pause_gets_the_share_and_no_more() -> None:
    clock = Clock()
    allowance = Allowance(share=0.1, at_first_s=1.0, clock_s=clock)
    spent_s = 0.0
    while clock.now_s < 1_100.0:
        clock.now_s += allowance.wait_s()
        clock.now_s += 0.05
        allowance.spend(0.05)
        spent_s += 0.05
    # what had gathered before, and a tenth of what went by
    assert spent_s == pytest.approx(1.0 + 0.1 * 1_000.0, rel=0.01)


def test_what_has_gathered_pays_for_a_whole_report_at_once() -> None:
    clock = Clock()
    allowance = Allowance(clock_s=clock)
    allowance.spend(AT_FIRST_S)
    clock.now_s += 60.0
    for _ in range(8):
        assert allowance.wait_s() == 0
        clock.now_s += 0.3
        allowance.spend(0.3)


def test_a_short_crawl_is_not_slowed_by_what_a_long_one_can_bear() -> None:
    clock = Clock()
    allowance = Allowance(clock_s=clock)
    spent_s = 0.0
    while clock.now_s < 110.0:
        clock.now_s += allowance.wait_s() or 0.01
        allowance.spend(0.01)
        spent_s += 0.01
    assert spent_s <= AT_FIRST_S + SHARE * 10.0 + 0.02


def test_a_query_is_not_charged_for_the_time_that_the_crawl_takes(tmp_path: Path) -> None:
    path = tmp_path / "asked.duckdb"
    con = duckdb.connect(str(path))
    allowance = Spent()
    server = QueryServer(path, con.cursor, allowance=allowance)
    crawling = threading.Event()

    def crawl() -> None:
        while not crawling.is_set():
            sum(range(10_000))

    crawls = [threading.Thread(target=crawl) for _ in range(3)]
    try:
        for thread in crawls:
            thread.start()
        began_s = time.monotonic()
        for _ in range(10):
            Reader(path).rows("SELECT 1")
        passed_s = time.monotonic() - began_s
    finally:
        crawling.set()
        server.close()
        con.close()
    assert 0 < sum(allowance.answers_s) < passed_s / 2


def test_after_an_answer_that_took_minutes_the_wait_is_bounded() -> None:
    clock = Clock()
    allowance = Allowance(clock_s=clock)
    allowance.spend(600.0)
    assert allowance.wait_s() == pytest.approx(LONGEST_WAIT_S)


def test_a_writer_that_has_spent_its_allowance_answers_later(tmp_path: Path) -> None:
    path = tmp_path / "asked.duckdb"
    con = duckdb.connect(str(path))
    began_s = time.monotonic()
    allowance = Spent(share=0.1, at_first_s=0.0)
    server = QueryServer(path, con.cursor, allowance=allowance)
    slow = "SELECT count(*) FROM range(3_000_000) a WHERE a.range % 7 = 0"
    try:
        assert Reader(path).rows(slow) == [(428_572,)]
        assert Reader(path).rows("SELECT 1") == [(1,)]
        passed_s = time.monotonic() - began_s
    finally:
        server.close()
        con.close()
    # by then a tenth of the time has paid for the first answer, however long that took on a busy machine
    assert passed_s >= min(allowance.answers_s[0] / 0.1, LONGEST_WAIT_S)
    assert allowance.answers_s[0] > 0


def test_closing_does_not_wait_for_those_that_wait(tmp_path: Path) -> None:
    path = tmp_path / "asked.duckdb"
    con = duckdb.connect(str(path))
    allowance = Allowance(share=0.0001, at_first_s=0.0)
    server = QueryServer(path, con.cursor, allowance=allowance)
    allowance.spend(10.0)
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(Reader(path).rows, "SELECT 1")
        time.sleep(0.2)
        began_s = time.monotonic()
        server.close()
        assert time.monotonic() - began_s < 2
        with pytest.raises(BizcrawlError, match="went away"):
            asked.result()
    con.close()
