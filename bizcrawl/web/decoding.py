"""Bodies as they were meant: content codings undone piece by piece, so that no bomb ever gets to burst.

Every coding gives out its bytes into one sink that refuses more than the cap; nothing is decoded ahead of
that check (CVE-2025-6176 was one chunk that burst before the limit was looked at). At most two codings may be
nested. A body that is labelled with a coding but does not begin like it is taken as it is and marked.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import IO, Final, Protocol, cast

import brotli
import zstandard

MAX_NESTED: Final = 2
_PIECE: Final = 65_536
_SLICE: Final = 4_096
"""Coded bytes taken at a time, so that the proportion is looked at before much has burst."""
_ZSTD_WINDOW: Final = 8 << 20
"""RFC 9659: a decoder for the Web need not support larger windows."""


class DecodingError(Exception):
    """The body is not what its Content-Encoding says."""


class BombError(Exception):
    """The body grows out of all proportion."""


class _Full(Exception):  # noqa: N818 - a signal, not a fault
    """The cap is reached."""


class _Coding(Protocol):
    """One decoder: bytes in, bytes out in pieces; `ended` once the coding's own end was seen."""

    ended: bool

    def feed(self, data: bytes) -> None: ...


@dataclass(slots=True)
class _Sink:
    """The end of the chain: keeps decoded bytes up to the cap, watches their proportion to the wire's."""

    cap: int
    max_ratio: int
    ratio_from: int
    body: bytearray
    wire_bytes: int = 0

    def write(self, data: bytes) -> int:
        room = self.cap - len(self.body)
        self.body += data[:room]
        if len(self.body) > self.ratio_from and len(self.body) > self.max_ratio * max(self.wire_bytes, 1):
            raise BombError(f"{self.wire_bytes} bytes became more than {len(self.body)}")
        if len(data) >= room:
            raise _Full
        return len(data)


class _Zlib:
    """gzip (one or more members) and deflate (with and without zlib's header)."""

    def __init__(self, out: _Sink | _Coding, gzip: bool) -> None:
        self._out = out
        self._gzip = gzip
        self._decoder = zlib.decompressobj(31 if gzip else 15)
        self._begun = False
        self._first = b""
        self.ended = False

    def feed(self, data: bytes) -> None:
        if not self._begun:  # zlib's header has two bytes
            self._first += data
            if len(self._first) < 2:
                return
            data, self._first = self._first, b""
        while data:
            if self.ended:
                if not self._gzip or data[:2] != b"\x1f\x8b":
                    return  # padding after the end, which servers do send
                self._decoder, self.ended = zlib.decompressobj(31), False
            data = self._piece(data)

    def _piece(self, data: bytes) -> bytes:
        try:
            piece = self._decoder.decompress(data, _PIECE)
        except zlib.error as error:
            if self._begun or self._gzip:
                raise DecodingError(str(error)) from error
            self._begun = True
            self._decoder = zlib.decompressobj(-15)
            return data
        self._begun = True
        _give(self._out, piece)
        if self._decoder.eof:
            self.ended = True
            return self._decoder.unused_data
        return self._decoder.unconsumed_tail


class _Brotli:
    def __init__(self, out: _Sink | _Coding) -> None:
        self._out = out
        self._decoder = brotli.Decompressor()
        self.ended = False

    def feed(self, data: bytes) -> None:
        while data or not self._decoder.can_accept_more_data():
            if self._decoder.is_finished():
                break
            try:
                piece = self._decoder.process(data, output_buffer_limit=_PIECE)
            except brotli.error as error:
                raise DecodingError(str(error)) from error
            data = b""
            _give(self._out, piece)
        self.ended = self._decoder.is_finished()


class _Zstd:
    """zstd. Its streaming writer hands out pieces while it decodes, so the sink can stop it in the midst of a
    chunk.
    """

    def __init__(self, out: _Sink | _Coding) -> None:
        self._decoder = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
        self._writer = self._decoder.stream_writer(
            cast("IO[bytes]", _Writer(out)), write_size=_PIECE, closefd=False
        )
        self.ended = False

    def feed(self, data: bytes) -> None:
        try:
            self._writer.write(data)
        except zstandard.ZstdError as error:
            raise DecodingError(str(error)) from error
        self.ended = True  # the library does not tell; a torn frame shows in the framing of HTTP


@dataclass(slots=True)
class _Writer:
    out: _Sink | _Coding

    def write(self, data: bytes) -> int:
        _give(self.out, bytes(data))
        return len(data)


def _give(out: _Sink | _Coding, piece: bytes) -> None:
    if isinstance(out, _Sink):
        out.write(piece)
    elif piece:
        out.feed(piece)


_FIRST_BYTES: Final = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}


class Body:
    """A body that arrives in pieces and is decoded on the way.

    `cap` bounds the decoded bytes, `max_ratio` their proportion to the bytes sent once there are more than
    `ratio_from` of them. Raises `DecodingError` and `BombError` from `feed`.
    """

    def __init__(
        self, content_encoding: str, cap: int, max_ratio: int = 100, ratio_from: int = 1 << 20
    ) -> None:
        self._sink = _Sink(cap, max_ratio, ratio_from, bytearray())
        self._names = codings(content_encoding)
        self._head: _Sink | _Coding = self._sink
        self._chain: list[_Coding] = []
        self._begun = False
        self.full = False
        """The cap is reached: nothing more need be read."""
        self.mislabelled = False
        """A coding was announced but the body does not begin like it."""

    def feed(self, data: bytes) -> None:
        """Take in bytes as they were sent."""
        if self.full or not data:
            return
        if not self._begun:
            self._begun = True
            self._build(data)
        step = _SLICE if self._chain else len(data)
        try:
            for start in range(0, len(data), step):
                piece = data[start : start + step]
                self._sink.wire_bytes += len(piece)
                _give(self._head, piece)
        except _Full:
            self.full = True

    def _build(self, first: bytes) -> None:
        names = self._names
        if len(names) > MAX_NESTED:
            raise BombError(f"{len(names)} codings within each other")
        magic = _FIRST_BYTES.get(names[-1]) if names else None
        if magic and not first.startswith(magic[: len(first)]):
            self.mislabelled = True
            return
        for name in names:  # applied in order by the server, so the last is undone first
            self._head = _decoder(name, self._head)
            self._chain.append(self._head)

    @property
    def content(self) -> bytes:
        """What was decoded so far."""
        return bytes(self._sink.body)

    @property
    def wire_bytes(self) -> int:
        """Bytes taken in."""
        return self._sink.wire_bytes

    @property
    def torn(self) -> bool:
        """A coding's end was never seen."""
        return not self.full and any(not coding.ended for coding in self._chain)


def _decoder(name: str, out: _Sink | _Coding) -> _Coding:
    match name:
        case "gzip":
            return _Zlib(out, gzip=True)
        case "deflate":
            return _Zlib(out, gzip=False)
        case "br":
            return _Brotli(out)
        case "zstd":
            return _Zstd(out)
    raise DecodingError(f"unknown coding {name}")


def codings(content_encoding: str) -> list[str]:
    """The codings that a Content-Encoding names, in the order in which they were applied (RFC 9110 8.4)."""
    names = [name.strip().lower() for name in content_encoding.split(",")]
    known = {"x-gzip": "gzip", "x-deflate": "deflate"}
    return [
        known.get(name, name)
        for name in names
        if name and name not in {"identity", "none", "utf-8", "chunked"}
    ]
