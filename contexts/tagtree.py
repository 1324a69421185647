"""The tag tree of a page, kept flat.

A page is a handful of parallel arrays in document order instead of a tree of objects: what lies below a node
is one slice of the node arrays, one slice of the page's tokens and one slice of its text. Scoring a context
is counting in a slice; no walk is recursive, however deep the page; and the arrays cross process borders and
rest on disk as they are. As in the paper every text stands in a leaf of its own (R16, R17): a leaf has the
tag ``#text``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]

TEXT = "#text"


@dataclass(frozen=True, slots=True, eq=False)
class TagTree:
    """One tidied page; n nodes (elements and text leaves), t tokens, c characters of text.

    Node 0 is ``html``. Node ``v``'s subtree is the nodes ``v .. end[v] - 1``; its tokens are
    ``tokens[first_token[v] : first_token[end[v]]]``, its text ``text[first_char[v] : first_char[end[v]]]``.
    Text in script, style, noscript and template counts nowhere (A12; but see `draft.NOT_IN_NOSCRIPT`); leaves
    of white space alone are left out.
    """

    tags: Ints
    """(n,) index into `tag_names`."""
    parent: Ints
    """(n,) parent node, -1 for the root."""
    end: Ints
    """(n,) one past the last node of the subtree."""
    first_token: Ints
    """(n + 1,) number of tokens before the node; the last entry is t."""
    first_char: Ints
    """(n + 1,) number of characters before the node; the last entry is c."""
    tokens: Ints
    """(t,) stop-listed, stemmed terms of the page in order, as indexes into `stems`."""
    stems: tuple[str, ...]
    """The page's own word list, each stem once, in order of first use."""
    tag_names: tuple[str, ...]
    text: str
    """All text leaves joined, white space folded, a space after each leaf."""
    attributes: Mapping[int, Mapping[str, str]]
    """Attributes of the nodes that need them (links, base, meta, img, html lang, …), by node."""
    json_ld: tuple[str, ...] = ()
    """Bodies of ``script type=application/ld+json``, as they stand."""
    cuts: tuple[str, ...] = ()
    """Limits that cut the page, by name: bytes, nodes, depth, attributes, time (see `contexts.limits`), and
    exact, where html5lib might have made another tree of it. Who keeps a tree may add names of their own."""
    road: str = "html5lib"
    """Which tidier made the tree: ``html5lib`` or ``lexbor``."""

    def __len__(self) -> int:
        return len(self.tags)

    def tag(self, node: int) -> str:
        """Name of a node's tag, ``#text`` for a text leaf."""
        return self.tag_names[int(self.tags[node])]

    def nodes_named(self, name: str) -> npt.NDArray[np.intp]:
        """(k,) nodes with a tag, in document order."""
        if name not in self.tag_names:
            return np.empty(0, np.intp)
        return np.flatnonzero(self.tags == self.tag_names.index(name))

    def text_below(self, node: int) -> str:
        """All text in the subtree rooted at a node, at any depth (R23)."""
        return self.text[self.first_char[node] : self.first_char[self.end[node]]].strip()

    def tokens_below(self, node: int) -> Ints:
        """All tokens in the subtree rooted at a node, in order (R23, R25)."""
        return self.tokens[self.first_token[node] : self.first_token[self.end[node]]]

    def path(self, node: int) -> str:
        """Tags from the root to a node, as ``html/body/ul/li/a``."""
        names: list[str] = []
        while node >= 0:
            names.append(self.tag(node))
            node = int(self.parent[node])
        return "/".join(reversed(names))
