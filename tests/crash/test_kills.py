"""A crawl that is killed and resumed ends as one that was left alone (the short run; `kill_200.py` is the
long one).
"""

from __future__ import annotations

import random
import signal
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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_interrupt_ends_cleanly_with_130_and_is_resumable(tmp_path: Path, number: int) -> None:
    """Case i12."""
    alone, path = tmp_path / "alone.duckdb", tmp_path / "interrupted.duckdb"
    sit(first_command(alone, "best-first", PAGES))
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
