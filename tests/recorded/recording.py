"""WARC files for the tests, written by warcio so that our reading is held against another's writing."""

from __future__ import annotations

import io
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

SHARED = Path(__file__).resolve().parents[3] / "shared"


@dataclass(frozen=True)
class Page:
    """One response to record."""

    url: str
    body: bytes = b"<html><body>hello</body></html>"
    status: str = "200 OK"
    headers: Sequence[tuple[str, str]] = (("Content-Type", "text/html"),)
    date: str = "2024-05-13T06:00:00Z"
    warc_headers: dict[str, str] = field(default_factory=dict)
    kind: str = "response"


def warc_bytes(pages: Sequence[Page], *, gzip: bool = True) -> bytes:
    """The pages as a WARC."""
    sink = io.BytesIO()
    writer = WARCWriter(sink, gzip=gzip)
    numbers = itertools.count()
    writer._make_warc_id = lambda: f"<urn:test:{next(numbers):04}>"  # the same bytes at every run
    writer.curr_warc_date = lambda: "2024-05-13T06:00:00Z"
    writer.write_record(writer.create_warcinfo_record("test.warc", {"software": "tests"}))
    for page in pages:
        http = StatusAndHeaders(page.status, list(page.headers), protocol="HTTP/1.1")
        headers = {"WARC-Date": page.date, **page.warc_headers}
        record = writer.create_warc_record(
            page.url,
            page.kind,
            io.BytesIO(page.body),
            length=len(page.body),
            http_headers=http,
            warc_headers_dict=headers,
        )
        writer.write_record(record)
    return sink.getvalue()


def write_warc(path: Path, pages: Sequence[Page]) -> Path:
    """The pages as a file, compressed if its name says so."""
    path.write_bytes(warc_bytes(pages, gzip=path.name.endswith(".gz")))
    return path
