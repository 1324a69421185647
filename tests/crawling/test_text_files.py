"""Files that people bring mean the same whatever editor saved them."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bizcrawl.classifier import Classifier
from bizcrawl.cli.options import seed_urls
from bizcrawl.errors import WrongUse
from bizcrawl.strategies.apprenticeship.weights import NAMES, load_weights
from bizcrawl.strategies.knowledge import Knowledge
from bizcrawl.strategies.rank_weights import FORMAT, read_weights
from bizcrawl.text_classifiers import load_classifiers
from testbed.topics import TopicsError, read_topics

SAVED: dict[str, Callable[[str], bytes]] = {
    "as Unix does": lambda text: text.encode(),
    "with a byte order mark": lambda text: codecs.BOM_UTF8 + text.encode(),
    "with CRLF and blank lines": lambda text: f"{text}\n \n".replace("\n", "\r\n").encode(),
    "with CR": lambda text: text.replace("\n", "\r").encode(),
    "as UTF-16": lambda text: text.encode("utf-16"),
}


@pytest.fixture(params=SAVED.values(), ids=SAVED)
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Path]:
    """A file with a text, as some editor saves it."""

    def save(text: str) -> Path:
        (tmp_path / "mine").write_bytes(request.param(text))
        return tmp_path / "mine"

    return save


def test_seeds_are_read_however_they_were_saved(saved: Callable[[str], Path]) -> None:
    listed = saved("one.example\n# not yet\nhttps://two.example/münchen\n")
    assert seed_urls([f"@{listed}"]) == ("https://one.example/", "https://two.example/m%C3%BCnchen")


def test_topics_are_read_however_they_were_saved(saved: Callable[[str], Path]) -> None:
    """A line separator of Unicode in a description ended the line for classifiers alone."""
    topic = {"keywords": "coffee", "seeds": ["x"], "targets": ["y"], "description": "roasts\u2028grinds"}
    lines = [json.dumps({"topic": name, **topic}, ensure_ascii=False) for name in ("Top/A", "Top/B")]
    path = saved("\n".join(lines) + "\n")
    assert [topic.description for topic in read_topics(path)] == ["roasts\u2028grinds"] * 2
    assert set(load_classifiers(path)) == {"Top/A", "Top/B"}


def test_what_was_learned_is_read_however_it_was_saved(saved: Callable[[str], Path], tmp_path: Path) -> None:
    assert (
        read_weights(str(saved(json.dumps({"format": FORMAT, "weights": {"HUB": 1}})))).by_score["HUB"] == 1
    )
    load_weights.cache_clear()
    assert load_weights(str(saved(json.dumps({NAMES[0]: 2})))).max() == 2
    Classifier({"coffee": 1.0}, 0.5, {}).save(tmp_path / "own")
    assert Classifier.load(saved((tmp_path / "own").read_text())).bias == 0.5
    Knowledge(pages=3).save(tmp_path / "own")
    assert Knowledge.load(saved((tmp_path / "own").read_text())).pages == 3


def test_a_file_that_is_no_text_or_ends_within_a_topic_is_refused_in_one_line(tmp_path: Path) -> None:
    """Half a topic is not passed over: a bed without it would be another bed."""
    path = tmp_path / "mine"
    path.write_bytes(b"caf\xe9.example")
    with pytest.raises(WrongUse, match="cannot read the file"):
        seed_urls([f"@{path}"])
    path.write_text('{"topic": "A", "keywords": "a", "seeds": ["x"], "targets": ["y"]}\n{"topic": "B", "keyw')
    with pytest.raises(TopicsError, match="line 2: not JSON"):
        read_topics(path)
