"""Lists that are divided by the alphabet: one under A, one under B, and so on, are one list of all."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from bizcrawl.companies.names import fold
from contexts.tagtree import TEXT, Ints, TagTree

LETTERED = 3
"""So many lists with letters in order are an alphabet."""
CAPTION_CHARS = 6
"""Of the longest caption, with the space behind it."""
_LETTER = re.compile(r"([^\W\d_])(?:\s?[-–]\s?[^\W\d_])?|0\s?[-–]\s?9|#")
"""A letter, or from one to another: the caption of a part."""


def without_letters(tree: TagTree, ids: Ints) -> Ints:
    """(k,) lists of k links, as `contexts.lists.list_ids` gives them; parts of an alphabet are the first one.

    A caption stands right before a part or at its beginning. Where letters begin anew another list begins.
    """
    found = ids.copy()
    for parts in _alphabets(tree, ids):
        if len(parts) >= LETTERED:
            # a block for each letter: those with few links hold no list and are listed in what is around them
            around = {int(tree.parent[part]) for part, is_within in parts.items() if is_within} - {-1}
            found[np.isin(ids, [*parts, *around])] = next(iter(parts))
    return found


def _alphabets(tree: TagTree, ids: Ints) -> Iterator[dict[int, bool]]:
    """Lists with a letter each, by the alphabet to which they belong; whether the letter stands within."""
    leaves, letters = _letters(tree)
    if len(letters) < LETTERED:
        return
    parts: dict[int, bool] = {}
    last = ""
    for part in sorted(set(ids.tolist()) - {-1}):
        place = int(np.searchsorted(leaves, part))
        near = leaves[max(0, place - 1) : place + 1].tolist()
        caption = next((leaf for leaf in near if leaf in letters), None)
        if caption is None:
            continue
        letter = letters[caption]
        if letter and letter < last:
            yield parts
            parts = {}
        parts[part] = caption > part
        last = letter or last
    yield parts


def _letters(tree: TagTree) -> tuple[npt.NDArray[np.intp], dict[int, str]]:
    """The leaves of a tree, and those that are captions with their letter, "" for that of digits."""
    leaves = tree.nodes_named(TEXT)
    chars = tree.first_char[leaves + 1] - tree.first_char[leaves]
    letters = {}
    for leaf in leaves[chars <= CAPTION_CHARS].tolist():
        if caption := _LETTER.fullmatch(tree.text_below(leaf)):
            letters[leaf] = fold(caption.group(1) or "")
    return leaves, letters
