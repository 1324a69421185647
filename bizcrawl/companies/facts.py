"""What the company analysis needs of a page, taken from it once, when it is visited.

The analysis looks at thousands of pages together and again after every verdict of the analyst; tag trees are
too heavy for that. A `PageFacts` is a small record of what a page says about who made it and whom it lists.
It promises to depend on nothing but the page, so that facts made while crawling, in a worker process, or
later from a stored tag tree are the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bizcrawl.urls import domain_of, host_of
from contexts.aggregation import spans
from contexts.links import Link
from contexts.lists import list_ids
from contexts.tagtree import Ints, TagTree

MAX_TITLE_CHARS = 300
MAX_ENTRY_CHARS = 400
MAX_ENTRY_SHARE = 0.5
MAX_INNER_LINKS = 400
MAX_OUTLINKS = 5_000
"""A page with more links to others is a dump; what stands further down is left out."""
OPENING_CHARS = 2_000
"""Of the text is kept: what a page is about, and whether its domain is for sale, stands at the top."""
TAIL_CHARS = 3_000
"""Of the text is searched for a copyright line."""

_COPYRIGHT = re.compile(
    r"(?:©|\(c\)|copyright)\s*(?:copyright|©|\(c\))?\s*(?:by\s+)?([^©|•·]{2,120})", re.IGNORECASE
)
_MAIL = re.compile(r"(?<=[\w.+-])@([\w-]+(?:\.[\w-]+)+)")
_LEAD = re.compile(r"^[\s\d,;:–—-]+")
_AFTER_OWNER = re.compile(
    r"all rights|alle rechte|tous droits|todos los derechos|tutti i diritti|(?<!\.\w)\.\s+(?=[^\W\d_]\w+\s+\w+\s+\w+)",
    re.IGNORECASE,
)
_ENDS_IN_ABBREVIATION = re.compile(r"\.\w{1,4}\.$|\b(?:ltd|inc|co|corp|pvt|bhd|cie)\.$", re.IGNORECASE)
_NESTED = ("@graph", "publisher", "mainEntity", "author")
_FOLLOWED = frozenset({"a", "area", "frame", "iframe", "svg", "refresh"})


@dataclass(frozen=True, slots=True)
class Organisation:
    """An organisation that a page describes in JSON-LD (schema.org)."""

    kind: str
    """The schema.org type as written, such as ``Organization`` or ``NewsArticle``."""
    name: str
    url: str
    country: str


@dataclass(frozen=True, slots=True)
class OutLink:
    """A link to another host."""

    url: str
    host: str
    anchor: str
    entry: str
    """Text of the list entry, table row or paragraph that holds the link, at most `MAX_ENTRY_CHARS`."""
    list_id: int
    """Links of a page with the same number stand in the same list; -1: in none."""
    nofollow: bool


@dataclass(frozen=True, slots=True)
class InnerLink:
    """A link to another page of the same host."""

    url: str
    anchor: str
    """Of the first occurrence that has one."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """One page, for the company analysis. Texts have their white space folded; absent ones are ""."""

    url: str
    final_url: str
    title: str
    heading: str
    """First h1 or, without one, the first h2."""
    description: str
    """Meta or OpenGraph description."""
    language: str
    """Primary subtag of the html element's lang, lower case."""
    site_name: str
    """OpenGraph site_name."""
    page_type: str
    """OpenGraph type, such as ``article``."""
    generator: str
    logo: str
    """Alternative text of the first image within a link to the site's own top."""
    owner: str
    """Whom the copyright line at the foot names."""
    organisations: tuple[Organisation, ...]
    mail_domains: tuple[str, ...]
    """Registrable domains of e-mail addresses in the page's text."""
    inner: tuple[InnerLink, ...]
    """Links within the host, each URL once, at most `MAX_INNER_LINKS`."""
    outlinks: tuple[OutLink, ...]
    canonical: str
    """URL that link rel=canonical or a meta refresh gives for the page; "" if its own or none."""
    words: int
    """Tokens on the page."""
    stems: tuple[str, ...]
    counts: tuple[int, ...]
    """How often each of `stems` occurs."""
    opening: str
    """First characters of the page's text."""

    @property
    def host(self) -> str:
        """Host of the final URL."""
        return host_of(self.final_url)

    @property
    def inner_anchors(self) -> list[str]:
        """Distinct short anchor texts of links within the host: the site's own divisions."""
        return list(dict.fromkeys(link.anchor.lower() for link in self.inner if 0 < len(link.anchor) <= 40))


def facts_of(url: str, final_url: str, tree: TagTree, links: Sequence[Link]) -> PageFacts:
    """Extract the facts of a page. Never raises for anything a page says.

    `links` are all links of the page as `contexts` reads them; `url` is what was asked for, `final_url` what
    answered.
    """
    host = host_of(final_url)
    meta = _metas(tree)
    inner, outer = _split(links, host)
    text = tree.text
    counts = np.bincount(tree.tokens, minlength=len(tree.stems))
    return PageFacts(
        url=url,
        final_url=final_url,
        title=title_of(tree),
        heading=_first_text(tree, ("h1", "h2"))[:MAX_TITLE_CHARS],
        description=(meta.get("description") or meta.get("og:description") or "")[:1_000],
        language=language_of(tree),
        site_name=meta.get("og:site_name", "")[:MAX_TITLE_CHARS],
        page_type=meta.get("og:type", "")[:40].lower(),
        generator=meta.get("generator", "")[:80],
        logo=_logo(tree, final_url, inner)[:MAX_TITLE_CHARS],
        owner=_owner(text[-TAIL_CHARS:]),
        organisations=tuple(_organisations(tree.json_ld)),
        mail_domains=_mail_domains(text),
        inner=_inner_links(inner, final_url),
        outlinks=_outlinks(tree, outer),
        canonical=_canonical(links, final_url),
        words=len(tree.tokens),
        stems=tree.stems,
        counts=tuple(counts.tolist()),
        opening=text[:OPENING_CHARS],
    )


def _nodes(tree: TagTree, name: str) -> Ints:
    """Nodes with a tag, in document order."""
    try:
        wanted = tree.tag_names.index(name)
    except ValueError:
        return np.empty(0, dtype=np.int32)
    return np.flatnonzero(tree.tags == wanted).astype(np.int32)


def _first_text(tree: TagTree, names: Sequence[str]) -> str:
    """Text of the first element with text among the first kind of element that the page has."""
    for name in names:
        for node in _nodes(tree, name)[:5]:
            if text := tree.text_below(int(node)):
                return " ".join(text.split())
    return ""


def _metas(tree: TagTree) -> dict[str, str]:
    """Contents of meta elements by name or property, lower case; the first of each."""
    found: dict[str, str] = {}
    for node in _nodes(tree, "meta"):
        attributes = tree.attributes.get(int(node))
        if not attributes or "content" not in attributes:
            continue
        name = attributes.get("property") or attributes.get("name") or ""
        if name:
            found.setdefault(name.strip().lower(), " ".join(attributes["content"].split()))
    return found


def title_of(tree: TagTree) -> str:
    """Text of the title element, white space folded."""
    return _first_text(tree, ("title",))[:MAX_TITLE_CHARS]


def language_of(tree: TagTree) -> str:
    """Primary subtag of the page's language as its html element says it; "" if it says none."""
    attributes = tree.attributes.get(0) or {}
    tag = (attributes.get("lang") or attributes.get("xml:lang") or "").strip().lower()
    primary = re.split(r"[-_]", tag)[0]
    return primary if primary.isalpha() and len(primary) in (2, 3) else ""


def _split(links: Sequence[Link], host: str) -> tuple[list[Link], list[Link]]:
    """Links that people can follow, within the host and to others."""
    inner: list[Link] = []
    outer: list[Link] = []
    for link in links:
        if link.kind in _FOLLOWED:
            (inner if host_of(link.url) == host else outer).append(link)
    return inner, outer[:MAX_OUTLINKS]


def _outlinks(tree: TagTree, outer: Sequence[Link]) -> tuple[OutLink, ...]:
    if not outer:
        return ()
    lists = list_ids(tree, outer)
    blocks = spans(tree, outer, "block").nodes
    entries: dict[int, str] = {}
    found = []
    for link, list_id, block in zip(outer, lists.tolist(), blocks.tolist(), strict=True):
        node = block if block >= 0 else link.node
        entry = entries.get(node)
        if entry is None:
            start = int(tree.first_char[node])
            end = int(tree.first_char[tree.end[node]])
            entry = ""
            # a block that is most of the page speaks of the page, not of whom it links to
            if end - start <= MAX_ENTRY_SHARE * len(tree.text):
                entry = " ".join(tree.text[start : min(end, start + MAX_ENTRY_CHARS)].split())
            entries[node] = entry
        found.append(
            OutLink(
                url=link.url,
                host=host_of(link.url),
                anchor=link.anchor[:200],
                entry=entry or link.anchor[:200],
                list_id=list_id,
                nofollow="nofollow" in link.rel,
            )
        )
    return tuple(found)


def _inner_links(inner: Sequence[Link], final_url: str) -> tuple[InnerLink, ...]:
    anchors: dict[str, str] = {}
    for link in inner:
        if link.url == final_url:
            continue
        if link.url in anchors:
            anchors[link.url] = anchors[link.url] or link.anchor[:80]
        elif len(anchors) < MAX_INNER_LINKS:
            anchors[link.url] = link.anchor[:80]
    return tuple(InnerLink(url, anchor) for url, anchor in anchors.items())


def _logo(tree: TagTree, final_url: str, inner: Sequence[Link]) -> str:
    """Alternative text of an image that leads to the top of the site: by convention its logo."""
    top = re.match(r"https?://[^/]+/", final_url)
    if not top:
        return ""
    image = tree.tag_names.index("img") if "img" in tree.tag_names else -1
    for link in inner[:40]:
        if link.url == top.group() and image >= 0:
            below = tree.tags[link.node : tree.end[link.node]]
            if (below == image).any() and link.anchor:
                return link.anchor
    return ""


def _owner(tail: str) -> str:
    """Whom the last copyright line names, years taken off."""
    last = ""
    for match in _COPYRIGHT.finditer(tail):
        last = match.group(1)
    last = " ".join(_LEAD.sub("", _AFTER_OWNER.split(last, maxsplit=1)[0]).split())[:120].strip(" ,;-–")
    return last if _ENDS_IN_ABBREVIATION.search(last) else last.rstrip(". ")


def _mail_domains(text: str) -> tuple[str, ...]:
    if "@" not in text:
        return ()
    found = {domain_of(match.group(1).lower()) for match in _MAIL.finditer(text)}
    return tuple(sorted(found))[:20]


def _canonical(links: Sequence[Link], final_url: str) -> str:
    for link in links:
        if link.kind in {"canonical", "refresh"} and link.url != final_url:
            return link.url
    return ""


def _organisations(bodies: Sequence[str]) -> Iterator[Organisation]:
    """Whatever has a schema.org type and a name in a page's JSON-LD; what is no JSON is passed over."""
    for body in bodies[:10]:
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            continue
        waiting: list[Any] = [data]
        seen = 0
        while waiting and seen < 500:
            item = waiting.pop()
            seen += 1
            if isinstance(item, list):
                waiting.extend(item)
            elif isinstance(item, dict):
                waiting.extend(item[key] for key in _NESTED if key in item)
                name, kind = item.get("name"), item.get("@type")
                kinds = kind if isinstance(kind, list) else [kind]
                kind = kinds[0] if kinds else None
                if isinstance(name, str) and name.strip() and isinstance(kind, str):
                    name = " ".join(name.split())[:200]
                    yield Organisation(kind, name, _text(item.get("url")), _country(item))


def _text(value: object) -> str:
    return value.strip()[:2_048] if isinstance(value, str) else ""


def _country(item: dict[str, Any]) -> str:
    address = item.get("address")
    if isinstance(address, list) and address:
        address = address[0]
    if not isinstance(address, dict):
        return ""
    country = address.get("addressCountry")
    if isinstance(country, dict):
        country = country.get("name")
    return _text(country)[:80]
