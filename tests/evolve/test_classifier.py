"""The page classifier: words and word pairs, saved with its vocabulary."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bizcrawl.errors import WrongUse
from bizcrawl.page import TidiedPage
from bizcrawl.relevance.classifier import BadClassifier, Classifier, features, train
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
    "text", ["", "[1]", "{}", json.dumps({"format": "bizcrawl page classifier 1", "weights": [], "bias": 0})]
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
    (tmp_path / "b.html").write_text("<p>coffee</p>")
    (tmp_path / "deep" / "a.TXT").write_text("roasters")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    assert [tree.stems for tree in trees_in_folder(tmp_path)] == [("coffe",), ("roaster",)]


@pytest.mark.parametrize("made", [True, False])
def test_a_folder_without_pages_is_said(tmp_path: Path, made: bool) -> None:
    folder = tmp_path / "examples"
    if made:
        folder.mkdir()
    with pytest.raises(BadClassifier, match=re.escape(str(folder))):
        trees_in_folder(folder)
