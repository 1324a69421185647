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
FOREIGN = frozenset({"svg", "math"})
"""Elements in which tags make elements of another kind."""
HTML_WITHIN = frozenset({"foreignobject", "desc", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"})
"""Elements of svg and MathML that hold HTML."""
_OUTER = frozenset({"html", "body"})
"""Their attributes html5lib gives to the page's own, wherever they stand."""

SPACE = r"\t\n\r\f "
"""The standard's white space, for the inside of a class; Python's own has more."""
NAME_END = rf"(?=[{SPACE}/>])"
"""What the name of a tag stands before."""
COMMENT = r"<!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>|\Z))"
_UNQUOTED = rf"[^{SPACE}>\"'][^{SPACE}>]*+"


def _attributes(unquoted: str) -> str:
    """A pattern of what stands between a tag's name and its end, given that of values without quotes."""
    value = rf"(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|{unquoted}|(?=>|\Z))"
    # a name may begin with =, so that one without a name before it begins no value
    return rf"(?:[{SPACE}/]++|[^{SPACE}/>][^{SPACE}/>=]*+(?:[{SPACE}]*+=[{SPACE}]*+{value})?+)*+"


ATTRIBUTES = rf"{_attributes(f'{_UNQUOTED}(?P<bare>)')}(?P<end>>|\Z)"
"""What follows the name of a tag; `bare` stands behind the last value without quotes, which takes a slash at
its end. A group around that value may be left half set, which is a fault of Python 3.11."""

# what looks like a comment in a script may hold scripts
_WITHIN_TWICE = (
    rf"<script{NAME_END}(?:[^<-]++|-(?!->)|<(?!/script{NAME_END}))*+(?:</script(?={NAME_END})|(?=-->)|\Z)"
)
_COMMENT_IN_SCRIPT = (
    rf"<!--(?:-?>|(?:[^<-]++|-(?!->)|{_WITHIN_TWICE}|<(?!/?script{NAME_END}))*+(?:-->|(?=</script)|\Z))"
)
_IN_SCRIPT = rf"(?:[^<]++|{_COMMENT_IN_SCRIPT}|<(?!/script{NAME_END}|!--))*+"
RAW_ELEMENT = (
    rf"<(?P<raw>(?P<script>script)|{'|'.join(sorted(RAW - {'script'}))}){NAME_END}{_attributes(_UNQUOTED)}"
    rf"(?:>(?(script){_IN_SCRIPT}|(?:[^<]++|<(?!/(?P=raw){NAME_END}))*+)"
    rf"(?:</(?P=raw){_attributes(_UNQUOTED)})?+)?+"
    r"(?:>|\Z)"
)
"""It ends with the end tag of its name; a lazy search for that takes five times as long."""

UNCLEAR = "?"
"""Stands for a tag where it can't be told what is one: a CDATA section in svg or MathML, or an element there
that in HTML holds text alone."""
MARKUP = re.compile(
    rf"{COMMENT}"
    rf"|{RAW_ELEMENT}"
    r"|<(?:(?P<cdata>!\[CDATA\[)|[!?]|/(?![a-z]))[^>]*+(?:>|\Z)"
    rf"|<(?P<slash>/?)(?P<name>[a-z][^{SPACE}/>]*+){ATTRIBUTES}",
    re.IGNORECASE | re.ASCII,
)
"""A comment, a whole element whose content is text (`raw`), what is no tag (of which `cdata` begins a text in
svg and MathML), or a tag: `slash`, `name`, and `end`, which is empty if it has none. What has no end goes on
to the end of the page, so that no page is looked through more than once."""


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
    """The tags from a place on, and what is `UNCLEAR`; comments, declarations and a tag without an end are
    passed over."""
    depth = 0  # in svg and MathML
    for found in MARKUP.finditer(source, at):
        if raw := found["raw"]:
            is_unclear = depth and _holds_tags(source, *found.span(), raw)
            yield Tag(UNCLEAR if is_unclear else raw.lower(), False, False, *found.span())
        elif found["end"]:
            name = found["name"]
            # of other letters, such as the sign of Kelvin, parsers know no lower case
            name = name.lower() if name.isascii() else name
            tag = Tag(name, bool(found["slash"]), closes_itself(found), *found.span())
            if name in FOREIGN and not tag.closed:
                depth = max(0, depth + (-1 if tag.closes else 1))
            yield tag
        elif found["cdata"] and depth:
            yield Tag(UNCLEAR, False, False, *found.span())


def _holds_tags(source: str, start: int, end: int, name: str) -> bool:
    """Whether between an element's first and last tag there are others, or its end tag is missing."""
    last = source.rfind("<", start, end)
    has_end = source[last + 1 : last + 2 + len(name)].lower() == f"/{name.lower()}"
    return source.count("<", start, end) > 1 + has_end


def closes_itself(tag: re.Match[str]) -> bool:
    """Whether a tag, matched with `ATTRIBUTES`, ends in ``/>``."""
    end = tag.end()
    return tag.string.endswith("/>", tag.start(), end) and tag.end("bare") != end - 1


_IN_RUBY = frozenset({"rt", "rp"})
_ENDED_BY = {
    **dict.fromkeys(("option", "optgroup"), frozenset({"option"})),
    **dict.fromkeys(_IN_RUBY, _IN_RUBY),
}
"""What the start tag of another ends, among elements whose end tags look for them as those of words do."""


def are_balanced(source: str, name: str) -> bool:
    """Whether within elements of a name every end tag finds its start tag, and on the way to it nothing open
    that a parser treats in a way of its own.
    """
    opening = re.compile(rf"<{name}{NAME_END}", re.IGNORECASE | re.ASCII)
    at = 0
    while found := opening.search(source, at):
        opened: list[str] = []
        for tag in tags(source, found.start()):
            at = tag.end
            if tag.name in _OUTER or tag.name == UNCLEAR:
                return False
            if tag.closes:
                if not _close(opened, tag.name):
                    return False
            elif tag.name not in VOID and tag.name not in RAW and not _is_closed(tag, opened):
                if opened and opened[-1] in _ENDED_BY.get(tag.name, ()):
                    opened.pop()
                opened.append(tag.name)
            if not opened:
                break
        if opened:
            return False
    return True


def _close(opened: list[str], name: str) -> bool:
    """Close what was opened, up to a name; False if there is none or something special is in between. The end
    of a form closes what is in between in templates alone, so there may be nothing.
    """
    while opened:
        innermost = opened.pop()
        if innermost == name:
            return True
        if name == "form" or innermost in SPECIAL or innermost in YOUNG or innermost in FORMATTING:
            return False
    return False


def _is_closed(tag: Tag, opened: list[str]) -> bool:
    """Whether an element ends with its start tag: that it closes itself is heeded in svg and MathML alone."""
    return tag.closed and (tag.name in FOREIGN or _in_foreign(opened))


def _in_foreign(opened: list[str]) -> bool:
    """Whether what comes next is an element of svg or MathML."""
    innermost = next((name for name in reversed(opened) if name in FOREIGN or name in HTML_WITHIN), "")
    return innermost in FOREIGN
