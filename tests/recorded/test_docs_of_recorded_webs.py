"""The documents on recorded webs and rendering say what runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from recording import write_warc
from test_crawls_of_records import ROOT, ran, small_web

from bizcrawl.web.needs_script import FEW_LINKS, LITTLE_TEXT_CHARS, Sign
from bizcrawl.web.warc_scan import Fault

RECORDED = (ROOT / "docs" / "recorded-webs.md").read_text()
RENDERING = (ROOT / "docs" / "rendering.md").read_text()


def snippets(document: str, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", document, re.DOTALL)


def test_every_command_runs(tmp_path: Path):
    write_warc(tmp_path / "web.warc.gz", small_web())
    commands = [line.split()[1:] for text in snippets(RECORDED, "sh") for line in text.splitlines()]
    assert len(commands) == 4
    for command in commands:
        if command[:2] == ["testbed", "serve"]:  # runs until interrupted: tested in test_replay
            assert ran(tmp_path, *command[:2], "--help").returncode == 0
            continue
        done = ran(tmp_path, *command)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "kept").is_dir()


def test_the_python_snippet_runs(tmp_path: Path):
    write_warc(tmp_path / "web.warc.gz", small_web())
    (snippet,) = snippets(RECORDED, "python")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", snippet],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("52 URLs\n200 text/html"), done.stderr


@pytest.mark.parametrize("sign", Sign)
def test_every_sign_is_explained(sign: Sign):
    assert f"| `{sign}` |" in RENDERING


def test_figures_in_the_text_are_those_of_the_code():
    assert f"fewer than {LITTLE_TEXT_CHARS} characters" in RENDERING
    assert FEW_LINKS == 3
    assert "fewer than three links" in RENDERING
    assert all(f"`{fault}`" in RECORDED for fault in Fault)
