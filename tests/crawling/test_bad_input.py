"""Bad input gets one clear line, the right exit code, and never a traceback."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pytest
from crawling_samples import CommandLine
from recorded.recording import Page, write_warc

from bizcrawl.cli.options import CrawlOptions
from bizcrawl.errors import WrongUse
from bizcrawl.topic import Topic

DEMO = ("--web", "demo", "--keywords", "coffee roasters")
SEED = "roastwell.example"


def said(done: object) -> str:
    """What a command said; it must not be a traceback."""
    text = done.stderr  # type: ignore[attr-defined]
    assert "Traceback" not in text
    return " ".join(text.split())


@pytest.mark.parametrize("seed", ["not a url", "ftp://files.example/", "nonsense", "http://", "https://a b/"])
def test_what_is_no_web_address_is_named(seed: str, bizcrawl: CommandLine, tmp_path: Path) -> None:
    done = bizcrawl("discover", "competitors", seed, *DEMO, cwd=tmp_path)
    assert done.returncode == 2
    assert seed in said(done)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", ["--keywords", "--predicate", "--to"])
def test_an_argument_in_another_encoding_is_refused_before_the_crawl(
    option: str, bizcrawl: CommandLine, tmp_path: Path
) -> None:
    latin = b"caf\xe9".decode("utf-8", "surrogateescape")
    done = bizcrawl("crawl", SEED, *DEMO, option, latin, cwd=tmp_path)
    assert done.returncode == 2
    assert "is no text in UTF-8" in said(done)
    assert not list(tmp_path.iterdir())


def test_no_reachable_seed_is_told_with_the_reason_of_each(bizcrawl: CommandLine, tmp_path: Path) -> None:
    done = bizcrawl("discover", "competitors", "nowhere.example", "neither.example", *DEMO, cwd=tmp_path)
    assert done.returncode == 1
    text = said(done)
    assert "nowhere.example" in text
    assert "neither.example" in text
    assert "dns" in text


def test_seeds_that_are_all_excluded_are_told(bizcrawl: CommandLine, tmp_path: Path) -> None:
    """It was a crawl of no pages that had gone well."""
    done = bizcrawl("discover", "competitors", SEED, *DEMO, "--exclude", SEED, cwd=tmp_path)
    assert done.returncode == 1
    assert "no seed may be visited: excluded" in said(done)


def test_a_private_seed_is_told_what_lets_the_crawl_in(bizcrawl: CommandLine, tmp_path: Path) -> None:
    done = bizcrawl("crawl", "http://127.0.0.1:1/", "--keywords", "pumps", cwd=tmp_path)
    assert done.returncode == 1
    assert "add --allow-private" in said(done)


def test_a_source_of_backlinks_that_is_not_there_is_refused_before_any_seed_is_read(
    bizcrawl: CommandLine, tmp_path: Path
) -> None:
    done = bizcrawl("discover", "competitors", SEED, "--web", "demo", "--backlinks", "no.warc", cwd=tmp_path)
    assert done.returncode == 1
    assert said(done).startswith("bizcrawl: no.warc: there is no such file")
    assert not list(tmp_path.iterdir())


def test_a_proxy_that_can_not_be_used_leaves_no_collection(bizcrawl: CommandLine, tmp_path: Path) -> None:
    done = bizcrawl("crawl", SEED, "--keywords", "pumps", "--proxy", "ftp://me:secret@h", cwd=tmp_path)
    assert done.returncode == 2
    assert "begin it with http://" in said(done)
    assert "secret" not in said(done)
    assert not list(tmp_path.iterdir())


def test_a_predicate_on_a_column_that_no_page_has_names_those_it_has(
    bizcrawl: CommandLine, tmp_path: Path
) -> None:
    done = bizcrawl("crawl", SEED, *DEMO, "--predicate", "words > 1", cwd=tmp_path)
    assert done.returncode == 2
    assert "a page has url, host, domain, title, text" in said(done)


def test_keywords_that_are_all_stop_words_are_refused(bizcrawl: CommandLine, tmp_path: Path) -> None:
    done = bizcrawl(
        "discover", "competitors", SEED, "--web", "demo", "--keywords", "the of and", cwd=tmp_path
    )
    assert done.returncode == 2
    assert "stop words" in said(done)


def test_nothing_is_said_to_be_added_to_what_is_no_collection(bizcrawl: CommandLine, tmp_path: Path) -> None:
    duckdb.connect(str(tmp_path / "other.duckdb")).close()
    done = bizcrawl("discover", "competitors", SEED, *DEMO, "--to", "other.duckdb", cwd=tmp_path)
    assert done.returncode == 1
    assert "not a collection" in said(done)
    assert "is added to it" not in said(done)


def test_an_unknown_strategy_gets_the_names_offered(bizcrawl: CommandLine, tmp_path: Path) -> None:
    done = bizcrawl("discover", "competitors", SEED, *DEMO, "--strategy", "psychic", cwd=tmp_path)
    assert done.returncode == 2
    assert "psychic" in said(done)
    assert "hub-seeking" in said(done)


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("alpha", "--set alpha: write NAME=VALUE"),
        ("alpha=x", "option alpha takes a number, not 'x'"),
        ("alpha=2", "option alpha must be between 0 and 1, not 2.0"),
        ("nothing=1", "no option is called 'nothing'; there are: aggregation, alpha,"),
        ("=1", "write NAME=VALUE"),
    ],
)
def test_a_wrong_parameter_is_named(setting: str, told: str, bizcrawl: CommandLine, tmp_path: Path) -> None:
    wish = ("--strategy", "dom", "--set", setting)
    done = bizcrawl("discover", "competitors", SEED, *DEMO, *wish, cwd=tmp_path)
    assert done.returncode == 2
    assert told in said(done)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *[("--format", "pdf"), ("--tidier", "soup"), ("--render", "often"), ("--scope", "moon")],
        *[("--pages", "0"), ("--megabytes", "inf"), ("--minutes", "inf"), ("--random-seed", "9" * 20)],
        *[("--keep-knowledge", "missing/k.json"), ("--keep-knowledge", "/")],
        *[("--contact", "me\n@one.example"), ("--user-agent", " ")],
    ],
)
def test_a_value_that_is_not_offered_is_refused(
    option: str, value: str, bizcrawl: CommandLine, tmp_path: Path
) -> None:
    done = bizcrawl("discover", "competitors", SEED, *DEMO, option, value, cwd=tmp_path)
    assert done.returncode == 2
    assert option in said(done)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command",
    [
        *("resume h", "refresh h", "explain h acorn.example", "status h", "sql h", "doctor", "strategies"),
        *("accept h acorn.example", "reject h acorn.example", "withdraw h acorn.example"),
    ],
)
def test_a_format_that_is_not_offered_is_refused_before_anything_is_done(
    command: str, bizcrawl: CommandLine, tmp_path: Path
) -> None:
    """Resuming ended in a traceback after all of the crawl, and a verdict after it was written down."""
    done = bizcrawl(*command.split(), "--format", "pdf", cwd=tmp_path)
    assert done.returncode == 2
    assert "--format" in said(done)
    assert not list(tmp_path.iterdir())


def test_a_bed_is_not_recorded_with_rests_that_never_end(bizcrawl: CommandLine, tmp_path: Path) -> None:
    done = bizcrawl("testbed", "record", "b.duckdb", "--warc", "w", "--delay", "inf", cwd=tmp_path)
    assert done.returncode == 2
    assert "--delay" in said(done)


def test_classifiers_that_no_predicate_asks_are_refused(bizcrawl: CommandLine, tmp_path: Path) -> None:
    done = bizcrawl("crawl", SEED, *DEMO, "--classifiers", "examples", cwd=tmp_path)
    assert (done.returncode, "--predicate" in said(done)) == (2, True)


def test_knowledge_of_a_strategy_that_learns_nothing_is_refused_before_the_crawl(
    bizcrawl: CommandLine, tmp_path: Path
) -> None:
    wish = ("--strategy", "dom", "--keep-knowledge", "k.json")
    done = bizcrawl("discover", "competitors", SEED, *DEMO, *wish, cwd=tmp_path)
    assert done.returncode == 2
    assert "learns nothing" in said(done)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("folder", ["seeds.txt", "seeds.txt/warc"])
def test_a_record_that_can_not_be_kept_is_refused_before_the_crawl(
    folder: str, bizcrawl: CommandLine, tmp_path: Path
) -> None:
    """Every try left a collection without a page in the place of the next."""
    (tmp_path / "seeds.txt").touch()
    done = bizcrawl("discover", "competitors", SEED, *DEMO, "--warc", folder, cwd=tmp_path)
    assert done.returncode == 2
    assert f"--warc {folder}: " in said(done)
    assert [path.name for path in tmp_path.iterdir()] == ["seeds.txt"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (CrawlOptions(), "harvest.duckdb: this directory can't be written to"),
        (CrawlOptions(to=Path("a.duckdb")), "--to a.duckdb: . can't be written to"),
        (CrawlOptions(warc=Path("w")), "--warc w: "),
        (CrawlOptions(keep_knowledge=Path("k.json")), "--keep-knowledge k.json: can't be written there"),
    ],
)
def test_a_directory_that_can_not_be_written_to_is_refused_before_the_crawl(
    options: CrawlOptions, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What can't be kept was found out when the crawl was done."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    topic = Topic("coffee", (f"https://{SEED}/",), "coffee")
    with pytest.raises(WrongUse) as refused:
        (options.plan("discover competitors", topic, "apprentice"), options.collection_path())
    assert str(refused.value).startswith(told)


def test_a_file_that_is_no_record_is_refused(bizcrawl: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "web.warc.gz"
    file.write_text("this is no WARC")
    done = bizcrawl("discover", "competitors", SEED, "--keywords", "coffee", "--web", file, cwd=tmp_path)
    assert done.returncode == 1
    assert "web.warc.gz" in said(done)
    assert list(tmp_path.iterdir()) == [file], "an empty collection was left"


def test_a_missing_record_is_named(bizcrawl: CommandLine, tmp_path: Path) -> None:
    done = bizcrawl(
        "discover", "competitors", SEED, "--keywords", "coffee", "--web", "no.warc.gz", cwd=tmp_path
    )
    assert done.returncode == 1
    assert "no.warc.gz: no such file" in said(done)
    assert not list(tmp_path.iterdir()), "an empty collection was left"


def test_another_duckdb_file_is_left_alone(bizcrawl: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "mine.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute("CREATE TABLE treasure AS SELECT 42 AS answer")
    done = bizcrawl("discover", "competitors", SEED, *DEMO, "--to", file)
    assert done.returncode == 1
    assert "mine.duckdb" in said(done)
    with duckdb.connect(str(file)) as con:
        assert con.execute("FROM treasure").fetchall() == [(42,)]


def test_a_collection_that_is_open_elsewhere_is_refused(bizcrawl: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "h.duckdb"
    assert bizcrawl("discover", "competitors", SEED, *DEMO, "--pages", "3", "--to", file).returncode == 0
    with duckdb.connect(str(file)):
        done = bizcrawl("discover", "competitors", SEED, *DEMO, "--to", file)
    assert done.returncode == 1
    assert "h.duckdb" in said(done)


def test_a_missing_exclude_file_is_named(bizcrawl: CommandLine, tmp_path: Path) -> None:
    done = bizcrawl("discover", "competitors", SEED, *DEMO, "--exclude", "@missing.txt", cwd=tmp_path)
    assert done.returncode == 2
    assert "missing.txt" in said(done)


def test_seeds_that_are_all_closed_by_robots_are_told_so(bizcrawl: CommandLine, tmp_path: Path) -> None:
    page = Page("http://closed.example/", b"<p>coffee")
    robots = Page("http://closed.example/robots.txt", b"User-agent: *\nDisallow: /\n")
    record = write_warc(tmp_path / "web.warc.gz", [page, robots])
    done = bizcrawl("discover", "competitors", page.url, *DEMO[2:], "--web", record, cwd=tmp_path)
    assert done.returncode == 1
    assert "every seed is closed by its robots.txt" in said(done)
    assert page.url in said(done)
