"""Blocks that the standard has made special since html5lib.

On the way from an end tag, or from an item of a list, to what it closes a parser stops at special elements.
html5lib looks past these, and closes what stands around them. A tree shows where that may be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from contexts.guard.reopened import are_alike, may_be_copies
from contexts.limits import NESTED_BY_PEOPLE
from contexts.listed import Listed
from contexts.markup import FORMATTING, SPECIAL, YOUNG, are_balanced

_STOPS = (SPECIAL | YOUNG) - {"noscript"}
"""Where nothing ends that began before. The end tag of noscript looks for its start tag like a word's."""
_FORM = frozenset({"form"})
_ITEMS = frozenset({"li", "dt", "dd"})
_LISTS = frozenset({"ul", "ol", "menu", "dl"})
_COPIED_AROUND = 3
"""So many elements between formatting and a block are copied around the block when the formatting closes."""
_PASSED = frozenset({"address", "div", "p"})
"""Special elements past which an item looks for the item before it."""


def ends_beyond_young_block(listed: Listed, source: bytes) -> bool:
    """Whether in a young block something may end that began before it."""
    blocks = listed.find(YOUNG)
    return (
        _in_words(listed, blocks, source)
        or _divides_formatting(listed, blocks, source)
        or _divides_item(listed)
    )


def _in_words(listed: Listed, blocks: npt.NDArray[np.intp], source: bytes) -> bool:
    """Whether a block stands in an element at which end tags do not stop, and not all of it is balanced."""
    above = listed.parent[blocks]
    while (
        in_form := listed.mask(_FORM)[above]
    ).any():  # one that was closed within a block is in its place still
        above = np.where(in_form, listed.parent[above], above)
    doubtful = blocks[~listed.mask(_STOPS)[above]]
    return len(doubtful) > 0 and not all(
        are_balanced(source.decode(), name) for name in {listed.name(node) for node in doubtful.tolist()}
    )


def _divides_formatting(listed: Listed, blocks: npt.NDArray[np.intp], source: bytes) -> bool:
    """Whether a block may have been moved out of formatting that was closed within it: a copy of what it was
    moved out of stands at its beginning.
    """
    end = listed.end
    formatting = listed.mask(FORMATTING)
    blocks = blocks[end[blocks] > blocks + 1]
    blocks = blocks[formatting[blocks + 1]]
    if not len(blocks):
        return False
    nodes = np.flatnonzero(formatting)
    closed = defaultdict(list)
    for node, at in zip(nodes.tolist(), end[nodes].tolist(), strict=True):
        closed[at].append(node)
    copies = [
        block + 1
        for block in blocks.tolist()
        for at in _with_copies_around(listed, formatting, block)
        if any(are_alike(listed, other, block + 1) for other in closed[at])
    ]
    return may_be_copies(listed, source, copies)


def _with_copies_around(listed: Listed, formatting: npt.NDArray[np.bool_], block: int) -> Iterator[int]:
    """A block, and the formatting around it that begins with it: what was between may have been copied."""
    yield block
    for node in range(block - 1, max(block - 1 - _COPIED_AROUND, 0), -1):
        if not (formatting[node] and listed.parent[node + 1] == node):
            return
        yield node


def _divides_item(listed: Listed) -> bool:
    """Whether an item of a list stands in a block that stands in such an item."""
    items = listed.find(_ITEMS)
    items = items[~listed.mask(_LISTS)[listed.parent[items]]]
    return any(_has_item_around_block(listed, node) for node in items.tolist())


def _has_item_around_block(listed: Listed, item: int) -> bool:
    """Whether an item looks past a block for the item before it; True if that is too far up to tell."""
    alike = {"li"} if listed.name(item) == "li" else {"dt", "dd"}
    is_in_block = False
    node = item
    for _ in range(NESTED_BY_PEOPLE):
        node = int(listed.parent[node])
        if node < 0:
            return False
        name = listed.name(node)
        if name in YOUNG:
            is_in_block = True
        elif name in alike:
            return is_in_block
        elif name in SPECIAL and name not in _PASSED:
            return False
    return True
