"""What kind of thing a body is: by its label where that can be, by its first bytes where the label is missing
or wrong.
"""

from __future__ import annotations

import re
from typing import Final, Literal

Kind = Literal["html", "xml", "text", "pdf", "image", "media", "archive", "json", "script", "binary", "empty"]

_HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_VAGUE_TYPES: Final = frozenset(
    {
        "",
        "application/octet-stream",
        "application/unknown",
        "unknown/unknown",
        "*/*",
        "text/plain",
        "application/binary",
    }
)
_MAGIC: Final[tuple[tuple[bytes, Kind], ...]] = (
    (b"%PDF-", "pdf"),
    (b"PK\x03\x04", "archive"),
    (b"PK\x05\x06", "archive"),
    (b"\x1f\x8b", "archive"),
    (b"Rar!", "archive"),
    (b"7z\xbc\xaf\x27\x1c", "archive"),
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"GIF87a", "image"),
    (b"GIF89a", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"BM", "image"),
    (b"RIFF", "media"),
    (b"ID3", "media"),
    (b"OggS", "media"),
    (b"\x7fELF", "binary"),
    (b"MZ", "binary"),
    (b"\xd0\xcf\x11\xe0", "binary"),
    (b"%!PS", "binary"),
)
_TAG: Final = re.compile(
    rb"(?:<!doctype\s+html|<(?:html|head|body|title|script|iframe|frameset|h1|div|font|table|a|style|b|br|p|meta|link|"
    rb"center|ul|img)(?=[\s>/])|<!--)",
    re.IGNORECASE,
)
_BLANK: Final = b" \t\n\r\x0c"
_BOMS: Final = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")


def media_type(content_type: str) -> str:
    """Type and subtype in lower case, without parameters, whatever stands around them (RFC 9110 8.3.1)."""
    return content_type.split(";", 1)[0].split(",", 1)[0].strip().strip("\"'").lower()


def kind_of(content_type: str, body: bytes) -> Kind:
    """What a body is (WHATWG MIME Sniffing, as far as a crawler needs it).

    Bytes that can only be binary overrule a text label; a missing or vague label gives way to markup at the
    start.
    """
    head = body[:1024]
    if not head.strip(_BLANK):
        return "empty"
    label = media_type(content_type)
    if (found := _by_magic(head)) and (
        label in _VAGUE_TYPES or label.startswith("text/") or label in _HTML_TYPES
    ):
        return found
    if label in _HTML_TYPES:
        return "html"
    if label in _VAGUE_TYPES or "/" not in label:
        return _by_look(head)
    return _by_label(label)


def may_be_html(content_type: str) -> bool:
    """Whether a body with this label is worth reading at all: no for what is plainly an image, a PDF, a film,
    …
    """
    label = media_type(content_type)
    return (
        label in _HTML_TYPES
        or label in _VAGUE_TYPES
        or "/" not in label
        or _by_label(label) in {"text", "xml"}
    )


def _by_magic(head: bytes) -> Kind | None:
    for magic, kind in _MAGIC:
        if head.startswith(magic) and (len(magic) > 2 or b"\0" in head or magic == b"\x1f\x8b"):
            return kind
    if b"\0" in head and not head.startswith(_BOMS) and not _is_utf16(head):
        return "binary"
    return None


def _is_utf16(head: bytes) -> bool:
    """Latin text in UTF-16 without a byte order mark has a NUL in nearly every other place."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    return max(even, odd) > 0.4 * len(head) / 2 and min(even, odd) < 0.05 * len(head) / 2


def _by_look(head: bytes) -> Kind:
    for bom in _BOMS:
        head = head.removeprefix(bom)
    text = head.replace(b"\0", b"").lstrip(_BLANK)
    if text[:5].lower() == b"<?xml":
        return "html" if re.search(rb"<html[\s>]|<!doctype\s+html", text, re.IGNORECASE) else "xml"
    return "html" if _TAG.match(text) else "text"


def _by_label(label: str) -> Kind:
    main, _, sub = label.partition("/")
    if main == "image":
        return "image"
    if main in {"audio", "video", "font"}:
        return "media"
    if sub == "pdf":
        return "pdf"
    if sub == "json" or sub.endswith("+json"):
        return "json"
    if "javascript" in sub or "ecmascript" in sub:
        return "script"
    if sub == "xml" or sub.endswith("+xml"):
        return "xml"
    if sub in {"zip", "gzip", "x-gzip", "x-tar", "x-rar-compressed", "x-7z-compressed"}:
        return "archive"
    return "text" if main == "text" else "binary"
