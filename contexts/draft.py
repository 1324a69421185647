"""A tag tree while it is being made: what both roads write, and what turns it into arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from contexts.tagtree import Ints, TagTree
from contexts.text import is_unspaced, tokenise

UNREAD = frozenset(
    {"script", "style", "noscript", "template", "iframe", "noembed", "noframes", "svg:style", "svg:script"}
)
"""Text in these counts nowhere (A12): it is not read by people, or it is markup that the parser left as text."""

KEPT_ATTRIBUTES = frozenset({"a", "area", "base", "frame", "iframe", "html", "img", "link", "meta", "svg:a"})
"""Tags whose attributes stay with the tree."""

INLINE = frozenset(
    "abbr acronym b bdi bdo big cite dfn em font i ins kbd mark s small strike strong sub sup tt u var wbr".split()
)
"""Tags that do not end a word: ``<strong>M</strong>obile`` is one word."""


@dataclass(slots=True)
class Draft:
    """Nodes in document order, as lists; text leaves carry their raw text."""

    tags: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)
    """Nodes that are text leaves, in order."""
    texts: list[str] = field(default_factory=list)
    """Raw text of each leaf."""
    attributes: dict[int, dict[str, str]] = field(default_factory=dict)
    json_ld: list[str] = field(default_factory=list)
    cuts: set[str] = field(default_factory=set)
    doubtful: bool = False
    """A construct was met on which the two tidiers are known to differ; the draft ends there."""

    def keep_script(self, kind: str, body: str) -> None:
        """Keep the body of a script if it is JSON-LD."""
        if kind.strip().lower() == "application/ld+json" and body.strip():
            self.json_ld.append(body)


def finish(draft: Draft, road: str) -> TagTree:
    """The tag tree of a draft: text folded and tokenised, everything in arrays."""
    folded = fold(draft)
    names = dict.fromkeys(draft.tags)
    ids = {name: i for i, name in enumerate(names)}
    n = len(draft.tags)
    leaves = np.array(draft.leaves, np.intp)
    tokens, tokens_before, stems = tokenise(folded)
    lengths = np.array([len(text) for text in folded], np.int32)
    return TagTree(
        tags=np.array([ids[tag] for tag in draft.tags], np.int32),
        parent=np.array(draft.parent, np.int32),
        end=np.array(draft.end, np.int32),
        first_token=_before(n, leaves, np.diff(tokens_before)),
        first_char=_before(n, leaves, lengths),
        tokens=tokens,
        stems=stems,
        tag_names=tuple(names),
        text="".join(folded),
        attributes=draft.attributes,
        json_ld=tuple(draft.json_ld),
        cuts=tuple(sorted(draft.cuts)),
        road=road,
    )


def _before(n: int, leaves: Ints, amounts: Ints) -> Ints:
    counts = np.zeros(n + 1, np.int32)
    counts[leaves + 1] = amounts
    return np.cumsum(counts, dtype=np.int32)


def fold(draft: Draft) -> list[str]:
    """Texts of the leaves with white space folded and a space after each.

    A word that inline tags split belongs whole to the leaf in which it begins, so that the tokens of every node are
    the words of its text.
    """
    texts = draft.texts
    folded = [" ".join(text.split()) + " " for text in texts]
    owner = 0
    for i in range(1, len(texts)):
        if texts[i - 1][-1].isalnum() and texts[i][0].isalnum() and _joined(draft, i - 1):
            head, _, rest = folded[i].partition(" ")
            folded[owner] = folded[owner][:-1] + head + " "
            folded[i] = rest
            if not rest:
                continue
        owner = i
    return folded


def _joined(draft: Draft, i: int) -> bool:
    """Whether the word at the end of one leaf goes on in the next: no script without spaces, only inline tags between."""
    if is_unspaced(draft.texts[i][-1]) or is_unspaced(draft.texts[i + 1][0]):
        return False
    return _inline_between(draft, i)


def _inline_between(draft: Draft, i: int) -> bool:
    """Whether only inline tags open or close between two leaves that follow each other."""
    left, right = draft.leaves[i], draft.leaves[i + 1]
    if any(draft.tags[node] not in INLINE for node in range(left + 1, right)):
        return False
    node = draft.parent[left]
    while draft.end[node] <= right:
        if draft.tags[node] not in INLINE:
            return False
        node = draft.parent[node]
    return True
