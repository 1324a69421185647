"""``bizcrawl context`` says of each link what stands around it, and how it scores."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bizcrawl.cli.context import register
from bizcrawl.errors import BizcrawlError, WrongUse

PAGE = """<title>Suppliers</title>
<ul><li><a href=/1>Maker</a> brewery pumps<li><a href=/2>Other</a> cheese</ul>
<dl><dt><a href=/3>Third</a><dd>pumps, too</dl>"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "page.html"
    file.write_text(PAGE)
    return file


def run(*arguments: str | Path) -> str:
    app = typer.Typer()
    app.callback()(lambda: None)
    register(app)
    result = CliRunner().invoke(app, ["context", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_every_link_has_its_path_its_levels_and_its_score(page: Path) -> None:
    report = json.loads(run(page, "--keywords", "brewery pumps", "--url", "http://hub.example/x/"))
    assert report["url"] == "http://hub.example/x/"
    maker, other, third = report["links"]
    assert maker["url"] == "http://hub.example/1"
    assert maker["path"] == "html/body/ul/li/a"
    assert [(level["tag"], level["chosen"]) for level in maker["levels"]] == [
        ("a", False), ("li", True), ("ul", False), ("body", False), ("html", False),
    ]  # fmt: skip
    assert maker["text"] == "Maker brewery pumps"
    assert maker["score"] == pytest.approx(2 / 6**0.5)
    assert other["score"] == 0
    assert third["score"] == 0  # the parent of a term knows nothing of its definition (A12)


def test_words_of_any_script_are_readable_in_json(tmp_path: Path) -> None:
    path = tmp_path / "list.html"
    path.write_text("<meta charset=utf-8><li><a href=http://a.example/>大波</a> 製麺機\x9b", "utf-8")
    shown = run(path, "--keywords", "製麺機", "--format", "json")
    assert "大波 製麺機" in shown
    assert "\x9b" not in shown  # begins a command to a terminal
    assert json.loads(shown)["links"][0]["score"] > 0


def test_another_aggregation_can_be_asked_for(page: Path) -> None:
    report = json.loads(run(page, "--keywords", "brewery pumps", "--aggregation", "block"))
    assert report["links"][2]["score"] > 0
    assert report["links"][2]["text"] == "third pump"


def test_a_table_marks_the_chosen_node_and_says_how(page: Path) -> None:
    shown = run(page, "--format", "table")
    assert "[chosen node]" in shown
    assert "html/body/ul/[li]/a" in shown


def test_a_table_shows_the_text_and_the_score_at_each_level_that_says_more(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = run(page, "--keywords", "brewery pumps", "--format", "table")
    cells = [[cell.strip() for cell in line.split("│")[1:5]] for line in shown.splitlines() if "│" in line]
    assert cells[:4] == [
        ["0.816", "http://page.invalid/1", "html/body/ul/[li]/a", "Maker brewery pumps"],
        ["0.000", "", "html/body/ul/li/a", "Maker"],
        ["0.707", "", "html/body/ul", "Maker brewery pumps Other cheese"],
        ["0.750", "", "html/body", "Maker brewery pumps Other cheese Third pumps, too"],
    ]
    assert cells[4][:3] == ["0.707", "", "html"]  # its title too, and then the next link
    assert cells[5][1] == "http://page.invalid/2"


def test_a_page_that_was_cut_is_said_to_be(page: Path) -> None:
    assert "cut:" not in run(page, "--format", "table")
    page.write_text("<div>" * 5_000 + PAGE)
    assert "cut: depth" in run(page, "--format", "table")


def test_of_a_file_larger_than_any_page_no_more_is_read_than_of_a_page(page: Path) -> None:
    """3 GB were read and decoded, of which 4 MB were looked at."""
    with page.open("ab") as file:
        file.truncate(3 << 30)
    tracemalloc.start()
    try:
        assert "cut: bytes" in run(page, "--format", "table")
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most_bytes < 300_000_000


def test_a_narrow_table_shows_the_whole_of_an_address(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    shown = run(page, "--url", "http://a-hub-with-a-long-name.example/x/", "--format", "table")
    links = [line.split("│")[2].strip() for line in shown.splitlines() if line.startswith("│")]
    assert "".join(links[: len(links) // 3]).startswith("http://a-hub-with-a-long-name.example/1")
    assert "…" not in shown


@pytest.mark.parametrize("aggregation", ["grandparent", "parent:2", "window:x"])
def test_an_unknown_aggregation_is_wrong_use(page: Path, aggregation: str) -> None:
    with pytest.raises(WrongUse, match="aggregation"):
        run(page, "--aggregation", aggregation)


def test_a_file_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="can't be read"):
        run(tmp_path / "none.html")


def test_a_page_may_be_packed_as_servers_pack_it(page: Path) -> None:
    plain = run(page)
    page.write_bytes(gzip.compress(page.read_bytes()))
    assert run(page) == plain


def test_what_is_no_page_is_wrong_use(tmp_path: Path) -> None:
    bodies = (
        (b"%PDF-1.7\n", "pdf"),
        (b"\x89PNG\r\n\x1a\n", "image"),
        (b"\x1f\x8b\x08 cut", "archive"),
        (b"8\0\0\0DUCK\0\0C", "binary"),
    )
    for body, kind in bodies:
        (tmp_path / "it").write_bytes(body)
        with pytest.raises(WrongUse, match=rf"is no page \({kind}\)"):
            run(tmp_path / "it")


def test_a_page_of_the_web_is_fetched_under_the_rules_of_any_crawl() -> None:
    with pytest.raises(BizcrawlError, match="forbidden_address"):
        run("http://127.0.0.1:9/")


def test_a_predicate_is_tried_on_the_page_condition_by_condition(page: Path, tmp_path: Path) -> None:
    for name, text in (("pumps", "brewery pumps"), ("cheese", "cheese dairy")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(text)
    predicate = (
        "host LIKE '%.example' AND NOT (title = 'Other' OR status = 404) AND classifier('pumps') > 0.9"
    )
    asked = (page, "--url", "http://hub.example/", "--predicate", predicate, "--classifiers", tmp_path)
    said = json.loads(run(*asked))["predicate"]
    score = said["parts"].pop("classifier('pumps')")
    assert 0 < score < 0.9
    assert said["parts"] == {
        "(host LIKE '%.example')": True,
        "(title = 'Other')": False,
        "(status = 404)": None,
        "(classifier('pumps') > 0.9)": False,
    }
    assert not said["holds"]
    assert said["row"]["title"] == "Suppliers"
    shown = run(*asked, "--format", "table")
    assert "the predicate does not hold" in shown
    assert " NULL  (status = 404)" in shown


def test_a_function_of_ones_own_is_tried_too_and_a_wrong_predicate_is_refused(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trying.py").write_text("def has_title(row):\n    return row['title'] == 'Suppliers'\n")
    monkeypatch.chdir(tmp_path)
    said = json.loads(run(page, "--predicate", "trying:has_title"))["predicate"]
    assert (said["holds"], said["parts"]) == (True, {})
    with pytest.raises(WrongUse, match="--predicate"):
        run(page, "--predicate", "nothing ILIKE 'x'")


@pytest.mark.parametrize(
    "wrong", [("--url", "hub.example"), ("--keywords", "the of"), ("--classifiers", ".")]
)
def test_what_would_go_unheeded_is_refused(page: Path, wrong: tuple[str, str]) -> None:
    with pytest.raises(WrongUse, match=wrong[0]):
        run(page, *wrong)
