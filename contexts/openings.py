"""How many elements a parser has open, reckoned tag by tag.

Where what an end tag closes depends on more than is known here, as with a form's, a cell's or one in svg, it
closes only what was opened last. Elements that are closed by the end tag of another may yet be open in the
parser, which heeds no end tag of what it has closed before; how many these are is counted, too. What a parser
opens no second time within itself, such as paragraphs and rows, is not.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from contexts.markup import FOREIGN, HTML_WITHIN, SPECIAL, VOID, YOUNG

_SOFT: Final = frozenset(
    ("p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "caption", "colgroup")
)
"""Closed by the next of their kind."""
_EMPTY: Final = VOID | {"basefont", "bgsound", "frame", "image", "keygen"}
"""Without content."""
NEVER_DEEP: Final = _EMPTY | _SOFT | {"a", "html", "head", "body"}
"""What many pages open and never close, without getting deep; of the last four one is open at most."""
_CLOSED_BY_NEXT: Final = {
    "select": frozenset({"option", "optgroup"}),
    "ruby": frozenset({"rb", "rp", "rt", "rtc"}),
    "option": frozenset({"option"}),
}
"""By an element, what in it is closed by the next of its kind as long as nothing else is opened or closed."""
_BREAK_OUT_TAGS = """
    b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu
    meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var
"""
_BREAK_OUT: Final = frozenset(_BREAK_OUT_TAGS.split())
"""Tags that end svg and MathML, or are HTML's in them."""
_BLOCK_TAGS = """
    address applet article aside blockquote button center details dir div dl fieldset figure footer h1 h2 h3
    h4 h5 h6 header listing marquee menu nav object ol pre section select table ul
"""
_BLOCKS: Final = frozenset(_BLOCK_TAGS.split())
"""Whose end tags close all that is open in them, up to an element that hides what is around it."""
_SCOPES: Final = HTML_WITHIN | {"applet", "marquee", "object", "select", "table", "template", "title"}
"""The elements that hide what is around them."""
_KINDS: Final = FOREIGN | HTML_WITHIN | {"title"}
"""The elements that tell whether a tag is one of svg, of MathML or of HTML."""
_FENCES: Final = SPECIAL | YOUNG | _SCOPES | {"search"}
"""Past these the end tags of all others don't reach."""
_LAST_ALONE: Final = _SOFT | HTML_WITHIN | {"form", "title"}
"""What is closed by its end tag if it was opened last, and perhaps not otherwise."""


class Openings:
    """The elements that are open, but for formatting."""

    def __init__(self) -> None:
        self.depth = 0
        """How many are counted."""
        self.doubtful = 0
        """How many were closed by the end tag of another."""
        self._names: list[str] = []
        self._counts: list[bool] = []
        """Whether each is counted."""
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        self._fences: list[int] = []
        self._scopes: list[int] = []
        self._kinds: list[str] = []
        """Of svg and MathML, and of what in them holds HTML."""
        self._closed_by_next: frozenset[str] = frozenset()

    def start(self, name: str, closes_itself: bool) -> None:
        """A start tag, of anything but formatting."""
        is_foreign = bool(self._kinds) and self._kinds[-1] in FOREIGN and name not in _BREAK_OUT
        if closes_itself and (is_foreign or name in FOREIGN):
            return
        if not is_foreign:
            if (name in _EMPTY and name not in {"input", "keygen"}) or name in self._closed_by_next:
                return
            opened = not (name == "select" and self._places[name])  # a second one closes the first
            self._closed_by_next = _CLOSED_BY_NEXT.get(name, frozenset()) if opened else frozenset()
            if name in NEVER_DEEP:
                if name in _SOFT and not (self._names and self._names[-1] == name):
                    self._push(name, False)
                return
        self._push(name, True)

    def end(self, name: str) -> None:
        """An end tag, of anything but formatting."""
        if name not in self._closed_by_next or self._closed_by_next == {name}:
            self.pass_by()
        places = self._places[name]
        if not places:
            return
        place = places[-1]
        if name in _LAST_ALONE:
            is_hidden = place < len(self._names) - 1
        else:
            around = self._scopes if name in _BLOCKS else self._fences
            is_hidden = bool(around) and around[-1] > place
        if is_hidden:
            return
        before = self.depth
        while len(self._names) > place:
            self._pop()
        if before - self.depth > 1:
            self.doubtful += before - self.depth

    def pass_by(self) -> None:
        """Something else was opened or closed."""
        self._closed_by_next = frozenset()

    def _push(self, name: str, is_counted: bool) -> None:
        place = len(self._names)
        self._names.append(name)
        self._counts.append(is_counted)
        self.depth += is_counted
        self._places[name].append(place)
        if name in _FENCES:
            self._fences.append(place)
        if name in _SCOPES:
            self._scopes.append(place)
        if name in _KINDS:
            self._kinds.append(name)

    def _pop(self) -> None:
        name = self._names.pop()
        self.depth -= self._counts.pop()
        self._places[name].pop()
        if name in _FENCES:
            self._fences.pop()
        if name in _SCOPES:
            self._scopes.pop()
        if name in _KINDS:
            self._kinds.pop()
