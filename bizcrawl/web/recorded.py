"""A recorded web: what a WARC holds is the whole Web, so that crawls can be repeated and compared.

`RecordedWeb` answers from a WARC, an ARC, a WACZ, or a folder of WARCs (as ``--warc`` writes it). A URL is
looked up as it is written, then as WHATWG writes it; http and https, with and without ``www.``, are different
pages. Of several captures of one URL the latest counts. What is not in the record is a `Failure` with
``Reason.NOT_RECORDED``.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType

from bizcrawl.reasons import Reason
from bizcrawl.urls import parse
from bizcrawl.web import Failure, Request, Response
from bizcrawl.web.codings import BombError
from bizcrawl.web.recorded_response import (
    MAX_RECORD_BYTES,
    OtherRecordError,
    UnreadableRecordError,
    head_of_revisit,
    response_of,
)
from bizcrawl.web.warc_index import index_of, rescan
from bizcrawl.web.warc_scan import Capture, Fault
from contexts.urls import Base

_MOST_OPEN_FILES = 64
"""A folder may hold more than a process may have open; the others are opened for each page."""
_NOT_HERE = "the record says only that it was unchanged, and the page itself is not in it"


class RecordedWeb:
    """The Web protocol over a record; synchronous too, for those who read whole webs.

    `page_cap_bytes` cuts every decoded body (10,000 reproduces the papers); a request's own `max_body_bytes`
    overrides it. `faults` counts what was damaged. Reading is by position, so that threads may share one
    object.
    """

    def __init__(
        self, path: str | os.PathLike[str], page_cap_bytes: int | None = None, *, cache: Path | None = None
    ) -> None:
        """Open `path`. Raises `NotAWarcError` (one line). `cache`: where indexes of files without CDXJ are
        kept.
        """
        self.page_cap_bytes = page_cap_bytes
        self._index = index_of(Path(path), cache)
        self.faults: Counter[Fault] = self._index.faults
        paths = list(dict.fromkeys(part.path for part in self._index.parts))
        self._files = {path: os.open(path, os.O_RDONLY) for path in paths[:_MOST_OPEN_FILES]}
        self._exact: dict[str, Capture] = {}
        self._originals: dict[str, Capture] = {}
        self._rescanned: set[int] = set()
        self._arrange(self._index.captures)

    def _arrange(self, captures: Iterable[Capture]) -> None:
        exact, originals = self._exact, self._originals
        for capture in captures:
            known = exact.get(capture.url)
            if known is None or _age(known) <= _age(capture):
                exact[capture.url] = capture
            if not capture.revisit:
                originals[capture.digest or capture.url] = capture
        self._canonical = _canonical(exact)

    def __len__(self) -> int:
        """How many URLs are recorded."""
        return len(self._exact)

    def __contains__(self, url: str) -> bool:
        """Whether a URL is recorded."""
        return self._find(url) is not None

    def urls(self) -> Iterator[str]:
        """Every recorded URL as the record writes it, in the order of the record."""
        return (capture.url for capture in self._in_order())

    def lookup(self, url: str, max_body_bytes: int | None = None) -> Response | Failure:
        """The recorded answer to a URL; the core of `fetch`."""
        capture = self._find(url)
        if capture is None:
            return Failure(url, Reason.NOT_RECORDED)
        return self._read(capture, url, self.page_cap_bytes if max_body_bytes is None else max_body_bytes)

    def iterate(self) -> Iterator[Response]:
        """The answer to every recorded URL, in the order of the record, whatever its status (robots.txt too).

        A URL whose record brings none, for it is damaged or a bomb, is left out; `lookup` says why.
        """
        for capture in self._in_order():
            answer = self._read(capture, capture.url, self.page_cap_bytes)
            if isinstance(answer, Response):
                yield answer

    async def fetch(self, request: Request) -> Response | Failure:
        """See `Web`. Headers are ignored: a record has one answer."""
        return self.lookup(request.url, request.max_body_bytes)

    async def close(self) -> None:
        """See `Web`."""
        self.shut()

    def shut(self) -> None:
        """Let go of the files, for those without an event loop."""
        while self._files:
            os.close(self._files.popitem()[1])

    def __enter__(self) -> RecordedWeb:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shut()

    def _in_order(self) -> list[Capture]:
        return sorted(self._exact.values(), key=lambda capture: (capture.part, capture.offset))

    def _find(self, url: str) -> Capture | None:
        found = self._exact.get(url)
        if found is None and (canonical := parse(url)) is not None:
            found = self._exact.get(canonical) or self._canonical.get(canonical)
        return found

    def _read(self, capture: Capture, url: str, cap_bytes: int | None) -> Response | Failure:
        original = self._original(capture)
        head = head_of_revisit(self._block(capture), capture.url) if capture.revisit else None
        if original is None:
            if head is None or 200 <= head.status < 300:
                return Failure(url, Reason.NOT_RECORDED, _NOT_HERE)
            return replace(head, url=url)
        try:
            answer = response_of(self._block(original), original.url, cap_bytes)
        except BombError as error:
            return Failure(url, Reason.BOMB, str(error))
        except UnreadableRecordError as error:
            return self._read_rescanned(original, url, cap_bytes, error)
        if original is not capture:
            answer = replace(answer, fetched_at=_instant(capture.time) or answer.fetched_at)
        if head is not None:  # what is the same is the body: each of many redirects has its own target
            answer = replace(answer, status=head.status, headers=head.headers)
        return answer if answer.url == url else replace(answer, url=url)

    def _block(self, capture: Capture) -> bytes:
        length = min(capture.length, MAX_RECORD_BYTES)
        path = self._index.parts[capture.part].path
        if path in self._files:
            return os.pread(self._files[path], length, capture.offset)
        with path.open("rb", buffering=0) as file:
            return os.pread(file.fileno(), length, capture.offset)

    def _original(self, capture: Capture) -> Capture | None:
        """The capture that holds the page: a revisit record has none of its own (WARC 1.1, 6.7)."""
        if not capture.revisit:
            return capture
        return self._originals.get(capture.digest) or self._with_page.get(capture.url)

    @cached_property
    def _with_page(self) -> dict[str, Capture]:
        """The latest capture of each URL that holds the page itself: for revisits without a digest."""
        latest: dict[str, Capture] = {}
        for capture in self._index.captures:
            known = latest.get(capture.url)
            if not capture.revisit and (known is None or _age(known) <= _age(capture)):
                latest[capture.url] = capture
        return latest

    def _read_rescanned(
        self, capture: Capture, url: str, cap_bytes: int | None, error: UnreadableRecordError
    ) -> Response | Failure:
        """Read what a CDXJ gave a wrong place for: its part is indexed anew, once."""
        other = isinstance(error, OtherRecordError)
        if capture.part not in self._rescanned and (other or capture.part in self._index.listed):
            self.faults[Fault.WRONG_INDEX] += 1
            self._rescanned.add(capture.part)
            kept = [known for known in self._index.captures if known.part != capture.part]
            self._index.captures = kept + rescan(self._index, capture.part)
            self._exact.clear()
            self._originals.clear()
            self.__dict__.pop("_with_page", None)
            self._arrange(self._index.captures)
        fresh = self._find(url)
        if fresh is not None and self._original(fresh) not in {None, capture}:
            return self._read(fresh, url, cap_bytes)
        if other:
            return Failure(url, Reason.NOT_RECORDED, "the index named the record of another URL")
        self.faults[Fault.UNREADABLE_RECORD] += 1
        return Failure(url, Reason.BAD_HEADERS, f"the record cannot be read: {error}")


def _age(capture: Capture) -> tuple[str, int, int]:
    return capture.time, capture.part, capture.offset


def _instant(time: str) -> datetime | None:
    try:
        return datetime.strptime(time, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def _canonical(exact: dict[str, Capture]) -> dict[str, Capture]:
    """Captures by their URL as WHATWG writes it, where that differs from how the record writes it."""
    differing: dict[str, Capture] = {}
    for url, canonical in Base("").join_all(exact).items():
        if canonical is not None and canonical != url and canonical not in exact:
            differing[canonical] = exact[url]
    return differing
