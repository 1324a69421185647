"""What a source makes a parser do, seen before any does: how deep its elements nest, and how often formatting
is opened again.

Both tidiers look from each new block through all open elements for a paragraph to close, so a source that
opens 100,000 elements within each other keeps them busy for minutes. And formatting that a block closes on
its way is opened again in the next: forty elements and `<p>x` again and again become forty times as many
nodes, a megabyte of it five gigabytes. Such a source is cut where it gets too bad; of 1,351 saved pages none
is.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from contexts.limits import Limits
from contexts.markup import FORMATTING, VOID

_FORMATTING: Final = FORMATTING - {"a"}
"""Of ``a`` one is open at most."""
_REST_CHARS: Final = 200
"""Of what follows a tag's name, where elements are told apart."""
_TAG: Final = re.compile(
    r"<!--(?:-?>|.*?--!?>|.*)|<(?P<raw>script|style|textarea|title|xmp)\b"
    rf"|<(?P<end>/?)(?P<name>[a-z][a-z0-9:-]*+)(?P<rest>[^>]{{0,{_REST_CHARS}}}+)",
    re.IGNORECASE | re.DOTALL,
)
"""Comments, to their end or that of the page; the beginning of what holds text alone; else a tag."""
_RAW_END: Final = re.compile(r"</(script|style|textarea|title|xmp)", re.IGNORECASE)


def _beginnings(names: Iterable[str]) -> npt.NDArray[np.bool_]:
    """(65,536,) whether a tag of some names may begin with two octets, the first in the low eight bits."""
    mask = np.zeros(1 << 16, np.bool_)
    behind_a_name = re.sub(rb"(?i)[a-z0-9:-]", b"", bytes(range(256)))
    for name in names:
        second = (name[1:2] + name[1:2].upper()).encode() or behind_a_name
        for pair in product((name[0] + name[0].upper()).encode(), second):
            mask[int.from_bytes(pair, "little")] = True
    return mask


_BEGINS_FORMATTING: Final = _beginnings(_FORMATTING)
_NEVER_DEEP: Final = frozenset(
    [
        *VOID,
        # closed by the next of their kind
        *("p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "caption"),
        *("colgroup", "option"),
        # of which one is open at most
        *("a", "html", "head", "body"),
    ]
)
"""What many pages open and never close, without getting deep."""
_NESTS: Final = re.compile(
    rf"<(?!(?:{'|'.join(sorted(_NEVER_DEEP))})(?![a-z0-9:-]))[a-z]".encode(), re.IGNORECASE
)
"""A start tag of anything else."""
_NEVER_DEEP_IN: Final = {"optgroup": "select", **dict.fromkeys(("rb", "rp", "rt", "rtc"), "ruby")}
"""What is closed by the next of its kind in an element of another kind, and nowhere else."""
_ALIKE: Final = 3
"""Of elements that are alike so many are opened again (the standard's "Noah's Ark clause")."""
_OPENS_FORMATTING: Final = re.compile(
    rf"<(?=((?:{'|'.join(sorted(_FORMATTING))})(?![a-z0-9:-])[^>]{{0,{4 * _REST_CHARS}}}))".encode(),
    re.IGNORECASE,
)
"""With so much behind the name that what `_TAG` tells apart is told apart here too: a character takes up to
four bytes."""


def is_plain(source: bytes, limits: Limits) -> bool:
    """Whether a source in UTF-8, as nearly all are, has too few tags for `without_abyss` to cut it."""
    octets = np.frombuffer(source, np.uint8)
    is_tag = octets == ord("<")
    tags = np.count_nonzero(is_tag)
    if tags > limits.max_open and len(_NESTS.findall(source)) > limits.max_open:
        return False
    if tags * tags <= 4 * limits.max_reopened:  # whatever part of them is formatting
        return True
    places = np.flatnonzero(is_tag[:-2])
    begins = octets[places + 1] | octets[places + 2].astype(np.uint16) << np.uint16(8)
    if tags * np.count_nonzero(_BEGINS_FORMATTING[begins]) <= limits.max_reopened:
        return True
    times = Counter(_OPENS_FORMATTING.findall(source)).values()
    return bool(tags * sum(min(n, _ALIKE) for n in times) <= limits.max_reopened)


def without_abyss(text: str, limits: Limits) -> str:
    """The source, cut where more than `Limits.max_open` elements would be open at once, or as much formatting
    would wait to be opened again, or where it would have been more than `Limits.max_reopened` times; else as
    it is.

    All are counted from above. Takes time in proportion to the source.
    """
    is_open: Counter[str] = Counter()
    formatting = _Formatting()
    depth = reopened = 0
    nested = 0  # formatting opened since the last tag that may have closed some
    at = 0
    while tag := _TAG.search(text, at):
        at = tag.end()
        name = (tag["name"] or "").lower()
        if not name:
            # in svg and MathML such a one holds elements like any other
            if tag["raw"] and not (is_open["svg"] or is_open["math"]):
                at = _end_of_raw(text, at, tag["raw"].lower())
            continue
        if name in _FORMATTING:
            nested = max(0, nested + formatting.meet(name, tag["rest"], bool(tag["end"])))
            # a parser compares each with all that are listed
            if nested > limits.max_open or formatting.listed > limits.max_open:
                return text[: tag.start()]
            continue
        if name not in VOID:
            nested = 0
        reopened += formatting.listed
        if name not in _NEVER_DEEP and not is_open[_NEVER_DEEP_IN.get(name, "")]:
            if not tag["end"]:
                is_open[name] += 1
                depth += 1
            elif is_open[name]:
                is_open[name] -= 1
                depth -= 1
        if depth > limits.max_open or reopened > limits.max_reopened:
            return text[: tag.start()]
    return text


def _end_of_raw(text: str, at: int, name: str) -> int:
    """Where the text ends in which only the end tag of its own element is one."""
    for end in _RAW_END.finditer(text, at):
        if end[1].lower() == name:
            return end.end()
    return len(text)


class _Formatting:
    """The formatting that has been opened and not closed: what would be opened again in the next block."""

    def __init__(self) -> None:
        self.listed = 0
        """How many, of those alike three at most."""
        self._alike: Counter[tuple[str, str]] = Counter()
        self._open: defaultdict[str, list[str]] = defaultdict(list)

    def meet(self, name: str, rest: str, is_end: bool) -> int:
        """A tag opens formatting, or closes what was opened last under its name: how many more are open."""
        if not is_end:
            self._open[name].append(rest)
            self._alike[name, rest] += 1
            self.listed += self._alike[name, rest] <= _ALIKE
            return 1
        if not self._open[name]:
            return 0
        alike = name, self._open[name].pop()
        self.listed -= self._alike[alike] <= _ALIKE
        self._alike[alike] -= 1
        return -1
