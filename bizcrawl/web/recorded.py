"""A recorded web: what a WARC holds is the whole Web, so that crawls can be repeated and compared.

`RecordedWeb` answers from one WARC file or from a folder of them (as ``--warc`` writes it). A URL is looked
up as it is written, then as WHATWG writes it; http and https, with and without ``www.``, are different pages.
Of several captures of one URL the latest counts. What is not in the record is a `Failure` with
``Reason.NOT_RECORDED``.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from bizcrawl.reasons import Reason
from bizcrawl.urls import parse
from bizcrawl.web import Failure, Request, Response
from bizcrawl.web.recorded_response import UnreadableRecordError, response_of
from bizcrawl.web.warc_index import Capture, Fault, NotAWarcError, WarcIndex, index_of


class RecordedWeb:
    """The Web protocol over ``.warc`` and ``.warc.gz`` files; also synchronous, for those who read whole
    webs.

    `page_cap_bytes` cuts every decoded body; a request's own `max_body_bytes` overrides it. `faults` counts
    what was damaged. Reading is by position, so one object serves many threads.
    """

    def __init__(
        self, path: str | os.PathLike[str], page_cap_bytes: int | None = None, *, cache: Path | None = None
    ) -> None:
        """Open `path`. Raises `NotAWarcError` (one line). `cache` is where indexes of files without CDXJ are
        kept.
        """
        self.path = Path(path)
        self.page_cap_bytes = page_cap_bytes
        self.faults: Counter[Fault] = Counter()
        self._files: list[int] = []
        self._exact: dict[str, Capture] = {}
        self._originals: dict[str, Capture] = {}
        for part, warc in enumerate(_warcs(self.path)):
            index = index_of(warc, cache)
            self._files.append(os.open(warc, os.O_RDONLY))
            self._add(index, part)
        self._canonical = _canonical(self._exact)

    def _add(self, index: WarcIndex, part: int) -> None:
        self.faults += index.faults
        exact, originals = self._exact, self._originals
        for capture in index.captures:
            if part:
                capture = capture._replace(part=part)
            known = exact.get(capture.url)
            if known is None or _age(known) <= _age(capture):
                exact[capture.url] = capture
            if capture.digest and not capture.revisit:
                originals[capture.digest] = capture

    def __len__(self) -> int:
        """How many URLs are recorded."""
        return len(self._exact)

    def __contains__(self, url: str) -> bool:
        """Whether a URL is recorded."""
        return self._find(url) is not None

    def urls(self) -> Iterator[str]:
        """Every recorded URL as it is written in the record, in the order of the record."""
        return (capture.url for capture in self._in_order())

    def lookup(self, url: str, max_body_bytes: int | None = None) -> Response | Failure:
        """The recorded answer to a URL; the core of `fetch`."""
        capture = self._find(url)
        if capture is None:
            return Failure(url, Reason.NOT_RECORDED)
        return self._read(capture, url, self.page_cap_bytes if max_body_bytes is None else max_body_bytes)

    def iterate(self) -> Iterator[Response]:
        """The answer to every recorded URL, in the order of the record, whatever its status (robots.txt
        too).
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
            os.close(self._files.pop())

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
        original = self._originals.get(capture.digest, capture) if capture.revisit else capture
        block = os.pread(self._files[original.part], original.length, original.offset)
        try:
            answer = response_of(block, url, cap_bytes)
        except UnreadableRecordError as error:
            self.faults[Fault.UNREADABLE_RECORD] += 1
            return Failure(url, Reason.BAD_HEADERS, f"the record cannot be read: {error}")
        return answer if original is capture else replace(answer, fetched_at=answer.fetched_at)


def _age(capture: Capture) -> tuple[str, int, int]:
    return capture.time, capture.part, capture.offset


def _canonical(exact: dict[str, Capture]) -> dict[str, Capture]:
    """Captures by their URL as WHATWG writes it, where that differs from how the record writes it."""
    differing: dict[str, Capture] = {}
    for url, capture in exact.items():
        canonical = parse(url)
        if canonical is not None and canonical != url and canonical not in exact:
            differing[canonical] = capture
    return differing


def _warcs(path: Path) -> list[Path]:
    """The WARC files that a path names."""
    if not path.exists():
        raise NotAWarcError(f"{path}: no such file: give a .warc or .warc.gz file, or a folder of them")
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.iterdir() if file.name.endswith((".warc", ".warc.gz")))
    if not found:
        raise NotAWarcError(f"{path}: the folder holds no .warc or .warc.gz file")
    return found
