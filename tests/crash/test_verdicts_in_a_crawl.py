"""A verdict on a company takes its place among the calls of a crawl: said at rest, while it runs, and then
killed.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from killing import DISCOVER, contents, first_command, look, sit, state, torture

from bizcrawl.collection.reader import Reader
from bizcrawl.errors import BizcrawlError

BEFORE, AFTER = 60, 110
PATIENCE_S = 60.0


def in_file(path: Path, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in look(path, lambda p: Reader(p).rows(sql))]


def judged(path: Path, *verdicts: tuple[str, str]) -> Path:
    """A crawl of `BEFORE` pages, and what the analyst said then."""
    assert sit(first_command(path, DISCOVER, BEFORE)).exit_code == 0
    for verdict, company in verdicts:
        assert sit([verdict, str(path), company]).exit_code == 0
    return path


def resumed(path: Path) -> object:
    assert sit(["resume", str(path), "--quiet", "--pages", str(AFTER)]).exit_code == 0
    return look(path, contents)


@pytest.fixture(scope="module")
def steered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that went on after its best competitor had been rejected and the second one accepted."""
    path = judged(tmp_path_factory.mktemp("steered") / "c.duckdb", ("reject", "#1"), ("accept", "#1"))
    resumed(path)
    return path


def test_a_verdict_stands_between_the_calls_before_and_after_it(steered: Path) -> None:
    kinds = [
        kind for (kind,) in in_file(steered, "SELECT kind FROM calls WHERE kind <> 'next' ORDER BY call")
    ]
    assert kinds[0] == "start"
    assert kinds.count("visit") == AFTER
    assert kinds.index("accept") == kinds.index("reject") + 1
    assert kinds[: kinds.index("reject")].count("visit") == BEFORE
    assert not look(steered, state)["torn"]


def test_a_verdict_changes_where_the_crawl_goes(steered: Path, tmp_path: Path) -> None:
    unjudged = resumed(judged(tmp_path / "unjudged.duckdb"))
    steered_pages = look(steered, contents)["pages"]
    assert steered_pages[:BEFORE] == unjudged["pages"][:BEFORE]  # type: ignore[index]
    assert steered_pages != unjudged["pages"]  # type: ignore[index]


def test_killed_and_resumed_after_a_verdict_a_crawl_ends_as_one_left_alone(
    steered: Path, tmp_path: Path
) -> None:
    path = judged(tmp_path / "killed.duckdb", ("reject", "#1"), ("accept", "#1"))
    alone = shutil.copy(path, tmp_path / "alone.duckdb")
    rest = ["--quiet", "--pages", str(AFTER)]
    sitting = sit(["resume", str(alone), *rest])
    resume = ["resume", str(path), *rest]
    result = torture(path, resume, 2, sitting.seconds, random.Random(5), resume=resume)
    assert result.kills > 0
    assert not result.lost
    assert not result.torn
    assert result.pages == look(steered, contents)


def test_a_running_crawl_heeds_a_verdict_and_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "running.duckdb"
    command = [sys.executable, "-m", "bizcrawl", *first_command(path, DISCOVER, 900)]
    crawl = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        company = someone_met(path)
        told = subprocess.run(
            [sys.executable, "-m", "bizcrawl", "reject", str(path), company, "--note", "no maker"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert told.returncode == 0, told.stderr
        assert f"rejected: {company}" in told.stderr
        unknown = subprocess.run(
            [sys.executable, "-m", "bizcrawl", "accept", str(path), "nobody.invalid"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert unknown.returncode == 2, unknown.stderr
        assert "no such company" in unknown.stderr
    finally:
        crawl.terminate()
        crawl.communicate()
    calls = [kind for (kind,) in Reader(path).rows("SELECT kind FROM calls ORDER BY call")]
    assert "visit" in calls[calls.index("reject") :], "it was said in the middle of the crawl"
    assert Reader(path).rows(
        "SELECT company, verdict, verdict_note FROM companies WHERE verdict IS NOT NULL"
    ) == [(company, "rejected", "no maker")]


def someone_met(path: Path) -> str:
    """The site of some page that a crawl has just stored."""
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        try:
            found = Reader(path).rows("SELECT domain FROM pages WHERE page > 40 ORDER BY page LIMIT 1")
        except BizcrawlError:
            found = []
        if found:
            return str(found[0][0])
        time.sleep(0.1)
    raise AssertionError("the crawl did not begin")
