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
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bizcrawl.errors import BizcrawlError

RECORDED_WEBS = "give a WARC, ARC or WACZ file, or a folder of WARCs"
_WARC_NAME = re.compile(r"\.w?arc(\.gz)?$", re.IGNORECASE)
_INDEX_NAME = re.compile(r"\.cdxj?(\.gz)?$", re.IGNORECASE)
_ZIP_MAGIC = b"PK\x03\x04"
_FOREIGN = {
    b"BZh": "bzip2: unpack it with bunzip2",
    b"\xfd7zXZ\x00": "xz: unpack it with unxz",
    b"\x28\xb5\x2f\xfd": "zstd: unpack it with unzstd",
    b"\x5d\x2a\x4d\x18": "zstd: unpack it with unzstd",
    b"\x04\x22\x4d\x18": "lz4: unpack it with unlz4",
}
"""How files begin whose records cannot be read one by one: what they are packed with, and what to do."""
_MOST_MAGIC_BYTES = 6
_MAX_RATIO = 100
"""Bytes of a member for each byte of it in the WACZ, once there are more than `_SURELY_FINE_BYTES`."""
_SURELY_FINE_BYTES = 1 << 20
_DAMAGE = (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError)
"""What unpacking raises for bytes that were spoiled, or packed in a way that is not known here."""
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
        if path.is_fifo():
            raise NotAWarcError(
                f"{path}: a pipe, and pages are read from anywhere in the record: save it first"
            )
        if _is_zip(path):
            return _wacz(path, cache)
        return [_whole(path)]
    except FileNotFoundError:
        raise NotAWarcError(f"{path}: no such file: {RECORDED_WEBS}") from None
    except OSError as error:
        raise NotAWarcError(f"{error.filename or path}: cannot be read: {error.strerror}") from None
    except zipfile.BadZipFile as error:
        raise NotAWarcError(f"{path}: a damaged zip: {error}") from None


def cdxj_texts(path: Path) -> Iterator[bytes | None]:
    """The CDXJ files that come with a recorded web: beside a WARC, in a folder, inside a WACZ.

    None for one that can't be unpacked.
    """
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
        return file.read(len(_ZIP_MAGIC)) == _ZIP_MAGIC


def _whole(path: Path) -> Part:
    with path.open("rb") as file:  # not to find out later that it can't be read
        begins = file.read(_MOST_MAGIC_BYTES)
    for magic, packing in _FOREIGN.items():
        if begins.startswith(magic):
            raise NotAWarcError(f"{path}: compressed with {packing} and give what comes of it")
    return Part(path, 0, path.stat().st_size, path.name)


def _folder(path: Path) -> list[Part]:
    found = sorted(file for file in path.iterdir() if _WARC_NAME.search(file.name) and not file.is_dir())
    if not found:
        raise NotAWarcError(f"{path}: the folder holds no .warc or .warc.gz file")
    return [_whole(file) for file in found]


def _wacz(path: Path, cache: Path) -> list[Part]:
    if not zipfile.is_zipfile(path):
        raise NotAWarcError(f"{path}: not a WARC but a zip, and cut short: its table of contents is missing")
    with zipfile.ZipFile(path) as bundle, path.open("rb") as file:
        members = [member for member in bundle.infolist() if _WARC_NAME.search(member.filename)]
        if not members:
            raise NotAWarcError(f"{path}: the zip holds no WARC: give a .wacz, or unpack it")
        _refuse_overlaps(bundle.infolist())
        return [
            _stored(path, file.fileno(), member)
            if member.compress_type == zipfile.ZIP_STORED
            else _unpacked(path, bundle, member, cache)
            for member in members
        ]


def _refuse_overlaps(members: Sequence[zipfile.ZipInfo]) -> None:
    """Raises `BadZipFile` for members that share bytes: some entries would make terabytes of a megabyte."""
    in_order = sorted(members, key=lambda member: member.header_offset)
    for member, after in pairwise(in_order):
        if member.header_offset + _LOCAL_HEADER.size + member.compress_size > after.header_offset:
            raise zipfile.BadZipFile(f"{member.filename} and {after.filename} overlap")


def _stored(path: Path, file: int, member: zipfile.ZipInfo) -> Part:
    head = os.pread(file, _LOCAL_HEADER.size, member.header_offset)
    if not head.startswith(_ZIP_MAGIC) or len(head) < _LOCAL_HEADER.size:
        raise zipfile.BadZipFile(f"{member.filename} is not where the table of contents says")
    name_bytes, extra_bytes = _LOCAL_HEADER.unpack(head)
    start = member.header_offset + _LOCAL_HEADER.size + name_bytes + extra_bytes
    return Part(path, start, start + member.compress_size, Path(member.filename).name)


def _unpacked(path: Path, bundle: zipfile.ZipFile, member: zipfile.ZipInfo, cache: Path) -> Part:
    if member.file_size > max(_SURELY_FINE_BYTES, _MAX_RATIO * member.compress_size):
        raise zipfile.BadZipFile(f"{member.filename} grows out of all proportion")
    stat = path.stat()
    name = Path(member.filename).name
    copy = cache / f"{stat.st_ino:x}-{stat.st_mtime_ns:x}-{member.CRC:08x}-{name}"
    if not copy.is_file() or copy.stat().st_size != member.file_size:
        cache.mkdir(parents=True, exist_ok=True)
        draft = copy.with_suffix(f".{os.getpid()}.draft")
        try:
            with bundle.open(member) as source, draft.open("wb") as sink:
                shutil.copyfileobj(source, sink)
            draft.replace(copy)
        except (EOFError, zlib.error, RuntimeError, NotImplementedError) as error:
            raise zipfile.BadZipFile(f"{member.filename}: {error}") from None
        finally:
            draft.unlink(missing_ok=True)
    return Part(copy, 0, member.file_size, name)


def _wacz_indexes(path: Path) -> Iterator[bytes | None]:
    with zipfile.ZipFile(path) as bundle:
        for member in bundle.infolist():
            if member.filename.startswith("indexes/") and _INDEX_NAME.search(member.filename):
                try:
                    yield _index(bundle, member)
                except _DAMAGE:
                    yield None


def _index(bundle: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """One index of a WACZ, which may be packed twice over."""
    most_bytes = max(_SURELY_FINE_BYTES, _MAX_RATIO * member.compress_size)
    with bundle.open(member) as source:
        packed = member.filename.endswith(".gz")
        text = (gzip.GzipFile(fileobj=source) if packed else source).read(most_bytes + 1)
    if len(text) > most_bytes:
        raise ValueError("it grows out of all proportion")
    return text
