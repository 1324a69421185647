"""Formatting that a parser has opened again, told by there being more elements than tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from selectolax.lexbor import LexborHTMLParser, LexborNode

from contexts.listed import Listed
from contexts.markup import FOREIGN, UNCLEAR, tags

_TAGS_COUNT_OTHERWISE = frozenset({"plaintext", "frameset"})
"""In these not every tag makes an element of its name."""

Kind = tuple[str, frozenset[tuple[str, str | None]]]
"""Name and attributes of an element."""


def kind_of(handle: LexborNode) -> Kind:
    """Name and attributes."""
    return handle.tag or "", frozenset(handle.attributes.items())


def are_alike(listed: Listed, node: int, other: int) -> bool:
    """Whether two elements have the same name and attributes; tags are looked at first, for most differ."""
    return bool(
        listed.codes[node] == listed.codes[other]
        and listed.handle(node).attributes == listed.handle(other).attributes
    )


def may_be_copies(listed: Listed, source: bytes, nodes: Iterable[int]) -> bool:
    """Whether of some formatting elements one may have been opened again: if there are more of the same name
    and attributes than start tags.
    """
    doubtful = {kind_of(listed.handle(node)) for node in nodes}
    if not doubtful:
        return False
    if listed.is_cut or not _TAGS_COUNT_OTHERWISE.isdisjoint(listed.names.values()):
        return True
    names = frozenset(name for name, _ in doubtful)
    opened = _kinds_of_tags(source.decode(), names)
    elements = Counter(kind_of(listed.handle(node)) for node in listed.find(names).tolist())
    return any(elements[kind] > opened[kind] for kind in doubtful)


def _kinds_of_tags(source: str, names: frozenset[str]) -> Counter[Kind]:
    """How many start tags of some names there are, by name and attributes; none, if that can't be told."""
    alone: list[str] = []
    depth = 0  # in svg and MathML, where tags make elements of another kind
    for tag in tags(source):
        if tag.name in FOREIGN and not tag.closed:
            depth = max(0, depth + (-1 if tag.closes else 1))
        elif tag.name == UNCLEAR:
            return Counter()
        elif tag.name in names and not tag.closes and not depth:
            alone.append(f"{source[tag.start : tag.end]}</{tag.name}>")
    body = LexborHTMLParser("<body>" + "".join(alone)).body
    return Counter(kind_of(node) for node in body.traverse()) if body is not None else Counter()
