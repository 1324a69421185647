"""docs/politeness.md tells the truth: every default in its table is the one in force."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bizcrawl import download
from bizcrawl.politeness import Manners
from bizcrawl.robots import rules
from bizcrawl.robots.text import plain_rules
from bizcrawl.traps import TrapRules
from bizcrawl.user_agent import product_token, user_agent_of
from bizcrawl.web import second_try
from bizcrawl.web.live import Limits

TEXT = (Path(__file__).parents[2] / "docs" / "politeness.md").read_text()
PLACES = {
    "Manners": Manners(),
    "Limits": Limits(),
    "TrapRules": TrapRules(),
    "robots": rules,
    "download": download,
    "second_try": second_try,
}
ROWS = re.findall(r"^\| `(\w+)\.(\w+)` \| ([\d.]+) \| (?:`(--[\w-]+)`)? ?\|", TEXT, re.MULTILINE)


def test_the_table_was_found() -> None:
    assert len(ROWS) >= 15


@pytest.mark.parametrize(("place", "name", "value"), [row[:3] for row in ROWS])
def test_defaults_are_as_written(place: str, name: str, value: str) -> None:
    assert float(getattr(PLACES[place], name)) == float(value)


@pytest.mark.parametrize(
    ("phrase", "said", "is_in_force"),
    [
        ("the rules in the first 512 KiB", 512 * 1024, rules.MAX_ROBOTS_BYTES),
        ("kept 24 hours", 24 * 3600, rules.FRESH_S),
        ("asked again after 5 minutes, then 10", 300, rules.FIRST_RETRY_S),
        ("up to an hour", 3600, rules.LAST_RETRY_S),
        ("30 days at most", 30 * 24 * 3600, rules.STALE_S),
        ("the files of some 8,000 other hosts", 8_000, rules.MAX_KEPT_BYTES / 2048),
    ],
)
def test_what_is_said_of_robots_txt_is_so(phrase: str, said: int, is_in_force: float) -> None:
    assert phrase in TEXT
    assert is_in_force == pytest.approx(said, rel=0.03)


def test_every_option_that_is_named_exists() -> None:
    from bizcrawl.cli import build_app

    text = CliRunner().invoke(build_app(), ["crawl", "--help"], env={"COLUMNS": "200"}).output
    options = set(re.findall(r"`(--[\w-]+)", TEXT))
    assert options
    assert not {option for option in options if option not in text}


def test_the_snippet_for_owners_keeps_the_crawler_out() -> None:
    from protego import Protego

    snippet = TEXT.split("```")[1]
    token = product_token(user_agent_of())
    parser = Protego.parse(plain_rules(snippet, token))
    assert not parser.can_fetch("http://your.example/", token)
