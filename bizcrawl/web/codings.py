"""The content codings of the Web, each undone in pieces into one sink that refuses more than a cap."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import IO, Any, Final, Protocol, cast

import brotli
import zstandard

_PIECE: Final = 65_536
_ZSTD_WINDOW: Final = 8 << 20
"""RFC 9659: a decoder for the Web need not support larger windows."""
CODINGS: Final = frozenset({"gzip", "deflate", "br", "zstd"})
FIRST_BYTES: Final = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
"""How what is coded begins, where that can be said."""


class DecodingError(Exception):
    """The body is not what its Content-Encoding says."""


class BombError(Exception):
    """The body grows out of all proportion."""


class Full(Exception):  # noqa: N818 - a signal, not a fault
    """The cap is reached."""


class Coding(Protocol):
    """One decoder: bytes in, bytes out in pieces; `ended` once the coding's own end was seen."""

    ended: bool

    def feed(self, data: bytes) -> None: ...


@dataclass(slots=True)
class Sink:
    """The end of the chain: keeps decoded bytes up to the cap, watches their proportion to the wire's."""

    cap: int
    max_ratio: int
    ratio_from: int
    body: bytearray
    wire_bytes: int = 0

    def write(self, data: bytes) -> int:
        """Keep bytes. Raises `BombError`, and `Full` once the cap is reached."""
        room = self.cap - len(self.body)
        self.body += data[:room]
        if len(self.body) > self.ratio_from and len(self.body) > self.max_ratio * max(self.wire_bytes, 1):
            raise BombError(f"{self.wire_bytes} bytes became more than {len(self.body)}")
        if len(data) >= room:
            raise Full
        return len(data)


class _Zlib:
    """gzip (one or more members) and deflate (with and without zlib's header)."""

    def __init__(self, out: Sink | Coding, gzip: bool) -> None:
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
            give(self._out, data)
            return
        data, self._first = self._first + data, b""
        while data and not self._padding:
            if self._decoder is None:
                if len(data) < 2:
                    self._first = data
                    return
                self._begin(data)
                if self._plain:
                    give(self._out, data)
                    return
            else:
                data = self._decode(data)

    def _begin(self, data: bytes) -> None:
        """Look at the first two bytes of a member."""
        is_gzip = self._gzip and data.startswith(FIRST_BYTES["gzip"])
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
            give(self._out, piece)
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
    def __init__(self, out: Sink | Coding) -> None:
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
            give(self._out, piece)
            # a piece that was filled may have left bytes behind, even where more data would be taken
            more = len(piece) >= _PIECE or not self._decoder.can_accept_more_data()
        self.ended = self._decoder.is_finished()


class _Zstd:
    """zstd. Its streaming writer hands out pieces while it decodes, so the sink can stop it in the midst of a
    chunk.
    """

    def __init__(self, out: Sink | Coding) -> None:
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
    out: Sink | Coding

    def write(self, data: bytes) -> int:
        give(self.out, bytes(data))
        return len(data)


def give(out: Sink | Coding, piece: bytes) -> None:
    """Hand a piece on: to the sink, or to the next decoder."""
    if isinstance(out, Sink):
        out.write(piece)
    elif piece:
        out.feed(piece)


def decoder(name: str, out: Sink | Coding) -> Coding:
    """A decoder that gives to `out`. Raises `DecodingError` for a coding that is not known."""
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
