"""The nodes of a page as lexbor lists them, with the tags' codes: lexbor's own numbers where it has one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborHTMLParser, LexborNode

from contexts.limits import MAX_TAG_CHARS
from contexts.tagtree import TEXT, Ints

FIRST_OWN = 1024
"""lexbor's numbers of the tags that it knows are below this; those of others are addresses in one
document."""

Codes = npt.NDArray[np.int64]


def numbers_of(names: Iterable[str]) -> frozenset[int]:
    """lexbor's numbers of some HTML tags that it knows."""
    parser = LexborHTMLParser("")
    numbers = (parser.create_node(name).tag_id for name in names if ":" not in name)
    return frozenset(number for number in numbers if number < FIRST_OWN)


def _numbers_of_texts() -> tuple[int, int]:
    """lexbor's numbers of a text and of a comment; lower numbers are no elements either."""
    body = LexborHTMLParser("<body>x<!-- -->").body
    assert body is not None
    _, text, comment = (node.tag_id for node in body.traverse(include_text=True))
    return text, comment


TEXT_NODE, COMMENT = _numbers_of_texts()
_SVG, _MATH = (next(iter(numbers_of([name]))) for name in ("svg", "math"))

_known_names: dict[int, str] = {TEXT_NODE: TEXT}
"""Names of HTML's tags by lexbor's number, as they are met."""

_PREFIXES = {"svg": "svg:", "math": "math:"}
_HTML_WITHIN = frozenset(
    {"svg:foreignObject", "svg:desc", "svg:title", "math:mi", "math:mo", "math:mn", "math:ms", "math:mtext"}
)


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Elements and the texts that are read, in document order."""

    codes: Codes
    """(n,) number of each node's tag."""
    names: Mapping[int, str]
    """Names of the numbers that occur."""
    parent: Ints
    end: Ints
    handles: Sequence[LexborNode]
    """lexbor's nodes, those that are not listed included."""
    places: npt.NDArray[np.intp]
    """(n,) place of each node among `handles`."""
    leaves: Ints
    """Nodes that are texts."""
    texts: list[str]
    """The text of each leaf."""
    text_nodes: Sequence[LexborNode]
    """lexbor's node of each leaf; the last, if comments divide it."""
    is_cut: bool = False
    """Whether the page has more nodes than were looked at."""
    _masks: dict[frozenset[str], npt.NDArray[np.bool_]] = field(default_factory=dict)

    def find(self, names: frozenset[str]) -> npt.NDArray[np.intp]:
        """Nodes whose tag is one of some names, in order."""
        return np.flatnonzero(self.mask(names))

    def mask(self, names: frozenset[str]) -> npt.NDArray[np.bool_]:
        """(n,) whether each node's tag is one of some names."""
        mask = self._masks.get(names)
        if mask is None:
            mask = self._masks[names] = among(self.codes, self.names, names)
        return mask

    def name(self, node: int) -> str:
        """Name of a node's tag."""
        return self.names[int(self.codes[node])]

    def handle(self, node: int) -> LexborNode:
        """lexbor's own node."""
        return self.handles[int(self.places[node])]


def among(codes: Codes, names: Mapping[int, str], wanted: frozenset[str]) -> npt.NDArray[np.bool_]:
    """(n,) whether each code is that of a wanted name."""
    table = np.zeros(max(names) + 1, np.bool_)
    table[[code for code, name in names.items() if name in wanted]] = True
    mask: npt.NDArray[np.bool_] = table[codes]
    return mask


def name_tags(codes: Codes, parent: Ints, end: Ints, handles: Sequence[LexborNode]) -> dict[int, str]:
    """Names of the codes; those that are not lexbor's own numbers are replaced by codes of our own.

    Foreign elements have a prefix, as in ``svg:a``, and so codes of their own too.
    """
    own: dict[str, int] = {}
    foreign = _name_foreign(codes, parent, end, handles, own)
    for node in np.flatnonzero(codes >= FIRST_OWN).tolist():
        if node not in foreign:
            name = (handles[node].tag or "")[:MAX_TAG_CHARS]
            codes[node] = own.setdefault(name, FIRST_OWN + len(own))
    names = {
        code: _known_names.get(code) or _learn(code, handles[int((codes == code).argmax())])
        for code in np.flatnonzero(np.bincount(codes)).tolist()
        if code < FIRST_OWN
    }
    return names | {code: name for name, code in own.items()}


def _name_foreign(
    codes: Codes, parent: Ints, end: Ints, handles: Sequence[LexborNode], own: dict[str, int]
) -> Mapping[int, str]:
    """Give the elements of svg and MathML codes of their own; the prefix of what stands in each of them."""
    prefix: dict[int, str] = {}
    for root in np.flatnonzero((codes == _SVG) | (codes == _MATH)).tolist():
        if root in prefix:
            continue
        span = slice(root, int(end[root]))
        around = zip(count(root), codes[span].tolist(), parent[span].tolist(), strict=False)
        for node, code, above in around:
            if code <= COMMENT:
                continue
            context = prefix.get(above, "")
            name = handles[node].tag or ""
            if not context and code in {_SVG, _MATH}:
                context = _PREFIXES[name]
            if context:
                name = (context + name)[:MAX_TAG_CHARS]
                codes[node] = own.setdefault(name, FIRST_OWN + len(own))
                prefix[node] = "" if name in _HTML_WITHIN else context
    return prefix


def _learn(code: int, handle: LexborNode) -> str:
    """The name of one of HTML's own tags."""
    name = _known_names[code] = (handle.tag or "").lower()
    return name
