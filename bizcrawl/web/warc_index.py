"""Where each capture of a recorded web stands, so that one page can be read without reading the rest.

An index comes from the CDXJ beside the WARC when that fits the file, else from one pass over the WARC itself,
kept in the user's cache folder until the WARC changes. Damage never ends the pass: it goes on at the next
record that can be read, and what was lost is counted by `Fault`.

WARC 1.0 and 1.1: https://iipc.github.io/warc-specifications/. CDXJ: sorted lines of SURT key, 14-digit time,
JSON.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from bizcrawl.errors import BizcrawlError

GZIP_MAGIC = b"\x1f\x8b\x08"
_RECORD_START = {True: re.compile(re.escape(GZIP_MAGIC)), False: re.compile(rb"WARC/[01]\.\d+\r?\n")}
_KEPT = WarcRecordType.response | WarcRecordType.revisit | WarcRecordType.resource


class Fault(StrEnum):
    """What was found wrong with a record, by name; `RecordedWeb.faults` counts them."""

    TORN_RECORD = "torn_record"
    """A record that ends before its announced length."""
    DAMAGED = "damaged"
    """A stretch of bytes that is no record; reading went on at the next one."""
    WRONG_INDEX = "wrong_index"
    """A line of the CDXJ that does not fit the WARC."""
    UNREADABLE_RECORD = "unreadable_record"
    """A record whose HTTP part cannot be read."""


class Capture(NamedTuple):
    """One answer to one URL, and where it stands. A tuple: a recorded web has millions."""

    url: str
    time: str
    """14 digits, UTC."""
    digest: str
    """Payload digest as recorded, "" if there is none; revisit records find their original by it."""
    revisit: bool
    offset: int
    length: int
    part: int
    """Which of the index's files."""


@dataclass(slots=True)
class WarcIndex:
    """The captures of one or more WARC files, in no particular order."""

    files: list[Path]
    captures: list[Capture] = field(default_factory=list)
    faults: Counter[Fault] = field(default_factory=Counter)


class NotAWarcError(BizcrawlError):
    """The file is no recorded web, or one that cannot be read record by record."""


def index_of(warc: Path, cache: Path | None = None) -> WarcIndex:
    """Index one WARC file: by the CDXJ beside it, by an earlier pass kept in `cache`, or by a pass over it
    now.

    Records that stand after the last one the CDXJ knows (a crawl that was killed before it wrote its index)
    are added from a pass over that tail. Raises `NotAWarcError` with one line that says what to do.
    """
    size = size_of(warc)
    for beside in cdxj_paths(warc):
        if beside.is_file():
            index = _fitting(load_cdxj(beside, [warc]), warc, size)
            if index is not None:
                return index
    return cached_scan(warc, cache)


def size_of(warc: Path) -> int:
    """Size of a file in bytes, or the one line that says why it cannot be read."""
    try:
        with warc.open("rb"):
            return warc.stat().st_size
    except OSError as error:
        raise NotAWarcError(f"{warc}: cannot be read: {error.strerror}") from None


def cdxj_paths(warc: Path) -> list[Path]:
    """Where the CDXJ of a WARC may lie: ``web.cdxj`` or ``web.warc.gz.cdxj`` for ``web.warc.gz``."""
    stem = re.sub(r"\.warc(\.gz)?$", "", warc.name)
    return [warc.with_name(f"{stem}.cdxj"), warc.with_name(f"{warc.name}.cdxj")]


def load_cdxj(path: Path, files: list[Path]) -> WarcIndex:
    """Read a CDXJ over `files`, which its lines name by file name. Lines that cannot be used count as wrong."""
    index = WarcIndex(files)
    parts = {file.name: part for part, file in enumerate(files)}
    captures, loads = index.captures, json.loads
    with path.open("rb") as lines:
        for line in lines:
            if line.isspace() or line.startswith(b"!"):  # "!meta" lines
                continue
            try:
                _, time, fields = line.split(b" ", 2)
                entry = loads(fields)
                capture = Capture(
                    entry["url"],
                    time.decode("ascii"),
                    entry.get("digest", ""),
                    entry.get("mime") == "warc/revisit",
                    int(entry["offset"]),
                    int(entry["length"]),
                    parts[Path(entry["filename"]).name],
                )
            except (ValueError, KeyError, TypeError):
                index.faults[Fault.WRONG_INDEX] += 1
                continue
            captures.append(capture)
    return index


def _fitting(index: WarcIndex, warc: Path, size: int) -> WarcIndex | None:
    """A CDXJ's index cut to what the WARC holds and grown by what it holds besides; None if it belongs to
    another file.
    """
    inside = [capture for capture in index.captures if capture.offset + capture.length <= size]
    index.faults[Fault.TORN_RECORD] += len(index.captures) - len(inside)
    index.captures[:] = inside
    probes = sorted(inside, key=lambda capture: capture.offset)
    for capture in {*probes[:2], *probes[-2:], *probes[len(probes) // 2 :][:1]}:
        if not _stands_at(warc, capture):
            return None
    if not probes:
        return None
    end = probes[-1].offset + probes[-1].length
    if end < size:
        scan(warc, index, start=end)
    index.faults += Counter()  # drops zero counts
    return index


def _stands_at(warc: Path, capture: Capture) -> bool:
    """Whether the record of this capture stands where the index says."""
    with warc.open("rb") as file:
        file.seek(capture.offset)
        try:
            record = next(iter(ArchiveIterator(file, parse_http=False)), None)
        except OSError:
            return False
        return record is not None and target_uri(record) == capture.url


def target_uri(record: WarcRecord) -> str:
    """The record's URL; some WARC 1.0 writers put it in angle brackets."""
    return (record.headers.get("WARC-Target-URI") or "").strip("<> ")


def scan(warc: Path, index: WarcIndex, start: int = 0) -> None:
    """Add to `index` every capture of `warc` from a byte offset on, by one pass over it."""
    size = size_of(warc)
    if size == start:
        return
    part = index.files.index(warc)
    with warc.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        is_gzip = view[:3] == GZIP_MAGIC
        at: int | None = start
        while at is not None:
            at = _scan_run(view, at, is_gzip, index, part)


def _scan_run(view: mmap.mmap, start: int, is_gzip: bool, index: WarcIndex, part: int) -> int | None:
    """Scan one undamaged run of records; returns where the next one may begin, None at the end of the file."""
    view.seek(start)
    last_seen = start
    pending: tuple[str, str, str, bool, int] | None = None
    damaged = False
    try:
        for record in ArchiveIterator(cast(BinaryIO, view), parse_http=False, quirks_mode=True):
            at = record.stream_pos
            if pending is not None:
                _add(index, pending, at, part)
                pending = None
            if is_gzip and view[at : at + 3] != GZIP_MAGIC:
                raise NotAWarcError(
                    "the file is compressed as a whole, so its records cannot be read one by one: "
                    "unpack it with gunzip and give the .warc"
                )
            last_seen = at
            facts = _facts(record, at)
            if record.consume() < record.content_length:
                index.faults[Fault.TORN_RECORD] += 1
                return None
            pending = facts
    except OSError:
        damaged = True
    if pending is not None and not (damaged and not is_gzip and _overruns(view, pending[4])):
        _add(index, pending, len(view), part)
    if not damaged:
        return None
    index.faults[Fault.DAMAGED] += 1
    following = _RECORD_START[is_gzip].search(view, last_seen + 1)
    return following.start() if following else None


def _facts(record: WarcRecord, offset: int) -> tuple[str, str, str, bool, int] | None:
    """What a capture holds before its length is known; None for records that answer no http(s) URL."""
    kind = record.record_type
    if not kind & _KEPT:
        return None
    url = target_uri(record)
    if not url.lower().startswith(("http://", "https://")):
        return None
    date = record.record_date
    time = date.strftime("%Y%m%d%H%M%S") if date else "0" * 14
    digest = record.headers.get("WARC-Payload-Digest") or ""
    return url, time, digest, kind == WarcRecordType.revisit, offset


def _add(index: WarcIndex, facts: tuple[str, str, str, bool, int], end: int, part: int) -> None:
    url, time, digest, revisit, offset = facts
    index.captures.append(Capture(url, time, digest, revisit, offset, end - offset, part))


def _overruns(view: mmap.mmap, offset: int) -> bool:
    """Whether a plain record's announced length reaches into what follows it: bytes of it are missing."""
    view.seek(offset)
    record = next(iter(ArchiveIterator(cast(BinaryIO, view), parse_http=False)))
    head_end = view.find(b"\r\n\r\n", offset) + 4
    end = head_end + record.content_length
    return view[end : end + 4] != b"\r\n\r\n"


def cached_scan(warc: Path, cache: Path | None = None) -> WarcIndex:
    """The index of a pass over `warc`, taken from the cache when the file is the same size and age as then."""
    stat = warc.stat()
    folder = cache or user_cache() / "warc-indexes"
    name = hashlib.sha256(os.fsencode(warc.resolve())).hexdigest()[:20]
    kept = folder / f"{name}-{stat.st_size}-{stat.st_mtime_ns}.cdxj"
    if kept.is_file():
        index = load_cdxj(kept, [warc])
        index.faults.update(_kept_faults(kept))
        return index
    index = WarcIndex([warc])
    try:
        scan(warc, index)
    except NotAWarcError as error:
        raise NotAWarcError(f"{warc}: {error}") from None
    if not index.captures:
        raise NotAWarcError(f"{warc}: {_nothing_found(warc)}")
    _keep(index, kept, folder.glob(f"{name}-*.cdxj"))
    return index


def _nothing_found(warc: Path) -> str:
    if warc.stat().st_size == 0:
        return "the file is empty: give a WARC file with the responses of a crawl"
    return "not a WARC with responses of http or https URLs: give a .warc, .warc.gz or .wacz file"


def user_cache() -> Path:
    """The folder for what can be made again: ``$XDG_CACHE_HOME/bizcrawl`` or ``~/.cache/bizcrawl``."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "bizcrawl"


def _keep(index: WarcIndex, kept: Path, outdated: Iterable[Path]) -> None:
    """Write an index of a pass to the cache; a cache that cannot be written only costs the next run a pass."""
    try:
        for old in outdated:
            old.unlink(missing_ok=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        draft = kept.with_suffix(f".{os.getpid()}.draft")
        with draft.open("w", encoding="utf-8") as lines:
            lines.write(f"!faults {json.dumps(index.faults)}\n")
            lines.writelines(cdxj_lines(index))
        draft.replace(kept)
    except OSError:
        return


def _kept_faults(kept: Path) -> Counter[Fault]:
    with kept.open("rb") as lines:
        counts = json.loads(lines.readline().partition(b" ")[2])
    return Counter({Fault(name): int(count) for name, count in counts.items()})


def cdxj_lines(index: WarcIndex) -> Iterator[str]:
    """An index as CDXJ lines in the order of its captures, with what `load_cdxj` reads back; unsorted."""
    for capture in index.captures:
        fields = {
            "url": capture.url,
            "digest": capture.digest,
            "length": str(capture.length),
            "offset": str(capture.offset),
            "filename": index.files[capture.part].name,
        }
        if capture.revisit:
            fields["mime"] = "warc/revisit"
        yield f"- {capture.time} {json.dumps(fields)}\n"
