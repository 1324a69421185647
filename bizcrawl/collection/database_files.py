"""Which files are databases of DuckDB's, whatever their names: opened as such, and never written over."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from bizcrawl.errors import WrongUse

_MAGIC, _MAGIC_AT = b"DUCK", 8
"""How such a file begins, behind a checksum."""


def is_database(path: Path) -> bool:
    """Whether a file is a database. Raises `OSError` if it can't be read."""
    if not path.is_file():  # a pipe would be waited for, or read empty
        return False
    with path.open("rb") as file:
        return file.read(_MAGIC_AT + len(_MAGIC))[_MAGIC_AT:] == _MAGIC


def is_other_file(path: Path) -> bool:
    """Whether there is something in a file, and it is no database; False for one that can't be looked into,
    of which DuckDB says why.
    """
    with suppress(OSError):
        return path.is_file() and path.stat().st_size > 0 and not is_database(path)
    return False


def whole_name(path: Path) -> str:
    """A file's name as DuckDB takes it: of one that does not begin with ``/`` it reads a ``~`` as the home
    folder, and what stands before a colon as another kind of database.
    """
    return str(path.absolute())


def is_no_place(path: Path) -> str:
    """What a path is where no database can be: a pipe would be waited for without end, and a new file would
    take the place of a device. "" for a file, a folder, and where nothing is yet.
    """
    if not path.exists():
        return "a link that leads to itself" if Path(os.path.realpath(path)).is_symlink() else ""
    if path.is_file() or path.is_dir():
        return ""
    return "a pipe" if path.is_fifo() else "a socket" if path.is_socket() else "a device"


def refuse_database(path: Path) -> None:
    """Raises `WrongUse` if a database is there: a bed or a collection holds days of work, and one that was
    named for the output by mistake would be gone.
    """
    with suppress(OSError):
        if is_database(path):
            raise WrongUse(f"{path} is a database, which is not overwritten; name another file")
