"""JSON of any length, an array or one value after the other, of which the good values are taken."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from testbed.odp.stream import DAMAGES

_BLOCK_CHARS = 1 << 16
_MOST_CHARS = 1 << 24
"""No value is longer; one that seems to be is none."""
_WINDOW_CHARS = 1 << 12
"""In so many a value is looked for; then in more and more."""
_MOST_WASTED_CHARS = 1 << 28
"""Read for values that turned out to be none; behind so many nothing is looked for."""
_LEAST_NESTED_CHARS = 512
"""What is nested too deeply for Python has more than so many."""
_LONGEST_WORD_CHARS = 16
"""So near to the end of what was read a literal may have been cut."""
_BETWEEN = re.compile(r"[\s,\ufeff]*")


class NoValue(NamedTuple):
    """Text that is no value."""

    detail: str
    is_cut_short: bool = False
    """Nothing follows."""


class _Blocks:
    """What was read of a text and not used, and where it stands."""

    def __init__(self, text: IO[str]) -> None:
        self._text = text
        self.buffer, self.at, self.line = "", 0, 1
        self.damage = ""

    def more(self) -> bool:
        """Read on, twice as much as is there; False at the end."""
        block = ""
        try:
            if not self.damage:
                block = self._text.read(max(_BLOCK_CHARS, len(self.buffer) - self.at))
        except DAMAGES as problem:
            self.damage = f"the compressed data is damaged: {problem}"
        self.buffer, self.at = self.buffer[self.at :] + block, 0
        return bool(block)

    def go_to(self, at: int) -> None:
        self.line += self.buffer.count("\n", self.at, at)
        self.at = at

    def skip(self) -> bool:
        """Go to what comes next; False if nothing does."""
        while True:
            between = _BETWEEN.match(self.buffer, self.at)
            self.go_to(between.end() if between else self.at)
            if self.at < len(self.buffer):
                return True
            if not self.more():
                return False

    def skip_line(self) -> None:
        """Go behind the next line end."""
        while (end := self.buffer.find("\n", self.at)) < 0:
            self.at = len(self.buffer)
            if not self.more():
                return
        self.go_to(end + 1)


def json_values(text: IO[str]) -> Iterator[tuple[int, Any]]:
    """The values of a text with the line on which each begins; `NoValue` for what is none, and for an end
    that comes too early. Behind what is none it goes on at the next line.
    """
    blocks, decoder = _Blocks(text), json.JSONDecoder()
    is_array = blocks.skip() and blocks.buffer[blocks.at] == "["
    blocks.go_to(blocks.at + is_array)
    window_chars, wasted_chars = _WINDOW_CHARS, 0
    while blocks.skip() and wasted_chars < _MOST_WASTED_CHARS:
        if is_array and blocks.buffer[blocks.at] == "]":
            return
        # what is wrong with a text is told with its line, which is counted from the beginning of the text
        window = blocks.buffer[blocks.at : blocks.at + window_chars]
        try:
            value, chars = decoder.raw_decode(window)
        except (ValueError, RecursionError) as problem:
            if _is_cut(problem, window) and window_chars < _MOST_CHARS:
                if len(window) == window_chars or blocks.more():
                    window_chars *= 4
                    continue
                break
            wasted_chars += getattr(problem, "pos", len(window))
            yield blocks.line, NoValue(window[:80])
            if isinstance(problem, RecursionError):  # from the next line on it is nested as deeply
                blocks.go_to(blocks.at + _LEAST_NESTED_CHARS)
            blocks.skip_line()
        else:
            yield blocks.line, value
            blocks.go_to(blocks.at + chars)
        window_chars = _WINDOW_CHARS
    if blocks.at < len(blocks.buffer) or is_array or blocks.damage:
        rest = blocks.buffer[blocks.at : blocks.at + 80]
        yield blocks.line, NoValue(blocks.damage or rest, is_cut_short=True)


def _is_cut(problem: Exception, window: str) -> bool:
    """Whether a value that can't be read may be one when more of it is."""
    return isinstance(problem, json.JSONDecodeError) and (
        problem.msg.startswith("Unterminated string") or problem.pos >= len(window) - _LONGEST_WORD_CHARS
    )
