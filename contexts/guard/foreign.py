"""svg and MathML: where a page leaves them, and what in them is taken for HTML's."""

from __future__ import annotations

import re

from contexts.listed import Listed
from contexts.markup import NAME_END, SPECIAL, UNCLEAR, tags

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


def _has_stray_end(source: str, name: str) -> bool:
    """Whether an end tag ``</p>`` or ``</br>`` may stand within an svg or math element.

    lexbor leaves that element there, html5lib doesn't.
    """
    depth = 0
    for tag in tags(source):
        if tag.name == name and not tag.closed:
            depth = max(0, depth + (-1 if tag.closes else 1))
        elif depth and (tag.name == UNCLEAR or (tag.closes and tag.name in _MADE_BY_STRAY_END)):
            return True
    return False


_TEXTS = frozenset({"svg:title", "svg:desc", "math:mi", "math:mo", "math:mn", "math:ms", "math:mtext"})
_NAMES_OF_TEXTS = ("title", "desc", "mi", "mo", "mn", "ms", "mtext")
_NAMESAKES_OF_TEXTS = frozenset(prefix + name for prefix in ("", *PREFIXES) for name in _NAMES_OF_TEXTS)
_TEXT_BEGINS = rf"<({'|'.join(_NAMES_OF_TEXTS)}){NAME_END}"
_OPENS_TEXT = re.compile(_TEXT_BEGINS.encode(), re.IGNORECASE)
_PLAIN_TEXT = re.compile(
    rf"{_TEXT_BEGINS}[^<>]*+(?:(?<=/)>|>(?:[^<]++|<!--[^<>]*+(?<=--)>)*+</\1{NAME_END})",
    re.IGNORECASE | re.ASCII,
)
"""Such a text, comments in it included; none holds another tag, so nothing is looked through twice."""


def _hold_tags(listed: Listed, source: bytes) -> bool:
    """Whether a text of svg or MathML may hold tags: what they open and close is taken in two ways.

    None does, if each of the page's elements of these names is written as a plain text. What looks like one
    in a comment, a script or the value of an attribute counts for none of them.
    """
    n_texts = len(listed.find(_NAMESAKES_OF_TEXTS))
    text = source.decode()
    plain = [found.start() for found in _PLAIN_TEXT.finditer(text)]
    if len(plain) < n_texts:
        return True
    if sum(1 for _ in _OPENS_TEXT.finditer(source)) == n_texts:
        return False
    at = {tag.start: tag.name for tag in tags(text)}
    return UNCLEAR in at.values() or n_texts > len(at.keys() & set(plain))
