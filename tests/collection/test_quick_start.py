"""Commands that only read a collection start without what crawling needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

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


@pytest.mark.parametrize("command", ["status", "sql", "export", "report", "explain", "accept"])
def test_what_makes_no_tag_tree_starts_without_html5lib(command: str) -> None:
    assert "html5lib" not in loaded_by(command)


def test_every_command_is_known_by_its_module() -> None:
    app = build_app()
    groups = {group.name for group in app.registered_groups}
    assert {command.name for command in app.registered_commands} | groups == set(COMMANDS)


@pytest.mark.parametrize("arguments", [["--help"], [], ["crwal"]])
def test_the_help_page_and_a_slip_of_the_pen_need_no_command(arguments: list[str]) -> None:
    assert not {"numpy", "duckdb", "contexts"} & loaded_by(*arguments or ["--help"])
    done = subprocess.run(
        [sys.executable, "-m", "bizcrawl", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    if arguments == ["crwal"]:
        assert "No such command 'crwal'. Did you mean 'crawl'?" in done.stderr
    else:
        page = (done.stdout or done.stderr).partition("Commands:\n")[2].splitlines()
        # whole lines in the order of the table: what the page cuts short says nothing
        assert [line.split(maxsplit=1) for line in page] == [
            [name, line] for name, (_, line) in COMMANDS.items()
        ]


@pytest.mark.parametrize("group", ["discover", "testbed"])
def test_no_line_of_a_group_is_cut_short(group: str) -> None:
    told = CliRunner().invoke(build_app(group), [group, "--help"], env={"COLUMNS": "80"}).output
    lines = [line.split(maxsplit=1)[1] for line in told.partition("Commands:\n")[2].splitlines()]
    assert len(lines) > 1
    assert [line for line in lines if not line.endswith(".") or line.endswith("...")] == []
