"""Gzip files that hold one member per record, as WARC and ARC do: where a member ends."""

from __future__ import annotations

import mmap
import zlib

GZIP_MAGIC = b"\x1f\x8b\x08"
"""How gzip begins with the one method that there is; no text begins so."""
GZIP = 16 + zlib.MAX_WBITS
"""`wbits` of zlib for gzip members."""
_PIECE_BYTES = 65_536
_BEGINNING_BYTES = 16_384


def beginning_of(block: bytes) -> bytes:
    """The first bytes of a block that may be compressed; b"" if it is damaged."""
    if not block.startswith(GZIP_MAGIC):
        return block
    try:
        return zlib.decompressobj(GZIP).decompress(block, _BEGINNING_BYTES)
    except zlib.error:
        return b""


def member_end(view: mmap.mmap, start: int, end: int) -> int | None:
    """Where the gzip member that begins at `start` ends; None if it is damaged or `end` comes first."""
    inflater = zlib.decompressobj(GZIP)
    at = start
    try:
        while not inflater.eof:
            if at >= end:
                return None
            piece = view[at : min(end, at + _PIECE_BYTES)]
            at += len(piece)
            inflater.decompress(piece)
    except zlib.error:
        return None
    return at - len(inflater.unused_data)
