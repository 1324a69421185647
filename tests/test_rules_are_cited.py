"""The rules of the papers (R1 to R136) and what was decided where they are silent (A1 to A37) are named in
the code that does them, so that each can be looked up there.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("contexts", "bizcrawl", "testbed")
CITED = re.compile(r"\b([RA])(\d+)(?:\s?[-–]\s?\1?(\d+))?\b")


def cited() -> dict[str, set[int]]:
    """Numbers of the rules that the packages name, by letter; R1-R9 names nine."""
    found: dict[str, set[int]] = {"R": set(), "A": set()}
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            for letter, first, last in CITED.findall(file.read_text(encoding="utf-8")):
                found[letter] |= set(range(int(first), int(last or first) + 1))
    return found


@pytest.mark.parametrize(("letter", "count"), [("R", 136), ("A", 37)])
def test_every_rule_is_named_where_it_is_done(letter: str, count: int) -> None:
    assert set(range(1, count + 1)) - cited()[letter] == set()
