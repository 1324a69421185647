"""A crawl that is killed and resumed ends as one that was left alone (the short run; `kill_200.py` is the
long one).
"""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from killing import DISCOVER, contents, first_command, look, sit, state, torture

STRATEGIES = ["breadth-first", DISCOVER]
PAGES = 120


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_killed_crawl_loses_nothing_doubles_nothing_and_ends_the_same(
    tmp_path: Path, strategy: str
) -> None:
    alone = tmp_path / "alone.duckdb"
    sitting = sit(first_command(alone, strategy, PAGES))
    assert sitting.exit_code == 0
    assert len(sitting.acknowledged) == PAGES
    killed = tmp_path / "killed.duckdb"
    result = torture(killed, first_command(killed, strategy, PAGES), 4, sitting.seconds, random.Random(1))
    assert result.kills > 0
    assert not result.lost
    assert not result.doubled
    assert not result.torn
    assert result.pages == look(alone, contents)


@contextmanager
def when_the_terminal_goes(what: signal.Handlers) -> Iterator[None]:
    """What a process that is started now does about SIGHUP, however the tests themselves were started."""
    usual = signal.signal(signal.SIGHUP, what)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, usual)


def test_a_crawl_that_is_to_outlive_its_terminal_does(tmp_path: Path) -> None:
    with when_the_terminal_goes(signal.SIG_IGN):
        sitting = sit(first_command(tmp_path / "a.duckdb", "best-first", PAGES), signals=[signal.SIGHUP])
    assert sitting.exit_code == 0
    assert len(sitting.acknowledged) == PAGES


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_interrupt_ends_cleanly_with_130_and_is_resumable(tmp_path: Path, number: int) -> None:
    """Case i12."""
    alone, path = tmp_path / "alone.duckdb", tmp_path / "interrupted.duckdb"
    sit(first_command(alone, "best-first", PAGES))
    with when_the_terminal_goes(signal.SIG_DFL):
        interrupted = sit(first_command(path, "best-first", PAGES), signals=[number])
    assert interrupted.exit_code == 130
    urls = look(path, state)["urls"]
    assert 0 < len(urls) < PAGES
    assert urls == interrupted.acknowledged, "all that was visited is on disk"
    assert sit(["resume", str(path), "--quiet"]).exit_code == 0
    assert look(path, contents) == look(alone, contents)


def test_a_second_interrupt_ends_at_once_and_is_resumable_too(tmp_path: Path) -> None:
    alone, path = tmp_path / "alone.duckdb", tmp_path / "interrupted.duckdb"
    sit(first_command(alone, "best-first", PAGES))
    twice = sit(first_command(path, "best-first", PAGES), signals=[signal.SIGINT] * 2)
    assert twice.exit_code == 130
    assert sit(["resume", str(path), "--quiet"]).exit_code == 0
    assert look(path, contents) == look(alone, contents)
