"""Questions have a share of the time: one now and then is answered at once, many in a row wait their turn."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from bizcrawl.collection.allowance import LONGEST_WAIT_S, Allowance
from bizcrawl.collection.answering import QueryServer
from bizcrawl.collection.reader import Reader
from bizcrawl.errors import BizcrawlError


class Clock:
    """Time that goes by when told."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_question_now_and_then_never_waits() -> None:
    clock = Clock()
    allowance = Allowance(share=0.1, most_s=1.0, clock_s=clock)
    for _ in range(100):
        assert allowance.wait_s() == 0
        clock.now_s += 0.07
        allowance.spend(0.07)
        clock.now_s += 1.0


def test_whoever_asks_without_a_pause_gets_the_share_and_no_more() -> None:
    clock = Clock()
    allowance = Allowance(share=0.1, most_s=1.0, clock_s=clock)
    spent_s = 0.0
    while clock.now_s < 1_100.0:
        clock.now_s += allowance.wait_s()
        clock.now_s += 0.05
        allowance.spend(0.05)
        spent_s += 0.05
    # what had gathered before, and a tenth of what went by
    assert spent_s == pytest.approx(1.0 + 0.1 * 1_000.0, rel=0.01)


def test_after_an_answer_that_took_minutes_the_wait_is_bounded() -> None:
    clock = Clock()
    allowance = Allowance(clock_s=clock)
    allowance.spend(600.0)
    assert allowance.wait_s() == pytest.approx(LONGEST_WAIT_S)


def test_a_writer_that_has_spent_its_allowance_answers_later(tmp_path: Path) -> None:
    path = tmp_path / "asked.duckdb"
    con = duckdb.connect(str(path))
    server = QueryServer(path, con.cursor, allowance=Allowance(share=0.1, most_s=0.0))
    slow = "SELECT count(*) FROM range(3_000_000) a WHERE a.range % 7 = 0"
    try:
        began_s = time.monotonic()
        assert Reader(path).rows(slow) == [(428_572,)]
        first_s = time.monotonic() - began_s
        assert Reader(path).rows("SELECT 1") == [(1,)]
        second_s = time.monotonic() - began_s - first_s
    finally:
        server.close()
        con.close()
    assert second_s > 3 * first_s


def test_closing_does_not_wait_for_those_that_wait(tmp_path: Path) -> None:
    path = tmp_path / "asked.duckdb"
    con = duckdb.connect(str(path))
    allowance = Allowance(share=0.0001, most_s=0.0)
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
