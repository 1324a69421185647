"""What a source makes a parser do, seen before any does: how deep its elements nest, and how often formatting
is opened again.

Both tidiers look from each new block through all open elements for a paragraph to close, so a source that
opens 100,000 elements within each other keeps them busy for minutes. And formatting that a block closes on
its way is opened again in the next: forty elements and `<p>x` again and again become forty times as many
nodes, a megabyte of it five gigabytes. Such a source is cut where it gets too bad; of 1,351 saved pages none
is. What might hide tags that a parser sees, hides none here.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from contexts.limits import Limits
from contexts.markup import FOREIGN, FORMATTING, MARKUP, NAME_END, SPACE, VOID, closes_itself
from contexts.openings import NEVER_DEEP, Openings

_FORMATTING: Final = FORMATTING - {"a"}
"""Of ``a`` one is open at most."""
_REST_CHARS: Final = 200
"""Of what follows a tag's name, where elements are told apart."""
_ANY_TAG: Final = re.compile(rf"<(?P<slash>/?)(?P<name>[a-z][^{SPACE}/>]*+)", re.IGNORECASE | re.ASCII)
"""A tag, also where it may stand in a comment, in a text or between quotes."""
_TAG_CHARS: Final = 1_000
"""So much is looked at of a tag that may stand anywhere."""
_CLOSES_ITSELF: Final = re.compile(
    rf"(?:[{SPACE}]++(?:[^{SPACE}\"'<=>/]++(?:=(?:\"[^\"]*+\"|'[^']*+'|[^{SPACE}\"'<=>/]++(?=[{SPACE}])))?+)?+)*+/"
)
"""What stands between the name of a tag and its end if, without a doubt, it closes itself."""
_LAST: Final = rf"(?:{NAME_END}|\Z)"


def _beginnings(names: Iterable[str]) -> npt.NDArray[np.bool_]:
    """(65,536,) whether a tag of some names may begin with two octets, the first in the low eight bits."""
    mask = np.zeros(1 << 16, np.bool_)
    behind_a_name = b"\t\n\r\f />"
    for name in names:
        second = (name[1:2] + name[1:2].upper()).encode() or behind_a_name
        for pair in product((name[0] + name[0].upper()).encode(), second):
            mask[int.from_bytes(pair, "little")] = True
    return mask


_BEGINS_FORMATTING: Final = _beginnings(_FORMATTING)
_NESTS: Final = re.compile(rf"<(?!(?:{'|'.join(sorted(NEVER_DEEP))}){_LAST})[a-z]".encode(), re.IGNORECASE)
"""A start tag of anything that may stand within others of its kind."""
_IS_FOREIGN: Final = re.compile(rf"<(?:{'|'.join(sorted(FOREIGN))}){_LAST}".encode(), re.IGNORECASE)
_ALIKE: Final = 3
"""Of elements that are alike so many are opened again (the standard's "Noah's Ark clause")."""
_OPENS_FORMATTING: Final = re.compile(
    rf"<(?=((?:{'|'.join(sorted(_FORMATTING))}){_LAST}[^>]{{0,{4 * _REST_CHARS}}}))".encode(),
    re.IGNORECASE,
)
"""With so much behind the name that what `_rest` tells apart is told apart here too: a character takes up to
four bytes."""


def is_plain(source: bytes, limits: Limits) -> bool:
    """Whether a source in UTF-8, as nearly all are, has too few tags for `without_abyss` to cut it."""
    octets = np.frombuffer(source, np.uint8)
    is_tag = octets == ord("<")
    tags = int(np.count_nonzero(is_tag))
    if tags > limits.max_open or tags * tags > limits.max_walked:
        # in svg and MathML anything nests
        nest = tags if _IS_FOREIGN.search(source) else len(_NESTS.findall(source))
        if nest > limits.max_open or tags * nest > limits.max_walked:
            return False
    if tags * tags <= 4 * limits.max_reopened:  # whatever part of them is formatting
        return True
    places = np.flatnonzero(is_tag[:-2])
    begins = octets[places + 1] | octets[places + 2].astype(np.uint16) << np.uint16(8)
    if tags * np.count_nonzero(_BEGINS_FORMATTING[begins]) <= limits.max_reopened:
        return True
    times = Counter(_OPENS_FORMATTING.findall(source))
    kinds = sum(n if _may_go_on(beginning) else min(n, _ALIKE) for beginning, n in times.items())
    return bool(tags * kinds <= limits.max_reopened)


def without_abyss(text: str, limits: Limits) -> str:
    """The source, cut where more than `Limits.max_open` elements would be open at once, or as much formatting
    would wait to be opened again, or where it would have been more than `Limits.max_reopened` times, or more
    than `Limits.max_walked` open elements looked through; else as it is.

    All are counted too high rather than too low. Takes time in proportion to the source.
    """
    openings = Openings()
    formatting = _Formatting()
    reopened = walked = 0
    nested = 0  # formatting opened since the last tag that may have closed some
    unclosed = 0  # formatting that none but other tags may have closed
    for name, is_end, is_whole, start, name_end in _tags(text):
        walked += openings.depth + openings.doubtful + unclosed
        if name in _FORMATTING:
            openings.pass_by()
            more = formatting.meet(name, _rest(text, name_end), is_end)
            nested, unclosed = max(0, nested + more), unclosed + more
            # a parser compares each with all that are listed
            if max(nested, formatting.listed) > limits.max_open or walked > limits.max_walked:
                return text[:start]
            continue
        if name not in VOID:
            nested = 0
        reopened += formatting.listed
        if is_end:
            openings.end(name)
        else:
            openings.start(name, is_whole)
        if openings.depth > limits.max_open or reopened > limits.max_reopened or walked > limits.max_walked:
            return text[:start]
    return text


def _tags(text: str) -> Iterator[tuple[str, bool, bool, int, int]]:
    """All that may be a tag: its name, whether it is an end tag, whether it closes itself, its place, and
    where its name ends.

    In svg and MathML there are tags in what elsewhere is text alone. Whether the parser is in one is not
    known for sure, so behind the first such text after one is mentioned, nothing is taken for text any more.
    """
    at = 0
    was_foreign = False
    while found := MARKUP.search(text, at):
        at = found.end()
        if found["raw"] or found["cdata"]:
            if was_foreign:
                at = found.start()
                break
            continue
        if found["name"]:
            name = _lower(found["name"])
            was_foreign |= name in FOREIGN
            yield name, bool(found["slash"]), closes_itself(found), found.start(), found.end("name")
    else:
        return
    for found in _ANY_TAG.finditer(text, at):
        name_end = found.end()
        end = text.find("/>", name_end, name_end + _TAG_CHARS) + 1
        is_whole = end > 0 and _CLOSES_ITSELF.fullmatch(text, name_end, end) is not None
        yield _lower(found["name"]), bool(found["slash"]), is_whole, found.start(), name_end


def _lower(name: str) -> str:
    """Lower case of ASCII letters alone: for others, such as the sign of Kelvin, parsers know none."""
    return name.lower() if name.isascii() else name


def _rest(text: str, at: int) -> str:
    """What follows the name of a tag, as far as elements are told apart by it."""
    piece = text[at : at + _REST_CHARS]
    beginning = piece.partition(">")[0]
    return piece if _may_go_on(beginning) else beginning


def _may_go_on(beginning: str | bytes) -> bool:
    """Whether the first ``>`` behind a tag's name may stand between quotes, given what comes before it."""
    if isinstance(beginning, str):
        double, single = beginning.count('"'), beginning.count("'")
    else:
        double, single = beginning.count(b'"'), beginning.count(b"'")
    return bool(double % 2 or single % 2 or (double and single))


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
