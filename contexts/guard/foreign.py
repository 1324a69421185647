"""svg and MathML: where a page leaves them, and what in them is taken for HTML's."""

from __future__ import annotations

import re

from contexts.listed import Listed
from contexts.markup import ATTRIBUTES, COMMENT, SPECIAL, closes_itself
from contexts.tagtree import TEXT

PREFIXES = ("svg:", "math:")
_OF_THEIR_OWN = frozenset({"foreignObject", "image", "script", "style", "title"})
FOREIGN_NAMESAKES = frozenset(
    prefix + name for prefix in PREFIXES for name in (SPECIAL - _OF_THEIR_OWN) | {"sup"}
)
"""Tags in svg and MathML that html5lib takes for HTML's of the same name; at ``sup`` lexbor stays in them."""
_ROOTS = (("svg:svg", "svg"), ("math:math", "math"))
"""Names of the elements in the tree and in the source."""
_MADE_BY_STRAY_END = frozenset({"p", "br"})


def leaves_foreign_otherwise(listed: Listed, source: bytes) -> bool:
    """Whether a page leaves svg or MathML by a stray end tag, or has tags in a text of theirs."""
    present = listed.names.values()
    return any(
        root in present and _may_have_stray_end(listed, root) and _has_stray_end(source.decode(), name)
        for root, name in _ROOTS
    ) or (not _TEXTS.isdisjoint(present) and _hold_tags(listed, source))


def _may_have_stray_end(listed: Listed, name: str) -> bool:
    """Whether an svg or math element is followed at once by what lexbor makes of a stray ``</p>`` or
    ``</br>``."""
    after = listed.end[listed.find(frozenset({name}))]
    after = after[after < len(listed.codes)]
    made = after[listed.mask(_MADE_BY_STRAY_END)[after]]
    return bool((listed.end[made] == made + 1).any())


_TAGS = {
    name: re.compile(
        rf"{COMMENT}|<(?P<slash>/?){name}(?=[\s/>]){ATTRIBUTES}|</(?P<stray>p|br)(?=[\s/>])",
        re.IGNORECASE | re.DOTALL,
    )
    for _, name in _ROOTS
}


def _has_stray_end(source: str, name: str) -> bool:
    """Whether an end tag ``</p>`` or ``</br>`` stands within an svg or math element.

    lexbor leaves that element there, html5lib doesn't.
    """
    depth = 0
    for found in _TAGS[name].finditer(source):
        if found["stray"]:
            if depth:
                return True
        elif found["end"] is not None and not closes_itself(found):
            depth = max(0, depth - 1) if found["slash"] else depth + 1
    return False


_TEXTS = frozenset({"svg:title", "svg:desc", "math:mi", "math:mo", "math:mn", "math:ms", "math:mtext"})
_PLAIN_TEXT = re.compile(
    rb"<(?i:(title|desc|m[inos]|mtext))(?=[\s/>])[^<>]*+"
    rb"(?:(?<=/)>|>(?:[^<]++|<!--[^<>]*+(?<=--)>)*+</(?i:\1)(?=[\s/>]))"
)
"""Such a text, comments in it included; none holds another tag, so nothing is looked through twice."""
_TITLE = frozenset({"title"})
_TEXT = frozenset({TEXT})


def _hold_tags(listed: Listed, source: bytes) -> bool:
    """Whether a text of svg or MathML may hold tags: what they open and close is taken in two ways."""
    texts = listed.find(_TEXTS)
    is_element = ~listed.mask(_TEXT)
    inner = zip(texts.tolist(), listed.end[texts].tolist(), strict=True)
    if any(is_element[node + 1 : end].any() for node, end in inner):
        return True
    n_texts = len(texts) + len(listed.find(_TITLE))
    return n_texts > sum(1 for _ in _PLAIN_TEXT.finditer(source))
