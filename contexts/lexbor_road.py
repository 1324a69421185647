"""The fast road: lexbor parses, its nodes are listed in document order, and arrays say what is below what.

A page has a thousand nodes, so nothing is done node by node in Python where one call can do it for all. Texts
of white space alone, nine tenths of all, are not even met; where it matters whether there was one, the
document is asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from contexts.draft import KEPT_ATTRIBUTES, NOT_IN_NOSCRIPT, UNREAD, Draft
from contexts.guard import may_differ
from contexts.limits import Limits
from contexts.listed import COMMENT, TEXT_NODE, Codes, Listed, among, name_tags, numbers_of
from contexts.rewriting import UNKNOWN, is_same_outside_selects, rewritten
from contexts.scripted_links import CLICKED, kept_of_clicked
from contexts.stretches import count_around
from contexts.tagtree import Ints

(_TEMPLATE,) = numbers_of(["template"])
_SCRIPT = frozenset({"script"})
_NOSCRIPT = frozenset({"noscript"})

_SLOTS = 1 << 15
"""Of the table in which parents are looked up by their addresses."""

_tag_id = attrgetter("tag_id")
_mem_id = attrgetter("mem_id")
_parent_id = attrgetter("parent.mem_id")
_text = attrgetter("text_content")


def lexbor_draft(source: bytes, limits: Limits) -> Draft | None:
    """The draft of lexbor's tree of a text in UTF-8; None if html5lib may make another tree of it."""
    listed = _listed(source, limits)
    if not may_differ(listed, source):
        return _draft_of(listed, limits)
    otherwise = _listed_otherwise(listed, source, limits)
    return None if otherwise is None else _draft_of(otherwise, limits)


def unguarded_draft(source: bytes, limits: Limits) -> Draft:
    """The draft of lexbor's tree, whatever html5lib would make of the text."""
    return _draft_of(_listed(source, limits), limits)


def _draft_of(listed: Listed, limits: Limits) -> Draft:
    text_nodes = listed.text_nodes
    draft = Draft(
        tags=listed.codes,
        names=listed.names,
        parent=listed.parent,
        end=listed.end,
        leaves=listed.leaves,
        texts=listed.texts,
        cuts={"nodes"} if listed.is_cut else set(),
        apart=lambda i: _space_after(text_nodes[i]),
    )
    handles = listed.handles
    kept = listed.find(KEPT_ATTRIBUTES)
    attributes = (handles[place].attributes for place in listed.places[kept].tolist())
    of_nodes: Iterable[tuple[int, dict[str, Any]]] = zip(kept.tolist(), attributes, strict=True)
    if clicked := dict(_kept_of_clicked(listed)):
        of_nodes = sorted({**clicked, **dict(of_nodes)}.items())
    draft.keep_attributes(of_nodes, limits)
    for place in listed.places[listed.find(_SCRIPT)].tolist():
        kind = handles[place].attrs.get("type")
        if kind:
            draft.keep_script(kind, handles[place].text() or "")
    return draft


def _kept_of_clicked(listed: Listed) -> Iterator[tuple[int, dict[str, str]]]:
    """Nodes that are no links but may lead somewhere when they are clicked, and what says so."""
    clicked = {handle.mem_id: handle for handle in listed.handles[0].css(CLICKED)}
    if not clicked:
        return
    ids = map(_mem_id, map(listed.handles.__getitem__, listed.places.tolist()))
    for node, mem_id in enumerate(ids):
        if mem_id in clicked and listed.name(node) != "template":
            yield node, kept_of_clicked(clicked[mem_id].attributes)


def _listed(source: bytes, limits: Limits) -> Listed:
    root = LexborHTMLParser(source, options=LexborDocumentOptions.WO_EVENTS).root
    assert root is not None, "every text has an html element"
    return listed_below(root, 2 * limits.max_nodes)


def _listed_otherwise(listed: Listed, source: bytes, limits: Limits) -> Listed | None:
    """The nodes of a page on which the tidiers differ, from a rewritten source on which they don't, if there
    is one.
    """
    source_otherwise = rewritten(listed, source)
    if source_otherwise is None:
        return None
    otherwise = _listed(source_otherwise, limits)
    if may_differ(otherwise, source_otherwise):
        return None
    if not is_same_outside_selects(listed, otherwise):
        return None
    names = {code: name.removesuffix(UNKNOWN) for code, name in otherwise.names.items()}
    return replace(otherwise, names=names)


def listed_below(root: LexborNode, max_nodes: int) -> Listed:
    """Elements and the texts that are read, in document order; templates' contents as their children."""
    handles = list(islice(root.traverse(include_text=True, skip_empty=True), max_nodes))
    codes = np.fromiter(map(_tag_id, handles), np.int64, len(handles))
    if (codes == _TEMPLATE).any():
        handles = list(islice(_with_templates(root), max_nodes))
        codes = np.fromiter(map(_tag_id, handles), np.int64, len(handles))
    n = len(handles)
    parent = _parents(np.fromiter(map(_parent_id, handles), np.int64, n))
    end = _ends(parent)
    names = name_tags(codes, parent, end, handles)
    is_text = codes == TEXT_NODE
    _unset_below(_unread(codes, names, end), end, is_text)
    is_listed = is_text | (codes > COMMENT)
    places = np.flatnonzero(is_text)
    texts = list(map(_text, map(handles.__getitem__, places.tolist())))
    text_nodes = [handles[place] for place in places.tolist()]
    if (stay := _stay(texts, text_nodes, is_text, is_listed, parent)) is not None:
        texts, text_nodes = [texts[i] for i in stay], [text_nodes[i] for i in stay]
        is_listed[places] = False
        places = places[stay]
        is_listed[places] = True
    before = np.zeros(n + 1, np.int32)
    np.cumsum(is_listed, out=before[1:])
    listed = np.flatnonzero(is_listed)
    above = before[parent[listed]]
    above[0] = -1
    return Listed(
        codes=codes[listed],
        names=names,
        parent=above,
        end=before[end[listed]],
        handles=handles,
        places=listed,
        leaves=before[places],
        texts=texts,
        text_nodes=text_nodes,
        is_cut=n == max_nodes,
    )


def _with_templates(root: LexborNode) -> Iterator[LexborNode]:
    """All nodes in document order, what stands in a template after the template."""
    walks = [root.traverse(include_text=True, skip_empty=True)]
    while walks:
        for node in walks[-1]:
            yield node
            if node.tag_id == _TEMPLATE and (content := _content(node)) is not None:
                walks.append(content.traverse(include_text=True, skip_empty=True))
                break
        else:
            walks.pop()


def _content(template: LexborNode) -> LexborNode | None:
    """What holds the contents of a template; None for svg's, which are no templates."""
    for content in template.template_fragments()[:1]:
        host = content.parent
        if host is not None and host.mem_id == template.mem_id:
            return content
    return None


def _parents(parent_ids: npt.NDArray[np.int64]) -> Ints:
    """(n,) parent of each node in document order, -1 for the root, given the address of the parent."""
    # the first that names a node as its parent follows that node at once
    before = np.arange(-1, len(parent_ids) - 1, dtype=np.int32)
    # a node takes more than 64 bytes, and nodes lie close to each other, so few share a slot
    slots = (parent_ids >> 6) & (_SLOTS - 1)
    place_of = np.empty(_SLOTS, np.int32)
    place_of[slots[::-1]] = before[::-1]  # of several writes to one place the last stays
    parent: Ints = place_of[slots]
    first_of: dict[int, int] = {}
    for node in np.flatnonzero(parent_ids[parent + 1] != parent_ids).tolist():
        parent[node] = first_of.setdefault(int(parent_ids[node]), node - 1)
    return parent


def _ends(parent: Ints) -> Ints:
    """(n,) one past the last node of each subtree, in document order."""
    # of several writes to one place the last stays: each node's last child, and of that the last, and so on
    last = np.arange(len(parent))
    last[parent[1:]] = last[1:].copy()
    while True:
        further = last[last]
        if np.array_equal(further, last):
            return (last + 1).astype(np.int32)
        last = further


def _unread(codes: Codes, names: Mapping[int, str], end: Ints) -> npt.NDArray[np.intp]:
    """Nodes below which no text is read."""
    unread = among(codes, names, UNREAD)
    noscripts = np.flatnonzero(among(codes, names, _NOSCRIPT))
    if len(noscripts):
        before = np.append(0, np.cumsum(among(codes, names, NOT_IN_NOSCRIPT)))
        unread[noscripts] = before[end[noscripts]] == before[noscripts + 1]
    return np.flatnonzero(unread)


def _unset_below(roots: npt.NDArray[np.intp], end: Ints, mask: npt.NDArray[np.bool_]) -> None:
    """Unset a mask for some nodes and all that stands below them."""
    mask[count_around(roots, end[roots], len(mask)) > 0] = False


def _stay(
    texts: list[str],
    text_nodes: list[LexborNode],
    is_text: npt.NDArray[np.bool_],
    is_listed: npt.NDArray[np.bool_],
    parent: Ints,
) -> list[int] | None:
    """Which texts stay when those of white space alone are left out, and those that comments divide are put
    together in the first of them; None if all do."""
    blank = list(map(str.isspace, texts))
    listed = np.flatnonzero(is_listed)
    follows = is_text[listed[1:]] & is_text[listed[:-1]] & (parent[listed[1:]] == parent[listed[:-1]])
    if not follows.any():
        return [i for i, is_blank in enumerate(blank) if not is_blank] if True in blank else None
    # texts with the same parent and the same number of elements before them are parts of one
    before = np.cumsum(is_listed & ~is_text)[is_text].tolist()
    above = parent[is_text].tolist()
    stay: list[int] = []
    further: defaultdict[int, list[str]] = defaultdict(list)
    for i, text in enumerate(texts):
        if stay and before[i] == before[stay[-1]] and above[i] == above[stay[-1]]:
            further[stay[-1]].append(" " + text if _space_before(text_nodes[i]) else text)
            text_nodes[stay[-1]] = text_nodes[i]
        elif not blank[i]:
            stay.append(i)
    for i, parts in further.items():  # put together at the end, or each part would cost a copy of all before
        texts[i] += "".join(parts)
    return stay


def _is_blank(text_node: LexborNode) -> bool:
    return (text_node.text_content or "").isspace()


def _space_before(node: LexborNode) -> bool:
    """Whether the text before a text in the same element is white space alone; comments may stand between.

    To lexbor a processing instruction is neither element nor comment; html5lib takes it for a comment.
    """
    at = node.prev
    while at is not None and not at.is_text_node:
        at = at.prev
    return at is not None and _is_blank(at)


def _space_after(node: LexborNode) -> bool:
    """Whether the next text in document order is white space alone; else it is the next that is listed, or
    the first part of it.
    """
    at = _behind(node)
    while at is not None and not at.is_text_node:
        at = at.child or _behind(at)
    return at is not None and _is_blank(at)


def _behind(node: LexborNode) -> LexborNode | None:
    """The first node in document order behind all that stands below a node."""
    at: LexborNode | None = node
    while at is not None and at.next is None:
        at = at.parent
    return None if at is None else at.next
