"""The README can't rot: its commands run, its tables name what there is, its links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from crawling.crawling_samples import CommandLine

from bizcrawl.cli import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def block(name: str) -> str:
    """The code block under a marker."""
    found = re.search(rf"<!-- {name} -->\n```\w*\n(.*?)```", README, re.DOTALL)
    assert found, name
    return found[1]


@pytest.fixture(scope="module")
def after_the_main_command(
    tmp_path_factory: pytest.TempPathFactory, bizcrawl: CommandLine
) -> tuple[Path, str]:
    """A folder in which the main command was run, and what it printed."""
    folder = tmp_path_factory.mktemp("readme")
    line = block("main command").split("&&")[-1].strip()
    program, *arguments = shlex.split(line)
    assert program == ".venv/bin/bizcrawl"
    done = bizcrawl(*arguments, "--format", "table", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def ranks_and_names(table: str) -> list[list[str]]:
    """Rank and first word of the name from each row of a table."""
    return [line.split()[:2] for line in table.splitlines() if line[:2].strip()]


def test_the_main_command_prints_what_the_readme_shows(after_the_main_command: tuple[Path, str]) -> None:
    shown = ranks_and_names(block("output of the main command"))
    printed = ranks_and_names(after_the_main_command[1])
    assert len(shown) >= 5
    assert printed[: len(shown)] == shown


def test_the_example_commands_run(after_the_main_command: tuple[Path, str], bizcrawl: CommandLine) -> None:
    folder, _ = after_the_main_command
    for line in block("example").strip().splitlines():
        done = bizcrawl(*shlex.split(line)[1:], cwd=folder)
        assert done.returncode == 0, (line, done.stderr)
        assert done.stdout or done.stderr  # what was written, and where


def test_the_table_names_every_command() -> None:
    named = set(re.findall(r"`(\w+)", README.partition("## Commands")[2].partition("## Read on")[0]))
    assert set(COMMANDS) <= named


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), ROOT / "SECURITY.md"]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"
