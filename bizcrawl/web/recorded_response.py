"""One record of a WARC as the response that the crawl would have had.

Transfer and content encodings are undone while reading, so that a cap bounds the work as well as the result.
"""

from __future__ import annotations

import io
import zlib
from datetime import UTC, datetime

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from bizcrawl.web import Response
from bizcrawl.web.arc import as_warc
from bizcrawl.web.warc_scan import GZIP_MAGIC, target_uri

MAX_DECODED_BYTES = 64 * 2**20
"""No body is decoded further than this, whatever the cap: a record may hold a bomb."""

_DECODINGS = ("all", "content", "transfer", "none")
"""Tried in turn: many recorders undo an encoding and keep the header that announces it."""


class UnreadableRecordError(ValueError):
    """The record's HTTP part cannot be read."""


class OtherRecordError(UnreadableRecordError):
    """The record is one of another URL: the index is wrong."""


def response_of(block: bytes, url: str, cap_bytes: int | None) -> Response:
    """Read the record that begins at the start of `block` (gzipped or not), which must be one of `url`.

    `cap_bytes` cuts the decoded body. Raises `UnreadableRecordError`, `OtherRecordError`.
    """
    block = _as_warc(block)
    limit = MAX_DECODED_BYTES if cap_bytes is None else min(cap_bytes, MAX_DECODED_BYTES)
    for decoding in _DECODINGS:
        record, body, broken = _body(block, decoding, url, limit + 1)
        if body or not broken:
            break
    return _response(record, url, body[:limit], broken or len(body) > limit)


def _as_warc(block: bytes) -> bytes:
    """The block itself, or its WARC form if it is an ARC record."""
    head = zlib.decompressobj(31).decompress(block, 5) if block[:3] == GZIP_MAGIC else block[:5]
    return block if head == b"WARC/" else as_warc(block)


def _open(block: bytes, decoding: str) -> WarcRecord:
    """The record with its HTTP head parsed and its body still to be read."""
    try:
        record = next(iter(ArchiveIterator(io.BytesIO(block), parse_http=False)), None)
        if record is None:
            raise UnreadableRecordError("no record")
        if record.record_type != WarcRecordType.resource:
            record.parse_http(auto_decode=decoding, quirks_mode=True)  # type: ignore[arg-type]
            if not record.http_headers or record.http_headers.status_code is None:
                raise UnreadableRecordError("the record holds no HTTP status line")
    except OSError as error:
        raise UnreadableRecordError(str(error)) from None
    return record


def _body(block: bytes, decoding: str, url: str, most_bytes: int) -> tuple[WarcRecord, bytes, bool]:
    """The record, up to `most_bytes` of its decoded body, and whether that broke off before its end."""
    record = _open(block, decoding)
    if target_uri(record) != url:
        raise OtherRecordError(f"the record is one of {target_uri(record)}")
    body = bytearray()
    if _read_on(record, body, most_bytes, most_bytes):
        return record, bytes(body), False
    # A read that meets damage gives nothing at all: come closer to it in ever smaller pieces.
    for piece_bytes in (4096, 64, 1):
        record = _open(block, decoding)
        record.reader.consume(len(body))
        _read_on(record, body, most_bytes, piece_bytes)
    return record, bytes(body), True


def _read_on(record: WarcRecord, body: bytearray, most_bytes: int, piece_bytes: int) -> bool:
    """Add to `body` until its end or `most_bytes`; False if it broke off."""
    try:
        while len(body) < most_bytes and (
            piece := record.reader.read(min(piece_bytes, most_bytes - len(body)))
        ):
            body += piece
    except OSError:
        return False
    return True


def _response(record: WarcRecord, url: str, body: bytes, truncated: bool) -> Response:
    status, headers = 200, {"content-type": record.headers.get("Content-Type") or ""}
    if record.record_type != WarcRecordType.resource:  # a resource record is the bare content
        status, headers = int(record.http_headers.status_code or 0), {}
        for name, value in record.http_headers.to_tuples():
            name = name.lower()
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return Response(
        url=url,
        status=status,
        headers=headers,
        body=body,
        fetched_at=record.record_date or datetime(1970, 1, 1, tzinfo=UTC),
        wire_bytes=record.content_length,
        truncated=truncated or "WARC-Truncated" in record.headers,
        address=record.headers.get("WARC-IP-Address") or "",
    )
