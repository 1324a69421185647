"""A page's text, cut to what no parser takes too long for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from contexts.crowded_tags import may_be_crowded, without_crowd
from contexts.limits import Limits
from contexts.nesting import is_plain, without_abyss

_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Source:
    """What a parser is given."""

    text: str
    encoded: bytes
    """The same in UTF-8."""
    cuts: frozenset[str]
    """Names of the limits that cut it."""


def within(limits: Limits, text: str, truncated: bool = False) -> Source:
    """A text up to the limits; `truncated` says that it was cut before it came here."""
    cuts = {"bytes"} if truncated or len(text) > limits.max_chars else set()
    text, encoded = _encodable(text[: limits.max_chars])
    if not is_plain(encoded, limits):
        shallow = without_abyss(text, limits)
        if len(shallow) < len(text):
            cuts.add("nodes")
            text, encoded = shallow, shallow.encode()
    if may_be_crowded(encoded):
        roomy = without_crowd(encoded, limits.max_attributes_of_tag)
        if len(roomy) < len(encoded):
            cuts.add("attributes")
            text, encoded = roomy.decode(), roomy
    return Source(text, encoded, frozenset(cuts))


def _encodable(text: str) -> tuple[str, bytes]:
    """A text without lone surrogates, and the same in UTF-8."""
    try:
        return text, text.encode()
    except UnicodeEncodeError:
        text = _SURROGATES.sub("\ufffd", text)
        return text, text.encode()
