"""What kind of thing a body is: by its label where that can be, by its first bytes where the label is missing
or wrong.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from contexts.decode import utf16_by_look

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
        "application/octetstream",
        "binary/octet-stream",
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
_XHTML: Final = re.compile(
    rb"(?:\s|<\?[^>]*+>|<!--(?:(?!-->).)*+-->)*+(?:<!doctype\s+html\b|(?:<!doctype[^>]*+>\s*+)?<html[\s>/])",
    re.IGNORECASE | re.DOTALL,
)
"""An XML document whose root is html."""
_XML_TYPES: Final = frozenset({"application/xml", "text/xml"})
_TYPE: Final = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+/[!#$%&'*+.^_`|~0-9a-z-]+")
"""What RFC 9110 8.3.1 takes for a media type; anything else says nothing."""
_MOST_ZEROS: Final = 1 / 8
"""Of a beginning that is markup with a stray zero here and there, which parsers leave out."""
_BLANK: Final = b" \t\n\r\x0c"
_BOMS: Final = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")


def media_type(content_type: str) -> str:
    """Type and subtype in lower case, without parameters, whatever stands around them (RFC 9110 8.3.1)."""
    return content_type.split(";", 1)[0].split(",", 1)[0].strip().strip("\"'").lower()


def kind_of(content_type: str, body: bytes) -> Kind:
    """What a body is (WHATWG MIME Sniffing, as far as a crawler needs it).

    Bytes that can only be binary overrule a text label; a missing, vague or misspelt label gives way to
    markup at the start, and one of XML to html as the root.
    """
    head = body[:1024]
    if not head.strip(_BLANK):
        return "empty"
    label = _label(content_type)
    if (found := _by_magic(head)) and (
        label in _VAGUE_TYPES or label.startswith("text/") or label in _HTML_TYPES
    ):
        return found
    if label in _HTML_TYPES:
        return "html"
    if label in _VAGUE_TYPES:
        return _by_look(head)
    if label in _XML_TYPES and _XHTML.match(head.removeprefix(_BOMS[0])):
        return "html"
    return _by_label(label)


def may_be_html(content_type: str) -> bool:
    """Whether a body with this label is worth reading at all: no for what is plainly an image, a PDF, a film,
    …
    """
    label = _label(content_type)
    return label in _HTML_TYPES or label in _VAGUE_TYPES or _by_label(label) in {"text", "xml"}


def _label(content_type: str) -> str:
    """The media type; "" if what is said is none, such as ``text/html charset=utf-8``."""
    label = media_type(content_type)
    return label if _TYPE.fullmatch(label) else ""


def _by_magic(head: bytes) -> Kind | None:
    for magic, kind in _MAGIC:
        if head.startswith(magic) and (len(magic) > 2 or b"\0" in head or magic == b"\x1f\x8b"):
            return kind
    if head.removeprefix(_BOMS[0]).lstrip(_BLANK).startswith(b"%PDF-"):  # sent by a script with a blank line
        return "pdf"
    if b"\0" in head and not (head.startswith(_BOMS) or utf16_by_look(head) or _is_spoilt_markup(head)):
        return "binary"
    return None


def _is_spoilt_markup(head: bytes) -> bool:
    return head.count(0) <= _MOST_ZEROS * len(head) and _TAG.match(head.lstrip(_BLANK + b"\0")) is not None


def _by_look(head: bytes) -> Kind:
    for bom in _BOMS:
        head = head.removeprefix(bom)
    text = head.replace(b"\0", b"").lstrip(_BLANK)
    if text[:5].lower() == b"<?xml":
        return "html" if _XHTML.match(text) else "xml"
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
