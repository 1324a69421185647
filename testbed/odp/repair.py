"""Makes a chunk of a dump well-formed, and says what was wrong with it on which line.

Passes over the text, each safe to run because of the one before: bytes to characters, characters that XML
forbids, ampersands, line ends in URLs. `rebuilt_record` is for a single record whose markup still does not
parse. What stands inside a URL is never dropped or guessed, because that would name another page: it is
percent-encoded, as a browser sends it.
"""

from __future__ import annotations

import html.entities
import re
from bisect import bisect_left

from testbed.odp.faults import Fault, FaultKind, detail_of

_UNDECODED = re.compile("[\udc80-\udcff]+")
_ESCAPED = re.compile("[\ud800-\udfff]")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_REFERENCE = re.compile(
    r"&(?:#(?P<decimal>[0-9]{1,9});|#[xX](?P<hex>[0-9a-fA-F]{1,8});|(?P<name>[a-zA-Z]\w*);)?"
)
_URL_VALUE = re.compile(r"""(\b(?:about|resource)\s*=\s*)("[^"<]*"|'[^'<]*')""")
_BREAKS = re.compile(r"[\t\n\r]+")
_PREDEFINED = frozenset({"amp", "lt", "gt", "quot", "apos"})

_URL_ATTRIBUTE = re.compile(r"\b(about|resource)\s*=\s*\Z")
_SCHEME = re.compile(r"\s*\w+:/")
"""Resources that begin otherwise are categories, whose letters may be repaired like any text."""
_NAME_REACH = 64
"""How far before its value the name of an attribute is looked for."""
_URL_REACH = 4096
"""How far back the start of a URL is looked for; what is longer is no URL."""

_CHILDREN = (
    "catid|tag|Title|Description|lastUpdate|link1?|pdf1?|rss1?|atom1?|topic|priority|ages|type|mediadate|uksite|"
    "narrow[12]?|symbolic[12]?|related|altlang1?|letterbar|news[gG]roup|editor|Target|charset|editable|dispname"
)
_ATTRIBUTES = r"""(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>]+))*"""
_BEGUN = re.compile(r"<(?:[\w.-]+:)?(\w+)")
_HEAD = re.compile(rf"<(?:[\w.-]+:)?(Topic|ExternalPage|Alias)({_ATTRIBUTES})\s*/?>")
_CHILD = re.compile(rf"<(?:[\w.-]+:)?({_CHILDREN})({_ATTRIBUTES})\s*/?>([^<]*)")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+))""")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_STRAY = re.compile(rf"<(?!/?(?:[\w.-]+:)?(?:{_CHILDREN}|Topic|ExternalPage|Alias)[\s>/])")


class Findings:
    """The faults of one chunk of a dump, which starts on line `line` of its file."""

    def __init__(self, line: int) -> None:
        self._line = line
        self._text = ""
        self._line_ends: list[int] = []
        self.faults: list[Fault] = []

    def add(self, kind: FaultKind, text: str, position: int, detail: str) -> None:
        """Note a fault at a position of the chunk's text."""
        if text is not self._text:
            self._text, self._line_ends = text, [match.start() for match in re.finditer("\n", text)]
        self.faults.append(
            Fault(kind, self._line + bisect_left(self._line_ends, position), detail_of(detail))
        )


def repaired(data: bytes, found: Findings) -> str:
    """The text of a chunk with every byte, character and reference that XML forbids repaired."""
    text = _decoded(data, found)
    text = _without_illegal_characters(text, found)
    return _with_sound_references(text, found)


def mended(text: str, is_url: bool, line: int, faults: list[Fault]) -> str:
    """A text of a table, decoded with what is no UTF-8 escaped, with the same repairs as a dump's."""
    if text.isascii() or not _ESCAPED.search(text):
        return text
    kind = FaultKind.ILLEGAL_UTF8 if _UNDECODED.search(text) else FaultKind.ILLEGAL_CHARACTER
    faults.append(Fault(kind, line, detail_of(text)))

    def as_bytes(match: re.Match[str]) -> str:
        bad = match[0].encode("utf-8", "surrogateescape")
        return _percent(bad) if is_url else bad.decode("cp1252", "replace")

    return _ESCAPED.sub("", _UNDECODED.sub(as_bytes, text))


def without_breaks_in_urls(text: str, found: Findings) -> str:
    """Take tabs and line ends out of URLs, as the URL standard does; XML would turn them into blanks."""

    def mended(match: re.Match[str]) -> str:
        if not _BREAKS.search(match[2]):
            return match[0]
        found.add(FaultKind.LINE_BREAK_IN_URL, text, match.start(), match[2])
        return match[1] + _BREAKS.sub("", match[2])

    return _URL_VALUE.sub(mended, text)


def rebuilt_record(text: str, start: int, end: int, found: Findings) -> str:
    """The record ``text[start:end]`` of a repaired chunk as well-formed XML without prefixes.

    Stray < become text, in addresses too, a missing end tag is added, a child that was cut with the record is
    left out. The empty string if not even its start tag can be read.
    """
    record = _without_comments(text[start:end])
    begun = _BEGUN.match(record)
    closed = begun and re.search(rf"</(?:[\w.-]+:)?{begun[1]}\s*>", record)
    opened = record[: closed.start()] if closed else record
    head = _HEAD.match(sound := opened[:1] + _STRAY.sub("&lt;", opened[1:]))
    if not head:
        return ""
    body = sound[head.end() :].replace("]]>", "]]&gt;")
    if not closed and not head[0].endswith("/>"):
        found.add(FaultKind.UNCLOSED_RECORD, text, start, record)
    elif not (strays := [match.start() for match in _STRAY.finditer(opened, 1)]):
        found.add(FaultKind.MALFORMED_RECORD, text, start, record)
    else:
        for stray in strays:
            found.add(FaultKind.STRAY_MARKUP, text, start + stray, opened[stray : stray + 20])
    children = [_child(child) for child in _CHILD.finditer(body) if closed or child.end() < len(body)]
    return f"<{head[1]}{_attributes(head[2])}>{''.join(children)}</{head[1]}>"


def _without_comments(record: str) -> str:
    """A record without its comments; one that is never closed is text. (As a pattern, each of many that are
    not closed would be searched to the end.)
    """
    kept, after = [], 0
    while (begin := record.find("<!--", after)) >= 0 and (end := record.find("-->", begin + 4)) >= 0:
        kept.append(record[after:begin])
        after = end + 3
    return "".join([*kept, record[after:]])


def _child(match: re.Match[str]) -> str:
    return f"<{match[1]}{_attributes(match[2])}>{match[3]}</{match[1]}>"


def _attributes(text: str) -> str:
    """Attributes by local name, each once, quoted; none whose name XML might not allow."""
    values: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(text):
        local = name.rpartition(":")[2]
        if _NAME.fullmatch(local):
            values.setdefault(local, double or single.replace('"', "&quot;") or bare)
    return "".join(f' {name}="{value}"' for name, value in values.items())


def _decoded(data: bytes, found: Findings) -> str:
    """UTF-8, and Windows-1252 where it is none; in a URL such bytes are kept as they would be sent."""
    text = data.decode("utf-8", "surrogateescape")

    def mended(match: re.Match[str]) -> str:
        bad = match[0].encode("utf-8", "surrogateescape")
        found.add(FaultKind.ILLEGAL_UTF8, text, match.start(), bad.decode("latin-1"))
        if _in_url(text, match.start()):
            return _percent(bad)
        try:
            # surrogates written as UTF-8: two make one character, one alone is left out further on
            return bad.decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            return "" if bad[:1] == b"\xed" and len(bad) == 3 else bad.decode("cp1252", "replace")

    return _UNDECODED.sub(mended, text)


def _without_illegal_characters(text: str, found: Findings) -> str:
    def mended(match: re.Match[str]) -> str:
        found.add(FaultKind.ILLEGAL_CHARACTER, text, match.start(), match[0])
        return _percent(match[0].encode("utf-8", "surrogatepass")) if _in_url(text, match.start()) else ""

    return _ILLEGAL.sub(mended, text)


def _with_sound_references(text: str, found: Findings) -> str:
    def mended(match: re.Match[str]) -> str:
        name, number, start = match["name"], match["decimal"] or match["hex"], match.start()
        if name in _PREDEFINED:
            return match[0]
        if number:
            code = int(number, 10 if match["decimal"] else 16)
            if _is_legal(code):
                return match[0]
            found.add(FaultKind.ILLEGAL_CHARACTER, text, start, match[0])
            return (
                _percent(chr(code).encode("utf-8", "surrogatepass"))
                if _in_url(text, start) and code < 1 << 16
                else ""
            )
        if name and not _in_url(text, start):
            found.add(FaultKind.UNDEFINED_ENTITY, text, start, match[0])
            return html.entities.html5.get(f"{name};", f"&amp;{name};")
        found.add(FaultKind.BARE_AMPERSAND, text, start, text[start : start + 20])
        return f"&amp;{match[0][1:]}"

    return _REFERENCE.sub(mended, text)


def _in_url(text: str, position: int) -> bool:
    """Whether a position is inside the value of an attribute that names a page: the last quote opened it."""
    reach = max(0, position - _URL_REACH)
    for quote in "\"'":
        opened = text.rfind(quote, reach, position)
        name = _URL_ATTRIBUTE.search(text[max(0, opened - _NAME_REACH) : opened]) if opened >= 0 else None
        if name and (name[1] == "about" or _SCHEME.match(text, opened + 1, position)):
            return True
    return False


def _is_legal(code: int) -> bool:
    """The XML 1.0 production Char."""
    return (
        code in {9, 10, 13}
        or 0x20 <= code <= 0xD7FF
        or 0xE000 <= code <= 0xFFFD
        or 0x10000 <= code <= 0x10FFFF
    )


def _percent(data: bytes) -> str:
    return "".join(f"%{byte:02X}" for byte in data)
