"""``bizcrawl testbed``: from a dump to a report, as a person does it."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
import typer
from odp_text import dump, page, topic
from small_web import PAGES, TOPIC
from typer.testing import CliRunner, Result

from bizcrawl.cli.beds import topics_of
from bizcrawl.cli.testbed import register
from bizcrawl.errors import BizcrawlError, Interrupted, WrongUse
from bizcrawl.tally import Tally
from testbed import topic_table
from testbed.topics import read_topics, write_topics

SHARED = Path(__file__).parents[3] / "shared"


def invoke(*arguments: object) -> Result:
    app = typer.Typer()
    register(app)
    return CliRunner().invoke(app, ["testbed", *map(str, arguments)], catch_exceptions=True)


def failure(*arguments: object) -> BizcrawlError:
    """The fault that a command ends with; `bizcrawl.cli.main` prints its line."""
    result = invoke(*arguments)
    assert isinstance(result.exception, BizcrawlError), (result.exception, result.output)
    assert "\n" not in str(result.exception)
    return result.exception


@pytest.fixture
def bed(tmp_path: Path) -> Path:
    write_topics([TOPIC], tmp_path / "topics.jsonl")
    path = tmp_path / "small.duckdb"
    assert invoke("build", tmp_path / "topics.jsonl", "--to", path).exit_code == 0
    return path


class TestBuild:
    def test_a_dump_becomes_a_bed(self, tmp_path: Path) -> None:
        urls = [f"http://c{i}.example/" for i in range(25)]
        (tmp_path / "c.rdf").write_bytes(
            dump(topic("Top/A/Companies", *urls), *(page(url, "Top/A/Companies", "A & B") for url in urls))
        )
        result = invoke("build", tmp_path / "c.rdf", "--to", tmp_path / "bed.duckdb")
        assert result.exit_code == 0, result.output
        assert "1 topic, 15 targets" in result.output
        assert "bare_ampersand 25" in result.output
        with duckdb.connect(str(tmp_path / "bed.duckdb")) as con:
            assert con.execute("SELECT count(*) FROM listings").fetchone() == (25,)
            assert con.execute("SELECT count(*) FROM topic_urls WHERE role = 'seed'").fetchone() == (10,)

    def test_a_csv_directory_and_leaves(self, tmp_path: Path) -> None:
        rows = "".join(f"http://h{i}.example/,Top/Air/Aero\n" for i in range(6))
        (tmp_path / "list.csv").write_text(f"url,category\n{rows}")
        result = invoke("build", tmp_path / "list.csv", "--recipe", "leaves", "--to", tmp_path / "b.duckdb")
        assert "1 topic, 6 targets" in result.output

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (["--recipe", "nosuch"], "business, leaves, examples"),
            (["--recipe", "neighbours"], "--backlinks"),
            (["--count", "3"], "--count is for recipes"),
            (["--distance", "2"], "--backlinks"),
            (["--backlinks", "w.warc"], "--backlinks is for"),
            (["--recipe", "neighbours", "--distance", "3", "--backlinks", "w.warc"], "two links away"),
            ([], "no category fits"),
        ],
    )
    def test_what_cannot_be_made_leaves_no_file(
        self, tmp_path: Path, arguments: list[str], says: str
    ) -> None:
        (tmp_path / "list.csv").write_text("url,category\nhttp://a.example/,Top/A\n")
        to = tmp_path / "b.duckdb"
        assert says in str(failure("build", tmp_path / "list.csv", "--to", to, *arguments))
        assert not to.exists()

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (["--recipe", "nosuch"], "business, leaves, examples, neighbours"),
            (["--recipe", "neighbours"], "--backlinks"),
            (["--count", "3"], "--count is for recipes"),
        ],
    )
    def test_options_that_do_not_fit_are_refused_before_anything_is_read(
        self, tmp_path: Path, arguments: list[str], says: str
    ) -> None:
        refused = failure("build", tmp_path / "absent.rdf", "--to", tmp_path / "b.duckdb", *arguments)
        assert isinstance(refused, WrongUse)
        assert says in str(refused)

    def test_what_a_killed_build_left_is_no_hindrance(self, tmp_path: Path) -> None:
        write_topics([TOPIC], tmp_path / "topics.jsonl")
        for left in ("b.duckdb.partial", "b.duckdb.partial.wal"):
            (tmp_path / left).write_bytes(b"half a database")
        assert invoke("build", tmp_path / "topics.jsonl", "--to", tmp_path / "b.duckdb").exit_code == 0
        assert sorted(path.name for path in tmp_path.iterdir()) == ["b.duckdb", "topics.jsonl"]

    @pytest.mark.parametrize(
        "arguments",
        [
            ("--recipe", "leaves"),
            ("--count", 3),
            ("--distance", 0),
            ("--structure", "s"),
            ("--backlinks", "w"),
        ],
    )
    def test_topics_that_are_ready_made_take_no_options_of_directories(
        self, tmp_path: Path, arguments: tuple[object, ...]
    ) -> None:
        write_topics([TOPIC], tmp_path / "topics.jsonl")
        refused = failure("build", tmp_path / "topics.jsonl", "--to", tmp_path / "b.duckdb", *arguments)
        assert isinstance(refused, WrongUse)

    def test_a_topic_in_two_files_is_named(self, tmp_path: Path) -> None:
        for name in ("a.jsonl", "b.jsonl"):
            write_topics([TOPIC], tmp_path / name)
        said = failure("build", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--to", tmp_path / "b.duckdb")
        assert "'Top/Business/Pumps/Companies' is there 2 times" in str(said)
        assert not list(tmp_path.glob("b.duckdb*"))

    def test_a_directory_may_hold_figures_and_lists(self, tmp_path: Path) -> None:
        rows = [{"url": f"http://h{i}.example/", "category": "Top/A/B", "title": i} for i in range(5)]
        rows += [{"url": None, "category": 7, "description": ["a", "b"]}]
        (tmp_path / "list.json").write_text(json.dumps(rows))
        result = invoke("build", tmp_path / "list.json", "--recipe", "leaves", "--to", tmp_path / "b.duckdb")
        assert "1 topic, 5 targets" in result.output, result.exception
        assert "unreadable_record 1" in result.output

    def test_a_directory_of_json_lines_is_told_from_topics(self, tmp_path: Path) -> None:
        rows = [{"url": f"http://h{i}.example/", "category": "Top/A/B"} for i in range(5)]
        (tmp_path / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        result = invoke("build", tmp_path / "list.jsonl", "--recipe", "leaves", "--to", tmp_path / "b.duckdb")
        assert "1 topic, 5 targets" in result.output, result.exception

    def test_topics_that_nothing_is_known_to_link_to_are_said(self, tmp_path: Path, small_warc: Path) -> None:
        rows = [f"{url},Top/Pumps/Leaf\n" for url in list(PAGES)[5:10]]
        rows += [f"http://unknown{i}.example/,Top/Cats/Leaf\n" for i in range(5)]
        (tmp_path / "list.csv").write_text(f"url,category\n{''.join(rows)}")
        command = ("build", tmp_path / "list.csv", "--recipe", "neighbours", "--backlinks", small_warc)
        assert "1 topic left out" in invoke(*command, "--to", tmp_path / "n.duckdb").output

    def test_a_bed_is_not_overwritten(self, bed: Path) -> None:
        assert isinstance(failure("build", bed, "--to", bed), WrongUse)

    def test_a_bed_is_made_where_a_link_leads_and_is_never_a_pipe(self, bed: Path, tmp_path: Path) -> None:
        (tmp_path / "disk").mkdir()
        link, pipe, place = tmp_path / "link.duckdb", tmp_path / "pipe", tmp_path / "disk" / "bed.duckdb"
        link.symlink_to(place)
        os.mkfifo(pipe)
        assert invoke("build", tmp_path / "topics.jsonl", "--to", link).exit_code == 0
        assert (link.is_symlink(), place.is_file()) == (True, True)
        assert "is a pipe" in str(failure("report", pipe))

    def test_topics_come_out_as_they_went_in(self, bed: Path, tmp_path: Path) -> None:
        assert invoke("topics", bed, "--to", tmp_path / "out.jsonl").exit_code == 0
        assert read_topics(tmp_path / "out.jsonl") == [TOPIC]
        assert "2 seeds, 3 targets" in invoke("topics", bed).output


class TestFromTopicsToReport:
    def test_run_again_report_and_reproduce(self, bed: Path, small_warc: Path, tmp_path: Path) -> None:
        command = (
            "run",
            bed,
            "--web",
            small_warc,
            "--strategies",
            "hub-seeking,dom,best-first",
            "--pages",
            6,
        )
        result = invoke(*command, "--repeats", 2, "--processes", 1, "--quiet")
        assert result.exit_code == 0, (result.output, result.exception)
        assert "7 new runs" in result.output  # three, breadth-first, oracle, random twice
        assert "0 new runs" in invoke(*command, "--repeats", 2, "--processes", 1, "--quiet").output
        assert invoke("report", bed, "--to", tmp_path / "r.html").exit_code == 0
        assert "<svg" in (tmp_path / "r.html").read_text()
        assert invoke("report", bed, "--reproduction", "--to", tmp_path / "repro.md").exit_code == 0
        text = (tmp_path / "repro.md").read_text()
        for number in ("R48", "R54", "R87", "R97", "R104", "R105", "R116", "R118", "R130", "R132"):
            assert f"{number} " in text
        assert "cannot be asked here" in text
        assert "R48 BI on small (recall)" in text  # one topic proves nothing

    @pytest.mark.parametrize("command", ["--to r.html", "--to r.md", "--reproduction --to r.md"])
    def test_a_report_that_finds_no_room_leaves_the_former_one(
        self, bed: Path, small_warc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
    ) -> None:
        """It had been cut to nothing by then, and which file it was about was not said."""
        monkeypatch.chdir(tmp_path)
        run = ("run", bed, "--web", small_warc, "--strategies", "dom", "--pages", 3)
        assert invoke(*run, "--processes", 1, "--quiet").exit_code == 0
        former = tmp_path / command.split()[-1]
        former.write_text("former")

        def full(_descriptor: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "fsync", full)
        assert "can't be written: No space left" in str(failure("report", bed, *command.split()))
        assert former.read_text() == "former"
        assert not list(tmp_path.rglob("*.part"))

    def test_a_damaged_record_is_said(self, bed: Path, small_warc: Path, tmp_path: Path) -> None:
        (tmp_path / "torn.warc").write_bytes(small_warc.read_bytes()[:-60])
        result = invoke(
            "run", bed, "--web", tmp_path / "torn.warc", "--pages", 3, "--processes", 1, "--quiet"
        )
        assert "the record is damaged, what can be read is used: torn record 1" in result.output

    def test_topics_are_read_while_another_command_reads_the_bed_and_nothing_is_written(
        self, bed: Path
    ) -> None:
        before = bed.read_bytes()
        reading = (
            "import duckdb, sys; con = duckdb.connect(sys.argv[1], read_only=True); "
            "print(1, flush=True); input()"
        )
        with subprocess.Popen(
            [sys.executable, "-c", reading, str(bed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "1\n"
            result = invoke("topics", bed)
            other.communicate("\n")
        assert result.exit_code == 0, result.exception
        assert "2 seeds, 3 targets" in result.output
        assert bed.read_bytes() == before

    def test_augment_makes_no_bed_of_topics_without_hubs(self, small_warc: Path, tmp_path: Path) -> None:
        alone = replace(TOPIC, topic=replace(TOPIC.topic, seeds=("http://other.example/",)))
        write_topics([alone], tmp_path / "topics.jsonl")
        to = tmp_path / "augmented.duckdb"
        assert "no topic has a hub" in str(
            failure("augment", tmp_path / "topics.jsonl", "--backlinks", small_warc, "--to", to)
        )
        assert not list(tmp_path.glob("augmented*"))

    def test_augment_that_fails_at_its_end_leaves_nothing(
        self, bed: Path, small_warc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(topic_table, "_insert", lambda *_: 1 / 0)
        assert invoke(
            "augment", bed, "--backlinks", small_warc, "--to", tmp_path / "augmented.duckdb"
        ).exception
        assert not list(tmp_path.glob("augmented*"))

    def test_augment_finds_the_list_page(self, bed: Path, small_warc: Path, tmp_path: Path) -> None:
        to = tmp_path / "augmented.duckdb"
        result = invoke("augment", bed, "--backlinks", small_warc, "--to", to)
        assert result.exit_code == 0, (result.output, result.exception)
        assert "1 of 1 topics have hubs, 1 in all" in result.output
        assert "mirror 1" in result.output
        assert "1 hub," in invoke("topics", to).output

    def test_links_away_by_a_recorded_web(self, tmp_path: Path, small_warc: Path) -> None:
        rows = "".join(f"{url},Top/Pumps/Leaf\n" for url in list(PAGES)[5:10])
        (tmp_path / "list.csv").write_text(f"url,category\n{rows}")
        command = ("build", tmp_path / "list.csv", "--recipe", "neighbours", "--backlinks", small_warc)
        result = invoke(*command, "--to", tmp_path / "n.duckdb")
        assert result.exit_code == 0, (result.output, result.exception)
        assert "1 topic, 5 targets" in result.output
        (made,) = topics_of(tmp_path / "n.duckdb")
        assert made.facts["distance"] == 2
        assert made.facts["backlinks"] == {"source": str(small_warc)}

    def test_record_makes_a_web_to_run_on(self, bed: Path, small_warc: Path, tmp_path: Path) -> None:
        folder = tmp_path / "recorded"
        result = invoke("record", bed, "--warc", folder, "--web", small_warc, "--pages", 50)
        assert result.exit_code == 0, (result.output, result.exception)
        assert "Top/Business/Pumps/Companies: 9 pages recorded" in result.output
        run = ("run", bed, "--web", folder, "--strategies", "dom", "--pages", 20, "--repeats", 1)
        assert invoke(*run, "--processes", 1, "--quiet").exit_code == 0
        with duckdb.connect(str(bed)) as con:
            assert con.execute("SELECT pages FROM webs").fetchone() == (9,)

    def test_recording_says_what_was_turned_away_and_ends_when_it_is_interrupted(
        self, small_warc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        topics = [replace(TOPIC, topic=replace(TOPIC.topic, name=name)) for name in ("A", "B")]
        write_topics(topics, tmp_path / "two.jsonl")
        command = ("record", tmp_path / "two.jsonl", "--warc", tmp_path / "kept", "--web", small_warc)
        assert "without a page: not recorded " in invoke(*command).output
        count_page = Tally.count_page

        def interrupted(tally: Tally, *arguments: Any) -> None:
            count_page(tally, *arguments)
            if tally.pages == 1:
                os.kill(os.getpid(), signal.SIGINT)

        monkeypatch.setattr(Tally, "count_page", interrupted)
        result = invoke(*command)
        assert isinstance(result.exception, Interrupted)
        assert "B: " not in result.output

    def test_a_report_on_nothing_says_what_to_do(self, bed: Path) -> None:
        assert "testbed run" in str(failure("report", bed))

    def test_a_topic_that_is_not_there(self, bed: Path, tmp_path: Path) -> None:
        assert "has no topic" in str(failure("record", bed, "--warc", tmp_path, "--topic", "nosuch"))

    def test_a_bed_that_is_not_there(self, tmp_path: Path) -> None:
        assert "testbed build" in str(failure("topics", tmp_path / "nosuch.duckdb"))

    @pytest.mark.parametrize("command", ["topics", "report", "report --reproduction", "run --web w.warc"])
    def test_what_is_no_bed_is_refused_and_left_as_it_was(self, tmp_path: Path, command: str) -> None:
        write_topics([TOPIC], tmp_path / "topics.jsonl")
        with duckdb.connect(str(tmp_path / "other.duckdb")) as con:
            con.execute("CREATE TABLE pages AS SELECT 1 AS page")
        name, *options = command.split()
        for bed in ("nosuch.duckdb", "other.duckdb", "topics.jsonl"):
            if (name, bed) != ("topics", "topics.jsonl"):
                failure(name, tmp_path / bed, *options)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["other.duckdb", "topics.jsonl"]
        with duckdb.connect(str(tmp_path / "other.duckdb")) as con:
            assert con.execute("SHOW TABLES").fetchall() == [("pages",)]

    @pytest.mark.parametrize("command", ["topics", "report", "run --web w.warc"])
    def test_a_collection_is_told_from_a_bed(self, tmp_path: Path, command: str) -> None:
        with duckdb.connect(str(tmp_path / "harvest.duckdb")) as con:
            con.execute("CREATE TABLE crawls AS SELECT 1 AS crawl")
        name, *options = command.split()
        refused = failure(name, tmp_path / "harvest.duckdb", *options)
        assert isinstance(refused, WrongUse)
        assert "collection of a crawl" in str(refused)

    @pytest.mark.parametrize(
        "command",
        [
            "build {topics} --to {absent}/b.duckdb",
            "topics {bed} --to {absent}/t.jsonl",
            "augment {bed} --backlinks {web} --to {absent}/a.duckdb",
            "report {bed} --to {absent}/r.html",
            "report {bed} --to {absent}.html/r.md",
            "run {bed} --web {web} --strategies ,",
            "report {bed} --reproduction --to r.html",
            "report {bed} --also {bed}",
            "record {bed} --warc {topics}",
            "augment {bed} --backlinks {web} --random-seed 3 --to {absent}",
            "augment {bed} --backlinks {bed} --web {web} --random-order --to {absent}",
            "evolve {topics} --web {web} --to {absent}/r.json",
            "classifier {absent}/c.json --bed {topics} --web {web} --topic T",
            "classifier c.json --bed {topics} --collection {bed}",
            "gate f.json --beds {absent}",
            "gate f.json --allow-regression",
        ],
    )
    def test_what_cannot_be_meant_so_is_said_before_any_work(
        self, bed: Path, small_warc: Path, tmp_path: Path, command: str
    ) -> None:
        places = {
            "bed": bed,
            "web": small_warc,
            "topics": tmp_path / "topics.jsonl",
            "absent": tmp_path / "absent",
        }
        assert isinstance(failure(*command.format(**places).split()), WrongUse)
        assert not (tmp_path / "absent").exists()

    def test_a_bed_that_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "x.duckdb").write_text("no database at all, but long enough to look at")
        assert "cannot be opened" in str(failure("topics", tmp_path / "x.duckdb"))


class TestGate:
    def test_beds_that_are_not_here_are_passed_over_visibly(self, tmp_path: Path) -> None:
        floors = tmp_path / "nosuch.json"
        floors.write_text(
            '{"bed": "nosuch", "digest": "", "checkpoints": [1], "measures": ["recall"], "floors": {}}'
        )
        assert "passed over" in invoke("gate", floors, "--beds", tmp_path).output

    def test_floors_that_are_none_are_one_line(self, tmp_path: Path) -> None:
        (tmp_path / "f.json").write_text("[]")
        assert "cannot be read as floors" in str(failure("gate", tmp_path / "f.json"))
