"""Files in JSON that people bring: whatever stands in them, what can't be used is told in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bizcrawl.errors import BizcrawlError
from bizcrawl.relevance.classifier import Classifier
from bizcrawl.relevance.text_classifiers import load_classifiers
from bizcrawl.strategies.apprenticeship.weights import load_weights
from bizcrawl.strategies.knowledge import Knowledge
from bizcrawl.strategies.rank_weights import read_weights
from testbed.evolve.search import Search, read_state
from testbed.gate import Floors
from testbed.topics import read_topics

TEXTS = {
    "nested lists": "[" * 200_000,
    "nested objects": '{"a":' * 200_000,
    "half of a character": '{"topic": "A", "keywords": "a \\ud83d", "seeds": ["http://a.example/"], '
    '"targets": ["http://b.example/"]}',
    "a number of many digits": "9" * 10_000,
    "rank weights no float can be": '{"format": "bizcrawl rank weights 1", "weights": {"HUB": %s}}'
    % ("9" * 400),
    "a weight no float can be": '{"in_list": %s}' % ("9" * 400),
    "a bias no float can be": '{"format": "bizcrawl page classifier 1", "weights": {}, "bias": %s}'
    % ("9" * 400),
    "floors of another kind": '{"bed": "", "digest": "", "checkpoints": [], "measures": [], '
    '"floors": {"a": 5}}',
    "floors that are texts": '{"bed": "", "digest": "", "checkpoints": [], "measures": [], '
    '"floors": {"a": {"b": "nan"}}}',
    "weights that are texts": '{"format": "bizcrawl page classifier 1", "weights": {"a": "nan"}, "bias": 0}',
    "a bias that is true": '{"format": "bizcrawl page classifier 1", "weights": {}, "bias": true}',
    "an origin that is a text": '{"format": "bizcrawl page classifier 1", "weights": {}, "bias": 0, '
    '"origin": "x"}',
    "rank weights that are texts": '{"format": "bizcrawl rank weights 1", "weights": {"HUB": "inf"}}',
    "a rank weight that is true": '{"format": "bizcrawl rank weights 1", "weights": {"HUB": true}}',
    "a rank weight below 0": '{"format": "bizcrawl rank weights 1", "weights": {"HUB": -1}}',
    "rank weights whose origin is a text": '{"format": "bizcrawl rank weights 1", "weights": {"HUB": 1}, '
    '"origin": "x"}',
    "a weight that is a text": '{"in_list": "nan"}',
    "a weight beyond what sums bear": '{"in_list": 1e300}',
    "not a number": '{"in_list": NaN}',
    "a number too large": '{"in_list": 1e999}',
    "no JSON": "{",
}
READERS: dict[str, Callable[[Path], object]] = {
    "topics": read_topics,
    "floors": Floors.read,
    "a search": lambda path: read_state(path, Search(), {}),
    "rank weights": lambda path: read_weights(str(path)),
    "weights of the apprentice": lambda path: load_weights(str(path)),
    "a classifier": Classifier.load,
    "examples": load_classifiers,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
def test_json_that_cannot_be_used_is_one_line(
    read: Callable[[Path], object], text: str, tmp_path: Path
) -> None:
    path = tmp_path / "brought.json"
    path.write_text(text)
    with pytest.raises(BizcrawlError, match=r"brought\.json") as refusal:
        read(path)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 400


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_knowledge_that_cannot_be_used_is_a_wrong_value(text: str, tmp_path: Path) -> None:
    path = tmp_path / "brought.json"
    path.write_text(text)
    with pytest.raises(ValueError):
        Knowledge.load(path)
