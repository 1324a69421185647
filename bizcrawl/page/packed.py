"""Links and tag trees on their way between two processes: few large values instead of a thousand small ones,
for each value costs time at both ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, repeat
from typing import NamedTuple

import numpy as np
import orjson

from contexts.links import Link
from contexts.tagtree import TagTree

_BETWEEN = "\n"
"""Stands in no URL and, as white space is folded, in no text of a link."""


class PackedLinks(NamedTuple):
    """The links of a page by column; texts as one text."""

    urls: str
    nodes: Sequence[int]
    positions: Sequence[int]
    anchors: str
    kinds: str
    rels: str


def pack_links(links: Sequence[Link]) -> PackedLinks | None:
    """Links by column; None for none."""
    if not links:
        return None
    urls, nodes, positions, anchors, kinds, rels = zip(*links, strict=True)
    return PackedLinks(
        _BETWEEN.join(urls),
        nodes,
        positions,
        _BETWEEN.join(anchors),
        _BETWEEN.join(kinds),
        _BETWEEN.join(rels),
    )


def unpack_links(packed: PackedLinks | None) -> list[Link]:
    """The links that `pack_links` packed."""
    if packed is None:
        return []
    columns = [column.split(_BETWEEN) if isinstance(column, str) else column for column in packed]
    # what `Link._make` does, less slowly
    return list(map(tuple.__new__, repeat(Link), zip(*columns, strict=True)))


class PackedTree(NamedTuple):
    """A tag tree; its arrays end to end, its word list as one text, its attributes as JSON."""

    lengths: Sequence[int]
    numbers: bytes
    stems: str
    attributes: bytes
    others: tuple[tuple[str, ...], str, tuple[str, ...], tuple[str, ...], str]


def pack_tree(tree: TagTree) -> PackedTree:
    """A tag tree in few values."""
    arrays = (tree.tags, tree.parent, tree.end, tree.first_token, tree.first_char, tree.tokens)
    return PackedTree(
        list(map(len, arrays)),
        np.concatenate(arrays, dtype=np.int32).tobytes(),
        " ".join(tree.stems),
        orjson.dumps(list(tree.attributes.items())),
        (tree.tag_names, tree.text, tree.json_ld, tree.cuts, tree.road),
    )


def unpack_tree(packed: PackedTree) -> TagTree:
    """The tag tree that `pack_tree` packed."""
    borders = np.cumsum([0, *packed.lengths]).tolist()
    numbers = np.frombuffer(packed.numbers, np.int32)
    tags, parent, end, first_token, first_char, tokens = (numbers[a:b] for a, b in pairwise(borders))
    tag_names, text, json_ld, cuts, road = packed.others
    return TagTree(
        tags=tags,
        parent=parent,
        end=end,
        first_token=first_token,
        first_char=first_char,
        tokens=tokens,
        stems=tuple(packed.stems.split(" ")) if packed.stems else (),
        tag_names=tag_names,
        text=text,
        attributes=_Unopened(packed.attributes),
        json_ld=json_ld,
        cuts=cuts,
        road=road,
    )


class _Unopened(Mapping[int, Mapping[str, str]]):
    """Attributes of nodes, read from JSON once somebody asks for them; few crawls do."""

    __slots__ = ("_opened", "_packed")

    def __init__(self, packed: bytes) -> None:
        self._packed = packed
        self._opened: dict[int, Mapping[str, str]] | None = None

    def __getitem__(self, node: int) -> Mapping[str, str]:
        return self._all()[node]

    def __iter__(self) -> Iterator[int]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[int, Mapping[str, str]]:
        if self._opened is None:
            self._opened = dict(orjson.loads(self._packed))
        return self._opened
