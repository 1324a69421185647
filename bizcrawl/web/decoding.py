"""Bodies as they were meant: content codings undone piece by piece, so that no bomb ever gets to burst.

Every coding gives out its bytes into one sink that refuses more than the cap; nothing is decoded ahead of
that check (CVE-2025-6176 was one chunk that burst before the limit was looked at). At most two codings may be
nested. Labels are often wrong: a body that is not coded as its label says is taken as it is, and one that is
gzip without a word, or once more than it says, is undone.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import IO, Any, Final, Protocol, cast

import brotli
import zstandard

MAX_NESTED: Final = 2
_PIECE: Final = 65_536
_SLICE: Final = 4_096
"""Coded bytes taken at a time, so that the proportion is looked at before much has burst."""
_ZSTD_WINDOW: Final = 8 << 20
"""RFC 9659: a decoder for the Web need not support larger windows."""
_CODINGS: Final = frozenset({"gzip", "deflate", "br", "zstd"})
_MARKUP: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")
"""A page as it is, whatever coding of no known name is announced; mostly that is the name of a charset."""
_GZIP: Final = b"\x1f\x8b\x08"
"""How gzip begins with the one method that there is; no text begins so."""
_FIRST_BYTES: Final = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}


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
        self._decoder: Any = None
        """None before the two bytes that say how a member is to be read."""
        self._first = b""
        self._padding = False
        """All that comes is padding after the end, which servers do send."""
        self._plain = False
        """It was never gzip: announced twice and done once."""
        self.ended = False

    def feed(self, data: bytes) -> None:
        if self._plain:
            _give(self._out, data)
            return
        data, self._first = self._first + data, b""
        while data and not self._padding:
            if self._decoder is None:
                if len(data) < 2:
                    self._first = data
                    return
                self._begin(data)
                if self._plain:
                    _give(self._out, data)
                    return
            else:
                data = self._decode(data)

    def _begin(self, data: bytes) -> None:
        """Look at the first two bytes of a member."""
        is_gzip = self._gzip and data.startswith(_FIRST_BYTES["gzip"])
        if self.ended and not is_gzip:
            self._padding = True
            return
        if self._gzip and not is_gzip:
            self._plain = self.ended = True
            return
        self.ended = False
        self._decoder = zlib.decompressobj(31 if self._gzip else 15 if _has_zlib_header(data) else -15)

    def _decode(self, data: bytes) -> bytes:
        """Decode up to the end of the data or of the member; what follows the member comes back."""
        more = True
        while more:
            try:
                piece = self._decoder.decompress(data, _PIECE)
            except zlib.error as error:
                raise DecodingError(str(error)) from error
            _give(self._out, piece)
            if self._decoder.eof:
                rest: bytes = self._decoder.unused_data
                self._decoder, self.ended = None, True
                return rest
            data = self._decoder.unconsumed_tail
            more = bool(data) or len(piece) == _PIECE  # one that was filled may have left bytes behind
        return b""


def _has_zlib_header(data: bytes) -> bool:
    """Whether a body begins with zlib's header (RFC 1950 2.2); many servers send deflate without it."""
    return data[0] & 0x0F == 8 and data[0] >> 4 <= 7 and (data[0] << 8 | data[1]) % 31 == 0


class _Brotli:
    def __init__(self, out: _Sink | _Coding) -> None:
        self._out = out
        self._decoder = brotli.Decompressor()
        self.ended = False

    def feed(self, data: bytes) -> None:
        more = True
        while more and not self._decoder.is_finished():
            try:
                piece = self._decoder.process(data, output_buffer_limit=_PIECE)
            except brotli.error as error:
                raise DecodingError(str(error)) from error
            data = b""
            _give(self._out, piece)
            # a piece that was filled may have left bytes behind, even where more data would be taken
            more = len(piece) >= _PIECE or not self._decoder.can_accept_more_data()
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


class Body:
    """A body that arrives in pieces and is decoded on the way.

    `cap` bounds the decoded bytes, `max_ratio` their proportion to the bytes sent once there are more than
    `ratio_from` of them. Raises `DecodingError` and `BombError` from `feed`, and `BombError` from `close`.
    """

    def __init__(
        self, content_encoding: str, cap: int, max_ratio: int = 100, ratio_from: int = 1 << 20
    ) -> None:
        self._sink = _Sink(cap, max_ratio, ratio_from, bytearray())
        self._names = codings(content_encoding)
        self._head: _Sink | _Coding = self._sink
        self._chain: list[_Coding] = []
        self._begun = False
        self._first = b""
        """The beginning, as long as it is too short to tell whether the coding is what it is said to be."""
        self._untold: bytes | None = None
        """What was fed of a body that begins as markup or gzip, as long as nothing was decoded from it."""
        self._cut = False
        """What was undone in `close` has no end."""
        self.full = False
        """The cap is reached: nothing more need be read."""

    def feed(self, data: bytes) -> None:
        """Take in bytes as they were sent."""
        if self.full or not data:
            return
        if not self._begun:
            data, self._first = self._first + data, b""
            if self._is_short(data):
                self._first = data
                return
            self._begun = True
            self._build(data)
        step = _SLICE if self._chain else len(data)
        try:
            for start in range(0, len(data), step):
                piece = data[start : start + step]
                self._sink.wire_bytes += len(piece)
                self._take(piece)
        except _Full:
            self.full = True

    def _take(self, piece: bytes) -> None:
        """Decode a piece. What begins as markup or gzip and is not what its label says is taken as that."""
        if self._untold is not None:
            self._untold = None if self._sink.body else self._untold + piece
        try:
            _give(self._head, piece)
        except DecodingError:
            if self._untold is None or self._sink.body:
                raise
            sent, self._untold = self._untold, None
            self._chain = [_Zlib(self._sink, gzip=True)] if sent.startswith(_GZIP) else []
            self._head = self._chain[0] if self._chain else self._sink
            _give(self._head, sent)

    def close(self) -> None:
        """Say that all was fed. What came out is undone once more if it is gzip: some servers pack pages that
        are packed, or announce nothing.
        """
        sink = self._sink
        if not sink.body.startswith(_GZIP):
            return
        again = Body("gzip", sink.cap, sink.max_ratio, sink.ratio_from)
        fault = False
        try:
            again.feed(self.content)
        except DecodingError:
            fault = True
        if again._sink.body:
            self._cut = fault or again.torn or (self.full and not again.full) or self.torn
            sink.body, self.full = again._sink.body, again.full

    def _is_short(self, first: bytes) -> bool:
        """Whether the body may still turn out to begin like its coding or not."""
        magic = self._magic
        return len(first) < len(magic) and magic.startswith(first)

    @property
    def _magic(self) -> bytes:
        """How the outermost coding begins; nothing if that can't be said."""
        return _FIRST_BYTES.get(self._names[-1], b"") if self._names else b""

    def _build(self, first: bytes) -> None:
        names = self._names
        if len(names) > MAX_NESTED:
            raise BombError(f"{len(names)} codings within each other")
        unknown = any(name not in _CODINGS for name in names)
        if not first.startswith(self._magic) or (unknown and _MARKUP.match(first)):
            return  # the label is wrong: the body is taken as it is
        if names and (_MARKUP.match(first) or first.startswith(_GZIP)):
            self._untold = b""
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
        return self._sink.wire_bytes + len(self._first)

    @property
    def torn(self) -> bool:
        """A coding's end was never seen."""
        unended = bool(self._first) or any(not coding.ended for coding in self._chain)
        return not self.full and (unended or self._cut)


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
