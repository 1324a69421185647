"""``bizcrawl testbed evolve`` and ``testbed classifier`` as a person uses them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bizcrawl.cli import evolve as command
from bizcrawl.cli.testbed import register
from bizcrawl.collection.rows import Batch, CompanyRow, CrawlRow, PageLinks, PageRow, StoredPage
from bizcrawl.collection.writer import Collection
from bizcrawl.errors import Interrupted, WrongUse
from bizcrawl.relevance.classifier import Classifier
from bizcrawl.strategies.rank_weights import read_weights
from bizcrawl.topic import Topic
from contexts.stored import to_bytes
from contexts.tidy import tidy
from testbed.demo.bed import Bed
from testbed.evolve.search import OtherSearch
from testbed.topics import read_topics

RUNNER = CliRunner()


def call(*arguments: str) -> str:
    app = typer.Typer()
    register(app)
    app.command("other")(lambda: None)  # a group of its own needs a second command beside it
    result = RUNNER.invoke(app, ["testbed", *arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def search(bed: Bed, to: Path, *more: str) -> str:
    small = (
        "--population",
        "4",
        "--pages",
        "80",
        "--simulations",
        "2",
        "--processes",
        "1",
        "--test-topics",
        "2",
    )
    return call("evolve", str(bed.topics), "--web", str(bed.warc), "--to", str(to), *small, *more)


def test_evolve_writes_weights_plot_and_report(bed: Bed, tmp_path: Path) -> None:
    to = tmp_path / "rank.json"
    told = search(bed, to, "--generations", "1", "--repeats", "1", "--lengths", "40,80", "--score", "anchor")
    assert "generation 1/1" in told
    assert "Topics held back (2)" in told
    assert "anchor" in read_weights(str(to)).by_score
    assert to.with_suffix(".svg").read_text().startswith("<svg")
    assert "overall cohesiveness" in to.with_suffix(".md").read_text()
    origin = json.loads(to.read_text())["origin"]
    assert origin["web"] == "web.warc.gz"
    assert len(origin["topics"]) == 2
    assert len(origin["contents of topics and web"]) == 16


def test_the_same_command_goes_on_with_more_generations(bed: Bed, tmp_path: Path) -> None:
    to = tmp_path / "rank.json"
    search(bed, to, "--generations", "0", "--repeats", "0")
    told = search(bed, to, "--generations", "1", "--repeats", "0")
    assert "going on after generation 0" in told
    again = tmp_path / "again.json"
    search(bed, again, "--generations", "1", "--repeats", "0")
    assert read_weights(str(to)).by_score == read_weights(str(again)).by_score


def test_a_search_over_pages_cut_otherwise_is_another_search(bed: Bed, tmp_path: Path) -> None:
    to = tmp_path / "rank.json"
    search(bed, to, "--generations", "0", "--repeats", "0")
    with pytest.raises(OtherSearch, match="page cap differ"):
        search(bed, to, "--generations", "1", "--repeats", "0", "--page-cap", "500")


def test_a_search_knows_its_topics_and_its_web_by_what_they_hold(bed: Bed) -> None:
    """Not by their names alone, under which both may be made anew."""
    topics = read_topics(bed.topics)[:2]
    known = command._contents(topics, bed.warc, 10_000)
    assert command._contents(read_topics(bed.topics)[:2], bed.warc, 10_000) == known
    others = replace(topics[0], topic=replace(topics[0].topic, keywords="others"))
    assert command._contents([others, topics[1]], bed.warc, 10_000) != known


def test_an_interrupted_search_keeps_its_generations(
    bed: Bed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = tmp_path / "rank.json"

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(command, "_tell", interrupted)
        with pytest.raises(Interrupted, match="the same command goes on"):
            search(bed, to, "--generations", "1", "--repeats", "0")
    assert "going on after generation 0" in search(bed, to, "--generations", "1", "--repeats", "0")


def test_topics_to_breed_on_are_chosen_by_pattern(bed: Bed, tmp_path: Path) -> None:
    to = tmp_path / "rank.json"
    search(bed, to, "--generations", "0", "--repeats", "0", "--topics", "*Pumps", "--topics", "*Sailmakers")
    topics = json.loads(to.read_text())["origin"]["topics"]
    assert [name.rpartition("/")[2] for name in topics] == ["Pumps", "Sailmakers"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--fitness", "beauty"), "choose one of harvest"),
        (("--score", "beauty"), "no score is called"),
        (("--examples", "all"), "choose one of known, seeds"),
        (("--start-from", "none.json"), "cannot be read"),
        (("--lengths", "a,b"), "give numbers of pages"),
        (("--topics", "*Nothing*"), "no topic of the bed fits"),
    ],
)
def test_wrong_use_gets_one_line(bed: Bed, tmp_path: Path, more: tuple[str, ...], said: str) -> None:
    with pytest.raises(WrongUse, match=said):
        search(bed, tmp_path / "rank.json", *more)


def test_a_missing_bed_or_web_gets_one_line(bed: Bed, tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="no such bed"):
        call("evolve", str(tmp_path / "none.jsonl"), "--web", str(bed.warc))
    with pytest.raises(WrongUse, match="no such recorded web"):
        call("evolve", str(bed.topics), "--web", str(tmp_path / "none.warc"))


@pytest.mark.parametrize("seed", ["0", "-1", str(2**62)])
def test_a_classifier_learns_from_folders(seed: str, tmp_path: Path) -> None:
    for name, texts in (
        ("good", ("coffee roasters", "coffee roasters here")),
        ("bad", ("rain", "more rain")),
    ):
        (tmp_path / name).mkdir()
        for number, text in enumerate(texts):
            (tmp_path / name / f"{number}.html").write_text(f"<p>{text}</p>")
    to = tmp_path / "model.json"
    folders = ["--relevant", str(tmp_path / "good"), "--others", str(tmp_path / "bad")]
    told = call("classifier", str(to), *folders, "--random-seed", seed)
    assert "learned from 2 relevant pages, 2 other pages" in told
    assert Classifier.load(to)("coffee") > 0 > Classifier.load(to)("rain")


def test_a_classifier_learns_from_a_topics_seeds(bed: Bed, tmp_path: Path) -> None:
    to = tmp_path / "model.json"
    name = "Top/Recreation/Boating/Sailmakers"
    call("classifier", str(to), "--bed", str(bed.topics), "--web", str(bed.warc), "--topic", name)
    model = Classifier.load(to)
    assert model.origin["topic"] == name
    assert model("mainsails and spinnakers, sail repair") > model("roulette wheels and casino chips")


def stored(url: str, text: str) -> StoredPage:
    tree = to_bytes(tidy(f"<p>{text}</p>"))
    return StoredPage(PageRow(url, url, datetime(2026, 11, 28, tzinfo=UTC)), PageLinks(), tree)


def test_a_classifier_learns_from_what_an_analyst_accepted_and_rejected(tmp_path: Path) -> None:
    path = tmp_path / "harvest.duckdb"
    texts = {"seed": "coffee roasters", "yes": "roasters for coffee", "no": "rain", "open": "wind"}
    with Collection.create(path) as collection:
        collection.begin_crawl(CrawlRow("crawl", Topic("coffee", ("http://seed.example/",), "coffee"), "dom"))
        pages = [stored(f"http://{name}.example/", text) for name, text in texts.items()]
        collection.submit(Batch(pages=pages)).result()
        companies = [
            CompanyRow(f"{name}.example", name, domains=[f"{name}.example"], is_seed=name == "seed")
            for name in texts
        ]
        collection.replace_companies(companies, [])
        for name, verdict in (("yes", "accepted"), ("no", "rejected")):
            collection.transact(
                lambda con, name=name, verdict=verdict: con.execute(
                    "UPDATE companies SET verdict = ? WHERE company = ?", [verdict, f"{name}.example"]
                )
            )
    to = tmp_path / "model.json"
    told = call("classifier", str(to), "--collection", str(path))
    assert "learned from 2 relevant pages, 1 other pages" in told
    assert Classifier.load(to)("coffee") > Classifier.load(to)("wind")


def test_a_collection_without_verdicts_gets_one_line(tmp_path: Path) -> None:
    with Collection.create(tmp_path / "harvest.duckdb"):
        pass
    with pytest.raises(WrongUse, match="needs relevant and other pages"):
        call("classifier", "m.json", "--collection", str(tmp_path / "harvest.duckdb"))


def test_a_classifier_needs_examples(bed: Bed, tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="name the examples"):
        call("classifier", str(tmp_path / "model.json"))
    with pytest.raises(WrongUse, match="has no topic 'Nothing'"):
        call("classifier", "m.json", "--bed", str(bed.topics), "--web", str(bed.warc), "--topic", "Nothing")
