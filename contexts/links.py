"""Links of a page, read from its tag tree, joined as the WHATWG standard joins them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from contexts.tagtree import TagTree
from contexts.urls import join


@dataclass(frozen=True, slots=True)
class Link:
    """One occurrence of a link; the same URL may occur several times on a page."""

    url: str
    """Absolute http(s) URL as WHATWG joins it, without fragment."""
    node: int
    """The node of the tag tree that holds it."""
    position: int
    """Its place among all links of the page, from 0."""
    anchor: str
    """Text of the link, white space folded; alt texts of images count as text."""
    kind: str
    """a, area, frame, iframe, svg, refresh, canonical, next, prev or alternate."""
    rel: str
    """The rel attribute, lower case, words separated by one space."""


_ATTRIBUTE = {"a": "href", "area": "href", "link": "href", "svg:a": "href", "frame": "src", "iframe": "src"}
_HEAD_KINDS = ("canonical", "next", "prev", "alternate")
_REFRESH = re.compile(r"\s*([0-9.]*)\s*(?:[;,]\s*|\s+)(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)


def links(tree: TagTree, base_url: str) -> list[Link]:
    """Every occurrence of every http(s) link, in document order.

    `base_url` is the page's URL after redirects; a ``base`` element is obeyed. What does not lead to an http(s) URL
    (mailto, javascript, data, what can't be parsed) is no link.
    """
    found: list[Link] = []
    attributes = tree.attributes
    base = base_of(tree, base_url)
    joined: dict[str, str | None] = {}
    images = [
        node for node in attributes if tree.tag(node) == "img" and attributes[node].get("alt", "").strip()
    ]
    for node, values in attributes.items():
        tag = tree.tag(node)
        rel = " ".join(values.get("rel", "").lower().split())
        kind = "svg" if tag == "svg:a" else tag
        if tag == "meta":
            target = refresh_target(values)
            kind = "refresh"
        else:
            target = values.get(_ATTRIBUTE.get(tag, ""))
            if target is None and tag == "svg:a":
                target = values.get("xlink:href")
            if tag == "link":
                kind = next((word for word in rel.split() if word in _HEAD_KINDS), "")
        if target is None or not kind or in_template(tree, node):
            continue
        if target not in joined:
            joined[target] = join(target, base)
        url = joined[target]
        if url is not None:
            found.append(Link(url, node, len(found), anchor_text(tree, node, tag, values, images), kind, rel))
    return found


def base_of(tree: TagTree, page_url: str) -> str:
    """The document's base URL: that of the first ``base`` with an href, else the page's own."""
    for node, values in tree.attributes.items():
        if "href" in values and tree.tag(node) == "base":
            return join(values["href"], page_url) or page_url
    return page_url


def refresh_target(values: Mapping[str, str]) -> str | None:
    """Target of a ``meta http-equiv=refresh``, by the HTML standard's shared declarative refresh steps."""
    if values.get("http-equiv", "").strip().lower() != "refresh":
        return None
    match = _REFRESH.fullmatch(values.get("content", ""))
    if not match or not match[2]:
        return None
    target = match[2]
    if target[0] in "\"'":
        return target[1:].partition(target[0])[0]
    return target


def in_template(tree: TagTree, node: int) -> bool:
    """Whether a node stands in a template, whose contents are not part of the page."""
    if "template" not in tree.tag_names:
        return False
    while node >= 0:
        if tree.tag(node) == "template":
            return True
        node = int(tree.parent[node])
    return False


def anchor_text(tree: TagTree, node: int, tag: str, values: Mapping[str, str], images: list[int]) -> str:
    """Text of a link; alt texts of images within it stand where the images stand."""
    if tag == "area":
        return " ".join(values.get("alt", "").split())
    end = int(tree.end[node])
    first = bisect_left(images, node)
    if first == len(images) or images[first] >= end:
        return tree.text_below(node)
    parts = []
    at = node
    for image in images[first:]:
        if image >= end:
            break
        parts += [tree.text[tree.first_char[at] : tree.first_char[image]], tree.attributes[image]["alt"]]
        at = image
    parts.append(tree.text[tree.first_char[at] : tree.first_char[end]])
    return " ".join(" ".join(parts).split())
