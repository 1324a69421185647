"""Rows of a content dump: categories, and the pages listed in them.

Two layouts say which page is in which category (A37). Since 2003-05-29 an external page names its category
in a ``topic`` child; before, a page belonged to the category whose ``link`` names its URL. Both may stand
in one file. A page is matched with the links of the category it follows, at once; what does not find its
partner there becomes a loose page or a loose link, to be matched when the whole dump has been read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa

from testbed.odp.faults import Fault, FaultKind
from testbed.odp.parse import Element, LocalNames, context_record, records, text_of
from testbed.odp.stream import Chunk

LINK_KINDS = frozenset({"link", "link1", "pdf", "pdf1", "rss", "rss1", "atom", "atom1"})
"""Children of a category that list a page; only link and link1 count as external URLs (A37)."""
_TELLING = {"": 0, **dict.fromkeys(LINK_KINDS, 1), "link": 2, "link1": 3}
"""Of two children with one URL the greater says what it is: a feed that is an external URL too is one (A37),
and link1 is the link that the editors want to be seen first.
"""
ROOT = "Top"
"""The root category, which dumps write as ``r:id=""``."""


LISTING = ("category", "url", "title", "description", "kind", "priority", "ages", "mediadate", "extra")
"""Columns of a listing. `kind` is the category's link, one of LINK_KINDS, None while it is not known;
`ages` is kids, teens or mteens in the Kids and Teens directory; `extra` holds children of other names, as a
JSON object."""
Listing = tuple[
    str | None, str, str | None, str | None, str | None, int | None, str | None, str | None, str | None
]


class Category(NamedTuple):
    """A category as a content dump names it."""

    category: str
    catid: int | None


class LooseLink(NamedTuple):
    """A link of a category whose page did not follow it."""

    category: str
    url: str
    kind: str


@dataclass(slots=True)
class Content:
    """The rows of one chunk."""

    categories: list[Category] = field(default_factory=list)
    listings: list[Listing] = field(default_factory=list)
    loose_pages: list[Listing] = field(default_factory=list)
    loose_links: list[LooseLink] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


@dataclass(slots=True)
class _Open:
    """The category that pages follow, and its links that no page has answered yet."""

    category: str
    links: dict[str, str]
    answered: set[str] = field(default_factory=set)


NAMES = LocalNames()
_COMMON = frozenset({"Title", "Description", "topic"})
_FIELDS = _COMMON | {"priority", "ages", "mediadate"}


def read_content(chunk: Chunk) -> Content:
    """The rows of one chunk of a content dump."""
    rows = _read(chunk, line_ends=False)
    if any(" " in row[1] for rows_ in (rows.listings, rows.loose_pages, rows.loose_links) for row in rows_):
        return _read(chunk, line_ends=True)
    return rows


def _read(chunk: Chunk, *, line_ends: bool) -> Content:
    rows = Content()
    before = context_record(chunk)
    current = _opened(before) if before is not None else None
    for record in records(chunk, rows.faults, line_ends=line_ends):
        name = NAMES[record.tag]
        if name == "ExternalPage":
            _page(record, current, rows, chunk.line)
        elif name == "Topic":
            _close(current, rows)
            current = _opened(record)
            catid = whole_number(_child_text(record, "catid"))
            rows.categories.append(Category(current.category, catid))
    _close(current, rows)
    return rows


def _opened(record: Element) -> _Open:
    links: dict[str, str] = {}
    for child in record:
        kind = NAMES[child.tag]
        if kind in LINK_KINDS and (url := attribute(child, "resource").strip()):
            links[url] = max(links.get(url, ""), kind, key=_TELLING.__getitem__)
    return _Open(attribute(record, "id").strip() or ROOT, links)


def _close(category: _Open | None, rows: Content) -> None:
    if category and len(category.answered) < len(category.links):
        rows.loose_links += [
            LooseLink(category.category, url, kind)
            for url, kind in category.links.items()
            if url not in category.answered
        ]


def _page(record: Element, current: _Open | None, rows: Content, line: int) -> None:
    values = {NAMES[child.tag]: text_of(child) for child in record}
    url = (record.get("about") or attribute(record, "about")).strip()
    if not url:
        place = line - 1 + (record.sourceline or 1)
        rows.faults.append(Fault(FaultKind.UNREADABLE_RECORD, place, "a page without URL"))
        return
    category = values.get("topic")
    if category is not None:
        category = category.strip() or ROOT
    kind = None
    if current is not None and (category is None or category == current.category):
        kind = current.links.get(url)
    common = values.keys() <= _COMMON
    listing = (
        current.category if kind and current else category,
        url,
        _stripped(values.get("Title")),
        _stripped(values.get("Description")),
        kind,
        None if common else whole_number(values.get("priority")),
        None if common else values.get("ages"),
        None if common else values.get("mediadate"),
        None if common else _extra(values),
    )
    if kind and current:
        current.answered.add(url)
        rows.listings.append(listing)
    else:
        rows.loose_pages.append(listing)


def _stripped(text: str | None) -> str | None:
    return text.strip() if text is not None else None


def _extra(values: dict[str, str | None]) -> str | None:
    others = {name: text for name, text in values.items() if name and name not in _FIELDS}
    return json.dumps(others, ensure_ascii=False, sort_keys=True) if others else None


def _child_text(record: Element, name: str) -> str | None:
    return next((child.text for child in record if NAMES[child.tag] == name), None)


def attribute(element: Element, name: str) -> str:
    """An attribute by its local name; "" if there is none."""
    for key, value in element.items():
        if NAMES[key] == name:
            return str(value)
    return ""


def whole_number(text: str | None) -> int | None:
    """The number that a text is; None for any other, and for one that no column holds."""
    text = (text or "").strip()
    return int(text) if text.isdecimal() and len(text) < 16 else None


_TYPES = {"catid": pa.int64(), "priority": pa.int64(), "rank": pa.int64(), "line": pa.int64()}


def as_table(rows: Sequence[tuple[object, ...]], names: tuple[str, ...]) -> pa.Table:
    """Rows as columns of text, or of numbers where the name says so."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    schema = pa.schema([(name, _TYPES.get(name, pa.string())) for name in names])
    return pa.table([pa.array(c, s.type) for c, s in zip(columns, schema, strict=True)], schema=schema)
