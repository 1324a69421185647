"""One record of a WARC as the response that the crawl would have had.

Transfer and content encodings are undone within the cap, with the live Web's own decoder, so that a record
answers as its server did.
"""

from __future__ import annotations

import io
import re
import zlib
from datetime import UTC, datetime
from http import HTTPStatus

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from bizcrawl.web import Response
from bizcrawl.web.arc import as_warc
from bizcrawl.web.codings import DecodingError
from bizcrawl.web.decoding import Body
from bizcrawl.web.fields import joined
from bizcrawl.web.gzip_member import GZIP, GZIP_MAGIC
from bizcrawl.web.warc_scan import moment_of, target_uri

MAX_DECODED_BYTES = 64 * 2**20
"""No body is read further than this, whatever the cap."""

MAX_RECORD_BYTES = MAX_DECODED_BYTES + 2**20
"""No record is: so much holds its head and such a body, and a recorded film may have gigabytes."""

RENDERED_FIELD = "WARC-X-Rendered"
"""Extension field (WARC 1.1, 4) of a response whose body is what a browser made of the page."""

_MOST_HEAD_BYTES = 30_000
"""Of an HTTP head as it is read from a record."""
_LONGEST_HEAD_BYTES = 2**20
"""A head is looked for in so much of a record."""
_LENGTH = re.compile(rb"(?im)^(content-length:[ \t]*+)(\d{1,15})")

_CUT = ("WARC-Truncated", "WARC-Segment-Number")
"""Fields of a record that holds the beginning of its page only; what goes on in other records is not read."""


class UnreadableRecordError(ValueError):
    """The record's HTTP part cannot be read."""


class OtherRecordError(UnreadableRecordError):
    """The record is one of another URL: the index is wrong."""


def response_of(block: bytes, url: str, cap_bytes: int | None) -> Response:
    """Read the record that begins at the start of `block` (gzipped or not), which must be one of `url`.

    `cap_bytes` cuts the decoded body. Raises `UnreadableRecordError`, `OtherRecordError`, and `BombError` of
    `bizcrawl.web.decoding`.
    """
    block = _as_warc(block)
    limit = MAX_DECODED_BYTES if cap_bytes is None else min(cap_bytes, MAX_DECODED_BYTES)
    try:
        record = _open(block, "transfer")
    except UnreadableRecordError:
        if (block := with_shorter_head(block)) == b"":
            raise
        record = _open(block, "transfer")
    if target_uri(record) != url:
        raise OtherRecordError(f"the record is one of {target_uri(record)}")
    headers = _headers(record)
    coding = headers.get("content-encoding", "")
    most_bytes = MAX_DECODED_BYTES if coding else limit + 1
    content, torn = _content(block, record, most_bytes)
    if torn and not content:  # many recorders join the chunks and keep the field that announces them
        record = _open(block, "none")
        content, torn = _content(block, record, most_bytes)
    if coding or content.startswith(GZIP_MAGIC):
        content, torn = _decoded(content, coding, limit + 1, torn)
    return Response(
        url=url,
        status=_status(record),
        headers=headers,
        body=content[:limit],
        fetched_at=moment_of(record) or datetime(1970, 1, 1, tzinfo=UTC),
        wire_bytes=record.content_length,
        truncated=torn or len(content) > limit or any(name in record.headers for name in _CUT),
        address=record.headers.get("WARC-IP-Address") or "",
        rendered=RENDERED_FIELD in record.headers,
    )


def head_of_revisit(block: bytes, url: str) -> Response | None:
    """What a revisit record itself says: status and fields, a redirect's target among them (WARC 1.1, 6.7).

    None if it says nothing, or only that the page is unchanged (304). The body is that of another record.
    """
    try:
        record = _open(_as_warc(block), "none")
        status = _status(record)
    except UnreadableRecordError:
        return None
    if status == HTTPStatus.NOT_MODIFIED or target_uri(record) != url:
        return None
    moment = moment_of(record) or datetime(1970, 1, 1, tzinfo=UTC)
    return Response(url, status, _headers(record), b"", moment, truncated=True)


def _as_warc(block: bytes) -> bytes:
    """The block itself, or its WARC form if it is an ARC record."""
    try:
        head = zlib.decompressobj(GZIP).decompress(block, 5) if block[:3] == GZIP_MAGIC else block[:5]
        return block if head == b"WARC/" else as_warc(block, MAX_RECORD_BYTES)
    except (zlib.error, ValueError) as error:
        raise UnreadableRecordError(str(error)) from None


def with_shorter_head(block: bytes) -> bytes:
    """A record of whose HTTP fields the longest were left out, for its reader takes 32 KB of them and servers
    send more; b"" if that is not what is wrong with it.

    Nothing that a crawl asks of an answer is that long; policies and lists of things to preload are.
    """
    try:
        plain = (
            zlib.decompressobj(GZIP).decompress(block, MAX_RECORD_BYTES) if block[:3] == GZIP_MAGIC else block
        )
    except zlib.error:
        return b""
    warc_head, _, content = plain.partition(b"\r\n\r\n")
    http_head, end, _ = content[:_LONGEST_HEAD_BYTES].partition(b"\r\n\r\n")
    first, *fields = http_head.split(b"\r\n")
    room = _MOST_HEAD_BYTES - len(first)
    if not end or len(http_head) <= _MOST_HEAD_BYTES or room < 0:
        return b""
    kept: set[int] = set()
    for i in sorted(range(len(fields)), key=lambda i: len(fields[i])):
        if (room := room - len(fields[i]) - 2) < 0:
            break
        kept.add(i)
    shorter = b"\r\n".join([first, *(fields[i] for i in sorted(kept))])
    removed = len(http_head) - len(shorter)
    warc_head = _LENGTH.sub(lambda found: b"%b%d" % (found[1], int(found[2]) - removed), warc_head, count=1)
    return b"\r\n\r\n".join([warc_head, shorter, content[len(http_head) + 4 :]])


def _open(block: bytes, decoding: str) -> WarcRecord:
    """The record with its HTTP head parsed and its body still to be read."""
    try:
        record = next(iter(ArchiveIterator(io.BytesIO(block), parse_http=False, quirks_mode=True)), None)
        if record is None:
            raise UnreadableRecordError("no record")
        if record.record_type != WarcRecordType.resource:
            record.parse_http(auto_decode=decoding, quirks_mode=True)  # type: ignore[arg-type]
    except OSError as error:
        raise UnreadableRecordError(str(error)) from None
    return record


def _status(record: WarcRecord) -> int:
    if record.record_type == WarcRecordType.resource:  # the bare content of a URL, without HTTP
        return 200
    if record.http_headers is None or record.http_headers.status_code is None:
        raise UnreadableRecordError("the record holds no HTTP status line")
    return int(record.http_headers.status_code)


def _headers(record: WarcRecord) -> dict[str, str]:
    """Names in lower case, repeated fields joined; UTF-8 where it is, else Latin-1, as from live servers."""
    if record.record_type == WarcRecordType.resource or record.http_headers is None:
        return {"content-type": record.headers.get("Content-Type") or ""}
    return joined(record.http_headers.items_bytes())


def _content(block: bytes, record: WarcRecord, most_bytes: int) -> tuple[bytes, bool]:
    """Up to `most_bytes` of the body with its chunks joined, and whether it broke off before its end."""
    content = bytearray()
    if _read_on(record, content, most_bytes, most_bytes):
        return bytes(content), False
    # A read that meets damage gives nothing at all: come closer to it in ever smaller pieces.
    for piece_bytes in (4096, 64, 1):
        record = _open(block, "transfer")
        record.reader.consume(len(content))
        _read_on(record, content, most_bytes, piece_bytes)
    return bytes(content), True


def _read_on(record: WarcRecord, content: bytearray, most_bytes: int, piece_bytes: int) -> bool:
    """Add to `content` until its end or `most_bytes`; False if it broke off."""
    try:
        while (room := most_bytes - len(content)) > 0 and (
            piece := record.reader.read(min(piece_bytes, room))
        ):
            content += piece
    except OSError:
        return False
    return True


def _decoded(content: bytes, coding: str, most_bytes: int, torn: bool) -> tuple[bytes, bool]:
    """The content with its codings undone; as it is where it was never coded, as many recorders leave it."""
    body = Body(coding, most_bytes)
    try:
        body.feed(content)
        body.close()
    except DecodingError:
        return (body.content, True) if body.content else (content, torn)
    return body.content, torn or body.torn
