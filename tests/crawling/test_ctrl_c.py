"""Ctrl-C while DuckDB is at work for the main thread, where the exception of the signal's handler is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bizcrawl.cli.saying import on_ctrl_c
from bizcrawl.errors import is_ctrl_c

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
