"""Files that people bring mean the same whatever editor saved them."""

from __future__ import annotations

import codecs
import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bizcrawl.cli.seeds import seed_urls
from bizcrawl.errors import BizcrawlError, WrongUse
from bizcrawl.relevance.classifier import Classifier
from bizcrawl.relevance.text_classifiers import load_classifiers
from bizcrawl.scope import Exclusions
from bizcrawl.strategies.apprenticeship.weights import NAMES, Learned, load_weights
from bizcrawl.strategies.knowledge import Knowledge
from bizcrawl.strategies.rank_weights import FORMAT, read_weights
from bizcrawl.text_files import spelled_out
from bizcrawl.topic import Topic
from testbed.gate import Floors
from testbed.topics import BedTopic, TopicsError, read_topics, write_topics

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
    topic = {
        "keywords": "coffee",
        "seeds": ["http://x.e/"],
        "targets": ["http://y.e/"],
        "description": "roasts\u2028grinds",
    }
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


TOPIC = BedTopic(Topic("A", ("x",), "a"), ("y",))
KEPT: dict[str, tuple[Callable[[Path], object], Callable[[Path], object]]] = {
    "topics": (lambda path: write_topics([TOPIC], path), lambda path: write_topics([TOPIC] * 2, path)),
    "knowledge": (Knowledge(pages=3).save, Knowledge(pages=4).save),
    "classifier": (Classifier({"tea": 1.0}, 0.5).save, Classifier({"tea": 1.0}, 0.6).save),
    "weights": (Learned(np.ones(len(NAMES))).save, Learned(np.zeros(len(NAMES))).save),
    "floors": (
        lambda path: Floors("", "", (1,), (), {}).write(path),
        lambda path: Floors("", "", (2,), (), {}).write(path),
    ),
}


@pytest.mark.parametrize(("before", "now"), KEPT.values(), ids=KEPT)
def test_a_file_whose_writing_fails_is_as_it_was(
    before: Callable[[Path], object],
    now: Callable[[Path], object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "kept"
    before(path)
    was = path.read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BizcrawlError, match="kept can't be written: No space left"):
        now(path)
    assert path.read_bytes() == was
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_no_text_or_ends_within_a_topic_is_refused_in_one_line(tmp_path: Path) -> None:
    """Half a topic is not passed over: a bed without it would be another bed."""
    path = tmp_path / "mine"
    path.write_bytes(b"caf\xe9.example")
    with pytest.raises(WrongUse, match=r"cannot read the file \(it is no text"):
        seed_urls([f"@{path}"])
    whole = '{"topic": "A", "keywords": "a", "seeds": ["http://x.e/"], "targets": ["http://y.e/"]}'
    path.write_text(f'{whole}\n{{"topic": "B", "keyw')
    with pytest.raises(TopicsError, match="line 2: not JSON"):
        read_topics(path)


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("url\r\nhttps://one.example/\r\n", ["https://one.example/"]),
        ('page,URL\r\n1,"https://one.example/?a=1,2"\r\n2,\r\n', ["https://one.example/?a=1,2"]),
        ("rank,company,site,score\r\n1,One Ltd,https://one.example/,9\r\n", ["https://one.example/"]),
        ("# mine\nCompany;Website\nOne;one.example\n", ["one.example"]),
        ("name,kind\r\n'@One,company\r\n'Tis Ltd,company\r\n", ["@One", "'Tis Ltd"]),
        (
            "site\r\nhttps://one.example/a;'-b\r\nhttps://two.example/;'b\r\n",
            ["https://one.example/a;-b", "https://two.example/;'b"],
        ),
        ("#1\n# the others\n#2\n", ["#1", "#2"]),
        ("One, Two and Sons Ltd\nThree Ltd\n", ["One, Two and Sons Ltd", "Three Ltd"]),
        (f"text,url\r\n{'x' * 200_000},https://one.example/\r\n", ["https://one.example/"]),
    ],
)
def test_what_is_exported_is_an_input(text: str, entries: list[str], tmp_path: Path) -> None:
    (tmp_path / "listed.csv").write_text(text, newline="")
    assert list(spelled_out([f"@{tmp_path / 'listed.csv'}"])) == entries


@pytest.mark.parametrize(
    "heading",
    [
        "Homepage",
        "Web site",
        "Company_Website",
        "WEB-ADDRESS",
        "Webseite",
        "Sitio web",
        "Сайт",
        "Domain Name",
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_column_of_addresses_is_known_as_people_head_it(
    tmp_path: Path, heading: str, delimiter: str
) -> None:
    """Where it was not, the names of the companies beside it were taken for addresses, and refused."""
    rows = [["Company", "Town", heading], ["Acme", "Ulm", "acme.example"], ["Bob", "Bonn", "bob.example"]]
    (tmp_path / "listed.csv").write_text("".join(f"{delimiter.join(row)}\n" for row in rows))
    assert seed_urls([f"@{tmp_path / 'listed.csv'}"]) == ("https://acme.example/", "https://bob.example/")


def test_a_quote_that_nobody_closed_hides_no_company(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All that followed it was one cell, and nobody was told."""
    text = 'website,company\none.example,One\ntwo.example,"Two\nthree.example,Three\n,Four\n'
    (tmp_path / "listed.csv").write_text(text)
    assert [url[8:11] for url in seed_urls([f"@{tmp_path / 'listed.csv'}"])] == ["one", "two", "thr"]
    told = capsys.readouterr().err.splitlines()
    assert [line.rpartition("listed.csv: ")[2] for line in told] == [
        "rows without website, left out: 1",
        "rows with a quote that is not closed: 1",
    ]


def test_what_is_no_address_is_shown_with_its_file_and_in_short(tmp_path: Path) -> None:
    (tmp_path / "listed.txt").write_text("one.example\n" + "x" * 100_000)
    with pytest.raises(WrongUse, match=r"listed\.txt: 'xxx.*is no web address") as refused:
        seed_urls([f"@{tmp_path / 'listed.txt'}"])
    assert len(str(refused.value)) < 400


def test_exclusions_are_taken_from_a_column_that_names_hosts_or_pages(tmp_path: Path) -> None:
    listed = tmp_path / "listed.csv"
    listed.write_text("page,host\n1,one.example\n")
    assert Exclusions.of([f"@{listed}"]).hosts == {"one.example"}
    listed.write_text("company,home_page\none.example,https://one.example/\n")
    with pytest.raises(WrongUse, match="--exclude"):
        Exclusions.of([f"@{listed}"])
