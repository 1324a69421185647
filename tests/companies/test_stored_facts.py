"""Facts of stored pages are the same whoever makes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from bizcrawl import stored_facts as module
from bizcrawl.companies.facts import PageFacts
from bizcrawl.stored_facts import stored_facts
from bizcrawl.workers import NoWorkerError, WorkerDied, Workers


@pytest.fixture
def made_here(demo_harvest: Path) -> list[PageFacts]:
    return facts_in(demo_harvest)


def facts_in(path: Path) -> list[PageFacts]:
    with duckdb.connect(str(path), read_only=True) as con:
        return list(stored_facts(con))


@pytest.fixture
def elsewhere(made_here: list[PageFacts], monkeypatch: pytest.MonkeyPatch) -> list[PageFacts]:
    """From now on as with thousands of pages, on a machine with two cores; what was made here before."""
    monkeypatch.setattr(module, "FEW_PAGES", 1)
    monkeypatch.setattr(module, "usual_count", lambda: 2)
    return made_here


def test_facts_of_many_pages_come_from_other_processes_in_order_and_share_their_words(
    elsewhere: list[PageFacts], demo_harvest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGES_PER_CALL", 7)
    found = facts_in(demo_harvest)
    assert len(found) == 200
    assert found == elsewhere
    words = [stem for facts in found for stem in facts.stems]
    assert len(set(map(id, words))) == len(set(words)), "the same word is kept twice"


@pytest.mark.parametrize("fault", [WorkerDied(), NoWorkerError("no more processes")])
def test_pages_whose_process_has_died_or_cannot_be_started_are_looked_at_here(
    elsewhere: list[PageFacts], demo_harvest: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    async def dies(_workers: Workers, _pages: Sequence[object]) -> list[PageFacts]:
        raise fault

    monkeypatch.setattr(Workers, "call", dies)
    assert facts_in(demo_harvest) == elsewhere
