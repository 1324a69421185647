"""``bizcrawl sql``, ``export`` and ``status`` as a person meets them: real processes, pipes and terminals."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pyarrow.parquet
import pytest
from collection_samples import TOPIC, MakePage
from forked_commands import run as command
from hostile_strings import has_control

from bizcrawl.cli.streams import Screen
from bizcrawl.collection.rows import Batch, CallRow, CompanyRow, CrawlRow, DecisionRow
from bizcrawl.collection.writer import Collection
from bizcrawl.errors import file_trouble, machine_trouble, system_trouble
from bizcrawl.reasons import Reason

ROOT = Path(__file__).parents[2]


@pytest.fixture
def harvest(path: Path, make_page: MakePage) -> Path:
    """A collection at rest with something of everything."""
    with Collection.create(path) as collection:
        collection.begin_crawl(CrawlRow("discover competitors", TOPIC, "hub-seeking"))
        pages = [
            make_page("https://seed.example/", title="=1+1"),
            make_page("https://b.example/", title="日本 \x1b]0;owned\x07"),
        ]
        calls = [
            CallRow("next", n=2, given=("https://hand.example/",)),
            CallRow("visit", "https://seed.example/"),
        ]
        collection.submit(Batch(pages, calls, [DecisionRow("https://x.example/", Reason.ROBOTS)])).result()
        collection.replace_companies([CompanyRow("b.example", "B Pumps", rank=1, score=0.5)], [])
        collection.end_crawl("page budget used")
    return path


@pytest.mark.parametrize("share", [0.3, 0.6])
@pytest.mark.parametrize("asked", [("status",), ("sql", "SELECT url FROM pages")])
def test_a_file_that_was_cut_short_is_told_in_one_line(
    harvest: Path, share: float, asked: tuple[str, ...]
) -> None:
    """As a copy on a full disk leaves it."""
    whole = harvest.read_bytes()
    harvest.write_bytes(whole[: int(len(whole) * share)])
    ended = command(asked[0], str(harvest), *asked[1:])
    assert ended.returncode == 1
    assert re.fullmatch(r"bizcrawl: .*(damaged|cut short).*\n", ended.stderr), ended.stderr


def test_what_faults_and_json_say_of_strangers_carries_no_control_characters(harvest: Path) -> None:
    names = ("B \u202e\x1b[31mPumps", "B \u2066Pumps\x9b31m")
    with Collection.open(harvest) as collection:
        rows = [CompanyRow(f"{key}.example", name, rank=1) for key, name in zip("bc", names, strict=True)]
        collection.replace_companies(rows, [])
    ended = command("explain", str(harvest), "B Pump")
    assert ended.returncode == 2
    assert "which company is meant" in ended.stderr
    assert not has_control(ended.stderr, but="\n")
    told = command("explain", str(harvest), "b.example", "--format", "json").stdout
    assert not has_control(told, but="\n")
    assert json.loads(told)["name"] == names[0]


def test_what_duckdb_says_of_a_full_disk_is_told_in_one_line_and_other_faults_are_not() -> None:
    full = duckdb.TransactionException(
        'Failed to commit: Could not write file\n "x": No space left on device'
    )
    assert file_trouble(full).startswith("the disk is full: Failed to commit")
    assert "\n" not in file_trouble(full)
    assert file_trouble(duckdb.BinderException("no such column")) == ""
    assert file_trouble(ValueError("No space left on device")) == ""


def test_too_little_memory_no_more_threads_and_a_link_to_itself_are_told_in_one_line() -> None:
    asked = "SELECT count(DISTINCT range) FROM range(1_000_000)"
    limits = {"memory_limit": "1MB", "max_temp_directory_size": "0MB"}
    with duckdb.connect(config=limits) as con, pytest.raises(duckdb.OutOfMemoryException) as refused:
        con.execute(asked)
    for fault in (refused.value, MemoryError()):  # an allocation that fails leaves malloc in another arena
        assert machine_trouble(fault).startswith("there is too little memory")
    no_thread = RuntimeError("can't start new thread")
    assert machine_trouble(no_thread).startswith("the system starts no more threads")
    assert machine_trouble(RuntimeError("Symlink loop from 'a'")) == "Symlink loop from 'a'"
    assert machine_trouble(RuntimeError("dictionary changed size")) == ""


def test_what_the_system_refuses_is_told_of_the_output_only_if_it_is_the_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many open files were told as "the output can't be written"."""
    assert system_trouble(OSError(errno.ENOENT, "No such file", "a.csv")) == "a.csv: No such file"
    full = OSError(errno.ENOSPC, "No space left on device")
    assert system_trouble(full) == "the output can't be written: No space left on device"
    assert system_trouble(OSError(errno.EMFILE, "Too many open files")) == "Too many open files"
    assert system_trouble(OSError("Matplotlib needs a folder")) == "Matplotlib needs a folder"
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(OSError, match="No such file") as gone:
        Path.cwd()
    assert system_trouble(gone.value).startswith("the folder that this was started in can't be used")


def test_a_terminal_that_does_not_know_its_width_shows_everything(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    Screen().print("nothing was shown")
    assert capsys.readouterr().out == "nothing was shown\n"


def test_a_query_in_a_pipe_is_csv(harvest: Path) -> None:
    ended = command("sql", str(harvest), "SELECT page, title FROM pages ORDER BY page")
    assert ended.returncode == 0, ended.stderr
    assert list(csv.reader(io.StringIO(ended.stdout))) == [
        ["page", "title"],
        ["1", "'=1+1"],
        ["2", "日本 ]0;owned"],
    ]


@pytest.mark.parametrize(
    ("kind", "starts"),
    [("json", "["), ("jsonl", "{"), ("markdown", "| page"), ("table", "┏"), ("csv", "page")],
)
def test_a_query_takes_every_format(harvest: Path, kind: str, starts: str) -> None:
    ended = command("sql", str(harvest), "SELECT page, title FROM pages", "--format", kind)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(starts)
    assert "\x1b" not in ended.stdout


def test_a_query_goes_to_a_file_in_the_format_of_its_name(harvest: Path, tmp_path: Path) -> None:
    ended = command("sql", str(harvest), "FROM pages", "--out", str(tmp_path / "p.parquet"))
    assert ended.returncode == 0, ended.stderr
    assert "2 rows" in ended.stderr
    assert pyarrow.parquet.read_table(tmp_path / "p.parquet").num_rows == 2


def test_a_name_that_tells_no_format_is_refused_as_export_refuses_it(harvest: Path, tmp_path: Path) -> None:
    """It was written as CSV, whatever it was called."""
    out = tmp_path / "p.xls"
    refused = command("sql", str(harvest), "SELECT 1 AS one", "--out", str(out))
    assert (refused.returncode, "add --format" in refused.stderr, out.exists()) == (2, True, False)
    ended = command("sql", str(harvest), "SELECT 1 AS one", "--out", str(out), "--format", "csv")
    assert f"1 row in {out}" in ended.stderr


def test_rows_too_wide_for_the_screen_stand_one_below_the_other(harvest: Path) -> None:
    """FROM pages was a grid of lines without a letter."""
    shown = command("sql", str(harvest), "FROM pages", "--format", "table").stdout
    assert re.search(r"│ final_url +│ https://\S+ +│", shown)
    assert "│ last_modified   │" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_mistake_is_shown_with_its_place_and_exit_code_2(harvest: Path) -> None:
    ended = command("sql", str(harvest), "SELECT titel FROM pages")
    assert ended.returncode == 2
    assert "LINE 1: SELECT titel FROM pages" in ended.stderr
    assert "^" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_writing_needs_the_option_that_says_so(harvest: Path) -> None:
    change = "UPDATE companies SET verdict = 'rejected' WHERE company = 'b.example'"
    refused = command("sql", str(harvest), change)
    assert refused.returncode == 2
    assert "--allow-write" in refused.stderr
    assert command("sql", str(harvest), change, "--allow-write").returncode == 0
    assert command("sql", str(harvest), "SELECT count(*) FROM competitors").stdout.split() == [
        "count_star()",
        "0",
    ]
    # files stay closed even then
    assert (
        command("sql", str(harvest), "SELECT * FROM read_text('/etc/passwd')", "--allow-write").returncode
        == 2
    )


@pytest.mark.parametrize("is_full", [True, False])
def test_a_crawl_goes_on_when_nobody_can_be_told_of_it(tmp_path: Path, is_full: bool) -> None:
    """``2>&1 | head`` ended a crawl at its next line of progress, with exit code 0 and no company ranked."""
    reading, writing = os.pipe()
    os.close(reading)
    seeds = ("roastwell.example", "emberdrum.example")
    options = ("--web", "demo", "--pages", "10", "--to", tmp_path / "harvest.duckdb")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "bizcrawl", "discover", "competitors", *seeds, *options],
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=full if is_full else writing,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    os.close(writing)
    assert done.returncode == 0
    told = command("sql", str(tmp_path / "harvest.duckdb"), "SELECT stop_reason FROM crawls")
    assert told.stdout.splitlines()[1:] == ["page budget used"]


def test_piping_into_head_says_nothing(harvest: Path) -> None:
    """Case i11."""
    program = f"{sys.executable} -m bizcrawl"
    for what in (
        f"sql {harvest} 'SELECT range, repeat(url, 100) FROM range(100000), pages'",
        f"export {harvest} pages -",
    ):
        ended = subprocess.run(
            f"{program} {what} | head -1",
            shell=True,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert ended.stderr == ""
        assert ended.stdout.count("\n") == 1


@pytest.mark.parametrize(
    "what",
    [
        *("status {}", "report {} -", "export {} pages -", "strategies"),
        "sql {} 'FROM pages' --format table",
    ],
)
def test_output_that_nobody_reads_is_no_fault_and_a_full_disk_is_one_line(harvest: Path, what: str) -> None:
    program = f"{sys.executable} -m bizcrawl {what.format(harvest)}"

    def ended(tail: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", f"{program} {tail}"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    for tail in (">&-", "| true; exit ${PIPESTATUS[0]}"):
        unread = ended(tail)
        assert (unread.returncode, unread.stderr) == (0, ""), tail
    full = ended(">/dev/full")
    assert full.returncode == 1
    assert full.stderr == "bizcrawl: the output can't be written: No space left on device\n"


def test_output_that_is_not_utf_8_shows_question_marks(harvest: Path) -> None:
    """Case i10."""
    ended = subprocess.run(
        [sys.executable, "-m", "bizcrawl", "sql", harvest, "SELECT title FROM pages", "--format", "table"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "cp1252"},
        encoding="cp1252",
    )
    assert ended.returncode == 0, ended.stderr
    assert "??" in ended.stdout
    assert "\\u" not in ended.stdout
    assert "Traceback" not in ended.stderr


def test_without_a_query_there_is_a_prompt(harvest: Path) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "bizcrawl", "sql", str(harvest)],
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb"},
    )
    os.write(leader, b".tables\nSELECT count(*)\nFROM pages;\nSELEC;\nSELECT 40 + 2;\n.quit\n")
    shown, _ = process.communicate(timeout=60)
    os.close(leader)
    os.close(follower)
    assert process.returncode == 0
    assert "One row per fetched page" in shown
    assert "syntax error" in shown, "a mistake does not end the prompt"
    assert "42" in shown


def test_a_query_can_come_through_standard_input(harvest: Path) -> None:
    ended = command("sql", str(harvest), stdin="SELECT 40 + 2 AS n;\n")
    assert ended.stdout.split() == ["n", "42"]


@pytest.mark.parametrize("more", [[], ["--allow-write"]])
def test_ctrl_c_ends_a_long_query_at_once(harvest: Path, more: list[str]) -> None:
    endless = "SELECT count(*) FROM range(1000000000) a, range(1000000000) b"
    process = subprocess.Popen(
        [sys.executable, "-m", "bizcrawl", "sql", str(harvest), endless, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    began_s = time.monotonic()
    _, said = process.communicate(timeout=50)
    assert time.monotonic() - began_s < 20, "it waited for the limit of a minute"
    assert process.returncode == 130
    assert "Traceback" not in said


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".jsonl", ".json", ".parquet", ".md"])
def test_every_table_and_view_can_be_exported(harvest: Path, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"out{suffix}"
    ended = command("export", str(harvest), "pages", str(out))
    assert ended.returncode == 0, ended.stderr
    assert out.stat().st_size > 0
    assert f"2 rows in {out}" in ended.stderr


def test_an_export_of_something_else_names_the_tables(harvest: Path, tmp_path: Path) -> None:
    ended = command("export", str(harvest), "nothing", str(tmp_path / "out.csv"))
    assert ended.returncode == 2
    assert "competitors" in ended.stderr
    assert not (tmp_path / "out.csv").exists()
    ended = command("export", str(harvest), "pages", str(tmp_path / "out.xyz"))
    assert ended.returncode == 2
    assert ".parquet" in ended.stderr


def test_a_failed_export_leaves_the_former_file(harvest: Path, tmp_path: Path) -> None:
    """Case i13."""
    out = tmp_path / "out.csv"
    out.write_text("former")
    ended = command("export", str(harvest), "SELECT error(url) FROM pages", str(out))
    assert ended.returncode != 0
    assert out.read_text() == "former"
    assert sorted(tmp_path.glob(".out*")) == []


def test_the_status_tells_how_a_collection_stands(harvest: Path) -> None:
    ended = command("status", str(harvest))
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    (crawl,) = found["crawls"]
    assert crawl["state"] == "ended"
    assert crawl["stop_reason"] == "page budget used"
    assert (crawl["pages"], crawl["leased"]) == (2, 1)
    assert found["turned_away"] == {"robots": 1}
    assert found["rows"]["links"] == 6


def test_resume_is_offered_for_the_last_crawl_alone(harvest: Path) -> None:
    """An earlier one that was killed can't be gone on with any more."""
    with Collection.open(harvest) as collection:
        for _ in range(2):
            collection.begin_crawl(CrawlRow("crawl", TOPIC, "best-first"))
    killed, last = (
        line
        for line in command("status", str(harvest), "--format", "table").stdout.splitlines()
        if "without a word" in line
    )
    assert killed.startswith("crawl 2")
    assert "resume" not in killed
    assert last.startswith("crawl 3")
    assert "bizcrawl resume" in last


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_status_is_read_at_any_width(harvest: Path, columns: int) -> None:
    narrow = {"COLUMNS": str(columns)}
    ended = command("status", str(harvest), "--format", "table", environment=narrow)
    assert max(map(len, ended.stdout.splitlines())) <= columns
    shown = " ".join(ended.stdout.split())
    assert f"discover competitors: {TOPIC.name}, by hub-seeking" in shown
    assert "pages 2 queued 4 leased 1 failed 0" in shown
    assert "page budget used" in shown
    assert "…" not in shown


def test_the_commands_work_while_another_process_writes(
    collection: Collection, path: Path, make_page: MakePage
) -> None:
    collection.submit(Batch([make_page("https://a.example/")])).result()
    assert command("sql", str(path), "SELECT url FROM pages").stdout.split() == ["url", "https://a.example/"]
    found = json.loads(command("status", str(path)).stdout)
    assert found["being_written"] is True
    assert found["crawls"][0]["state"] == "running"
    exported = command("export", str(path), "links", "-")
    assert exported.stdout.count("\n") == 4


@pytest.mark.parametrize("name", ["sql", "status"])
def test_what_is_no_collection_is_told_in_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.duckdb").write_text("nothing of the kind" * 1_000)
    arguments = [name, str(tmp_path / "x.duckdb"), *(["SELECT 1"] if name == "sql" else [])]
    ended = command(*arguments)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "is not a DuckDB file" in ended.stderr
