"""The exact road: html5lib parses, one iterative walk writes the draft."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from html5lib.constants import DataLossWarning

from contexts.draft import KEPT_ATTRIBUTES, NOT_IN_NOSCRIPT, UNREAD, Draft
from contexts.limited_html5lib import LimitedParser
from contexts.limits import MAX_TAG_CHARS, Limits
from contexts.scripted_links import kept_of_clicked
from contexts.tagtree import TEXT

_PREFIXES = {
    "http://www.w3.org/1999/xhtml": "",
    "http://www.w3.org/2000/svg": "svg:",
    "http://www.w3.org/1998/Math/MathML": "math:",
    "http://www.w3.org/1999/xlink": "xlink:",
    "http://www.w3.org/XML/1998/namespace": "xml:",
    "http://www.w3.org/2000/xmlns/": "xmlns:",
}


def html5lib_draft(text: str, limits: Limits) -> Draft | None:
    """The draft of html5lib's tree; None for a page that would take too long.

    How long is told by `Limits.max_scanned` and `Limits.max_copied`. None, too, for a page of which html5lib
    makes no tree: some markup breaks its assertions, as ``<svg><select><title><select><select>`` does.
    """
    cuts: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataLossWarning)
        try:
            root = LimitedParser(limits, cuts).parse(text)
        except Exception:  # whatever it is, the page is still to be read
            return None
    draft, elements = _walked(root)
    draft.cuts = cuts
    for element in elements.values():
        if _name(element.tag) == "script":
            draft.keep_script(element.attrib.get("type", ""), element.text or "")
    draft.keep_attributes([(node, _attributes(element)) for node, element in elements.items()], limits)
    return draft


def _attributes(element: Any) -> dict[str, str]:
    """What is kept of an element's attributes."""
    if _name(element.tag) in KEPT_ATTRIBUTES:
        return {_name(key): value for key, value in element.attrib.items()}
    return kept_of_clicked(element.attrib)


def _walked(root: Any) -> tuple[Draft, dict[int, Any]]:
    """The draft of a tree without attributes and scripts, and by node the elements that hold these."""
    elements: dict[int, Any] = {}
    tags: list[str] = []
    parents: list[int] = []
    ends: list[int] = []
    leaves: list[int] = []
    texts: list[str] = []
    spaced: set[int] = set()  # leaves behind which white space stands by itself
    parent = -1
    unread: list[int] = []  # what is open and below which no text is read
    n_templates = 0
    for text, element in _events(root):
        if text and not unread:
            if text.isspace():
                spaced.add(len(leaves) - 1)
            else:
                leaves.append(len(tags))
                texts.append(text)
                tags.append(TEXT)
                parents.append(parent)
                ends.append(len(tags))
        if element is not None:
            name = _name(element.tag)[:MAX_TAG_CHARS]
            parents.append(parent)
            parent = len(tags)
            tags.append(name)
            ends.append(0)
            if name in UNREAD and not (name == "noscript" and _goes_on(element)):
                unread.append(parent)
            n_templates += name == "template"
            is_clicked = not n_templates and "onclick" in element.attrib
            if is_clicked or name in KEPT_ATTRIBUTES or name == "script":
                elements[parent] = element
        else:
            if unread and unread[-1] == parent:
                unread.pop()
            n_templates -= tags[parent] == "template"
            ends[parent] = len(tags)
            parent = parents[parent]
    numbers = {name: i for i, name in enumerate(dict.fromkeys(tags))}
    draft = Draft(
        tags=np.array([numbers[tag] for tag in tags], np.int32),
        names=dict(enumerate(numbers)),
        parent=np.array(parents, np.int32),
        end=np.array(ends, np.int32),
        leaves=np.array(leaves, np.int32),
        texts=texts,
        apart=spaced.__contains__,
    )
    return draft, elements


def _goes_on(noscript: Any) -> bool:
    """Whether a noscript was not closed where it was meant to be; see `NOT_IN_NOSCRIPT`."""
    within = noscript.iter()
    next(within)
    return any(element.tag in NOT_IN_NOSCRIPT for element in within)


def _events(root: Any) -> Iterator[tuple[str, Any]]:
    """Each element as it opens, and None as the innermost closes, with the text that stands before.

    Comments are left out: the texts on both sides of one are one text.
    """
    walks: list[Iterator[Any]] = [iter((root,))]
    tails: list[str] = []
    text = ""
    while True:
        element = next(walks[-1], None)
        if element is None:
            if not tails:
                return
            yield text, None
            walks.pop()
            text = tails.pop()
        elif isinstance(element.tag, str):
            yield text, element
            walks.append(iter(element))
            tails.append(element.tail or "")
            text = element.text or ""
        else:
            text += element.tail or ""


def _name(name: str) -> str:
    """A name with a short prefix in place of its namespace; a name may hold braces of its own."""
    if name[0] != "{":
        return name
    namespace, _, local = name[1:].partition("}")
    prefix = _PREFIXES.get(namespace)
    return name if prefix is None else prefix + local
