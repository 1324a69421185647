"""One pass over a WARC that finds every capture and survives whatever is damaged.

After damage the pass goes on at the next record that can be read. What was lost is counted by `Fault`, never
dropped in silence. WARC 1.0 and 1.1: https://iipc.github.io/warc-specifications/; ARC: see
`bizcrawl.web.arc`.
"""

from __future__ import annotations

import mmap
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import BinaryIO, NamedTuple, cast

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from bizcrawl.web.arc import State, arc_records, is_arc, is_packed_as_a_whole
from bizcrawl.web.gzip_member import GZIP_MAGIC, beginning_of
from bizcrawl.web.warc_parts import NotAWarcError, Part

_RECORD_START = {True: re.compile(re.escape(GZIP_MAGIC)), False: re.compile(rb"WARC/[01]\.\d+\r?\n")}
_PACKED_AS_A_WHOLE = (
    "the file is compressed as a whole, so its records cannot be read one by one: "
    "unpack it with gunzip and give what comes of it"
)
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LF_HEAD = re.compile(rb"WARC/[01]\.\d+\n")
_MOST_WARC_HEAD_BYTES = 1 << 16
_FREE_TRIES = 100
_GAP_BYTES = 64
"""After so many places where a record only seemed to begin, the next one that is tried is this much further
away from the last than that was from the one before: each takes as long as 32 kB of records.
"""
_MOST_TORN = 20
"""Records that say to be longer than the rest of the file, which is read to its end for each: behind so many
no other is looked for."""
_KEPT = WarcRecordType.response | WarcRecordType.revisit | WarcRecordType.resource


class Fault(StrEnum):
    """What was found wrong with a record; `RecordedWeb.faults` counts by these names."""

    TORN_RECORD = "torn_record"
    """A record that ends before its announced length."""
    DAMAGED = "damaged"
    """A stretch of bytes that is no record; reading went on at the next one."""
    WRONG_INDEX = "wrong_index"
    """A CDXJ, or a line of one, that does not fit the WARC."""
    UNREADABLE_RECORD = "unreadable_record"
    """A record whose HTTP part cannot be read."""


class Capture(NamedTuple):
    """One answer to one URL, and where it stands. A tuple, since a recorded web may have millions."""

    url: str
    time: str
    """14 digits, UTC."""
    digest: str
    """Payload digest as recorded, "" if there is none; a revisit record finds its original by it."""
    revisit: bool
    offset: int
    """In the part's file."""
    length: int
    part: int


class _Window:
    """The bytes of one part as the stream that fastwarc wants; positions are those of the file."""

    def __init__(self, view: mmap.mmap, position: int, end: int) -> None:
        self._view, self._position, self._end = view, position, end

    def read(self, size: int = -1) -> bytes:
        stop = self._end if size < 0 else min(self._end, self._position + size)
        data = self._view[self._position : stop]
        self._position += len(data)
        return data

    def tell(self) -> int:
        return self._position

    def seek(self, position: int, whence: int = 0) -> int:
        self._position = position + (0, self._position, self._end)[whence]
        return self._position


def scan(part: Part, number: int, start: int | None = None) -> tuple[list[Capture], Counter[Fault]]:
    """Every capture of `part` from a file position on, in the order of the file, and what was wrong.

    Raises `NotAWarcError` for a file that is compressed as a whole.
    """
    found: list[Capture] = []
    faults: Counter[Fault] = Counter()
    at = first = part.start if start is None else start
    fruitless = 0
    if at >= part.end:
        return found, faults
    with part.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        if is_arc(view, part.start, part.end):
            return _scan_arc(view, at, part.end, number)
        form = _form(view, part)
        while True:
            run = _run(view, at, part.end, form, number)
            found += run.found
            faults[Fault.TORN_RECORD] += run.torn
            faults[Fault.DAMAGED] += run.gaps
            if run.damaged and (run.seen or at == first):  # else still the damage that ended the run before
                faults[Fault.DAMAGED] += 1
            goes_on = run.damaged or (run.torn and faults[Fault.TORN_RECORD] < _MOST_TORN)
            fruitless += not run.seen
            beyond = run.last + 1 + max(0, fruitless - _FREE_TRIES) * _GAP_BYTES
            following = _RECORD_START[form.is_gzip].search(view, beyond, part.end) if goes_on else None
            if following is None:
                return found, +faults
            at = following.start()


def _scan_arc(view: mmap.mmap, start: int, end: int, number: int) -> tuple[list[Capture], Counter[Fault]]:
    found: list[Capture] = []
    faults: Counter[Fault] = Counter()
    if is_packed_as_a_whole(view, start, end):
        raise NotAWarcError(_PACKED_AS_A_WHOLE)
    for record in arc_records(view, start, end):
        if record.state is not State.WHOLE:
            faults[Fault.TORN_RECORD if record.state is State.TORN else Fault.DAMAGED] += 1
        elif is_http(record.url):
            found.append(Capture(record.url, record.time, "", False, record.offset, record.length, number))
    return found, faults


def url_at(part: Part, position: int) -> str | None:
    """The URL of the record at a file position, None if no record begins there."""
    with part.path.open("rb") as file:
        file.seek(position)
        try:
            record = next(iter(ArchiveIterator(file, parse_http=False, quirks_mode=True)), None)
        except OSError:
            return None
        return None if record is None else target_uri(record)


def is_http(url: str) -> bool:
    """Whether a recorded URL is one of the Web's."""
    return url[:8].lower().startswith(("http://", "https://"))


def target_uri(record: WarcRecord) -> str:
    """The record's URL; some WARC 1.0 writers put it in angle brackets."""
    return (record.headers.get("WARC-Target-URI") or "").strip("<> ")


def moment_of(record: WarcRecord) -> datetime | None:
    """When a record was made, in UTC; None if it says nothing, or a time that UTC does not have."""
    try:
        return record.record_date.astimezone(UTC) if record.record_date else None
    except OverflowError:
        return None


class _Form(NamedTuple):
    """How a part was written."""

    is_gzip: bool
    ends_lines_with_lf: bool
    """Not with CRLF, as the specification wants."""

    @property
    def is_lenient(self) -> bool:
        """Whether the reader passes over what is no record, so that it must be looked for."""
        return self.ends_lines_with_lf and not self.is_gzip


@dataclass(slots=True)
class _Run:
    """What one undamaged run of records holds."""

    found: list[Capture] = field(default_factory=list)
    last: int = 0
    """Where the last record begins that was seen at all."""
    seen: int = 0
    """How many records were."""
    gaps: int = 0
    """How many stretches between records are none, and were passed over."""
    torn: bool = False
    damaged: bool = False


def _form(view: mmap.mmap, part: Part) -> _Form:
    head = view[part.start : min(part.end, part.start + _MOST_WARC_HEAD_BYTES)]
    return _Form(head.startswith(GZIP_MAGIC), _LF_HEAD.match(beginning_of(head)) is not None)


def _run(view: mmap.mmap, start: int, end: int, form: _Form, number: int) -> _Run:
    """Scan from `start` to the first damage or the end. A capture's length reaches to the next record."""
    run = _Run(last=start)
    pending: Capture | None = None
    window = cast(BinaryIO, _Window(view, start, end))
    try:
        for record in ArchiveIterator(window, parse_http=False, quirks_mode=form.ends_lines_with_lf):
            at = record.stream_pos
            if form.is_gzip and view[at : at + 3] != GZIP_MAGIC:
                raise NotAWarcError(_PACKED_AS_A_WHOLE)
            if pending is not None:
                if not form.is_lenient or not _overruns(view, pending.offset):
                    run.found.append(pending._replace(length=at - pending.offset))
                if form.is_lenient and view[_content_end(view, pending.offset) : at].strip(b"\r\n"):
                    run.gaps += 1
            run.last = at
            run.seen += 1
            pending = None
            capture = _capture(record, number)
            if "Content-Length" not in record.headers or record.consume() < record.content_length:
                run.torn = True
                break
            pending = capture
    except OSError:
        run.damaged = True
    if pending is not None and not (run.damaged and not form.is_gzip and _overruns(view, pending.offset)):
        run.found.append(pending._replace(length=end - pending.offset))
    return run


def _capture(record: WarcRecord, number: int) -> Capture | None:
    """The capture in a record, its length still open; None for records that answer no http(s) URL."""
    kind = record.record_type
    if not kind & _KEPT:
        return None
    url = target_uri(record)
    if not is_http(url):
        return None
    date = moment_of(record)
    time = date.strftime("%Y%m%d%H%M%S") if date else "0" * 14
    digest = record.headers.get("WARC-Payload-Digest") or ""
    return Capture(url, time, digest, kind == WarcRecordType.revisit, record.stream_pos, 0, number)


def _overruns(view: mmap.mmap, offset: int) -> bool:
    """Whether a plain record's announced length reaches into what follows: some of its bytes are missing."""
    end = _content_end(view, offset)
    return not view[end : end + 4].startswith((b"\r\n\r\n", b"\n\n"))


def _content_end(view: mmap.mmap, offset: int) -> int:
    """Where a plain record's content should end by the length that it announces."""
    view.seek(offset)
    record = next(iter(ArchiveIterator(cast(BinaryIO, view), parse_http=False, quirks_mode=True)))
    head = _HEAD_END.search(view, offset, offset + _MOST_WARC_HEAD_BYTES)
    return (offset if head is None else head.end()) + int(record.content_length)
