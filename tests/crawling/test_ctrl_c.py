"""Ctrl-C while DuckDB is at work for the main thread, where the exception of the signal's handler is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from bizcrawl.cli.saying import on_ctrl_c
from bizcrawl.errors import Interrupted, is_ctrl_c

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
