"""Tags with thousands of attributes: both tidiers compare each attribute with all before it in its tag."""

from __future__ import annotations

import re
from functools import cache

from contexts.markup import ATTRIBUTES

_STRETCH_BYTES = 10_000
"""In so many bytes nearly every page has the end of a tag."""
_LONG_BYTES = 250_000
"""A longer source is looked through anyway, for values in quotes may hold what looks like that end."""
_SPACE = r" \t\n\r\f"
"""The standard's white space, for the inside of a class."""


def may_be_crowded(source: bytes) -> bool:
    """Whether a source is long, or has a long stretch without the end of a tag within what may be one."""
    if len(source) > _LONG_BYTES:
        return True
    stretches = range(0, len(source) - _STRETCH_BYTES, _STRETCH_BYTES)
    return any(
        source.find(b">", at, at + _STRETCH_BYTES) < 0
        and source.rfind(b"<", 0, at) > source.rfind(b">", 0, at)
        for at in stretches
    )


def without_crowd(source: bytes, most: int) -> bytes:
    """The source without what stands in a tag behind its first `most` attributes."""
    return _crowded(most).sub(rb"\g<head>>", source)


@cache
def _crowded(most: int) -> re.Pattern[bytes]:
    # what is looked through from one tag on holds no other, so nothing is looked through twice
    value = rf"[{_SPACE}]*+=[{_SPACE}]*+(?:\"[^\"]*+\"|'[^']*+'|[^{_SPACE}<>\"'][^{_SPACE}<>]*+)?+"
    attribute = rf"[{_SPACE}/]++[^{_SPACE}/<>=]++(?:{value})?+"
    head = rf"(?P<head><[a-zA-Z][^{_SPACE}/<>]*+(?:{attribute}){{{most}}}+)"
    return re.compile(rf"{head}[{_SPACE}/]{ATTRIBUTES}".encode())
