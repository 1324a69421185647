"""The page classifier: words and word pairs, saved with its vocabulary."""

from __future__ import annotations

import json
import re
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from bizcrawl.errors import WrongUse
from bizcrawl.page import TidiedPage
from bizcrawl.relevance.classifier import BadClassifier, Classifier, features, rows, train, vocabulary
from bizcrawl.relevance.predicates import compile_predicate, row_of
from bizcrawl.relevance.training import trees_in_folder
from contexts.tagtree import TagTree
from contexts.tidy import tidy

GOOD = ("We build drum roasters for coffee", "coffee roasters and drum coolers", "our coffee roasters")
BAD = ("Poems about rain", "the cat sat in the rain", "rain again and a cat", "poems, cats")


def trees(texts: tuple[str, ...]) -> list[TagTree]:
    return [tidy(f"<p>{text}</p>") for text in texts]


@pytest.fixture(scope="module")
def trained() -> Classifier:
    return train(trees(GOOD), trees(BAD))


def test_features_are_stems_and_pairs_of_neighbours() -> None:
    assert features(tidy("<p>Coffee roasters, coffee</p>")) == {
        "coffe": 2,
        "roaster": 1,
        "coffe roaster": 1,
        "roaster coffe": 1,
    }
    assert features(tidy("")) == {}


def test_relevant_pages_score_above_zero(trained: Classifier) -> None:
    assert all(trained.score_tree(tree) > 0 for tree in trees(GOOD))
    assert all(trained.score_tree(tree) < 0 for tree in trees(BAD))
    new = tidy("<p>A drum for coffee</p>")
    assert trained.score_tree(new) > trained.score_tree(tidy("<p>A drum for rain</p>"))


def test_vocabulary_is_what_relevant_pages_say(trained: Classifier) -> None:
    assert "coffe roaster" in trained.weights
    assert not {"rain", "cat", "poem"} & set(trained.weights)
    assert "build" not in trained.weights, "one relevant page alone says it"


def test_a_score_is_the_distance_of_the_logarithms_of_frequencies_at_length_one() -> None:
    classifier = Classifier({"pump": 2.0, "pump valv": 4.0, "tea": 9.0}, bias=-1.0)
    pump, pair = 1 + log(3), 1.0
    expected = -1 + (2 * pump + 4 * pair) / sqrt(pump**2 + pair**2)
    assert classifier("pumps, pumps, pumps, valves") == pytest.approx(expected)
    assert classifier("poems") == -1.0


def test_pages_are_learned_from_as_they_are_scored() -> None:
    pages = [{"a": 3, "b": 1, "unknown": 9}, {"b": 2}, {"unknown": 1}]
    a, b = 1 + log(3), 1.0
    length = sqrt(a * a + b * b)
    assert rows(pages, ["a", "b", "c"]).toarray() == pytest.approx(
        np.array([[a / length, b / length, 0], [0, 1, 0], [0, 0, 0]])
    )


def test_the_vocabulary_is_what_two_relevant_pages_say_the_commonest_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """R119; a single page gives all it says."""
    pages = [dict.fromkeys(said, 5) for said in ("zabx", "zab", "za", "y")]
    assert vocabulary(pages) == ["a", "b", "z"]
    assert vocabulary(pages[:1]) == ["a", "b", "x", "z"]
    monkeypatch.setattr("bizcrawl.relevance.classifier.MAX_FEATURES", 2)
    assert vocabulary(pages) == ["a", "z"]
    assert vocabulary([*pages[1:3], {"a": 1}]) == ["a", "z"]


def test_the_plane_is_that_of_a_support_vector_machine_to_which_both_sides_count_the_same() -> None:
    good, bad = trees(GOOD), trees(BAD) * 3
    made = train(good, bad, origin={"from": "tests"}, random_seed=2**40 + 7)
    counts = [features(tree) for tree in good + bad]
    names = vocabulary(counts[: len(good)])
    machine = LinearSVC(class_weight="balanced", random_state=7, dual=True, max_iter=5000)
    machine.fit(rows(counts, names), [True] * len(good) + [False] * len(bad))
    learned = dict(zip(names, machine.coef_[0], strict=True))
    assert made.weights == pytest.approx({name: weight for name, weight in learned.items() if weight})
    assert made.bias == pytest.approx(machine.intercept_[0])
    assert made.origin == {"relevant pages": len(good), "other pages": len(bad), "from": "tests"}


def test_length_of_a_page_gives_no_advantage(trained: Classifier) -> None:
    once, often = tidy("<p>coffee</p>"), tidy("<p>" + "coffee </p><p>" * 50)
    more = {**features(often)}
    assert more["coffe"] > 40
    assert trained.score_tree(once) == pytest.approx(trained.weights["coffe"] + trained.bias)


def test_a_saved_classifier_scores_as_before(trained: Classifier, tmp_path: Path) -> None:
    trained.save(tmp_path / "model.json")
    assert Classifier.load(tmp_path / "model.json") == trained


def test_the_same_examples_give_the_same_classifier(trained: Classifier) -> None:
    assert train(trees(GOOD), trees(BAD)) == trained


@pytest.mark.parametrize(
    "text",
    [
        *("", "[1]", "{}"),
        json.dumps({"format": "bizcrawl page classifier 1", "weights": [], "bias": 0}),
        json.dumps({"format": "bizcrawl page classifier 2", "weights": {"a": 1}, "bias": 0}),
    ],
)
def test_what_is_no_classifier_gets_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "model.json"
    path.write_text(text)
    with pytest.raises(WrongUse, match=re.escape(str(path))):
        Classifier.load(path)


def test_a_missing_classifier_gets_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadClassifier, match="cannot be read"):
        Classifier.load(tmp_path / "none.json")


@pytest.mark.parametrize(("good", "bad"), [((), BAD), (GOOD, ()), (("", ""), BAD)])
def test_nothing_to_learn_from_is_said(good: tuple[str, ...], bad: tuple[str, ...]) -> None:
    with pytest.raises(BadClassifier):
        train(trees(good), trees(bad))


def test_it_stands_in_a_predicate(trained: Classifier) -> None:
    predicate = compile_predicate("classifier('coffee') > 0", {"coffee": trained})
    for text, good in ((GOOD[0], True), (BAD[0], False)):
        tree = tidy(f"<p>{text}</p>")
        page = TidiedPage("http://a.example/", "http://a.example/", [], tree)
        assert predicate(row_of(page)) is good
        assert trained.score(page) == trained.score_tree(tree) == trained(text)


def test_examples_come_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "saved.html").mkdir()
    (tmp_path / "b.html").write_text("<p>coffee</p>")
    (tmp_path / "deep" / "a.TXT").write_text("roasters")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "._b.html").write_text("a note of the system")
    (tmp_path / ".drafts").mkdir()
    (tmp_path / ".drafts" / "c.html").write_text("a copy of an editor")
    assert [tree.stems for tree in trees_in_folder(tmp_path)] == [("coffe",), ("roaster",)]


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (True, "holds no pages; their names should end in .htm, .html, .txt, .xhtml"),
        (False, "no such folder"),
    ],
)
def test_a_folder_without_pages_is_said(tmp_path: Path, made: bool, says: str) -> None:
    folder = tmp_path / "examples"
    if made:
        folder.mkdir()
    with pytest.raises(BadClassifier, match=re.escape(f"{folder}: {says}")):
        trees_in_folder(folder)
