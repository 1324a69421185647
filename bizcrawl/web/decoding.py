"""Bodies as they were meant: content codings undone piece by piece, so that no bomb ever gets to burst.

Every coding gives out its bytes into one sink that refuses more than the cap; nothing is decoded ahead of
that check (CVE-2025-6176 was one chunk that burst before the limit was looked at). At most two codings may be
nested. Labels are often wrong: a body that is not coded as its label says is taken as it is, and one that is
gzip without a word, or once more than it says, is undone.
"""

from __future__ import annotations

import re
from typing import Final

from bizcrawl.web.codings import (
    CODINGS,
    FIRST_BYTES,
    BombError,
    Coding,
    DecodingError,
    Full,
    Sink,
    codings,
    decoder,
    give,
)
from bizcrawl.web.gzip_member import GZIP_MAGIC

MAX_NESTED: Final = 2
_SLICE: Final = 4_096
"""Coded bytes taken at a time, so that the proportion is looked at before much has burst."""
_MARKUP: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")
"""A page as it is, whatever coding of no known name is announced; mostly that is the name of a charset."""
_UNTOLD_BYTES: Final = 65_536
"""A decoder that has taken so much without a fault is the right one, though nothing has come out yet."""


class Body:
    """A body that arrives in pieces and is decoded on the way.

    `cap` bounds the decoded bytes, `max_ratio` their proportion to the bytes sent once there are more than
    `ratio_from` of them. Raises `DecodingError` and `BombError` from `feed`, and `BombError` from `close`.
    """

    def __init__(
        self, content_encoding: str, cap: int, max_ratio: int = 100, ratio_from: int = 1 << 20
    ) -> None:
        self._sink = Sink(cap, max_ratio, ratio_from, bytearray())
        self._names = codings(content_encoding)
        self._head: Sink | Coding = self._sink
        self._chain: list[Coding] = []
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
        except Full:
            self.full = True

    def _take(self, piece: bytes) -> None:
        """Decode a piece. What begins as markup or gzip and is not what its label says is taken as that."""
        if self._untold is not None:
            is_told = self._sink.body or len(self._untold) >= _UNTOLD_BYTES
            self._untold = None if is_told else self._untold + piece
        try:
            give(self._head, piece)
        except DecodingError:
            if self._untold is None or self._sink.body:
                raise
            sent, self._untold = self._untold, None
            self._chain = [decoder("gzip", self._sink)] if sent.startswith(GZIP_MAGIC) else []
            self._head = self._chain[0] if self._chain else self._sink
            give(self._head, sent)

    def close(self) -> None:
        """Say that all was fed. What came out is undone once more if it is gzip: some servers pack pages that
        are packed, or announce nothing.
        """
        sink = self._sink
        if not sink.body.startswith(GZIP_MAGIC):
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
        return FIRST_BYTES.get(self._names[-1], b"") if self._names else b""

    def _build(self, first: bytes) -> None:
        names = self._names
        if len(names) > MAX_NESTED:
            raise BombError(f"{len(names)} codings within each other")
        unknown = any(name not in CODINGS for name in names)
        if not first.startswith(self._magic) or (unknown and _MARKUP.match(first)):
            return  # the label is wrong: the body is taken as it is
        if names and (_MARKUP.match(first) or first.startswith(GZIP_MAGIC)):
            self._untold = b""
        for name in names:  # applied in order by the server, so the last is undone first
            self._head = decoder(name, self._head)
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
