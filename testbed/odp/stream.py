"""A dump of any size as chunks of whole records, one at a time.

Chunks are what keeps memory flat and what spreads over processes: each can be repaired and parsed by
itself. They are cut before a category wherever one begins, so that a category and its pages stay together;
a category larger than a chunk goes along with the chunks after it as their `Chunk.context`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from testbed.odp.faults import DumpError, detail_of

CHUNK_BYTES = 1 << 20
_PREAMBLE_BYTES = 1 << 20
"""A dump's first record starts in its first megabyte, or it is no dump."""

_RECORD_BYTES = 1 << 24
"""No record is longer, and no comment: more bytes without a place to cut are cut all the same, so that memory
stays flat and what follows them is read.
"""

_MOST_CONTEXT_BYTES = 1 << 20
"""A larger category does not go along with the chunks after it: its pages are brought together with its links
when all has been read, as if they stood anywhere.
"""

RECORD_START = re.compile(rb"<(?:[\w.-]+:)?(Topic|ExternalPage|Alias)(?=[\s>/])")
_LONGEST_START_BYTES = 1 << 10
"""Of a name with its prefix; a longer one may stand where nothing is cut."""
_CATEGORY_START = re.compile(rb"<(?:[\w.-]+:)?Topic(?=[\s>/])")
_CATEGORY_END = re.compile(rb"</(?:[\w.-]+:)?Topic\s*>")
_ROOT = re.compile(rb"<(?![?!])([\w:.-]++)([^<>]*+)>")
_DECLARATION = re.compile(rb"""xmlns:([\w.-]+)\s*=\s*("[^"<&]*"|'[^'<&]*')""")
_MOST_MAGIC_BYTES = 6
_FOREIGN = {
    b"PK\x03\x04": "is a zip or an Excel file; unpack it, or save the table as CSV",
    b"\x28\xb5\x2f\xfd": "is compressed with zstd; unpack it with unzstd",
}
"""How files begin that are no dump as they are, and what to do."""
DAMAGES = (EOFError, OSError, zlib.error, lzma.LZMAError)
"""What reading raises where compressed data is damaged."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some whole records of a dump."""

    data: bytes
    line: int
    """Line of the file on which `data` starts, from 1."""
    prefixes: tuple[tuple[bytes, bytes], ...] = ()
    """Namespace prefixes that the dump's root declares, with their quoted names."""
    context: bytes = b""
    """The category that the first pages belong to, if it started in an earlier chunk."""
    cut_short: str = ""
    """Why the file ends before it should; on the last chunk alone."""


@contextmanager
def open_dump(path: Path) -> Iterator[io.BufferedReader]:
    """Open a plain, gzip, bzip2 or xz file by its first bytes, whatever its name.

    Raises DumpError if there is no such file.
    """
    try:
        file = path.open("rb")
    except OSError as problem:
        raise DumpError(f"{path}: cannot be opened: {problem.strerror}") from None
    with file:
        magic = file.peek(_MOST_MAGIC_BYTES)  # a pipe can't be read again
        yield cast(io.BufferedReader, _unpacked(file, magic))


def _unpacked(file: BinaryIO, magic: bytes) -> BinaryIO | gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile:
    if magic.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)
    if magic.startswith(b"BZh"):
        return bz2.BZ2File(file)
    return lzma.LZMAFile(file) if magic.startswith(b"\xfd7zXZ\x00") else file


def chunks(path: Path, chunk_bytes: int = CHUNK_BYTES) -> Iterator[Chunk]:
    """Cut a dump into chunks of about `chunk_bytes` bytes.

    Raises DumpError, in one line that names the file, if it holds no records of a dump.
    """
    with open_dump(path) as file:
        blocks = _Blocks(file, chunk_bytes)
        data = _first_record(path, blocks)
        root = _ROOT.search(_without_comments(data.preamble))
        prefixes = tuple(_DECLARATION.findall(root[2])) if root else ()
        root_end = b"</" + root[1] if root else b""
        line, rest, context, uncut = 1 + data.preamble.count(b"\n"), data.rest, b"", False
        while block := blocks.read():
            searched = max(0, len(rest) - _LONGEST_START_BYTES)
            rest += block
            cut = _cut(rest, searched if uncut else 0)
            if uncut := not cut and len(rest) < _RECORD_BYTES:
                continue
            cut = cut or _last(RECORD_START, rest) or max(0, rest.rfind(b"<")) or len(rest)
            yield Chunk(rest[:cut], line, prefixes, context)
            line += rest.count(b"\n", 0, cut)
            context = _context(rest, cut, context)
            rest = rest[cut:]
        end = _last_place(root_end, rest) if root_end else len(rest)
        cut_short = blocks.damage or ("" if end >= 0 else "its root element is not closed")
        yield Chunk(rest[:end] if end >= 0 else rest, line, prefixes, context, cut_short)


@dataclass(frozen=True, slots=True)
class _Start:
    preamble: bytes
    rest: bytes


class _Blocks:
    """Blocks of a file until it ends or turns out to be damaged."""

    def __init__(self, file: io.BufferedReader, size: int) -> None:
        self._file, self._size = file, size
        self.damage = ""

    def read(self) -> bytes:
        """The next block; empty at the end. What came before a damage is still given."""
        pieces, wanted = [], self._size
        try:
            # one read at a time: a longer one would lose what it had when it met the damage
            while wanted > 0 and not self.damage and (piece := self._file.read1(wanted)):
                pieces.append(piece)
                wanted -= len(piece)
        except DAMAGES as problem:
            self.damage = f"the compressed data is damaged: {problem}"
        return b"".join(pieces)


def _first_record(path: Path, blocks: _Blocks) -> _Start:
    data = b""
    while len(data) < _PREAMBLE_BYTES and (block := blocks.read()):
        data += block
        if start := RECORD_START.search(_without_comments(data)):
            return _Start(data[: start.start()], data[start.start() :])
    if start := RECORD_START.search(data):  # in a comment that is not closed
        return _Start(data[: start.start()], data[start.start() :])
    if blocks.damage:
        raise DumpError(f"{path}: cannot be read: {blocks.damage}")
    if not data.strip():
        raise DumpError(f"{path}: is empty")
    if advice := next((advice for magic, advice in _FOREIGN.items() if data.startswith(magic)), ""):
        raise DumpError(f"{path}: {advice}")
    begins = detail_of(data[:40].decode("utf-8", "replace"))
    raise DumpError(
        f"{path}: holds no <Topic> or <ExternalPage>, so it is no dump of the Open Directory: {begins}"
    )


def _cut(data: bytes, searched: int = 0) -> int:
    """Where to cut: before the last category, else before the last record, never inside a comment; 0 if
    nowhere. Up to `searched` there is no such place.
    """
    outside = _without_comments(data)
    return _last(_CATEGORY_START, outside, searched) or _last(RECORD_START, outside, searched)


def _without_comments(data: bytes) -> bytes:
    """The data with blanks in place of its comments; all that follows one which is not closed is part of
    it.
    """
    begin = data.find(b"<!--")
    if begin < 0:
        return data
    outside = bytearray(data)
    while begin >= 0:
        end = data.find(b"-->", begin + 4)
        after = len(data) if end < 0 else end + 3
        outside[begin:after] = b" " * (after - begin)
        begin = data.find(b"<!--", after)
    return bytes(outside)


def _last_place(found: bytes, data: bytes) -> int:
    """Where something stands last, in a comment only if nowhere else; -1 if nowhere."""
    outside = _without_comments(data).rfind(found)
    return outside if outside >= 0 else data.rfind(found)


def _last(start: re.Pattern[bytes], data: bytes, first: int = 0, limit: int | None = None) -> int:
    """Position of the last match from `first` to `limit`; 0 if there is none but at the very start."""
    reach = 1 << 16
    end = len(data) if limit is None else limit
    while True:
        begin = max(first, end - reach)
        found = 0
        for match in start.finditer(data, begin, end):
            found = match.start()
        if found or begin == first:
            return found
        reach *= 8


def _context(data: bytes, cut: int, context: bytes) -> bytes:
    """The category that the records at `cut` belong to; empty if they start with one of their own."""
    if _CATEGORY_START.match(data, cut):
        return b""
    start = _last(_CATEGORY_START, data, limit=cut)
    if not start and not _CATEGORY_START.match(data):
        return context
    end = _CATEGORY_END.search(data, start, min(cut, start + _MOST_CONTEXT_BYTES))
    return data[start : end.end()] if end else b""
