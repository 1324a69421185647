"""The tags of a page's source, for the few questions that a parsed tree can't answer.

It is no parser: it knows comments, what is text up to its end tag, and attributes' quotes, and is asked about
pages that a look at the tree has found doubtful. Where it may be wrong, the exact road is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_SPECIAL_TAGS = """
    address applet area article aside base basefont bgsound blockquote body br button caption center col
    colgroup command dd details dir div dl dt embed fieldset figure footer foreignObject form frame frameset
    h1 h2 h3 h4 h5 h6 head header hr html iframe image img input isindex li link listing marquee menu meta
    nav noembed noframes noscript object ol p param plaintext pre script section select style table tbody td
    textarea tfoot th thead title tr ul wbr xmp
"""
SPECIAL = frozenset(_SPECIAL_TAGS.split())
"""Elements at which many an end tag stops to look for its start tag, as html5lib has them; not imported from
there, for that takes as long as all of `contexts`.
"""
YOUNG = frozenset({"main", "summary", "figcaption", "hgroup"})
"""Elements that have become special since: the standard stops at them, html5lib doesn't."""
FORMATTING = frozenset(
    {"a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}
)
"""Tags that a parser opens again after a block has closed over them."""
RAW = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext"})
"""Elements whose content is text."""
_VOID_TAGS = """
    area base br col embed hr img input link meta param source track wbr
"""
VOID = frozenset(_VOID_TAGS.split())
"""Elements without content."""
_OUTER = frozenset({"html", "body"})
"""Their attributes html5lib gives to the page's own, wherever they stand."""

COMMENT = r"<!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>|\Z))"
RAW_ELEMENT = (
    rf"<(?P<raw>{'|'.join(sorted(RAW))})(?=[\s/>])"
    r"(?:[^<]++|<(?!/(?P=raw)[\s/>]))*+(?:</(?P=raw)[^>]*+)?(?:>|\Z)"
)
"""It ends with the end tag of its name; a lazy search for that takes five times as long."""
ATTRIBUTES = (
    r"(?:[^>=]++|=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|(?P<bare>[^\s>\"'][^\s>]*+))?+)*+(?P<end>>|\Z)"
)
"""What follows the name of a tag; `bare` is the last value without quotes, which takes a slash at its end."""

_MARKUP = re.compile(
    rf"{COMMENT}"
    rf"|{RAW_ELEMENT}"
    r"|<[!?][^>]*+(?:>|\Z)"
    rf"|<(?P<slash>/?)(?P<name>[a-z][^\s/>]*+){ATTRIBUTES}",
    re.IGNORECASE | re.DOTALL,
)
"""What has no end goes on to the end of the page, so that no page is looked through more than once."""


class Tag(NamedTuple):
    """A start or end tag; of an element whose content is text the whole element."""

    name: str
    """Lower case."""
    closes: bool
    """It is an end tag."""
    closed: bool
    """It ends in ``/>``."""
    start: int
    end: int


def tags(source: str, at: int = 0) -> Iterator[Tag]:
    """The tags from a place on; comments, declarations and a tag without an end are passed over."""
    for found in _MARKUP.finditer(source, at):
        if raw := found["raw"]:
            yield Tag(raw.lower(), False, False, found.start(), found.end())
        elif found["end"]:
            yield Tag(found["name"].lower(), bool(found["slash"]), closes_itself(found), *found.span())


def closes_itself(tag: re.Match[str]) -> bool:
    """Whether a tag, matched with `ATTRIBUTES`, ends in ``/>``."""
    end = tag.end()
    return tag.string.endswith("/>", tag.start(), end) and tag.end("bare") != end - 1


def are_balanced(source: str, name: str) -> bool:
    """Whether within elements of a name every end tag finds its start tag, and on the way to it nothing open
    that a parser treats in a way of its own.
    """
    opening = re.compile(rf"<(?i:{name})(?=[\s/>])")
    at = 0
    while found := opening.search(source, at):
        opened: list[str] = []
        for tag in tags(source, found.start()):
            at = tag.end
            if tag.name in _OUTER:
                return False
            if tag.closes:
                if not _close(opened, tag.name):
                    return False
            elif tag.name not in VOID and tag.name not in RAW and not (tag.closed and _in_foreign(opened)):
                opened.append(tag.name)
            if not opened:
                break
        if opened:
            return False
    return True


def _close(opened: list[str], name: str) -> bool:
    """Close what was opened, up to a name; False if there is none or something special is in between."""
    while opened:
        innermost = opened.pop()
        if innermost == name:
            return True
        if innermost in SPECIAL or innermost in YOUNG or innermost in FORMATTING:
            return False
    return False


def _in_foreign(opened: list[str]) -> bool:
    """Whether a tag that closes itself is heeded: it is in svg and MathML alone."""
    return "svg" in opened or "math" in opened
