"""Links of a page, read from its tag tree, joined as the WHATWG standard joins them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from contexts.scripted_links import address_in_script, address_of_click
from contexts.stretches import count_around
from contexts.tagtree import TagTree
from contexts.urls import Base, is_spoilt, join


class Link(NamedTuple):
    """One occurrence of a link; the same URL may occur several times on a page."""

    url: str
    """Absolute http(s) URL as WHATWG joins it, without fragment."""
    node: int
    """The node of the tag tree that holds it."""
    position: int
    """Its place among all links of the page, from 0."""
    anchor: str
    """Text of the link, white space folded; alt texts of images count as text. Cut to `MAX_ANCHOR_CHARS`."""
    kind: str
    """a, area, frame, iframe, svg, refresh, canonical, next, prev or alternate; script for the address that a
    ``javascript:`` link or a click on what is no link opens."""
    rel: str
    """The rel attribute, lower case, words separated by one space."""


class Refresh(NamedTuple):
    """A page's wish to be left for another one."""

    seconds: float
    """How long it wants to be looked at before, fractions off."""
    target: str
    """As it is written."""


MAX_ANCHOR_CHARS = 4_000
"""Of 52,000 links on saved pages none has 1,000. In drawings links may stand in links by the thousand, and
all hold the text that the innermost holds."""
MAX_URLS_CHARS = 20_000_000
"""Of all URLs of a page together: a long base makes long ones of short links by the ten thousand."""
_HEAD_KINDS = ("canonical", "next", "prev", "alternate")
_NO_PAGES = frozenset({"stylesheet", "icon"})
"""With one of these words an alternate is one of style sheets or icons."""
_REFRESH = re.compile(
    r"\s*+(?=[0-9.])([0-9]*+)[0-9.]*+(?:\s*+[;,]\s*+|\s++)(?:url\s*+=\s*+)?(.*)", re.IGNORECASE | re.DOTALL
)

_MAX_KEPT_CHARS = 64
"""Of a ``rel`` that is remembered; one may be as long as a page."""
_made = tuple.__new__  # a named tuple's own is three times as slow


def links(tree: TagTree, base_url: str, spoilt: list[str] | None = None) -> list[Link]:
    """Every occurrence of every http(s) link, in document order.

    `base_url` is the page's URL after redirects; a ``base`` element is obeyed. What does not lead to an
    http(s) URL (mailto, data, javascript that opens none) is no link, nor is what stands in a template, nor
    what the head says to be no page, such as a feed. What an ``onclick`` opens is one, where nothing else is.
    `spoilt` takes the texts, as they are written, of which there should be such a URL but is none, or for
    which `MAX_URLS_CHARS` leaves no room.
    """
    nodes = _outside_templates(tree, np.fromiter(tree.attributes, np.intp, len(tree.attributes)))
    is_image = tree.tags[nodes] == _id_of(tree, "img")
    images, nodes = nodes[is_image], nodes[~is_image]
    alts = _alts(tree, images)
    base = Base(base_of(tree, base_url))
    joined = base.join_all(_hrefs(tree, nodes))
    found: list[Link] = []
    room = MAX_URLS_CHARS
    for node, tag, first_char, last_char, first_image, last_image in _stretches(tree, nodes, images):
        values = tree.attributes[node]
        rel = _folded(values["rel"]) if "rel" in values else ""
        target, kind = (values.get("href"), tag) if tag == "a" else _target(tag, values, rel)
        url = None if target is None else joined[target] if target in joined else base.join(target)
        if "onclick" in values if target is None else url is None or target[:1] == "#":
            opened = _opened_by_script(values, target, base)
            if opened is not None:
                url, kind = opened, "script"
        if url is None or len(url) > room:
            lost = url if target is None else target
            if spoilt is not None and lost is not None and (url or is_spoilt(lost, base.href)):
                spoilt.append(lost)
            continue
        room -= len(url)
        if tag == "area":
            anchor = " ".join(values.get("alt", "").split())[:MAX_ANCHOR_CHARS]
        elif first_image < last_image:
            anchor = _with_alts(tree.text, first_char, last_char, alts, range(first_image, last_image))
        else:
            anchor = tree.text[first_char:last_char].strip()
        found.append(_made(Link, (url, node, len(found), anchor, kind, rel)))
    return found


def _stretches(
    tree: TagTree, nodes: npt.NDArray[np.intp], images: npt.NDArray[np.intp]
) -> Iterator[tuple[int, str, int, int, int, int]]:
    """Each node with its tag's name and what it holds: first and last character of its text, as far as an
    anchor is kept, first and last of the images.
    """
    ends = tree.end[nodes]
    first_chars = tree.first_char[nodes]
    return zip(
        nodes.tolist(),
        map(tree.tag_names.__getitem__, tree.tags[nodes].tolist()),
        first_chars.tolist(),
        np.minimum(tree.first_char[ends], first_chars + MAX_ANCHOR_CHARS).tolist(),
        np.searchsorted(images, nodes).tolist(),
        np.searchsorted(images, ends).tolist(),
        strict=True,
    )


def _hrefs(tree: TagTree, nodes: npt.NDArray[np.intp]) -> set[str]:
    """What the anchors among some nodes link to, as it is written."""
    anchors = nodes[tree.tags[nodes] == _id_of(tree, "a")].tolist()
    return {values["href"] for node in anchors if "href" in (values := tree.attributes[node])}


def _opened_by_script(values: Mapping[str, str], target: str | None, base: Base) -> str | None:
    """The URL to which a script leads: of a ``javascript:`` link, or of a click on what is no link."""
    address = address_in_script(target) if target else None
    if address is None:
        address = address_of_click(values)
    return None if address is None else base.join(address)


def _folded(rel: str) -> str:
    """Words in lower case, one space between them."""
    return _folded_once(rel) if len(rel) <= _MAX_KEPT_CHARS else " ".join(rel.lower().split())


@lru_cache(maxsize=1024)
def _folded_once(rel: str) -> str:
    return " ".join(rel.lower().split())


def _id_of(tree: TagTree, name: str) -> int:
    """Index of a tag's name; -1 if the page has none."""
    return tree.tag_names.index(name) if name in tree.tag_names else -1


def _target(tag: str, values: Mapping[str, str], rel: str) -> tuple[str | None, str]:
    """What an element links to, as it stands, and the kind of link; None if it links to nothing."""
    if tag == "area":
        return values.get("href"), tag
    if tag in {"frame", "iframe"}:
        return values.get("src"), tag
    if tag == "svg:a":
        return values.get("href", values.get("xlink:href")), "svg"
    if tag == "link":
        words = rel.split()
        kind = next((word for word in words if word in _HEAD_KINDS), "")
        is_page = kind and _NO_PAGES.isdisjoint(words) and _is_html(values.get("type", ""))
        return (values.get("href") if is_page else None), kind
    if tag == "meta":
        return refresh_target(values), "refresh"
    return None, ""


def _is_html(media_type: str) -> bool:
    """Whether a link that says so much of its target, "" for nothing, may lead to a page."""
    return not media_type.strip() or "html" in media_type.lower()


def base_of(tree: TagTree, page_url: str) -> str:
    """The document's base URL: that of the first ``base`` with an href, else the page's own."""
    for node in _outside_templates(tree, tree.nodes_named("base")).tolist():
        if "href" in (values := tree.attributes.get(node, {})):
            return join(values["href"], page_url) or page_url
    return page_url


def refresh_target(values: Mapping[str, str]) -> str | None:
    """Target of a ``meta http-equiv=refresh``, by the HTML standard's shared declarative refresh steps."""
    if values.get("http-equiv", "").strip().lower() != "refresh":
        return None
    refresh = refresh_in(values.get("content", ""))
    return refresh.target if refresh else None


def refresh_in(content: str) -> Refresh | None:
    """What a ``content`` of a refresh, or a Refresh field, says; None if it leads nowhere."""
    match = _REFRESH.fullmatch(content)
    if not match or not match[2]:
        return None
    target = match[2]
    if target[0] in "\"'":
        target = target[1:].partition(target[0])[0]
    return Refresh(float(match[1] or 0), target)


def _outside_templates(tree: TagTree, nodes: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Those of some nodes that stand in no template, whose contents are not part of the page."""
    templates = tree.nodes_named("template")
    if not len(templates):
        return nodes
    around = count_around(templates, tree.end[templates], len(tree))
    kept: npt.NDArray[np.intp] = nodes[around[nodes] == 0]
    return kept


def _alts(tree: TagTree, images: npt.NDArray[np.intp]) -> list[tuple[int, str]]:
    """Where in the page's text each image stands, and its alt text."""
    texts = [tree.attributes[image].get("alt", "") for image in images.tolist()]
    return list(zip(tree.first_char[images].tolist(), texts, strict=True))


def _with_alts(
    text: str, first_char: int, last_char: int, alts: Sequence[tuple[int, str]], images: range
) -> str:
    """A stretch of text with the alt texts of its images where the images stand, as far as it is kept."""
    parts = []
    at = first_char
    room = MAX_ANCHOR_CHARS
    for image in images:
        here, alt = alts[image]
        if here > last_char or room < 0:
            break
        parts += [text[at:here], alt]
        room -= here - at + len(alt) + 1
        at = here
    parts.append(text[at:last_char])
    return " ".join(" ".join(parts).split())[:MAX_ANCHOR_CHARS]
