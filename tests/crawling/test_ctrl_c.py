"""Ctrl-C while DuckDB is at work for the main thread, where the exception of the signal's handler is lost;
and what else asks a command to end.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from multiprocessing import util
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from bizcrawl.cli import crawling
from bizcrawl.cli.saying import on_ctrl_c
from bizcrawl.cli.streams import end_at_once
from bizcrawl.collection.reader import Reader
from bizcrawl.collection.writer import Collection
from bizcrawl.errors import Interrupted, is_ctrl_c
from bizcrawl.plan import Plan
from bizcrawl.tally import Budget
from bizcrawl.topic import Topic

BUSY = """
import os, signal, threading
import duckdb
from bizcrawl import cli
from bizcrawl.cli.saying import on_ctrl_c

def busy(command):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    {block}:
        while True:  # nearly all of the time is DuckDB's
            duckdb.sql("SELECT sum(hash(i)) FROM range(5_000_000) t(i)").fetchall()

cli._run = busy
cli.main()
"""


@pytest.mark.parametrize(
    ("block", "said"),
    [("if True", ""), ("with on_ctrl_c('the same command goes on')", "bizcrawl: the same command goes on\n")],
)
def test_ctrl_c_ends_a_command_as_ever_and_says_how_to_go_on(block: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BUSY.format(block=block)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert (done.returncode, done.stderr) == (130, said)


HALF_WRITTEN = """
import os, signal, time
from pathlib import Path
from bizcrawl import cli
from bizcrawl.collection.replacing import replacing

def writing(command):
    with replacing(Path("out.csv")) as file:
        file.write(b"half of it")
        os.kill(os.getpid(), signal.{name})
        time.sleep(60)

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whatever the tests were started with
cli._run = writing
cli.main()
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_whatever_asks_a_command_to_end_it_leaves_nothing_half_written(tmp_path: Path, name: str) -> None:
    """SIGTERM and SIGHUP were heeded while a crawl fetched, and ended the process on the spot otherwise."""
    assert said_by(HALF_WRITTEN.format(name=name), tmp_path) == (130, "")
    assert not list(tmp_path.iterdir())


STILL_LOADING = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
from bizcrawl.__main__ import main
main()
"""


def test_ctrl_c_while_the_command_line_is_still_being_loaded_is_no_traceback(tmp_path: Path) -> None:
    assert said_by(STILL_LOADING, tmp_path) == (130, "")


STARTS_PROCESSES = """
from bizcrawl import cli
from bizcrawl.workers import prepare_workers

cli._run = lambda command: prepare_workers([]) or 0
cli.main()
"""


def test_a_command_leaves_no_socket_of_its_processes_behind(tmp_path: Path) -> None:
    """Every crawl of the live Web left a folder in the temporary directory."""
    code, said = said_by(STARTS_PROCESSES, tmp_path, TMPDIR=str(tmp_path))
    assert (code, said) == (0, "")
    assert not list(tmp_path.iterdir())


DRAWS = """
from bizcrawl import cli

cli._run = lambda command: __import__("testbed.plots") and 0
cli.main()
"""


def test_where_the_home_folder_can_not_be_written_to_drawing_says_nothing_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    """Matplotlib told of it in two lines, and left a folder in the temporary directory at every report."""
    home = {"HOME": "/proc", "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": ""}
    assert said_by(DRAWS, tmp_path, **home, TMPDIR=str(tmp_path)) == (0, "")
    assert not list(tmp_path.iterdir())


def said_by(script: str, folder: Path, **variables: str) -> tuple[int, str]:
    """Exit code and stderr of a script that runs in a folder."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **variables},
    )
    return done.returncode, done.stderr


def test_a_crawl_that_is_told_to_end_before_its_first_page_says_why_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise SystemExit(130)

    monkeypatch.setattr(crawling, "_run", interrupted)
    plan = Plan("crawl", Topic("t", ("https://a.example/",), "pumps"), Budget(pages=1), web="demo")
    path = tmp_path / "c.duckdb"
    with Collection.create(path) as collection, pytest.raises(Interrupted, match="resume"):
        crawling.crawl(plan, collection, quiet=True)
    assert Reader(path).rows("SELECT stop_reason FROM crawls") == [("interrupted",)]


def test_other_faults_of_the_runtime_are_no_ctrl_c() -> None:
    assert is_ctrl_c(RuntimeError("Query interrupted"))
    with pytest.raises(RuntimeError, match="another"), on_ctrl_c("go on"):
        raise RuntimeError("another")


@pytest.mark.parametrize("pressed", [SystemExit(130), KeyboardInterrupt()])
def test_ctrl_c_while_duckdb_reads_what_python_makes_is_ctrl_c(pressed: BaseException) -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"weight": [1.0]})
        raise pressed

    reader = pa.RecordBatchReader.from_batches(pa.schema([("weight", pa.float64())]), batches())
    with duckdb.connect() as con:
        con.register("evidence", reader)
        with pytest.raises(Interrupted, match="go on"), on_ctrl_c("go on"):
            con.execute("SELECT sum(weight) FROM evidence")


def test_faults_of_duckdb_that_only_speak_of_it_are_no_ctrl_c() -> None:
    with duckdb.connect() as con, pytest.raises(duckdb.Error), on_ctrl_c("go on"):
        con.execute('SELECT no_column AS "KeyboardInterrupt" FROM (SELECT 1)')


def test_a_fork_that_ends_leaves_the_sockets_of_the_process_that_it_comes_from() -> None:
    folder = Path(util.get_temp_dir())
    child = os.fork()
    if not child:
        end_at_once(0)
    assert os.waitpid(child, 0)[1] == 0
    assert folder.is_dir()
