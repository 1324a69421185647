"""What many tests share: where the working data lie, and the command line as a person calls it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import forked_commands
import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
# the tests start the command line hundreds of times, and would compile it as often
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# how long an example takes on a busy machine says nothing; a hang ends at the timeout
settings.register_profile("bizcrawl", deadline=None)
settings.load_profile("bizcrawl")

CommandLine = Callable[..., subprocess.CompletedProcess[str]]


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Bytes that are no text name a test by their argument: what gzip packs holds the clock, and two workers
    that collect in different seconds would not agree on what the tests are called."""
    return argname if isinstance(val, bytes) and not val.isascii() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded webs, corpora and cases; a test that needs it is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the working data in {SHARED.name}/ beside the project")
    return SHARED


@pytest.fixture(scope="session")
def bizcrawl() -> CommandLine:
    """Run ``bizcrawl`` with arguments in a process of its own."""
    return forked_commands.run


@pytest.fixture(scope="session")
def demo_harvest(bizcrawl: CommandLine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection of 200 pages of the demo web, with ranked companies; read it, or change a copy."""
    from testbed.demo import demo_topics

    path = tmp_path_factory.mktemp("harvest") / "harvest.duckdb"
    topic = demo_topics()[0].topic
    done = bizcrawl(
        *("discover", "competitors", *topic.seeds, "--keywords", topic.keywords, "--web", "demo"),
        *("--pages", "200", "--to", path, "-q", "--format", "json"),
    )
    assert done.returncode == 0, done.stderr
    return path
