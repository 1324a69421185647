"""Rows of a structure dump: the tree of categories, and what ties them to each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from testbed.odp.content import NAMES, ROOT, attribute, whole_number
from testbed.odp.faults import Fault
from testbed.odp.parse import Element, records
from testbed.odp.stream import Chunk


class Described(NamedTuple):
    """A category as a structure dump describes it."""

    category: str
    catid: int | None
    title: str | None
    description: str | None
    last_update: str | None


class CategoryLink(NamedTuple):
    """A tie from a category to another, or to what else its editors named."""

    category: str
    kind: str
    """narrow, symbolic, related, altlang, letterbar, newsgroup, editor or alias."""
    target: str
    label: str | None
    """What a symbolic or foreign-language link is called."""
    rank: int
    """Group in which the category shows the link: the figure of narrow1, symbolic2; 0 for none."""


@dataclass(slots=True)
class Structure:
    """The rows of one chunk."""

    categories: list[Described] = field(default_factory=list)
    category_links: list[CategoryLink] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    external_pages: int = 0


_LABELLED = frozenset({"symbolic", "altlang"})
_KINDS = frozenset({"narrow", "symbolic", "related", "altlang", "letterbar", "newsgroup", "editor"})


def read_structure(chunk: Chunk) -> Structure:
    """The rows of one chunk of a structure dump."""
    rows = Structure()
    for record in records(chunk, rows.faults):
        name = NAMES[record.tag]
        if name == "Topic":
            _category(record, rows)
        elif name == "Alias":
            _alias(record, rows)
        elif name == "ExternalPage":
            rows.external_pages += 1
    return rows


def _category(record: Element, rows: Structure) -> None:
    category = attribute(record, "id").strip() or ROOT
    texts: dict[str, str] = {}
    for child in record:
        name = NAMES[child.tag]
        target = attribute(child, "resource").strip()
        kind = name.rstrip("12").lower()
        if target and kind in _KINDS:
            rank = int(name[-1]) if name[-1] in "12" else 0
            label, path = _labelled(target) if kind in _LABELLED else (None, target)
            rows.category_links.append(CategoryLink(category, kind, path, label, rank))
        elif not target:
            texts[name] = "".join(child.itertext()).strip()
    rows.categories.append(
        Described(
            category,
            whole_number(texts.get("catid")),
            texts.get("Title"),
            texts.get("Description"),
            texts.get("lastUpdate"),
        )
    )


def _alias(record: Element, rows: Structure) -> None:
    label, path = _labelled(attribute(record, "id").strip())
    for child in record:
        if NAMES[child.tag] == "Target" and (target := attribute(child, "resource").strip()):
            rows.category_links.append(CategoryLink(path, "alias", target, label, 0))


def _labelled(text: str) -> tuple[str | None, str]:
    """``Label:Top/Path`` in two; a label may hold colons, a path begins with the root."""
    label, found, path = text.rpartition(f":{ROOT}/")
    return (label, f"{ROOT}/{path}") if found else (None, text)
