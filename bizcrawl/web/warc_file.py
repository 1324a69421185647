"""One WARC file that grows by whole records, and its index when it is closed.

Every record is a gzip member of its own (WARC 1.1, annex D), written in one piece. What a crash left
unfinished at the end is cut off before anything is appended; damage anywhere else is left as it is, and such
a file is not touched.
"""

from __future__ import annotations

import fcntl
import gzip
import io
import json
import mmap
import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from bizcrawl.errors import BizcrawlError, RecordNotKept
from bizcrawl.web.gzip_member import GZIP_MAGIC, member_end
from bizcrawl.web.recorded_response import with_shorter_head
from bizcrawl.web.surt import surt_key
from bizcrawl.web.warc_index import REVISIT
from bizcrawl.web.warc_scan import target_uri

_ANSWERS = WarcRecordType.response | WarcRecordType.revisit
_LEVEL = 4
"""Of gzip: the event loop waits while a page is packed, and higher levels save next to nothing on small
pages.
"""


class Line(NamedTuple):
    """One line of a CDXJ; sorts as the format wants."""

    key: str
    time: str
    fields: str
    """JSON."""


class Entry(NamedTuple):
    """What an index says of an answer."""

    url: str
    time: str
    """14 digits, UTC."""
    mime: str
    status: str
    digest: str

    def line(self, offset: int, length: int, filename: str) -> Line:
        """The answer's line in the index of the file where it stands."""
        fields = {
            "url": self.url,
            "mime": self.mime,
            "status": self.status,
            "digest": self.digest,
            "length": str(length),
            "offset": str(offset),
            "filename": filename,
        }
        return Line(surt_key(self.url), self.time, json.dumps(fields))


@dataclass(frozen=True, slots=True)
class Sound:
    """What of an existing file can be kept."""

    lines: list[Line]
    end: int
    """Where the last whole record ends."""
    whole: bool
    """What follows `end`, if anything, is one unfinished record and no more."""


class DamagedWarcError(BizcrawlError):
    """There is damage before the end of the file: it is not gone on with."""


class WarcFile:
    """A ``.warc.gz`` open for appending and locked. Raises `BizcrawlError` with one line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise BizcrawlError(f"{path}: cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise BizcrawlError(
                f"{path}: another crawl is writing it: give another folder to --warc"
            ) from None
        sound = sound_part(path)
        if not sound.whole:
            self._file.close()
            raise DamagedWarcError(f"{path}: damaged at byte {sound.end:,}")
        self._lines = sound.lines
        self.size = sound.end
        self._file.truncate(self.size)

    def append(self, record: WarcRecord, entry: Entry | None = None) -> None:
        """Write one record, indexed as `entry`. Raises `RecordNotKept` if the disk is full; nothing of
        it stays behind then.
        """
        packed = _packed(record)
        try:
            written = self._file.write(packed)
        except OSError as error:
            written, why = 0, error.strerror
        else:
            why = "no space left on the device"
        if written != len(packed):
            self._file.truncate(self.size)
            raise RecordNotKept(f"{self.path}: cannot be written: {why}")
        if entry is not None:
            self._lines.append(entry.line(self.size, len(packed), self.path.name))
        self.size += len(packed)

    def close(self) -> None:
        """Write the CDXJ beside the file, sorted, and let go of both. Raises `RecordNotKept` if there is no
        room for it; the records are on the disk all the same, and are read without one.
        """
        if self._file.closed:
            return
        index = self.path.with_name(self.path.name.removesuffix(".warc.gz") + ".cdxj")
        draft = index.with_suffix(".draft")
        try:
            os.fsync(self._file.fileno())
            with draft.open("w", encoding="utf-8") as lines:
                lines.writelines(f"{line.key} {line.time} {line.fields}\n" for line in sorted(self._lines))
                lines.flush()
                os.fsync(lines.fileno())
            draft.replace(index)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise RecordNotKept(f"{index}: cannot be written: {error.strerror}") from None
        finally:
            self._file.close()


def _packed(record: WarcRecord) -> bytes:
    sink = io.BytesIO()
    record.write(sink, checksum_data=True)
    return gzip.compress(sink.getvalue(), _LEVEL, mtime=0)


def sound_part(path: Path) -> Sound:
    """The whole records at the beginning of a file, as lines of its index."""
    if path.stat().st_size == 0:
        return Sound([], 0, whole=True)
    lines: list[Line] = []
    at = 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        size = len(view)
        while at < size and (end := member_end(view, at, size)) is not None:
            if entry := _entry_of(view[at:end]):
                lines.append(entry.line(at, end - at, path.name))
            at = end
        return Sound(lines, at, whole=not _more_follows(view, at))


def _more_follows(view: mmap.mmap, at: int) -> bool:
    """Whether whole members stand after the unreadable one at `at`."""
    size = len(view)
    while (at := view.find(GZIP_MAGIC, at + 1)) >= 0:
        if member_end(view, at, size) is not None:
            return True
    return False


def _entry_of(packed: bytes) -> Entry | None:
    """What the index says of a record; None for records that are no answer."""
    try:
        record = next(iter(ArchiveIterator(io.BytesIO(packed), record_types=_ANSWERS)), None)
    except OSError:
        shorter = with_shorter_head(packed)
        return _entry_of(shorter) if shorter else None
    if record is None or not record.http_headers or not record.record_date:
        return None
    return Entry(
        target_uri(record),
        record.record_date.strftime("%Y%m%d%H%M%S"),
        REVISIT
        if record.record_type == WarcRecordType.revisit
        else mime_of(record.http_headers.get("content-type") or ""),
        str(record.http_headers.status_code),
        record.headers.get("WARC-Payload-Digest") or "",
    )


def mime_of(content_type: str) -> str:
    """Type and subtype of a Content-Type, "unk" if there is none, as in CDX files."""
    return content_type.partition(";")[0].strip().lower() or "unk"
