"""The fast road: lexbor parses, one iterative walk writes the draft."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from contexts.draft import KEPT_ATTRIBUTES, UNREAD, Draft
from contexts.guard import DOUBTFUL, IN_SELECT
from contexts.limits import Limits

_HTML_IN_SVG = frozenset({"svg:foreignObject", "svg:desc", "svg:title"})


def lexbor_draft(text: str, limits: Limits) -> Draft | None:
    """The draft of lexbor's tree; None if lexbor can't parse the text."""
    try:
        root = LexborHTMLParser(text).root
    except Exception:
        return None
    if root is None:
        return None
    draft = Draft()
    tags, parents, ends, leaves, texts = draft.tags, draft.parent, draft.end, draft.leaves, draft.texts
    node = root
    parent = -1
    depth = 0
    unread = 0
    foreign: list[bool] = [False]
    kept = 0
    gap = ""
    in_select = 0
    while True:
        descend = None
        if node.is_text_node:
            if not unread:
                raw = node.text_content or ""
                if leaves and leaves[-1] == len(tags) - 1 and parents[-1] == parent:
                    texts[-1] += raw
                elif raw.isspace():
                    gap = " "
                else:
                    raw = gap + raw
                    gap = ""
                    leaves.append(len(tags))
                    texts.append(raw)
                    tags.append("#text")
                    parents.append(parent)
                    ends.append(len(tags))
        elif node.is_element_node:
            name = node.tag or ""
            is_foreign = foreign[-1]
            if is_foreign or name == "svg":
                name = "svg:" + name
            if name in DOUBTFUL or (not is_foreign and in_select and name not in IN_SELECT):
                draft.doubtful = True
                return draft
            here = len(tags)
            tags.append(name)
            parents.append(parent)
            ends.append(0)
            gap = ""
            if name == "script":
                draft.keep_script(node.attributes.get("type") or "", node.text() or "")
            elif name in KEPT_ATTRIBUTES:
                found = {key: value or "" for key, value in node.attributes.items()}
                if found and kept < limits.max_attributes:
                    kept += len(found)
                    draft.attributes[here] = found
                elif found:
                    draft.cuts.add("attributes")
            descend = node.child
            if descend is not None and depth + 1 >= limits.max_depth:
                draft.cuts.add("depth")
                descend = None
            if descend is None:
                ends[here] = here + 1
            else:
                parent = here
                depth += 1
                unread += name in UNREAD
                in_select += name == "select"
                foreign.append(name.startswith("svg:") and name not in _HTML_IN_SVG)
        if len(tags) >= limits.max_nodes:
            draft.cuts.add("nodes")
            break
        if descend is not None:
            node = descend
            continue
        while parent >= 0:
            following = node.next
            if following is not None:
                node = following
                break
            node = node.parent
            gap = ""
            ends[parent] = len(tags)
            unread -= tags[parent] in UNREAD
            in_select -= tags[parent] == "select"
            foreign.pop()
            depth -= 1
            parent = parents[parent]
        else:
            return draft
    while parent >= 0:
        ends[parent] = len(tags)
        parent = parents[parent]
    return draft
