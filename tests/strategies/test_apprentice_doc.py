"""The commands of docs/apprentice.md run, and the page names every parameter."""

from __future__ import annotations

import dataclasses
import re
import shlex
from pathlib import Path

from crawling.crawling_samples import CommandLine

from bizcrawl.strategies.apprentice import ApprenticeOptions
from bizcrawl.strategies.options import Options

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "apprentice.md").read_text("utf-8")


def test_the_commands_run_one_after_the_other(bizcrawl: CommandLine, tmp_path: Path) -> None:
    block = re.search(r"```\n(bizcrawl .*?)```", PAGE, re.DOTALL)
    assert block
    for line in block[1].strip().splitlines():
        done = bizcrawl(*shlex.split(line)[1:], cwd=tmp_path)
        assert done.returncode == 0, (line, done.stderr)
    assert (tmp_path / "learned.json").stat().st_size > 100


def test_every_parameter_is_named() -> None:
    common = {field.name for field in dataclasses.fields(Options)}
    own = {field.name for field in dataclasses.fields(ApprenticeOptions)} - common
    assert all(f"`{name}`" in PAGE for name in own)
