"""Commands that only read a collection start without what crawling needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bizcrawl.cli import COMMANDS, build_app

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {
    *("aiohttp", "cryptography", "playwright", "uvloop"),
    *("scipy", "sklearn", "igraph", "matplotlib", "openpyxl"),
}


def loaded_by(command: str) -> set[str]:
    """Names of the packages and modules that are loaded once a command's options are known."""
    code = f"import sys; from bizcrawl.cli import build_app; build_app({command!r}); print(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, check=True)
    return set(done.stdout.decode().split())


def test_the_version_needs_no_command() -> None:
    assert not {"numpy", "duckdb", "contexts"} & loaded_by("--version")


@pytest.mark.parametrize("command", [*COMMANDS, "--help"])
def test_http_and_the_browser_are_loaded_when_something_is_fetched_or_served(command: str) -> None:
    assert not HEAVY & loaded_by(command)


@pytest.mark.parametrize("command", ["status", "sql", "export", "report", "explain"])
def test_what_only_reads_starts_without_what_crawls_and_ranks(command: str) -> None:
    assert not {"bizcrawl.crawl", "bizcrawl.harvest", "bizcrawl.companies.assess"} & loaded_by(command)


def test_every_command_is_known_by_its_module() -> None:
    assert {command.name for command in build_app().registered_commands} <= set(COMMANDS)
