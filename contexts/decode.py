"""Bytes to text, once, before either tidier sees the page.

The order is: byte order mark, HTTP header, meta declaration, UTF-16 by its zeros, UTF-8 (a few bytes may be
spoilt), a declaration in broken markup, what the letters say, and windows-1252, the Web's default. A label
that the Encoding Standard does not know is no declaration. Nothing raises; bytes that the encoding does not
know become U+FFFD.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

import webencodings

from contexts.encodings import text_in
from contexts.undeclared import undeclared_charset

PRESCAN_BYTES = 1024
"""How far the HTML standard looks for a meta declaration."""
LENIENT_BYTES = 65_536
"""How far a declaration in broken markup is looked for once all else has failed."""

_VOUCHING_BYTES = 8
"""Bytes beyond one a character that make a cut character at the end of a page likely."""

_SOUND_PER_SPOILT = 4
"""Characters beyond ASCII that speak for UTF-8 against one sequence that is none. Of text in other encodings
one in seven looks like UTF-8 at most; a page in UTF-8 has a byte of another program here and there.
"""
_NOT_WHAT_IT_SAYS = {
    **dict.fromkeys(("utf-8", "utf-16le", "utf-16be"), "utf-8"),
    "x-user-defined": "windows-1252",
}
"""What the standard reads instead of what a page declares of itself: a declaration in UTF-16 could not be
found. Of a page that is not in UTF-8 such a declaration says nothing."""
_HIGH_BYTES = bytes(range(0x80, 0x100))

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_BE, "utf-16be"), (codecs.BOM_UTF16_LE, "utf-16le"))
_HEADER_CHARSET = re.compile(r"charset\s*+=\s*+[\"']?\s*+([^\s\"';,]+)", re.IGNORECASE)
_LENIENT = re.compile(rb"(?:charset|encoding)\s*+=\s*+[\"']?\s*+([a-z0-9_:.-]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text of a page and how its encoding was known."""

    text: str
    charset: str
    """Name of the encoding as the Encoding Standard has it, such as ``windows-1252``."""
    source: str
    """bom, header, meta, utf-16 or utf-8 (undeclared), lenient (broken declaration), letters (undeclared)
    or default."""


def decode(body: bytes, content_type: str | None = None) -> Decoded:
    """Decode a body; `content_type` is the HTTP header as sent, if there was one."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return _decoded(body[len(bom) :], webencodings.lookup(name), "bom")
    declared = header_charset(content_type)
    if declared is not None:
        return _decoded(body, declared, "header")
    declared = meta_charset(body)
    if declared is not None:
        return _decoded(body, declared, "meta")
    wide = utf16_by_look(body[:PRESCAN_BYTES])
    if wide is not None:
        return _decoded(body, webencodings.lookup(wide), "utf-16")
    text = _as_utf8(body)
    if text is None:
        text = _as_spoilt_utf8(body)
    if text is not None:
        return Decoded(text, "utf-8", "utf-8")
    for match in _LENIENT.finditer(body, 0, LENIENT_BYTES):
        declared = webencodings.lookup(match[1].decode("ascii"))
        if declared is not None and declared.name not in _NOT_WHAT_IT_SAYS:
            return _decoded(body, declared, "lenient")
    if (told := undeclared_charset(body)) is not None:
        return _decoded(body, webencodings.lookup(told), "letters")
    return _decoded(body, webencodings.lookup("windows-1252"), "default")


def _as_utf8(body: bytes) -> str | None:
    """The text, if it is valid UTF-8; a page that was cut may end within a character.

    A single byte at the end is taken for a cut only if the page has other characters beyond ASCII to vouch
    for it.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        text = decoder.decode(body)
    except UnicodeDecodeError:
        return None
    left_over, _ = decoder.getstate()
    if len(left_over) == 1 and len(body) - len(text) < _VOUCHING_BYTES:
        return None
    return text


def _as_spoilt_utf8(body: bytes) -> str | None:
    """The text, if a body that is no valid UTF-8 is plainly meant as such; what is spoilt becomes U+FFFD."""
    text = body.decode("utf-8", "replace")
    spoilt = text.count("\ufffd")
    n_ascii = len(body.translate(None, _HIGH_BYTES))
    sound = len(text) - n_ascii - spoilt
    return text if sound >= _SOUND_PER_SPOILT * spoilt else None


def utf16_by_look(head: bytes) -> str | None:
    """The UTF-16 that the beginning of a page is in, utf-16le or utf-16be, by the zeros in every other place;
    None if it is in none.

    Also a page in Chinese begins with markup, so its first character has a zero, and many that follow.
    """
    if head[:2].count(0) != 1:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) / 2
    if max(even, odd) <= 0.4 * half or min(even, odd) >= 0.05 * half:
        return None
    return "utf-16be" if even > odd else "utf-16le"


def header_charset(content_type: str | None) -> webencodings.Encoding | None:
    """The encoding that a Content-Type header declares; None if it declares none that is known."""
    match = _HEADER_CHARSET.search(content_type or "")
    return webencodings.lookup(match[1]) if match else None


def meta_charset(body: bytes) -> webencodings.Encoding | None:
    """The encoding that the HTML standard's prescan of the first 1,024 bytes finds, None if it finds none."""
    head = body[:PRESCAN_BYTES]
    if b"charset" not in head.lower():
        return None
    from html5lib._inputstream import EncodingParser

    found: webencodings.Encoding | None = EncodingParser(head).getEncoding()
    return None if found is None else webencodings.lookup(_NOT_WHAT_IT_SAYS.get(found.name, found.name))


def _decoded(body: bytes, encoding: webencodings.Encoding | None, source: str) -> Decoded:
    assert encoding is not None
    return Decoded(text_in(body, encoding), encoding.name, source)
