"""docs/evolve.md says what runs, and names what there is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from bizcrawl.strategies.link_signals import SIGNALS
from bizcrawl.strategies.rank_weights import read_weights
from testbed.evolve.fitness import FITNESSES
from testbed.evolve.search import PAPER_SCORES

DOCUMENT = (Path(__file__).parents[2] / "docs" / "evolve.md").read_text(encoding="utf-8")


def snippets(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", DOCUMENT, re.DOTALL)


@pytest.mark.timeout(400)  # five processes, each with numerical libraries to load
def test_snippets_run_in_their_order(tmp_path: Path, bizcrawl, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (python,) = snippets("python")
    exec(compile(python, "docs/evolve.md", "exec"), {})
    for snippet in snippets("sh"):
        for line in snippet.splitlines():
            done = bizcrawl(*shlex.split(line)[1:], cwd=tmp_path)
            assert done.returncode == 0, f"{line}\n{done.stderr}"
    assert read_weights("rank.json").origin["bed"] == "topics.jsonl"
    assert {"harvest.duckdb", "sails.duckdb", "judge.json", "rank.svg", "rank.md"} <= {
        p.name for p in tmp_path.iterdir()
    }


def test_every_score_and_fitness_is_explained():
    for name in (*PAPER_SCORES[:5], *SIGNALS, *FITNESSES, "context:NAME"):
        assert f"`{name}`" in DOCUMENT, name
