"""html5lib's parser, for pages that would keep it busy for minutes: it stops where a limit is reached.

Three things make it quadratic: it looks through all open elements at each tag, it makes a comment, a name or
a value longer by one character at a time, and a text by one piece at a time, each with a copy of all before.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from typing import Any

import html5lib
from html5lib._tokenizer import HTMLTokenizer
from html5lib.constants import tokenTypes

from contexts.limits import NESTED_BY_PEOPLE, Limits

_STEPS_AT_ONCE = 256
"""Between two looks at the time and at how long the token has become that the tokenizer is at."""
_TEXTS = frozenset({tokenTypes["Characters"], tokenTypes["SpaceCharacters"]})
_TEXT_ENDS = frozenset({tokenTypes["StartTag"], tokenTypes["Comment"]})
_ERROR = tokenTypes["ParseError"]


class TooMuchWorkError(Exception):
    """The parser would look through open elements, or copy texts, for too long."""


class LimitedParser(html5lib.HTMLParser):
    """Notes in `cuts` which limit ended the page; raises `TooMuchWorkError` where none should."""

    def __init__(self, limits: Limits, cuts: set[str]) -> None:
        super().__init__(namespaceHTMLElements=False)
        self.limits, self.cuts = limits, cuts

    def mainLoop(self) -> None:  # noqa: N802
        self.tokenizer.__class__ = _LimitedTokenizer  # html5lib makes its tokenizer itself
        super().mainLoop()

    def parseError(self, *_: object) -> None:  # noqa: N802
        """Nothing: nobody asks which errors a page has, and where each stands takes long to count."""


class _LimitedTokenizer(HTMLTokenizer):
    """Ends, as at the end of the file, once its parser has reached a limit."""

    parser: LimitedParser

    def __iter__(self) -> Iterator[Any]:
        self.tokenQueue: deque[Any] = deque()
        self.stream.reportCharacterErrors = lambda _: None
        read_chars = self.stream.dataStream.tell
        until = time.monotonic() + self.parser.limits.max_seconds
        work = _Work(self.parser.limits)
        n_steps = token_at = 0
        while self.state():
            n_steps += 1
            if not n_steps % _STEPS_AT_ONCE:
                work.copy(_STEPS_AT_ONCE * (read_chars() - token_at))
                if time.monotonic() > until:
                    self.parser.cuts.add("time")
                    return
            while self.tokenQueue:
                token = self.tokenQueue.popleft()
                if token["type"] == _ERROR:
                    continue
                yield token
                token_at = read_chars()
                work.add(token)
                n_open = len(self.parser.tree.openElements)
                if n_open > NESTED_BY_PEOPLE:
                    work.look_through(n_open)
                    if n_open > self.parser.limits.max_depth:
                        self.parser.cuts.add("depth")
                        return


class _Work:
    """What a parser has done that is not in proportion to its page; raises `TooMuchWorkError`."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.n_scanned = self.n_copied = 0
        self.text_chars = 0
        """Of the text to which the next piece is added."""

    def look_through(self, n_open: int) -> None:
        """Count a look through open elements."""
        self.n_scanned += n_open - NESTED_BY_PEOPLE
        if self.n_scanned > self.limits.max_scanned:
            raise TooMuchWorkError

    def add(self, token: Any) -> None:
        """Count what it takes to add a token to the tree."""
        if token["type"] in _TEXTS:
            self.text_chars += len(token["data"])
            self.copy(self.text_chars)
        elif token["type"] in _TEXT_ENDS:
            self.text_chars = 0

    def copy(self, n_chars: int) -> None:
        """Count so many characters that were copied."""
        self.n_copied += n_chars
        if self.n_copied > self.limits.max_copied:
            raise TooMuchWorkError
