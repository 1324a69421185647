"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from bizcrawl.collection.database_files import refuse_database
from bizcrawl.errors import BizcrawlError


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` once it is complete and on disk.

    Written beside it, flushed, then renamed: whoever looks sees the former file or the new one, also after a
    crash. A link stays one, and the file it leads to is replaced. A device or a pipe, such as /dev/stdout, is
    written to as it is. Raises `WrongUse` for a DuckDB file, whose place nothing takes.
    """
    path = path.resolve()
    refuse_database(path)
    if path.exists() and not path.is_file() and not path.is_dir():
        with _straight(path) as file:
            yield file
        return
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        why = error.strerror if path.parent.is_dir() else f"there is no directory {path.parent}"
        raise BizcrawlError(f"{path} can't be written: {why}") from error
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    except OSError as error:
        raise BizcrawlError(f"{path} can't be written: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
    _sync_directory(path.parent)


def write_text(path: Path, text: str) -> None:
    """Put a text in place of a file, in UTF-8, whole or not at all; see `replacing`."""
    with replacing(path) as file:
        file.write(text.encode())


@contextmanager
def _straight(path: Path) -> Iterator[BinaryIO]:
    """A device or pipe to write to. A reader of it who goes away is told of as of any other output."""
    try:
        with path.open("wb") as file:
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BizcrawlError(f"{path} can't be written: {error.strerror or error}") from error


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sync_directory(path: Path) -> None:
    """Make the rename itself last, where directories can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
