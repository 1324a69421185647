"""ARC, the format that webs were kept in before WARC: read so that old crawls can be crawled again.

A record is one line, ``URL IP-address 14-digit-time content-type length``, then that many bytes of HTTP
answer, then a line end; the first record is a ``filedesc:``. Compressed files hold one gzip member per
record. http://archive.org/web/researcher/ArcFileFormat.php (version 1; the longer lines of version 2 are read
too).
"""

from __future__ import annotations

import mmap
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from bizcrawl.web.gzip_member import GZIP, GZIP_MAGIC, member_end

_MOST_HEAD_BYTES = 16_384


@dataclass(frozen=True, slots=True)
class ArcRecord:
    """Where a record stands and what its line says."""

    url: str
    address: str
    time: str
    offset: int
    length: int
    torn: bool


def is_arc(view: mmap.mmap, start: int, end: int) -> bool:
    """Whether an ARC begins at `start`."""
    return _inflated(view[start : min(end, start + 4096)]).startswith(b"filedesc:")


def _inflated(block: bytes) -> bytes:
    """The first bytes of a block that may be compressed; b"" if it is damaged."""
    if not block.startswith(GZIP_MAGIC):
        return block
    try:
        return zlib.decompressobj(GZIP).decompress(block, _MOST_HEAD_BYTES)
    except zlib.error:
        return b""


def arc_records(view: mmap.mmap, start: int, end: int) -> Iterator[ArcRecord]:
    """Every record from `start` on; ends at the first one that is torn or is none, marked `torn`."""
    is_gzip = view[start : start + 3] == GZIP_MAGIC
    at = start
    while at < end:
        head = _inflated(view[at : min(end, at + _MOST_HEAD_BYTES)])
        line, _, _ = head.partition(b"\n")
        fields = line.split(b" ")
        if len(fields) < 5 or not fields[-1].isdigit():
            yield ArcRecord("", "", "", at, end - at, torn=True)
            return
        after = member_end(view, at, end) if is_gzip else at + len(line) + 1 + int(fields[-1])
        url, address, time = (field.decode("utf-8", "replace") for field in fields[:3])
        torn = after is None or after > end
        yield ArcRecord(url, address, time, at, end - at if torn or after is None else after - at, torn)
        if torn or after is None:
            return
        at = after if is_gzip else after + (view[after : after + 1] == b"\n")


def as_warc(block: bytes, most_bytes: int) -> bytes:
    """An ARC record as the WARC response record that says the same, so that one reader does for both.

    Of a compressed record `most_bytes` are inflated. Raises ValueError if the block holds no ARC record.
    """
    if block.startswith(GZIP_MAGIC):
        try:
            block = zlib.decompressobj(GZIP).decompress(block, most_bytes)
        except zlib.error as error:
            raise ValueError(str(error)) from None
    line, _, content = block.partition(b"\n")
    fields = line.split(b" ")
    if len(fields) < 5 or not fields[-1].isdigit():
        raise ValueError("the record's first line is none of an ARC")
    content = content[: int(fields[-1])]
    t = fields[2].ljust(14, b"0")
    date = b"%b-%b-%bT%b:%b:%bZ" % (t[:4], t[4:6], t[6:8], t[8:10], t[10:12], t[12:14])
    head = (
        b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %b\r\nWARC-Date: %b\r\nWARC-IP-Address: %b\r\n"
        b"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n"
    )
    return head % (fields[0], date, fields[1], len(content)) + content + b"\r\n\r\n"
