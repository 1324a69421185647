"""The exact road: html5lib parses, one iterative walk writes the draft."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import html5lib
from html5lib.constants import DataLossWarning

from contexts.draft import KEPT_ATTRIBUTES, UNREAD, Draft
from contexts.limits import Limits

_NAMESPACES = {
    "http://www.w3.org/1999/xhtml": "",
    "http://www.w3.org/2000/svg": "svg:",
    "http://www.w3.org/1998/Math/MathML": "math:",
    "http://www.w3.org/1999/xlink": "xlink:",
    "http://www.w3.org/XML/1998/namespace": "xml:",
    "http://www.w3.org/2000/xmlns/": "xmlns:",
}


class _LimitedParser(html5lib.HTMLParser):
    """Stops reading, as at the end of the file, once a limit is reached."""

    def __init__(self, limits: Limits, cuts: set[str]) -> None:
        super().__init__(namespaceHTMLElements=False)
        self._limits, self._cuts = limits, cuts

    def normalizedTokens(self) -> Iterator[Any]:  # noqa: N802
        until = time.monotonic() + self._limits.max_seconds
        for count, token in enumerate(super().normalizedTokens()):
            yield token
            if len(self.tree.openElements) > self._limits.max_depth:
                self._cuts.add("depth")
                return
            if not count % 256 and time.monotonic() > until:
                self._cuts.add("time")
                return


def html5lib_draft(text: str, limits: Limits) -> Draft:
    """The draft of html5lib's tree."""
    draft = Draft()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataLossWarning)
        root = _LimitedParser(limits, draft.cuts).parse(text)
    tags, parents, ends, leaves, texts = draft.tags, draft.parent, draft.end, draft.leaves, draft.texts
    kept = 0
    parent = -1
    unread = 0
    stack: list[tuple[Any, Iterator[Any], str]] = []
    pending = ""

    def flush() -> None:
        nonlocal pending
        if pending and not unread and not pending.isspace():
            leaves.append(len(tags))
            texts.append(pending)
            tags.append("#text")
            parents.append(parent)
            ends.append(len(tags))
        pending = ""

    element: Any = root
    while True:
        if element is not None:
            flush()
            if len(tags) >= limits.max_nodes:
                draft.cuts.add("nodes")
                break
            here = len(tags)
            name = _name(element.tag)
            tags.append(name)
            parents.append(parent)
            ends.append(0)
            if name == "script":
                draft.keep_script(element.attrib.get("type", ""), element.text or "")
            elif name in KEPT_ATTRIBUTES:
                found = {_name(key): value for key, value in element.attrib.items()}
                if found and kept < limits.max_attributes:
                    kept += len(found)
                    draft.attributes[here] = found
                elif found:
                    draft.cuts.add("attributes")
            stack.append((element, iter(element), name))
            parent = here
            unread += name in UNREAD
            pending = element.text or ""
            element = None
            continue
        child = next(stack[-1][1], None)
        if child is None:
            flush()
            closed, _, name = stack.pop()
            ends[parent] = len(tags)
            unread -= name in UNREAD
            parent = parents[parent]
            if not stack:
                return draft
            pending = closed.tail or ""
        elif isinstance(child.tag, str):
            element = child
        else:
            pending += child.tail or ""
    while parent >= 0:
        ends[parent] = len(tags)
        parent = parents[parent]
    return draft


def _name(name: str) -> str:
    if name[0] != "{":
        return name
    namespace, _, local = name[1:].partition("}")
    return _NAMESPACES.get(namespace, "") + local
