"""Packages of many modules say what each is for, in the order in which to read them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("package", ["bizcrawl/companies", "bizcrawl/collection", "testbed"])
def test_a_package_names_all_of_its_modules_and_no_others(package: str) -> None:
    folder = ROOT / package
    told = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    there = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert set(re.findall(r"`(\w+)`", told)) == there - {"__init__", "__pycache__"}


@pytest.mark.parametrize("package", ["bizcrawl", "contexts", "testbed"])
def test_a_type_checker_takes_the_types_of_an_installed_package(package: str) -> None:
    """Without the marker it takes everything that comes of the package for `Any`."""
    assert (ROOT / package / "py.typed").is_file()
