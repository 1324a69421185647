"""Weights of rank functions: the paper's, the file's, and what is no weights file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bizcrawl.errors import WrongUse
from bizcrawl.strategies.rank_weights import BEST_FIRST, FORMAT, PAPER, BadWeights, RankWeights, read_weights


def test_the_papers_weights_are_table_1_and_sum_to_one() -> None:
    assert sum(PAPER.by_score.values()) == pytest.approx(1, abs=1e-3)
    assert max(PAPER.by_score, key=lambda name: PAPER.by_score[name]) == "COMM_out"
    assert PAPER.generations == 5
    assert PAPER.signals == ()


def test_best_first_is_the_parent_alone() -> None:
    assert BEST_FIRST.by_score == {"PARENT_1": 1.0}
    assert BEST_FIRST.generations == 1


def test_normalised_weights_sum_to_one_and_keep_their_ratios() -> None:
    weights = RankWeights({"HUB": 127.0, "PARENT_2": 1.0, "context:parent": 0.0}).normalised()
    assert sum(weights.by_score.values()) == pytest.approx(1)
    assert weights.by_score["HUB"] / weights.by_score["PARENT_2"] == pytest.approx(127)
    assert weights.signals == ("context:parent",)
    assert weights.generations == 2


@pytest.mark.parametrize("weights", [{}, {"HUB": 0.0}, {"HUB": -1.0, "COMM_in": 2.0}, {"HUB": float("nan")}])
def test_weights_that_rank_nothing_are_refused(weights: dict[str, float]) -> None:
    with pytest.raises(BadWeights):
        RankWeights(weights)


def test_names_stand_for_known_weights() -> None:
    assert read_weights("paper") is PAPER
    assert read_weights("best-first") is BEST_FIRST


def test_a_file_says_where_its_weights_come_from(tmp_path: Path) -> None:
    record = {"format": FORMAT, "weights": {"HUB": 1, "COMM_in": 3}, "origin": {"bed": "bizweb"}}
    (tmp_path / "rank.json").write_text(json.dumps(record))
    found = read_weights(str(tmp_path / "rank.json"))
    assert found == RankWeights({"HUB": 1.0, "COMM_in": 3.0}, {"bed": "bizweb"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "format should be"),
        ('{"format": "other"}', "format should be"),
        (json.dumps({"format": FORMAT, "weights": {"HUB": "much"}}), "one number for each score"),
        (json.dumps({"format": FORMAT, "weights": {"HUB": 0}}), "all zero"),
    ],
)
def test_what_is_no_weights_file_gets_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "rank.json"
    path.write_text(text)
    with pytest.raises(WrongUse, match=said) as fault:
        read_weights(str(path))
    assert "\n" not in str(fault.value)


def test_a_missing_file_names_the_weights_there_are(tmp_path: Path) -> None:
    with pytest.raises(BadWeights, match="paper, best-first"):
        read_weights(str(tmp_path / "none.json"))
