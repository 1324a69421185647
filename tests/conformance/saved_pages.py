"""Real pages that stand beside the project: saved pages, and the pages of a recorded web."""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Iterator
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType

from contexts.decode import decode


def saved(archive: Path, every: int = 1) -> Iterator[tuple[str, str]]:
    """Name and text of every so many of the pages of an archive."""
    place = 0
    with tarfile.open(archive) as files:
        for member in files:
            if member.isfile() and member.name.endswith((".html", ".html.gz")):
                place += 1
                if place % every == 0:
                    body = files.extractfile(member).read()  # type: ignore[union-attr]
                    if member.name.endswith(".gz"):
                        body = gzip.decompress(body)
                    yield member.name, decode(body).text


def recorded(warc: Path, every: int = 1) -> Iterator[tuple[str, str]]:
    """URL and text of every so many of the good HTML pages of a recorded web."""
    place = 0
    with warc.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=True):
            content_type = record.http_headers.get("Content-Type") or ""
            if record.http_headers.status_code == 200 and "html" in content_type:
                place += 1
                if place % every == 0:
                    yield record.headers["WARC-Target-URI"], decode(record.reader.read(), content_type).text
