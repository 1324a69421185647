"""Everything that was fetched, kept as WARC 1.1: warcinfo, then a request and a response record for every
answer.

A response record holds the answer as the crawl had it: codings undone, body cut to the page cap
(``WARC-Truncated`` says so). The fields that no longer describe the body keep their values under
``x-archive-orig-`` names, as web archives do, so replaying the record gives the crawl the same bytes.
Failures have no record: in a replay they are not recorded. The answer that a page is unchanged (304) is a
revisit record (6.7.3): a folder that holds the page as well replays it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from uuid import UUID, uuid4

import ada_url
from fastwarc.warc import WarcRecord, WarcRecordType

from bizcrawl.errors import BizcrawlError
from bizcrawl.web import Request, Response
from bizcrawl.web.fields import status_line
from bizcrawl.web.recorded_response import RENDERED_FIELD
from bizcrawl.web.warc_file import DamagedWarcError, Entry, WarcFile, mime_of
from bizcrawl.web.warc_index import REVISIT

MAX_FILE_BYTES = 10**9
"""A new file is begun after this many bytes, as WARC 1.1 recommends (annex C)."""

_CONFORMS_TO = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_OF_THE_WIRE = frozenset({"content-encoding", "transfer-encoding", "content-length"})


class WarcWriter:
    """Writes the WARC files of one crawl into a folder, each with its CDXJ.

    An unfinished last file of an earlier run is gone on with. Raises `BizcrawlError` with one line: the
    folder cannot be written, the disk is full, another crawl writes there.
    """

    def __init__(
        self,
        folder: Path,
        *,
        software: str,
        user_agent: str = "",
        info: Mapping[str, str] | None = None,
        max_file_bytes: int = MAX_FILE_BYTES,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_id: Callable[[], UUID] = uuid4,
    ) -> None:
        """`info` adds fields to the warcinfo record (operator, robots, description: WARC 1.1, 6.2)."""
        self._folder = folder
        self._info = {"software": software, "format": "WARC File Format 1.1", "conformsTo": _CONFORMS_TO}
        self._user_agent = user_agent
        if user_agent:
            self._info["http-header-user-agent"] = user_agent
        self._info.update(info or {})
        self._max_file_bytes = max_file_bytes
        self._now = now
        self._new_id = new_id
        self._warcinfo = b""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self._first_file()
        except OSError as error:
            raise BizcrawlError(f"{folder}: cannot be written: {error.strerror}") from None
        self._write_info()

    def write(self, request: Request, response: Response) -> None:
        """Keep one answer and the request that it answers."""
        if self._file.size > self._max_file_bytes:
            self._file.close()
            self._file = WarcFile(self._next_path())
            self._write_info()
        unchanged = response.status == HTTPStatus.NOT_MODIFIED
        answer = self._record(WarcRecordType.revisit if unchanged else WarcRecordType.response, response)
        if unchanged:
            answer.headers["WARC-Profile"] = _NOT_MODIFIED
            answer.headers["WARC-Refers-To-Target-URI"] = response.url
        if response.address:
            answer.headers["WARC-IP-Address"] = response.address
        if response.truncated:
            answer.headers["WARC-Truncated"] = "length"
        if response.rendered:
            answer.headers[RENDERED_FIELD] = "browser"
        digest = "" if unchanged else _digest(response.body)
        if digest:
            answer.headers["WARC-Payload-Digest"] = digest
        _fill(answer, b"response", _answer_block(response))
        question = self._record(WarcRecordType.request, response)
        question.headers["WARC-Concurrent-To"] = answer.headers.get("WARC-Record-ID") or ""
        _fill(question, b"request", self._question_block(request))
        time = response.fetched_at.astimezone(UTC).strftime("%Y%m%d%H%M%S")
        mime = REVISIT if unchanged else mime_of(response.headers.get("content-type", ""))
        self._file.append(answer, Entry(response.url, time, mime, str(response.status), digest))
        self._file.append(question)

    def close(self) -> None:
        """Write the last file's index. Nothing can be written afterwards."""
        self._file.close()

    def _first_file(self) -> WarcFile:
        """The last file of an earlier run if it can be gone on with, else a new one."""
        # by their numbers: the clock may have been set back between two runs
        earlier = sorted(
            self._folder.glob("bizcrawl-*.warc.gz"), key=lambda path: path.name.rpartition("-")[2]
        )
        if earlier and earlier[-1].stat().st_size < self._max_file_bytes:
            with suppress(DamagedWarcError):
                return WarcFile(earlier[-1])
        return WarcFile(self._next_path())

    def _next_path(self) -> Path:
        serial = len(list(self._folder.glob("bizcrawl-*.warc.gz")))
        return self._folder / f"bizcrawl-{self._now():%Y%m%d%H%M%S}-{serial:05}.warc.gz"

    def _write_info(self) -> None:
        record = WarcRecord()
        record.init_headers(WarcRecordType.warcinfo, self._id())
        record.headers["WARC-Date"] = _instant(self._now())
        record.headers["WARC-Filename"] = self._file.path.name
        record.headers["Content-Type"] = "application/warc-fields"
        record.set_bytes_content(
            "".join(f"{name}: {_one_line(value)}\r\n" for name, value in self._info.items()).encode()
        )
        self._warcinfo = (record.headers.get("WARC-Record-ID") or "").encode()
        self._file.append(record)

    def _record(self, kind: WarcRecordType, response: Response) -> WarcRecord:
        record = WarcRecord()
        record.init_headers(kind, self._id())
        record.headers["WARC-Target-URI"] = response.url
        record.headers["WARC-Date"] = _instant(response.fetched_at)
        record.headers["WARC-Warcinfo-ID"] = self._warcinfo.decode()
        return record

    def _id(self) -> bytes:
        return f"uuid:{self._new_id()}".encode()

    def _question_block(self, request: Request) -> bytes:
        url = ada_url.URL(request.url)
        fields = {"host": url.host, "user-agent": self._user_agent, **request.headers}
        lines = "".join(f"{name}: {_one_line(value)}\r\n" for name, value in fields.items() if value)
        return f"GET {url.pathname}{url.search} HTTP/1.1\r\n{lines}\r\n".encode()


def _fill(record: WarcRecord, kind: bytes, block: bytes) -> None:
    record.headers["Content-Type"] = f"application/http;msgtype={kind.decode()}"
    record.set_bytes_content(block)


def _answer_block(response: Response) -> bytes:
    """The answer as HTTP/1.1, with a head that describes the body as it is kept."""
    lines = [status_line(response.status)]
    for name, value in response.headers.items():
        kept_as = f"x-archive-orig-{name}" if name in _OF_THE_WIRE else name
        lines.append(f"{kept_as}: {_one_line(value)}")
    lines.append(f"content-length: {len(response.body)}")
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + response.body


def _digest(body: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()


def _one_line(value: str) -> str:
    return " ".join(value.split("\r")).replace("\n", " ").replace("\0", " ")


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
