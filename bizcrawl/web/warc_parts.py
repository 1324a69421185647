"""Which stretches of which files make up a recorded web: one WARC, a folder of them, or the members of a
WACZ.

A WACZ (https://specs.webrecorder.net/wacz/1.1.1/) is a zip that keeps its WARC members uncompressed, so their
records are read where they stand. Members that are packed all the same are unpacked into the cache once.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bizcrawl.errors import BizcrawlError

_WARC_NAME = re.compile(r"\.w?arc(\.gz)?$")
_LOCAL_HEADER = struct.Struct("<26xHH")
"""Zip local file header: at 26, lengths of name and extra field (APPNOTE 4.3.7)."""


class NotAWarcError(BizcrawlError):
    """The file is no recorded web, or one that cannot be read record by record."""


@dataclass(frozen=True, slots=True)
class Part:
    """The bytes `start` to `end` of a file, which hold records and nothing else."""

    path: Path
    start: int
    end: int
    name: str
    """File name by which a CDXJ knows it."""


def parts_of(path: Path, cache: Path) -> list[Part]:
    """The parts that a path names. Raises `NotAWarcError` with one line that says what to do."""
    try:
        if path.is_dir():
            return _folder(path)
        if _is_zip(path):
            return _wacz(path, cache)
        return [_whole(path)]
    except FileNotFoundError:
        raise NotAWarcError(f"{path}: no such file: give a .warc, .warc.gz or .wacz, or a folder") from None
    except OSError as error:
        raise NotAWarcError(f"{path}: cannot be read: {error.strerror}") from None
    except zipfile.BadZipFile as error:
        raise NotAWarcError(f"{path}: a damaged zip: {error}") from None


def cdxj_texts(path: Path) -> Iterator[bytes]:
    """The CDXJ files that come with a recorded web: beside a WARC, in a folder, inside a WACZ."""
    if path.is_dir():
        beside = sorted(path.glob("*.cdxj"))
    elif _is_zip(path):
        yield from _wacz_indexes(path)
        return
    else:
        stem = _WARC_NAME.sub("", path.name)
        beside = [path.with_name(f"{stem}.cdxj"), path.with_name(f"{path.name}.cdxj")]
    for file in beside:
        if file.is_file():
            yield file.read_bytes()


def _is_zip(path: Path) -> bool:
    """Whether the file itself is a zip; a WARC may end with a recorded one."""
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04" and zipfile.is_zipfile(path)


def _whole(path: Path) -> Part:
    with path.open("rb"):  # not to find out later that it can't be read
        return Part(path, 0, path.stat().st_size, path.name)


def _folder(path: Path) -> list[Part]:
    found = sorted(file for file in path.iterdir() if _WARC_NAME.search(file.name))
    if not found:
        raise NotAWarcError(f"{path}: the folder holds no .warc or .warc.gz file")
    return [_whole(file) for file in found]


def _wacz(path: Path, cache: Path) -> list[Part]:
    with zipfile.ZipFile(path) as bundle, path.open("rb") as file:
        members = [member for member in bundle.infolist() if _WARC_NAME.search(member.filename)]
        if not members:
            raise NotAWarcError(f"{path}: the zip holds no WARC: give a .wacz, or unpack it")
        return [
            _stored(path, file.fileno(), member)
            if member.compress_type == zipfile.ZIP_STORED
            else _unpacked(path, bundle, member, cache)
            for member in members
        ]


def _stored(path: Path, file: int, member: zipfile.ZipInfo) -> Part:
    head = os.pread(file, _LOCAL_HEADER.size, member.header_offset)
    name_bytes, extra_bytes = _LOCAL_HEADER.unpack(head)
    start = member.header_offset + _LOCAL_HEADER.size + name_bytes + extra_bytes
    return Part(path, start, start + member.file_size, Path(member.filename).name)


def _unpacked(path: Path, bundle: zipfile.ZipFile, member: zipfile.ZipInfo, cache: Path) -> Part:
    stat = path.stat()
    name = Path(member.filename).name
    copy = cache / f"{stat.st_ino:x}-{stat.st_mtime_ns:x}-{member.CRC:08x}-{name}"
    if not copy.is_file() or copy.stat().st_size != member.file_size:
        cache.mkdir(parents=True, exist_ok=True)
        draft = copy.with_suffix(f".{os.getpid()}.draft")
        with bundle.open(member) as source, draft.open("wb") as sink:
            shutil.copyfileobj(source, sink)
        draft.replace(copy)
    return Part(copy, 0, member.file_size, name)


def _wacz_indexes(path: Path) -> Iterator[bytes]:
    with zipfile.ZipFile(path) as bundle:
        for name in bundle.namelist():
            if name.startswith("indexes/") and name.endswith((".cdx", ".cdxj")):
                yield bundle.read(name)
            elif name.startswith("indexes/") and name.endswith((".cdx.gz", ".cdxj.gz")):
                yield gzip.decompress(bundle.read(name))
