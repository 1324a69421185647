"""A search: the same seed, the same weights; saved after each generation, taken up where it was left."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bizcrawl.errors import WrongUse
from bizcrawl.strategies.rank_weights import read_weights
from testbed.demo.bed import Bed as DemoBed
from testbed.evolve.comparison import MEASURES, Row, compare_weights, mean, paired_tests
from testbed.evolve.evaluation import Bed, Evaluator, Fitting, Task, evaluator
from testbed.evolve.genetic import Breeding
from testbed.evolve.report import growth_svg, report_markdown
from testbed.evolve.search import (
    PAPER_SCORES,
    Generation,
    Search,
    State,
    evolve,
    named,
    new_state,
    read_state,
    write_state,
)
from testbed.topics import BedTopic

SEARCH = Search(pages=120, simulations=2, generations=3, breeding=Breeding(population=5), random_seed=11)
TOLD = {"bed": "demo", "topics": ["a", "b"]}


@pytest.fixture(scope="module")
def small(bed: DemoBed, topics: list[BedTopic]) -> Bed:
    return Bed(bed.warc, tuple(topics[:3]), 10_000)


@pytest.fixture(scope="module")
def evaluating(small: Bed) -> Evaluator:
    return Evaluator(small, None)


@pytest.fixture(scope="module")
def finished(evaluating: Evaluator) -> State:
    state = new_state(SEARCH, TOLD)
    evolve(state, evaluating, 2)
    return state


def test_the_best_never_gets_worse_and_no_genes_come_twice(finished: State) -> None:
    best = [generation.best for generation in finished.history]
    assert best == sorted(best)
    assert [generation.number for generation in finished.history] == [0, 1, 2, 3]
    assert len(finished.tried) == finished.history[-1].evaluated == 5 * 4
    assert all(one.genes in finished.tried for one in finished.population)


def test_fitness_is_the_mean_over_the_simulations(finished: State, evaluating: Evaluator) -> None:
    best = finished.population[0]
    weights = named(PAPER_SCORES, best.genes)
    tasks = [Task(weights, n, 120, n + 1000 * 11) for n in range(2)]
    values = list(evaluating.run(Fitting("harvest"), tasks))
    assert best.fitness == pytest.approx(sum(values) / 2)


def test_the_same_seed_gives_the_same_weights_in_one_process_and_in_two(finished: State, small: Bed) -> None:
    state = new_state(SEARCH, TOLD)
    with evaluator(small, 2) as two:
        weights = evolve(state, two, 2)
    assert weights == finished.weights
    assert state.history == finished.history


def test_a_search_can_begin_with_known_weights(evaluating: Evaluator) -> None:
    state = new_state(replace(SEARCH, generations=0, start_from=("best-first", "paper")), TOLD)
    evolve(state, evaluating, 2)
    first = [named(PAPER_SCORES, one.genes).by_score for one in state.population]
    assert {**dict.fromkeys(PAPER_SCORES, 0.0), "PARENT_1": 1.0} in first
    near = [abs(weights["COMM_out"] - 0.312661) + abs(weights["PARENT_1"] - 0.250646) for weights in first]
    assert min(near) < 0.02, "the paper's, to seven bits"
    assert len(first) == 5


def test_another_seed_is_another_search(finished: State, evaluating: Evaluator) -> None:
    other = evolve(new_state(replace(SEARCH, random_seed=12, generations=0), TOLD), evaluating, 2)
    assert other.by_score != finished.weights.by_score


def test_an_interrupted_search_goes_on_to_the_same_end(
    finished: State, evaluating: Evaluator, tmp_path: Path
) -> None:
    path = tmp_path / "rank.json"

    class InterruptError(Exception):
        pass

    def watch(generation: Generation) -> None:
        if generation.number == 1:
            raise InterruptError

    with pytest.raises(InterruptError):
        evolve(new_state(SEARCH, TOLD), evaluating, 2, lambda state: write_state(state, path), watch)
    again = read_state(path, SEARCH, TOLD)
    assert [generation.number for generation in again.history] == [0, 1]
    assert evolve(again, evaluating, 2) == finished.weights


def test_a_file_of_which_a_part_was_lost_gets_one_line(finished: State, tmp_path: Path) -> None:
    path = tmp_path / "rank.json"
    write_state(finished, path)
    whole = json.loads(path.read_text())
    for lost in ("population", "tried", "random"):
        path.write_text(json.dumps({**whole, "state": {**whole["state"], lost: None}}))
        with pytest.raises(WrongUse, match="holds no search"):
            read_state(path, SEARCH, TOLD)


def test_a_finished_search_can_be_given_more_generations(
    finished: State, evaluating: Evaluator, tmp_path: Path
) -> None:
    path = tmp_path / "rank.json"
    write_state(finished, path)
    more = read_state(path, replace(SEARCH, generations=4), TOLD)
    evolve(more, evaluating, 2)
    assert more.history[-1].number == 4


def test_the_file_is_one_of_weights_and_says_where_they_came_from(finished: State, tmp_path: Path) -> None:
    path = tmp_path / "rank.json"
    write_state(finished, path)
    weights = read_weights(str(path))
    assert weights.by_score == finished.weights.by_score
    assert sum(weights.by_score.values()) == pytest.approx(1)
    assert weights.origin["bed"] == "demo"
    assert weights.origin["topics"] == ["a", "b"]
    assert weights.origin["random seed"] == 11
    assert weights.origin["individuals evaluated"] == 20
    assert weights.origin["population"] == SEARCH.breeding.population
    assert weights.origin["began with"] == "random weights alone"
    finished.search = replace(SEARCH, start_from=("paper",))
    try:
        assert finished.weights.origin["began with"] == ["paper"]
    finally:
        finished.search = SEARCH


@pytest.mark.parametrize(
    ("search", "told", "said"),
    [
        (replace(SEARCH, pages=121), TOLD, "pages"),
        (replace(SEARCH, fitness="targets"), TOLD, "fitness"),
        (SEARCH, {**TOLD, "bed": "other"}, "bed"),
        (replace(SEARCH, breeding=Breeding(population=6)), TOLD, "breeding"),
    ],
)
def test_another_search_is_not_gone_on_with(
    finished: State, tmp_path: Path, search: Search, told: dict[str, object], said: str
) -> None:
    path = tmp_path / "rank.json"
    write_state(finished, path)
    with pytest.raises(WrongUse, match=rf"another search \({said} differ\)"):
        read_state(path, search, told)


@pytest.mark.parametrize(
    "text",
    ["", "[]", *map(json.dumps, ({"weights": {}}, {"state": {}}, {"state": {"search": [], "told": 1}}))],
)
def test_a_file_without_a_search_gets_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rank.json"
    path.write_text(text)
    with pytest.raises(WrongUse, match="holds no search"):
        read_state(path, SEARCH, TOLD)


@pytest.fixture(scope="module")
def rows(finished: State, evaluating: Evaluator) -> list[Row]:
    splits = {0: "train", 1: "test", 2: "test"}
    return compare_weights(finished.weights, evaluating, splits, (60, 120), 2)


def test_every_strategy_is_measured_on_every_topic_at_every_length(rows: list[Row]) -> None:
    assert len(rows) == 3 * 3 * 2 * len(MEASURES)
    assert {row.strategy for row in rows} == {"evolved", "best-first", "paper"}
    assert {row.split for row in rows if row.topic.endswith("Coffee_Roasting")} == {"train"}
    distances = [row.value for row in rows if row.measure == "greatest distance"]
    assert all(value >= 1 for value in distances)


def test_a_longer_crawl_is_the_shorter_one_gone_on_with(
    rows: list[Row], finished: State, evaluating: Evaluator
) -> None:
    alone = compare_weights(finished.weights, evaluating, {0: "train"}, (60,), 2)
    for row in alone:
        assert row in rows


def test_tests_are_paired_by_topic_of_one_split(rows: list[Row]) -> None:
    against = paired_tests(rows, "harvest", 120, "test")
    assert [one.worse for one in against] == ["best-first", "paper"]
    for one in against:
        assert one.topics == 2
        difference = mean(rows, "evolved", "harvest", 120, "test") - mean(
            rows, one.worse, "harvest", 120, "test"
        )
        assert one.difference == pytest.approx(difference)


def test_the_report_shows_both_splits_weights_and_tests(rows: list[Row], finished: State) -> None:
    text = report_markdown(finished.weights, rows)
    for part in (
        "Topics of the search (1)",
        "Topics held back (2)",
        "COMM_out",
        "cohesiveness",
        "| paper | 60 |",
    ):
        assert part in text
    assert f"{mean(rows, 'evolved', 'harvest', 60, 'test'):.4f}" in text


def test_the_report_says_where_the_weights_came_from_and_tests_what_they_were_bred_for(
    rows: list[Row], finished: State
) -> None:
    bred = replace(finished.weights, origin={"fitness": "sites", "topics": ["a", "b"]})
    text = report_markdown(bred, rows, ("sites",))
    assert "- fitness: sites\n- topics: a, b\n" in text
    assert text.count("| sites | best-first | 60 |") == text.count("| harvest | best-first | 60 |") == 2
    assert "nan" not in text  # one topic to breed on: no test says anything


def test_a_topic_of_a_strangers_bed_is_one_line_of_text_in_the_report(finished: State) -> None:
    """The report is printed, too: what a topic is called reached the terminal as it was."""
    names = ["\x1b]0;owned\x07\u202eA\nB", "[x](javascript:alert(1))", "<script>"]
    bred = replace(finished.weights, origin={"topics": names})
    text = report_markdown(bred, [])
    assert "- topics: ]0;ownedA B, [x]\\(javascript:alert(1)), &lt;script&gt;\n" in text


def test_the_plot_is_a_picture_of_its_own(finished: State) -> None:
    svg = growth_svg(finished.history)
    assert svg.startswith("<svg")
    assert 'xmlns="http://www.w3.org/2000/svg"' in svg
    assert "generation" in svg
