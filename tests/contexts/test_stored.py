"""A stored tree of which a part points nowhere is refused: whoever reads it may rely on its being a tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from contexts.stored import NotATagTree, from_bytes, to_bytes
from contexts.tagtree import TagTree
from contexts.tidy import tidy

TREE = tidy("<p>pump <a href=/x>valve</a></p><p>ale</p>")
N = len(TREE)
LAST = N - 1


def with_one(numbers: npt.NDArray[np.int32], place: int, number: int) -> npt.NDArray[np.int32]:
    """A copy of an array in which one number is another."""
    changed = numbers.copy()
    changed[place] = number
    return changed


NONE = np.zeros(0, np.int32)
DAMAGED = {
    "no node": replace(
        TREE, tags=NONE, parent=NONE, end=NONE, attributes={}, first_token=NONE, first_char=NONE, tokens=NONE
    ),
    "a root below itself": replace(TREE, parent=with_one(TREE.parent, 0, 0)),
    "a second root": replace(TREE, parent=with_one(TREE.parent, 3, -1)),
    "a node below itself": replace(TREE, parent=with_one(TREE.parent, 3, 3)),
    "a node below one behind it": replace(TREE, parent=with_one(TREE.parent, 3, LAST)),
    "a subtree without its node": replace(TREE, end=with_one(TREE.end, LAST, LAST)),
    "a subtree that goes on behind the page": replace(TREE, end=with_one(TREE.end, 0, N + 1)),
    "a subtree that goes on behind its parent's": replace(TREE, end=with_one(TREE.end, 4, N)),
    "a tag that is none": replace(TREE, tags=with_one(TREE.tags, 2, len(TREE.tag_names))),
    "a tag before the first": replace(TREE, tags=with_one(TREE.tags, 2, -1)),
    "a stem that is none": replace(TREE, tokens=with_one(TREE.tokens, 1, len(TREE.stems))),
    "a stem before the first": replace(TREE, tokens=with_one(TREE.tokens, 1, -1)),
    "more tokens than there are": replace(TREE, first_token=with_one(TREE.first_token, N, 9)),
    "fewer than no tokens": replace(TREE, first_token=with_one(TREE.first_token, 4, 3)),
    "more text than there is": replace(TREE, first_char=with_one(TREE.first_char, N, 99)),
    "less than no text": replace(TREE, first_char=with_one(TREE.first_char, 4, 16)),
    "attributes of a node behind the last": replace(TREE, attributes={N: {"href": "/x"}}),
    "attributes of a node before the first": replace(TREE, attributes={-1: {"href": "/x"}}),
    "a value that is no text": replace(TREE, attributes={5: {"href": 5}}),  # type: ignore[dict-item]
    "a stem that is no text": replace(TREE, stems=(*TREE.stems[:-1], 5)),  # type: ignore[arg-type]
    "a tag's name that is no text": replace(TREE, tag_names=(*TREE.tag_names[:-1], 5)),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_stored_tree_of_which_a_part_points_nowhere_is_refused(damage: str) -> None:
    with pytest.raises(NotATagTree, match="is damaged"):
        from_bytes(to_bytes(DAMAGED[damage]))


@pytest.mark.parametrize(
    "tree",
    [
        TREE,
        tidy(""),
        replace(TREE, attributes={0: {"lang": "en"}, LAST: {}}),
        replace(TREE, tokens=NONE, stems=(), first_token=np.zeros(N + 1, np.int32)),
    ],
    ids=["a page", "an empty page", "attributes of the first and last node", "no word"],
)
def test_a_stored_tree_that_is_whole_comes_back(tree: TagTree) -> None:
    again = from_bytes(to_bytes(tree))
    assert [again.path(node) for node in range(len(again))] == [tree.path(node) for node in range(len(tree))]
    assert (again.text, again.stems, dict(again.attributes)) == (tree.text, tree.stems, tree.attributes)
