"""``bizcrawl strategies``."""

from __future__ import annotations

import json
import re

import pytest
import typer
from typer.testing import CliRunner

from bizcrawl.cli.strategies import register
from bizcrawl.strategies.table import STRATEGIES, UnknownStrategy

APP = typer.Typer()
register(APP)
APP.command("other")(lambda: None)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(APP, ["strategies", *arguments])
    if result.exception:
        raise result.exception
    return result.stdout


def test_a_pipe_gets_a_line_for_each_strategy() -> None:
    names = [line.split("\t")[0] for line in run().splitlines()]
    assert names == [*STRATEGIES]


def test_one_strategy_is_shown_with_all_its_parameters_and_their_sources() -> None:
    lines = run("dom").splitlines()
    assert "  alpha=0.25\tweight of the page against the link's context; 1 is Naive Best-First (R26)" in lines
    assert len(lines) == 1 + len(STRATEGIES["dom"].options.__dataclass_fields__)


def test_json_is_for_programs() -> None:
    described = json.loads(run("--format", "json"))
    assert {entry["name"] for entry in described} == set(STRATEGIES)
    sourceless = [
        (entry["name"], parameter["name"])
        for entry in described
        for parameter in entry["parameters"]
        if not re.search(r"\((?:[RALM]\d|TOIT)[^()]*\)", parameter["help"])
    ]
    assert not sourceless, "each says what it does and where it comes from"


def test_the_table_is_for_people() -> None:
    assert "which links come first" in run("--format", "table")
    assert "what it does" in run("dom", "--format", "table")


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownStrategy, match="there are: breadth-first, best-first"):
        run("bets-first")
