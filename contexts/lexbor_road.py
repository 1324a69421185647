"""The fast road: lexbor parses, and one walk over its nodes in document order writes the draft.

Texts of white space alone, nine tenths of all, are not even met; where it matters whether there was one, the
document is asked.
"""

from __future__ import annotations

import numpy as np
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from contexts.draft import KEPT_ATTRIBUTES, UNREAD, Draft
from contexts.guard import may_differ
from contexts.limits import Limits
from contexts.listed import COMMENT, FOREIGN_ROOTS, PLAIN, TEMPLATE, TEXT_NODE, Listed, name_tags, numbers_of

_UNREAD = numbers_of(UNREAD)
_SCRIPT = frozenset({"script"})
_NOWHERE = 1 << 60


def lexbor_draft(source: bytes, limits: Limits) -> Draft | None:
    """The draft of lexbor's tree of a text in UTF-8; None if html5lib may make another tree of it."""
    root = LexborHTMLParser(source, options=LexborDocumentOptions.WO_EVENTS).root
    if root is None:
        return None
    listed = listed_below(root, 2 * limits.max_nodes)
    name_tags(listed)
    if may_differ(listed, source):
        return None
    text_nodes = listed.text_nodes
    draft = Draft(
        tags=np.array(listed.codes),
        names=listed.names,
        parent=np.array(listed.parent, np.int32),
        end=np.array(listed.end, np.int32),
        leaves=np.array(listed.leaves, np.int32),
        texts=listed.texts,
        apart=lambda i: _space_between(text_nodes[i], text_nodes[i + 1]),
    )
    for node in listed.find(KEPT_ATTRIBUTES):
        draft.keep_attributes(node, listed.handles[node].attributes, limits)
    for node in listed.find(_SCRIPT):
        kind = listed.handles[node].attributes.get("type")
        if kind:
            draft.keep_script(kind, listed.handles[node].text() or "")
    return draft


def listed_below(root: LexborNode, max_nodes: int) -> Listed:
    """Elements and the texts that are read, in document order; templates' contents as their children."""
    listed = Listed()
    codes, parents, ends, handles = listed.codes, listed.parent, listed.end, listed.handles
    leaves, texts, text_nodes = listed.leaves, listed.texts, listed.text_nodes
    top = root.parent.mem_id  # type: ignore[union-attr]
    open_ids = [top]
    open_nodes = [-1]
    parent = here = -1
    # places among the open nodes of the one whose texts are not read, and of the one whose tags are foreign
    unread = foreign = _NOWHERE
    walks = [root.traverse(include_text=True, skip_empty=True)]
    while walks:
        for node in walks[-1]:
            code = node.tag_id
            if code <= COMMENT and code != TEXT_NODE:
                continue
            up = node.parent.mem_id  # type: ignore[union-attr]
            if up != top:
                while top != up:
                    ends[open_nodes.pop()] = here + 1
                    open_ids.pop()
                    top = open_ids[-1]
                parent = open_nodes[-1]
                if len(open_nodes) <= unread:
                    unread = _NOWHERE
                if len(open_nodes) <= foreign:
                    foreign = _NOWHERE
            if code == TEXT_NODE:
                if unread == _NOWHERE:
                    raw = node.text_content or ""
                    if leaves and leaves[-1] == here and parents[here] == parent:
                        texts[-1] += " " + raw if _space_before(node) else raw
                        text_nodes[-1] = node
                    elif not raw.isspace():
                        here += 1
                        codes.append(code)
                        parents.append(parent)
                        ends.append(here + 1)
                        leaves.append(here)
                        texts.append(raw)
                        text_nodes.append(node)
                continue
            here += 1
            codes.append(code)
            parents.append(parent)
            ends.append(here)
            top = node.mem_id
            if code not in PLAIN or foreign < _NOWHERE:
                handles[here] = node
                if code in _UNREAD:
                    unread = min(unread, len(open_nodes))
                elif code in FOREIGN_ROOTS:
                    foreign = min(foreign, len(open_nodes))
                if code == TEMPLATE and (fragments := node.template_fragments()):
                    top = fragments[0].mem_id
                    walks.append(fragments[0].traverse(include_text=True, skip_empty=True))
            parent = here
            open_nodes.append(here)
            open_ids.append(top)
            if here >= max_nodes:
                walks.clear()
                break
            if code == TEMPLATE:
                break
        else:
            walks.pop()
    for node_left in open_nodes[1:]:
        ends[node_left] = here + 1
    return listed


def _is_space(node: LexborNode) -> bool:
    return node.is_text_node and (node.text_content or "").isspace()


def _space_before(node: LexborNode) -> bool:
    """Whether white space stands between a text and the text before it, comments aside."""
    at = node.prev
    while at is not None and (at.is_comment_node or _is_space(at)):
        if not at.is_comment_node:
            return True
        at = at.prev
    return False


def _space_between(left: LexborNode, right: LexborNode) -> bool:
    """Whether a text of white space alone stands between two texts, in document order."""
    at: LexborNode | None = left
    until = right.mem_id
    while at is not None and at.mem_id != until:
        if _is_space(at):
            return True
        below = at.child
        while below is None and at is not None:
            below = at.next
            if below is None:
                at = at.parent
        at = below
    return False
