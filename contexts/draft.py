"""A tag tree while it is being made: what both roads write, and what turns it into arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from contexts.folding import fold
from contexts.limits import Limits
from contexts.stretches import depths
from contexts.tagtree import Ints, TagTree
from contexts.text import is_unspaced, tokenise

UNREAD = frozenset(
    {"script", "style", "noscript", "template", "iframe", "noembed", "noframes", "svg:style", "svg:script"}
)
"""Text in these counts nowhere (A12): it is not read by people, or it is markup that the parser left as
text."""

NOT_IN_NOSCRIPT = frozenset({"noscript", "script"})
"""A noscript that holds one of these was not closed where it was meant to be, as in
``<noscript><div></noscript>``, whose end tag parsers without scripts do not heed: the rest of the page stands
in it, and people read that."""

KEPT_ATTRIBUTES = frozenset({"a", "area", "base", "frame", "iframe", "html", "img", "link", "meta", "svg:a"})
"""Tags whose attributes stay with the tree."""

_WITHIN_WORDS = """
    abbr acronym b bdi bdo big cite dfn em font i ins kbd mark s small strike strong sub sup tt u
    var wbr
"""
WITHIN_WORDS = frozenset(_WITHIN_WORDS.split())
"""Tags that do not end a word: ``<strong>M</strong>obile`` is one word."""


@dataclass(slots=True)
class Draft:
    """Nodes in document order; text leaves carry their raw text."""

    tags: npt.NDArray[np.integer[Any]]
    """Number of each node's tag."""
    names: Mapping[int, str]
    """Names of the numbers."""
    parent: Ints
    end: Ints
    leaves: Ints
    """Nodes that are text leaves, in order."""
    texts: list[str]
    """Raw text of each leaf."""
    attributes: dict[int, dict[str, str]] = field(default_factory=dict)
    json_ld: list[str] = field(default_factory=list)
    cuts: set[str] = field(default_factory=set)
    apart: Callable[[int], bool] = lambda i: False
    """Whether white space stands between leaf i and the next, outside of both."""

    def keep_script(self, kind: str, body: str) -> None:
        """Keep the body of a script if it is JSON-LD."""
        if kind.strip().lower() == "application/ld+json" and body.strip():
            self.json_ld.append(body)

    def keep_attributes(self, of_nodes: Iterable[tuple[int, dict[str, Any]]], limits: Limits) -> None:
        """Keep the attributes of some nodes, in document order; a value may be None for nothing."""
        left = limits.max_attributes
        for node, values in of_nodes:
            if len(values) > left:
                self.cuts.add("attributes")
            elif values:
                left -= len(values)
                self.attributes[node] = values
                if None in values.values():
                    values.update({name: "" for name, value in values.items() if value is None})

    def cut(self, limits: Limits) -> None:
        """Leave out what is beyond the limits of nodes and depth."""
        n = len(self.tags)
        if n > limits.max_nodes:
            self.cuts.add("nodes")
            n = limits.max_nodes
        if n > limits.max_depth:
            too_deep = np.flatnonzero(depths(self.end[:n]) >= limits.max_depth)
            if len(too_deep):
                self.cuts.add("depth")
                n = int(too_deep[0])
        if n < len(self.tags):
            self.tags = self.tags[:n]
            self.parent = self.parent[:n]
            self.end = np.minimum(self.end[:n], n)
            self.leaves = self.leaves[self.leaves < n]
            self.texts = self.texts[: len(self.leaves)]
            self.attributes = {node: values for node, values in self.attributes.items() if node < n}


def finish(draft: Draft, limits: Limits, road: str) -> TagTree:
    """The tag tree of a draft: cut to the limits, text folded and tokenised, everything in arrays."""
    draft.cut(limits)
    n = len(draft.tags)
    numbers = list(dict.fromkeys(draft.tags.tolist()))
    tag_names = tuple([draft.names[number] for number in numbers])
    id_of = np.zeros(max(numbers) + 1, np.int32)
    id_of[numbers] = np.arange(len(numbers), dtype=np.int32)
    tags = id_of[draft.tags]
    inline = np.array([name in WITHIN_WORDS for name in tag_names])
    folded = fold(with_whole_words(draft, inline[tags]))
    tokens, token_ends, stems = tokenise(folded)
    leaves_before = np.zeros(n + 1, np.int32)
    leaves_before[draft.leaves + 1] = 1
    np.cumsum(leaves_before, out=leaves_before)
    return TagTree(
        tags=tags,
        parent=draft.parent,
        end=draft.end,
        first_token=_from_zero(token_ends)[leaves_before],
        first_char=_from_zero(folded.char_ends())[leaves_before],
        tokens=tokens,
        stems=stems,
        tag_names=tag_names,
        text=folded.text,
        attributes=draft.attributes,
        json_ld=tuple(draft.json_ld),
        cuts=tuple(sorted(draft.cuts)),
        road=road,
    )


def _from_zero(ends: Ints) -> Ints:
    """(k + 1,) where each of k stretches begins that follow each other, and the last one ends."""
    borders = np.zeros(len(ends) + 1, np.int32)
    borders[1:] = ends
    return borders


def with_whole_words(draft: Draft, is_inline: npt.NDArray[np.bool_]) -> list[str]:
    """Texts of the leaves, where words that inline tags split belong whole to the leaf in which they begin.

    So the tokens of every node are the words of its text.
    """
    texts = draft.texts
    # what closes or opens first between two leaves tells nearly always that a word can't go on
    left, right = draft.leaves[:-1], draft.leaves[1:]
    further: defaultdict[int, list[str]] = defaultdict(list)
    owner = 0
    reach = -1  # the last leaf, if the owner's word took all of it
    for i in np.flatnonzero(is_inline[np.where(left + 1 == right, draft.parent[left], left + 1)]).tolist():
        if reach != i:
            owner = i
        if _goes_on(draft, i, is_inline):
            if texts is draft.texts:
                texts = texts.copy()
            head, rest = (*texts[i + 1].split(None, 1), "")[:2]
            further[owner].append(head)
            texts[i + 1] = rest
            reach = i + 1 if not rest else -1
    for i, parts in further.items():  # put together at the end, or each part would cost a copy of all before
        texts[i] += "".join(parts)
    return texts


def _goes_on(draft: Draft, i: int, is_inline: npt.NDArray[np.bool_]) -> bool:
    """Whether the last word of a leaf goes on in the next."""
    last, first = draft.texts[i][-1], draft.texts[i + 1][0]
    if not (last.isalnum() and first.isalnum()) or is_unspaced(last) or is_unspaced(first):
        return False
    return _inline_between(draft, i, is_inline) and not draft.apart(i)


def _inline_between(draft: Draft, i: int, is_inline: npt.NDArray[np.bool_]) -> bool:
    """Whether only inline tags open or close between two leaves that follow each other."""
    left, right = int(draft.leaves[i]), int(draft.leaves[i + 1])
    if not is_inline[left + 1 : right].all():
        return False
    node = int(draft.parent[left])
    while draft.end[node] <= right:
        if not is_inline[node]:
            return False
        node = int(draft.parent[node])
    return True
