"""Whether a crawl can write where it is to write, checked before it begins: at its end hours would be lost.

Each function raises `WrongUse` for a place that can't be written to.
"""

from __future__ import annotations

import os
from pathlib import Path

from bizcrawl.collection.database_files import is_no_place, refuse_database
from bizcrawl.errors import WrongUse


def place_for_collection(path: Path | None) -> Path:
    """The path as asked; without, the first of harvest.duckdb, harvest-2.duckdb, … that is free."""
    if path is None:
        return _free_place()
    if path.is_dir():
        raise WrongUse(f"--to {path}: that is a directory; name a file")
    if what := is_no_place(path):
        raise WrongUse(f"--to {path}: that is {what}; name a file")
    if not path.parent.is_dir():
        raise WrongUse(f"--to {path}: there is no directory {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise WrongUse(f"--to {path}: {path.parent} can't be written to")
    return path


def _free_place() -> Path:
    path, number = Path("harvest.duckdb"), 2
    while path.exists():
        path, number = Path(f"harvest-{number}.duckdb"), number + 1
    if not os.access(path.parent, os.W_OK):
        raise WrongUse(f"{path}: this directory can't be written to; name a file elsewhere with --to")
    return path


def check_knowledge(path: Path) -> None:
    """What a strategy learns is to be kept in a file."""
    if path.is_dir() or not path.parent.is_dir():
        raise WrongUse(f"--keep-knowledge {path}: name a file in a directory that is there")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise WrongUse(f"--keep-knowledge {path}: can't be written there")
    refuse_database(path)


def check_record(folder: Path) -> None:
    """What is fetched is to be kept in a folder, which may not be there yet."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        raise WrongUse(f"--warc {folder}: {there} is a file; name a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise WrongUse(f"--warc {folder}: {there} can't be written to")
