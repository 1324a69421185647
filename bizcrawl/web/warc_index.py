"""Where each capture of a recorded web stands, so that one page can be read without reading the rest.

The index of a part comes from the CDXJ that comes with it when that fits, else from one pass over the part,
kept in the user's cache folder until the file changes. CDXJ: sorted lines of SURT key, 14-digit time and JSON
with url, digest, length, offset, filename (https://specs.webrecorder.net/cdxj/0.1.0/).
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bizcrawl.web.warc_parts import RECORDED_WEBS, NotAWarcError, Part, cdxj_texts, parts_of
from bizcrawl.web.warc_scan import Capture, Fault, is_http, scan, url_at

REVISIT = "warc/revisit"


@dataclass(slots=True)
class WarcIndex:
    """The captures of a recorded web, in no particular order. `Capture.part` counts in `parts`."""

    parts: list[Part]
    captures: list[Capture] = field(default_factory=list)
    faults: Counter[Fault] = field(default_factory=Counter)
    listed: set[int] = field(default_factory=set)
    """Parts whose captures are those of a CDXJ, which may lie about any of them."""


def index_of(path: Path, cache: Path | None = None) -> WarcIndex:
    """Index a WARC, a folder of them or a WACZ.

    Records after the last one that a CDXJ knows (of a crawl that was killed before it wrote its index) are
    added from a pass over that tail. Where anything of a CDXJ can't be read nobody knows what it would have
    named, so all parts are passed over. Raises `NotAWarcError` with one line that says what to do.
    """
    folder = cache or user_cache() / "recorded"
    index = WarcIndex(parts_of(path, folder))
    listed, is_whole = _listed(path, index)
    earlier = functools.cache(functools.partial(_by_part, folder))  # asked for only if a part is passed over
    for number in range(len(index.parts)):
        if is_whole and number in listed:
            if _take_listed(index, number, listed[number]):
                index.listed.add(number)
                continue
            index.faults[Fault.WRONG_INDEX] += 1
        _take_scanned(index, number, folder, earlier)
    if not index.captures:
        raise NotAWarcError(f"{path}: {_nothing_found(index)}")
    index.faults += Counter()  # drops zero counts
    return index


def _listed(path: Path, index: WarcIndex) -> tuple[dict[int, list[Capture]], bool]:
    """What the CDXJ files of a recorded web name, by part, and whether all of them could be read."""
    listed: dict[int, list[Capture]] = {}
    is_whole = True
    for text in cdxj_texts(path):
        if text is None:
            index.faults[Fault.WRONG_INDEX] += 1
            is_whole = False
            continue
        captures, unread = read_cdxj(io.BytesIO(text), index)
        is_whole = is_whole and not unread
        for number, found in captures.items():
            listed.setdefault(number, []).extend(found)
    return listed, is_whole


def rescan(index: WarcIndex, number: int) -> list[Capture]:
    """The captures of one part by a pass over it now, whatever its index said."""
    captures, faults = scan(index.parts[number], number)
    index.faults += faults
    return captures


def _nothing_found(index: WarcIndex) -> str:
    if not any(part.end > part.start for part in index.parts):
        return "the file is empty: give a WARC with the responses of a crawl"
    return "not a WARC with responses of http or https URLs: " + RECORDED_WEBS


def read_cdxj(lines: Iterable[bytes], index: WarcIndex) -> tuple[dict[int, list[Capture]], int]:
    """The captures that CDXJ lines name, by part, and how many lines can't be read.

    Those count as wrong, and so do lines about files that are not here; "!meta" lines are none.
    """
    numbers = {part.name: number for number, part in enumerate(index.parts)}
    starts = [part.start for part in index.parts]
    listed: dict[int, list[Capture]] = {number: [] for number in range(len(starts))}
    unread = 0
    loads = json.loads
    for line in lines:
        if line.startswith(b"!") or not line.strip():
            continue
        try:
            _, time, fields = line.split(b" ", 2)
            entry = loads(fields)
            if entry.get("method", "GET") != "GET":  # answers to forms are no pages
                continue
            number = numbers.get(entry["filename"].rpartition("/")[2])
            if number is None:
                index.faults[Fault.WRONG_INDEX] += 1
                continue
            url, digest, revisit = entry["url"], entry.get("digest") or "", entry.get("mime") == REVISIT
            offset, length = int(entry["offset"]), int(entry["length"])
            if not (isinstance(url, str) and isinstance(digest, str) and offset >= 0 and length > 0):
                raise ValueError("not the place of a record")  # noqa: TRY301 - told below with all that is wrong
            capture = Capture(url, time.decode(), digest, revisit, offset + starts[number], length, number)
        except (ValueError, OverflowError, KeyError, TypeError, AttributeError, RecursionError):
            index.faults[Fault.WRONG_INDEX] += 1
            unread += 1
            continue
        listed[number].append(capture)
    return {number: found for number, found in listed.items() if found}, unread


def _take_listed(index: WarcIndex, number: int, listed: list[Capture]) -> bool:
    """Add a CDXJ's captures, cut to what the part holds and grown by what it holds besides; False if they
    don't fit.
    """
    part = index.parts[number]
    inside = sorted(
        (capture for capture in listed if capture.offset + capture.length <= part.end),
        key=lambda capture: capture.offset,
    )
    probes = [*inside[:2], *inside[len(inside) // 2 :][:1], *inside[-2:]]
    if not probes or any(url_at(part, capture.offset) != capture.url for capture in probes):
        return False
    index.faults[Fault.TORN_RECORD] += len(listed) - len(inside)
    captures, faults = scan(part, number, start=inside[-1].offset + inside[-1].length)
    index.captures += [capture for capture in inside if is_http(capture.url)]
    index.captures += captures
    index.faults += faults
    return True


def _take_scanned(
    index: WarcIndex, number: int, cache: Path, earlier: Callable[[], Mapping[str, list[Path]]]
) -> None:
    """Add the captures of a pass over a part, cached while the file keeps its size and age. `earlier` says
    which indexes of parts are kept.
    """
    part = index.parts[number]
    stat = part.path.stat()
    name = hashlib.sha256(os.fsencode(part.path.resolve())).hexdigest()[:20] + f"-{part.start}"
    kept = cache / f"{name}-{part.end}-{stat.st_mtime_ns}.cdxj"
    scanned = _kept_before(kept, index, number)
    if scanned is None:
        try:
            scanned = scan(part, number)
        except NotAWarcError as error:
            raise NotAWarcError(f"{part.path}: {error}") from None
        _keep(kept, earlier().get(name, ()), scanned[1], cdxj_lines(scanned[0], index.parts))
    captures, faults = scanned
    index.captures += captures
    index.faults += faults


def _kept_before(kept: Path, index: WarcIndex, number: int) -> tuple[list[Capture], Counter[Fault]] | None:
    """What an earlier pass found; None if it isn't kept, or a disk lost some of it."""
    try:
        head, *lines = kept.read_bytes().splitlines()
        faults = Counter({Fault(kind): count for kind, count in json.loads(head[1:]).items()})
    except (OSError, ValueError):
        return None
    captures, unread = read_cdxj(lines, index)
    return None if unread else (captures.get(number, []), faults)


def _by_part(cache: Path) -> dict[str, list[Path]]:
    """The kept indexes by the part that they are of. (To look for those of each part in a folder that has
    some for each would take time by the square of their number.)
    """
    kept: dict[str, list[Path]] = {}
    with suppress(OSError):
        for path in cache.iterdir():
            if path.suffix == ".cdxj":
                kept.setdefault("-".join(path.name.split("-")[:2]), []).append(path)
    return kept


def user_cache() -> Path:
    """The folder for what can be made again: ``$XDG_CACHE_HOME/bizcrawl`` or ``~/.cache/bizcrawl``.

    The home of a user who has none, as in a container, is ``/``.
    """
    root = os.environ.get("XDG_CACHE_HOME")
    home = os.path.expanduser("~")
    return (Path(root) if root else Path("/" if home == "~" else home, ".cache")) / "bizcrawl"


def _keep(kept: Path, outdated: Iterable[Path], faults: Mapping[Fault, int], lines: Iterable[str]) -> None:
    """Write the index of a pass to the cache; one that cannot be written costs the next run a pass."""
    try:
        for old in outdated:
            old.unlink(missing_ok=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        draft = kept.with_suffix(f".{os.getpid()}.draft")
        with draft.open("w", encoding="utf-8") as file:
            file.write(f"!{json.dumps(faults)}\n")
            file.writelines(lines)
        draft.replace(kept)
    except OSError:
        return


def cdxj_lines(captures: Iterable[Capture], parts: Sequence[Part]) -> Iterator[str]:
    """Captures as CDXJ lines that `read_cdxj` reads back, in their order and without sort keys."""
    for capture in captures:
        part = parts[capture.part]
        fields = {
            "url": capture.url,
            "digest": capture.digest,
            "length": str(capture.length),
            "offset": str(capture.offset - part.start),
            "filename": part.name,
        }
        if capture.revisit:
            fields["mime"] = REVISIT
        yield f"- {capture.time} {json.dumps(fields)}\n"
