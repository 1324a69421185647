"""Commands that only read a collection start without what crawling needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {
    *("aiohttp", "cryptography", "playwright", "uvloop"),
    *("scipy", "sklearn", "igraph", "matplotlib", "openpyxl"),
}


def loaded_by(command: str) -> set[str]:
    """Names of the packages that are loaded once a command's options are known."""
    code = f"import sys; from bizcrawl.cli import build_app; build_app({command!r}); print(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, check=True)
    return {name.partition(".")[0] for name in done.stdout.decode().split()}


@pytest.mark.parametrize(
    "command", ["status", "sql", "export", "report", "explain", "merge", "context", "strategies", "testbed"]
)
def test_a_command_that_reads_does_not_load_what_crawling_needs(command: str) -> None:
    assert not HEAVY & loaded_by(command)


def test_the_version_needs_no_command() -> None:
    assert not {"numpy", "duckdb", "contexts"} & loaded_by("--version")


@pytest.mark.parametrize("command", ["crawl", "discover", "resume"])
def test_http_is_loaded_when_a_crawl_of_the_live_web_begins(command: str) -> None:
    assert not HEAVY & loaded_by(command)
