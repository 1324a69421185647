"""The documentation of the test beds runs as it stands, and the floors of the demo bed hold."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import duckdb
import pytest
import typer
from typer.testing import CliRunner

from bizcrawl.cli.testbed import register

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "testbeds.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", DOCS, flags=re.DOTALL)
COMMANDS = re.findall(r"^\$ bizcrawl (testbed .*)$", DOCS, flags=re.MULTILINE)


def app() -> typer.Typer:
    made = typer.Typer()
    register(made)
    return made


def test_the_first_experiment_works_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for block in PYTHON:
        exec(compile(block, "docs/testbeds.md", "exec"), {})
    assert capsys.readouterr().out.split() == ["web.warc.gz", "topics.jsonl"]
    for command in COMMANDS[:3]:
        result = CliRunner().invoke(app(), [*shlex.split(command)])
        assert result.exit_code == 0, (command, result.output, result.exception)
    report = Path("demo.html").read_text(encoding="utf-8")
    assert "<svg" in report
    with duckdb.connect("demo.duckdb", read_only=True) as con:
        (query,) = re.findall(r"```sql\n(.*?)```", DOCS, flags=re.DOTALL)
        rows = con.execute(query).fetchall()
        tables = {
            name for (name,) in con.execute("SELECT table_name FROM information_schema.tables").fetchall()
        }
    assert {n for _, _, n, _, _ in rows} >= {100, 200}
    assert all(
        f"{mean:.3f} <small>± {error:.3f}" in report for _, _, n, mean, error in rows if n in {100, 200}
    )
    listed = re.search(r"\| table or view \|.*?\n\n", DOCS, flags=re.DOTALL)
    assert listed is not None
    first_cells = " ".join(line.split("|")[1] for line in listed[0].splitlines()[2:] if line)
    assert set(re.findall(r"`(\w+)`", first_cells)) <= tables


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_that_is_written_down_exists(command: str) -> None:
    _, name, *arguments = shlex.split(command)
    help_page = CliRunner().invoke(app(), ["testbed", name, "--help"], env={"COLUMNS": "300"}).output
    for option in (argument for argument in arguments if argument.startswith("--")):
        assert option in help_page, f"{name} has no {option}"


def test_every_recipe_measure_and_kind_of_fault_is_documented() -> None:
    from testbed.measures.table import MEASURES
    from testbed.recipes import RECIPES

    for name in (*MEASURES, *RECIPES):
        assert f"`{name}`" in DOCS, name


def test_the_floors_of_the_demo_bed_hold() -> None:
    """If the demo bed was changed on purpose, pin anew: ``bizcrawl testbed gate testbed/floors/demo.json
    --pin``.
    """
    floors = ROOT / "testbed" / "floors" / "demo.json"
    result = CliRunner().invoke(app(), ["testbed", "gate", str(floors)])
    assert result.exit_code == 0, result.exception
    assert "24 floors hold" in result.output
