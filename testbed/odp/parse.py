"""A chunk of a dump as elements: strictly where it is well-formed, repaired where it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from lxml import etree

from testbed.odp.faults import Fault, FaultKind, detail_of
from testbed.odp.repair import Findings, rebuilt_record, repaired, without_breaks_in_urls
from testbed.odp.stream import RECORD_START, Chunk

Element = Any
"""An lxml element; its stubs and its fast paths do not agree on a type."""

_RECORD = re.compile(RECORD_START.pattern.decode())
_KNOWN_PREFIXES = {b"r": b'"http://www.w3.org/TR/RDF/"', b"d": b'"http://purl.org/dc/elements/1.0/"'}


class LocalNames(dict[str, str]):
    """Names without their namespace, remembered: namespaces differ from dump to dump, local names do not."""

    def __missing__(self, tag: str) -> str:
        return self.setdefault(tag, tag.rpartition("}")[2])


def text_of(element: Element) -> str | None:
    """The text of a child, that of markup left unescaped in it included."""
    return element.text if not len(element) else "".join(element.itertext())


def records(chunk: Chunk, faults: list[Fault], *, line_ends: bool = False) -> Iterator[Element]:
    """The records of a chunk as elements; what was wrong with it is added to `faults`.

    With `line_ends`, line ends inside URLs are looked for as well. To XML they are blanks, so only a chunk
    with a blank in a URL can have them.
    """
    found = Findings(chunk.line)
    yield from _records(chunk.data, chunk.prefixes, found, line_ends)
    faults += found.faults + _undeclared(chunk)
    if chunk.cut_short:
        line = chunk.line + chunk.data.count(b"\n")
        faults.append(Fault(FaultKind.CUT_SHORT, line, detail_of(chunk.cut_short)))


def context_record(chunk: Chunk) -> Element | None:
    """The category that the first pages of a chunk belong to; its own faults were counted with its own
    chunk.
    """
    return next(_records(chunk.context, chunk.prefixes, Findings(0), False), None)


def _records(
    data: bytes, prefixes: tuple[tuple[bytes, bytes], ...], found: Findings, line_ends: bool
) -> Iterator[Element]:
    root = _root(prefixes)
    if not line_ends and (document := _parsed(root + data + b"</RDF>")) is not None:
        yield from document
        return
    text = without_breaks_in_urls(repaired(data, found), found)
    if (document := _parsed(root + text.encode() + b"</RDF>")) is not None:
        yield from document
        return
    starts = [match.start() for match in _RECORD.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        document = _parsed(root + text[start:end].encode() + b"</RDF>")
        if document is None:
            rebuilt = rebuilt_record(text, start, end, found)
            document = _parsed(root + rebuilt.encode() + b"</RDF>") if rebuilt else None
        if document is None:
            found.add(FaultKind.UNREADABLE_RECORD, text, start, text[start:end])
        else:
            yield from document


def _undeclared(chunk: Chunk) -> list[Fault]:
    """Prefixes that the dump uses without declaring them, each once a chunk, where it is first used."""
    faults = []
    for prefix in _KNOWN_PREFIXES.keys() - dict(chunk.prefixes).keys():
        if used := re.search(rb"[<\s]%s:\w" % prefix, chunk.data):
            line = chunk.line + chunk.data.count(b"\n", 0, used.start())
            faults.append(Fault(FaultKind.UNDECLARED_PREFIX, line, f"{prefix.decode()}:"))
    return faults


def _root(prefixes: tuple[tuple[bytes, bytes], ...]) -> bytes:
    declared = _KNOWN_PREFIXES | dict(prefixes)
    return b"<RDF %s>" % b" ".join(b"xmlns:%s=%s" % pair for pair in declared.items())


def _parsed(document: bytes) -> Element | None:
    # no entities and no network: what a dump says is data, never an instruction to read something else
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        remove_blank_text=True,
        collect_ids=False,
    )
    try:
        return etree.fromstring(document, parser)
    except etree.XMLSyntaxError:
        return None
