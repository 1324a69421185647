"""ARC, the format that webs were kept in before WARC: read so that old crawls can be crawled again.

A record is one line, ``URL IP-address 14-digit-time content-type length``, then that many bytes of HTTP
answer, then a line end; the first record is a ``filedesc:``. Compressed files hold one gzip member per
record. http://archive.org/web/researcher/ArcFileFormat.php (version 1; the longer lines of version 2 are read
too).
"""

from __future__ import annotations

import mmap
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from bizcrawl.web.gzip_member import GZIP, GZIP_MAGIC, beginning_of, member_end

_MOST_HEAD_BYTES = 16_384
_LINE = re.compile(rb"([A-Za-z][\w+.-]*:.*?) (\S+) (\d{1,14}) (?:.* )?(\d+)\r?")
"""URL, which may hold blanks, IP address, time, what else there is, length."""
_NEXT_LINE = re.compile(rb"(?<=\n)https?://[^\r\n]{1,8000} [\w.:-]{1,60} \d{4,14} [^\r\n]{0,400}\d\r?\n")
_MOST_DIGITS = 15
_MOST_LINE_ENDS_BYTES = 4
_MOST_DAMAGED_MEMBERS = 20
"""Each may be read to the end of the file before it turns out to be damaged."""


class State(Enum):
    """What is to be had of a record."""

    WHOLE = "whole"
    TORN = "torn"
    """The file ends before it does."""
    DAMAGED = "damaged"
    """Bytes that are no record, or not all of one, before the next that can be read."""


@dataclass(frozen=True, slots=True)
class ArcRecord:
    """Where a record stands and what its line says."""

    url: str
    time: str
    offset: int
    length: int
    state: State = State.WHOLE


class _Line(NamedTuple):
    """What the first line of a record says."""

    url: bytes
    address: bytes
    time: bytes
    content_bytes: int
    length: int
    """Of the line itself, with its end."""


def is_arc(view: mmap.mmap, start: int, end: int) -> bool:
    """Whether an ARC begins at `start`."""
    return beginning_of(view[start : min(end, start + 4096)]).startswith(b"filedesc:")


def is_packed_as_a_whole(view: mmap.mmap, start: int, end: int) -> bool:
    """Whether the gzip member at `start` holds more than the one record that it should."""
    if view[start : start + 3] != GZIP_MAGIC:
        return False
    head = beginning_of(view[start : min(end, start + _MOST_HEAD_BYTES)])
    said = _read(head)
    return said is not None and _read(head[said.length + said.content_bytes :].lstrip()) is not None


def _read(block: bytes) -> _Line | None:
    """What the first line of a block says; None if it is none of an ARC."""
    line, _, _ = block.partition(b"\n")
    last = line.rstrip(b"\r").rpartition(b" ")[2]
    if not last.isdigit() or len(last) > _MOST_DIGITS:  # else the pattern would look for it from many places
        return None
    found = _LINE.fullmatch(line)
    return None if found is None else _Line(found[1], found[2], found[3], int(found[4]), len(line) + 1)


def arc_records(view: mmap.mmap, start: int, end: int) -> Iterator[ArcRecord]:
    """Every record from `start` on, and every stretch that is none, `State.TORN` if nothing follows it."""
    is_gzip = view[start : start + 3] == GZIP_MAGIC
    damaged = 0
    at = start
    while at < end:
        record = _record_at(view, at, end, is_gzip)
        if record is not None:
            content_end = at + record.length
            after = _line_end_after(view, content_end)
            is_followed = is_gzip or after >= end or _line_at(view, after, end) is not None
            if is_followed or (after > content_end and not _next_record(view, at + 1, content_end, is_gzip)):
                yield record
                at = after
                continue
        following = _next_record(view, at + 1, end, is_gzip)
        damaged += 1
        if following is None or (is_gzip and damaged == _MOST_DAMAGED_MEMBERS):
            yield ArcRecord("", "", at, end - at, State.TORN)
            return
        yield ArcRecord("", "", at, following - at, State.DAMAGED)
        at = following


def _record_at(view: mmap.mmap, at: int, end: int, is_gzip: bool) -> ArcRecord | None:
    """The record that begins at a position; None if none does, or not the whole of it is there."""
    if (said := _line_at(view, at, end)) is None:
        return None
    after = member_end(view, at, end) if is_gzip else at + said.length + said.content_bytes
    if after is None or after > end:
        return None
    return ArcRecord(said.url.decode("utf-8", "replace"), said.time.decode(), at, after - at)


def _line_at(view: mmap.mmap, at: int, end: int) -> _Line | None:
    return _read(beginning_of(view[at : min(end, at + _MOST_HEAD_BYTES)]))


def _line_end_after(view: mmap.mmap, at: int) -> int:
    """Where the next record begins, behind the line end (some writers': ends) that parts records."""
    between = view[at : at + _MOST_LINE_ENDS_BYTES]
    return at + len(between) - len(between.lstrip(b"\r\n"))


def _next_record(view: mmap.mmap, start: int, end: int, is_gzip: bool) -> int | None:
    """Where the next record begins that may be read; None if there is no more."""
    if not is_gzip:
        found = _NEXT_LINE.search(view, start, end)
        return None if found is None else found.start()
    while (start := view.find(GZIP_MAGIC, start, end)) >= 0:
        if _line_at(view, start, end) is not None:
            return start
        start += 1
    return None


def as_warc(block: bytes, most_bytes: int) -> bytes:
    """An ARC record as the WARC response record that says the same, so that one reader does for both.

    Of a compressed record `most_bytes` are inflated. Raises ValueError if the block holds no ARC record.
    """
    if block.startswith(GZIP_MAGIC):
        try:
            block = zlib.decompressobj(GZIP).decompress(block, most_bytes)
        except zlib.error as error:
            raise ValueError(str(error)) from None
    if (said := _read(block[:_MOST_HEAD_BYTES])) is None:
        raise ValueError("the record's first line is none of an ARC")
    content = block[said.length : said.length + said.content_bytes]
    t = said.time.ljust(14, b"0")
    date = b"%b-%b-%bT%b:%b:%bZ" % (t[:4], t[4:6], t[6:8], t[8:10], t[10:12], t[12:14])
    head = (
        b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %b\r\nWARC-Date: %b\r\nWARC-IP-Address: %b\r\n"
        b"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n"
    )
    return head % (said.url, date, said.address, len(content)) + content + b"\r\n\r\n"
