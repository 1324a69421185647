"""The nodes of a page as lexbor lists them, with the tags' codes: lexbor's own numbers where it has one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import compress

from selectolax.lexbor import LexborHTMLParser, LexborNode

from contexts.tagtree import TEXT

FIRST_OWN = 1024
"""lexbor's numbers of the tags that it knows are below this; those of others are addresses in one
document."""


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
(TEMPLATE,) = numbers_of(["template"])
FOREIGN_ROOTS = numbers_of(["svg", "math"])

_NOTABLE_TAGS = """
    a area base frame iframe html img link meta script style noscript template noembed noframes svg
    math b big code em font i nobr s small strike strong tt u
"""
_NOTABLE = frozenset(_NOTABLE_TAGS.split())
"""HTML's tags of which more is asked than their names."""

PLAIN: set[int] = set()
"""Numbers of all other tags of HTML, as they are met."""
_names: dict[int, str] = {TEXT_NODE: TEXT}
"""Names of HTML's tags by lexbor's number, as they are met."""

_PREFIXES = {"svg": "svg:", "math": "math:"}
_HTML_WITHIN = frozenset(
    {"svg:foreignObject", "svg:desc", "svg:title", "math:mi", "math:mo", "math:mn", "math:ms", "math:mtext"}
)


@dataclass(slots=True)
class Listed:
    """Elements and the texts that are read, in document order."""

    codes: list[int] = field(default_factory=list)
    """Number of each node's tag."""
    names: dict[int, str] = field(default_factory=dict)
    """Names of the numbers that occur."""
    parent: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    handles: dict[int, LexborNode] = field(default_factory=dict)
    """The elements of which more is asked than their names."""
    leaves: list[int] = field(default_factory=list)
    """Nodes that are texts."""
    texts: list[str] = field(default_factory=list)
    text_nodes: list[LexborNode] = field(default_factory=list)
    """The text of each leaf; the last, if comments divide it."""

    def find(self, names: frozenset[str]) -> list[int]:
        """Nodes whose tag is one of some names, in order."""
        wanted = {code for code, name in self.names.items() if name in names}
        if not wanted:
            return []
        return list(compress(range(len(self.codes)), map(wanted.__contains__, self.codes)))

    def name(self, node: int) -> str:
        """Name of a node's tag."""
        return self.names[self.codes[node]]


def name_tags(listed: Listed) -> None:
    """Find the names of the tags, and codes of our own for those that lexbor does not number by itself.

    Foreign elements have a prefix, as in ``svg:a``, and so codes of their own too.
    """
    own: dict[str, int] = {}
    codes, names = listed.codes, listed.names
    contexts: dict[int, str] = {}
    for node, handle in listed.handles.items():
        code = codes[node]
        context = contexts.get(listed.parent[node], "")
        if context:
            name = context + (handle.tag or "")
        elif code in FOREIGN_ROOTS:
            name = handle.tag or ""
            context = _PREFIXES[name]
            name = context + name
        elif code < FIRST_OWN:
            if code not in names:
                names[code] = _learn(code, handle)
            continue
        else:
            name = handle.tag or ""
        codes[node] = own.setdefault(name, FIRST_OWN + len(own))
        contexts[node] = "" if name in _HTML_WITHIN else context
    for name, code in own.items():
        names[code] = name
    for code in set(codes):
        if code not in names:
            names[code] = _names[code]


def _learn(code: int, handle: LexborNode) -> str:
    """The name of one of HTML's own tags."""
    name = _names.get(code)
    if name is None:
        name = _names[code] = (handle.tag or "").lower()
        if name not in _NOTABLE:
            PLAIN.add(code)
    return name
