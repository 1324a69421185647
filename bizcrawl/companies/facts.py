"""What the company analysis needs of a page, taken from it once, when it is visited.

The analysis looks at thousands of pages together and again after every verdict of the analyst; tag trees are
too heavy for that. A `PageFacts` is a small record of what a page says about who made it and whom it lists.
It promises to depend on nothing but the page, so that facts made while crawling, in a worker process, or
later from a stored tag tree are the same.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bizcrawl.companies.alphabet import without_letters
from bizcrawl.companies.details import without_details
from bizcrawl.companies.statements import (
    TAIL_CHARS,
    Organisation,
    mail_domains_in,
    organisations_in,
    owner_in,
)
from bizcrawl.companies.titles import MAX_TITLE_CHARS, heading_of, language_of, lead_of, metas_of, title_of
from bizcrawl.companies.written_addresses import written_addresses
from bizcrawl.page import MAX_STEMS, Page
from bizcrawl.page.soft404 import says_missing
from bizcrawl.urls import domain_of, host_of, hosts_of
from contexts.aggregation import spans
from contexts.blocks import WITHIN_LINES, tag_mask
from contexts.distinct import distinct
from contexts.links import Link
from contexts.lists import list_ids
from contexts.tagtree import Ints, TagTree

MAX_ENTRY_CHARS = 400
MAX_ENTRY_SHARE = 0.5
"""Of the text of a page; a larger block is no entry."""
MAX_ANCHOR_CHARS, MAX_LABEL_CHARS = 200, 80
"""Of the texts of links to others, and of those within the site."""
MAX_INNER_LINKS = 2_000
"""A page with more links within its site is an index of everything; what stands further down is left out."""
MAX_OUTLINKS = 5_000
"""A page with more links to others is a dump; what stands further down is left out."""
OPENING_CHARS = 2_000
"""Of the text is kept: what a page is about, and whether its domain is for sale, stands at the top."""

_FOLLOWED = frozenset({"a", "area", "frame", "iframe", "svg", "refresh", "script"})


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
    via: str = ""
    """The link on the page that leads to `url` by way of another page; "" if the page links to it itself."""


@dataclass(frozen=True, slots=True)
class InnerLink:
    """A link to another page of the same host, with or without www."""

    url: str
    anchor: str
    """Of the first occurrence that has one."""
    list_id: int = -1
    """List in which it first stands in one, numbered as for `OutLink`; -1: in none."""


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
    lead: str
    """The first paragraph that says something, cut to `MAX_LEAD_CHARS`."""
    language: str
    """Primary subtag of the html element's lang, lower case."""
    site_name: str
    """OpenGraph site_name."""
    page_type: str
    """OpenGraph type, such as ``article``."""
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
    """At most `MAX_STEMS`."""
    counts: tuple[int, ...]
    """How often each of `stems` occurs."""
    opening: str
    """First characters of the page's text."""

    def __hash__(self) -> int:
        """By the URL alone, so that what follows from a page can be remembered by the page."""
        return hash(self.final_url)

    @property
    def host(self) -> str:
        """Host of the final URL."""
        return host_of(self.final_url)

    @property
    def is_missing(self) -> bool:
        """Whether the page says, in spite of its status, that it does not exist."""
        return says_missing(self.title, self.heading, self.opening)

    @property
    def inner_anchors(self) -> list[str]:
        """Distinct short anchor texts of links within the host: the site's own divisions."""
        return list(dict.fromkeys(link.anchor.lower() for link in self.inner if 0 < len(link.anchor) <= 40))


def facts_of_page(page: Page) -> PageFacts:
    """Take from a page what the analysis needs; see `facts_of`."""
    return facts_of(page.url, page.final_url, page.tree, page.links)


def facts_of(url: str, final_url: str, tree: TagTree, links: Sequence[Link]) -> PageFacts:
    """Extract the facts of a page. Never raises for anything a page says.

    `links` are all links of the page as `contexts` reads them; `url` is what was asked for, `final_url` what
    answered.
    """
    host = host_of(final_url)
    meta = metas_of(tree)
    inner, outer = _split(links, host)
    outer += written_addresses(tree, links, host)
    inner_lists, outer_lists, entries = _lists(tree, inner, outer)
    text = tree.text
    counts = np.bincount(tree.tokens, minlength=len(tree.stems))
    return PageFacts(
        url=url,
        final_url=final_url,
        title=title_of(tree),
        heading=heading_of(tree),
        description=(meta.get("description") or meta.get("og:description") or "")[:1_000],
        lead=lead_of(tree),
        language=language_of(tree),
        site_name=meta.get("og:site_name", "")[:MAX_TITLE_CHARS],
        page_type=meta.get("og:type", "")[:40].lower(),
        logo=_logo(tree, final_url, inner)[:MAX_TITLE_CHARS],
        owner=owner_in(text, _borders(tree)),
        organisations=tuple(organisations_in(tree.json_ld)),
        mail_domains=mail_domains_in(text),
        inner=_inner_links(inner, inner_lists, final_url),
        outlinks=_outlinks(tree, outer, outer_lists, entries),
        canonical=_canonical(links, final_url),
        words=len(tree.tokens),
        # pages have most of their words in common, and all of their facts are in memory together
        stems=tuple(map(sys.intern, tree.stems[:MAX_STEMS])),
        counts=tuple(counts[:MAX_STEMS].tolist()),
        opening=text[:OPENING_CHARS],
    )


def _borders(tree: TagTree) -> list[int]:
    """Characters near the end of the text at which a block, a link or a line begins or ends, ascending."""
    is_border = ~tag_mask(tree, WITHIN_LINES - {"a"})
    places = np.append(tree.first_char[:-1][is_border], tree.first_char[tree.end[is_border]])
    near: list[int] = distinct(places[places > len(tree.text) - TAIL_CHARS]).tolist()
    return near


def _split(links: Sequence[Link], host: str) -> tuple[list[Link], list[Link]]:
    """Links that people can follow, within the host, with or without www, and to others."""
    inner: list[Link] = []
    outer: list[Link] = []
    bare = host.removeprefix("www.")
    for link, target in zip(links, hosts_of(link.url for link in links), strict=True):
        if link.kind in _FOLLOWED:
            (inner if target.removeprefix("www.") == bare else outer).append(link)
    return inner, outer[:MAX_OUTLINKS]


def _lists(tree: TagTree, inner: Sequence[Link], outer: Sequence[Link]) -> tuple[list[int], list[int], Ints]:
    """Lists of the links within the site and of those to others, -1 for none; and the nodes of the latter's
    entries, as far as `without_details` tells them. Both kinds together, since one alphabet may hold both.
    """
    n_inner = len(inner)
    lists = without_letters(tree, np.concatenate([list_ids(tree, inner), list_ids(tree, outer)]))
    pages, sites = [link.url for link in inner], [domain_of(host_of(link.url)) for link in outer]
    lists[:n_inner], inner_entries = without_details(tree, inner, pages, lists[:n_inner])
    lists[n_inner:], entries = without_details(tree, outer, sites, lists[n_inner:])
    if (inner_entries >= 0).any() or (entries >= 0).any():  # lists around details may be parts of an alphabet
        lists = without_letters(tree, lists)
    return lists[:n_inner].tolist(), lists[n_inner:].tolist(), entries


def _outlinks(tree: TagTree, outer: Sequence[Link], lists: Sequence[int], nodes: Ints) -> tuple[OutLink, ...]:
    """Links to others. `nodes`: entries that are known already; -1 elsewhere."""
    if not outer:
        return ()
    blocks = np.where(nodes >= 0, nodes, spans(tree, outer, "block").nodes)
    entries: dict[int, str] = {}
    found = []
    for link, list_id, block in zip(outer, lists, blocks.tolist(), strict=True):
        node = block if block >= 0 else link.node
        if node not in entries:
            entries[node] = _entry_text(tree, node)
        anchor = link.anchor[:MAX_ANCHOR_CHARS]
        found.append(
            OutLink(
                url=link.url,
                host=host_of(link.url),
                anchor=anchor,
                entry=entries[node] or anchor,
                list_id=list_id,
                nofollow="nofollow" in link.rel,
            )
        )
    return tuple(found)


def _entry_text(tree: TagTree, node: int) -> str:
    """Text of a block, cut; "" of most of the page: that speaks of the page, not of whom it links to."""
    start, end = int(tree.first_char[node]), int(tree.first_char[tree.end[node]])
    if end - start > MAX_ENTRY_SHARE * len(tree.text):
        return ""
    return " ".join(tree.text[start : min(end, start + MAX_ENTRY_CHARS)].split())


def _inner_links(inner: Sequence[Link], lists: Sequence[int], final_url: str) -> tuple[InnerLink, ...]:
    anchors: dict[str, str] = {}
    list_of: dict[str, int] = {}
    for link, list_id in zip(inner, lists, strict=True):
        if link.url == final_url:
            continue
        if link.url in anchors:
            anchors[link.url] = anchors[link.url] or link.anchor[:MAX_LABEL_CHARS]
        elif len(anchors) < MAX_INNER_LINKS:
            anchors[link.url] = link.anchor[:MAX_LABEL_CHARS]
        if list_id >= 0:
            list_of.setdefault(link.url, list_id)
    return tuple(InnerLink(url, anchor, list_of.get(url, -1)) for url, anchor in anchors.items())


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


def _canonical(links: Sequence[Link], final_url: str) -> str:
    for link in links:
        if link.kind in {"canonical", "refresh"} and link.url != final_url:
            return link.url
    return ""
