"""docs/strategies.md: its snippets run, its list is complete."""

from __future__ import annotations

import random
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from strategies_web import write_web

from bizcrawl.strategies.options import Options, UnknownOption, build_options, option
from bizcrawl.strategies.table import STRATEGIES, all_strategies, make_strategy

DOC = Path(__file__).resolve().parents[2] / "docs" / "strategies.md"
TEXT = DOC.read_text("utf-8")


def snippets(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_every_strategy_stands_in_the_list() -> None:
    listed = re.findall(r"^\| `([\w-]+)` \|", TEXT, re.MULTILINE)
    assert set(STRATEGIES) <= set(listed)


def test_a_strategy_of_ones_own_is_found_by_its_entry_point_and_crawls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    definition, use = snippets("python")
    assert len([line for line in definition.splitlines() if line.strip()]) <= 30
    (tmp_path / "my_package.py").write_text(definition, "utf-8")
    information = tmp_path / "my_package-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n", "utf-8")
    group, entry = re.findall(r'"(bizcrawl\.strategies)"\]\n(.*)\n', snippets("toml")[0])[0]
    name, value = re.fullmatch(r'([\w-]+) = "(.*)"', entry).groups()  # type: ignore[union-attr]
    (information / "entry_points.txt").write_text(f"[{group}]\n{name} = {value}\n", "utf-8")
    write_web(tmp_path / "web.warc.gz")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    exec(compile(use, str(DOC), "exec"), {})
    assert re.match(r"\d{2} pages; {<Reason", capsys.readouterr().out)
    entry_of_it = all_strategies()["short-first"]
    assert entry_of_it.meaning == "Links with a telling anchor first, then those with short URLs."
    assert entry_of_it.options.__dataclass_fields__["weight"].metadata["help"]
    # as --set gives it
    made = make_strategy("short-first", random.Random(1), weight="0.8")
    assert made.weight == 0.8  # type: ignore[attr-defined]
    with pytest.raises(UnknownOption, match="option weight takes a number, not 'much'"):
        make_strategy("short-first", random.Random(1), weight="much")
    sys.modules.pop("my_package")


@dataclass(frozen=True, slots=True)
class Depth(Options):
    most: int | None = option(None, "links from a seed; None for any number")


def test_an_option_of_a_type_that_no_text_becomes_says_so() -> None:
    assert build_options(Depth, {"most": 3}).most == 3
    with pytest.raises(UnknownOption, match=r"option most is declared as int \| None"):
        build_options(Depth, {"most": "3"})
