"""What a page says about each of its links, as numbers: the signs from which the apprentice learns.

Signs are of two kinds. Those of a *sighting* are read once, when a page is visited: how much anchor,
parent, block and page resemble the topic, who else stands in the same list, where the link stands. Those of
the *record* change as the crawl goes on: who cites the host, what its pages, the neighbours in the list and
links with the same words turned out to be. Every sign is between 0 and about 3, so that weights
are comparable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from math import log1p, sqrt

import numpy as np
import numpy.typing as npt

from bizcrawl.companies.titles import title_of
from bizcrawl.page import Page
from bizcrawl.strategies.apprenticeship.cues import (
    MAX_WORDS,
    AnchorSigns,
    UrlSigns,
    anchor_signs,
    url_signs,
)
from bizcrawl.strategies.apprenticeship.keepers import keeping
from contexts.links import Link
from contexts.lists import list_ids
from contexts.tagtree import TagTree
from contexts.vectors import Floats, Query

Floats32 = npt.NDArray[np.float32]

SIGHTING = (
    "page_keywords",
    "anchor_keywords",
    "parent_keywords",
    "block_keywords",
    "url_keywords",
    "page_wording",
    "anchor_wording",
    "block_wording",
    "anchor_cue",
    "anchor_label",
    "url_cue",
    "seeds_on_page",
    "seeds_in_list",
    "similar_on_page",
    "similar_in_list",
    "in_list",
    "list_length",
    "leaves_site",
    "path_depth",
    "is_root",
    "has_query",
    "from_seed",
    "nearness",
    "links_on_page",
    "next_page",
    "next_of_hub",
    "next_of_topical",
)
"""Signs of a sighting, in the order of the columns."""

RECORD = (
    "seeds_citing_host",
    "cited_newcomer",
    "sites_citing_host",
    "host_pages",
    "host_reward",
    "host_best_hub",
    "host_similarity",
    "company_again",
    "stranger_again",
    "keeps_lists",
    "list_reward",
    "page_reward",
    "path_reward",
    "word_reward",
    "progress",
    "near_on_shared",
)
"""Signs of the record, in the order of the columns that follow.

``cited_newcomer`` is ``seeds_citing_host`` of sites without a visited page, ``company_again`` is
``host_similarity`` of sites with one, for links without a cue. ``stranger_again`` is 1 for sites with visited
pages that are neither similar nor hubs, less for sites that many others cite or that keep lists.
``keeps_lists`` is how much a visited page speaks for a keeper of lists (`keepers`). ``near_on_shared`` is
``nearness`` where seeds share a site.
"""

NAMES = SIGHTING + RECORD

_SIMILAR = 0.5
"""A site at least so similar to the seeds is taken for one of the business, its weight squared."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """The links of a page with their signs."""

    signs: Floats32
    """(k, len(SIGHTING))"""
    domains: Sequence[str]
    lists: Sequence[int]
    """Node of the list in which each stands, -1 for none."""
    paths: Sequence[str]
    """Kind of place on the page: inner or outer, and the tags above."""
    words: Sequence[tuple[str, ...]]
    seeds: float
    """Sites of seeds that the page names, its own aside."""
    similar: float
    """Sites that are similar to seeds, by weight."""
    keeping: float
    """How much the page speaks for a site that keeps lists, -1 to 1; see `keepers`."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the crawl knows of sites when it visits a page."""

    seeds: frozenset[str]
    """Registrable domains of the seeds."""
    shared: Mapping[str, frozenset[str]]
    """URLs of the seeds by domain, where several seeds share one: there each page stands for itself."""
    similarity: Mapping[str, float]
    """By registrable domain, of sites visited: 1 is as similar to the seeds as they to each other."""


def sighting_of(page: Page, keywords: Query, wording: Query, known: Known, depth: int) -> Sighting:
    """Read the signs of a page's links; `depth` is theirs, in links from a seed."""
    links = page.links
    here = url_signs(page.final_url).domain
    of_urls = [url_signs(link.url) for link in links]
    of_anchors = [anchor_signs(link.anchor) for link in links]
    domains = [signs.domain for signs in of_urls]
    lists = list_ids(page.tree, links).tolist()
    members = [
        link.url if link.url in known.shared.get(domain, ()) and link.url != page.final_url else domain
        for link, domain in zip(links, domains, strict=True)
    ]
    on_page, in_lists = _seeds_and_similar(members, lists, here, known)
    leads_on = np.array([signs.leads_on for signs in of_anchors])
    columns = (
        *_similarities(page, of_urls, keywords, wording),
        [signs.cue for signs in of_anchors],
        [signs.label for signs in of_anchors],
        [signs.cue for signs in of_urls],
        *in_lists,
        [float(domain != here) for domain in domains],
        [signs.depth for signs in of_urls],
        [signs.is_root for signs in of_urls],
        [signs.has_query for signs in of_urls],
        float(here in known.seeds),
        1 - min(depth, 10) / 10,
        log1p(len(links)) / 6,
        leads_on,
        leads_on * log1p(on_page[0] + on_page[1]),
        leads_on * page.similarity(wording),
    )
    signs = np.empty((len(links), len(SIGHTING)), np.float32)
    for i, column in enumerate(columns):
        signs[:, i] = column
    paths = _paths(page.tree, links, domains, here)
    divisions = (link.anchor for link, domain in zip(links, domains, strict=True) if domain == here)
    keeps = keeping(here, title_of(page.tree), divisions)
    return Sighting(signs, domains, lists, paths, _words(of_anchors, of_urls), *on_page, keeps)


def _similarities(
    page: Page, urls: Sequence[UrlSigns], keywords: Query, wording: Query
) -> tuple[Floats | list[float] | float, ...]:
    """The first eight columns."""
    return (
        page.similarity(keywords),
        page.context_similarities(keywords, "anchor"),
        page.context_similarities(keywords, "parent"),
        page.context_similarities(keywords, "block"),
        _url_similarities(urls, keywords),
        page.similarity(wording),
        page.context_similarities(wording, "anchor"),
        page.context_similarities(wording, "block"),
    )


def _seeds_and_similar(
    members: Sequence[str], lists: Sequence[int], here: str, known: Known
) -> tuple[tuple[float, float], tuple[float | list[float], ...]]:
    """Seeds and similar sites on the page, and the columns seeds_on_page to list_length.

    `members` are what the links stand for: sites, or single seeds of a site that several share.
    """
    weight = {member: _weight(member, here, known) for member in set(members)}
    on_page = _totals(zip(members, repeat(0)), weight).get(0, (0.0, 0.0))
    in_list = _totals(zip(members, lists, strict=True), weight)
    sizes = Counter(lists)
    listed = [in_list.get(node, (0.0, 0.0)) if node >= 0 else (0.0, 0.0) for node in lists]
    return on_page, (
        log1p(on_page[0]),
        [log1p(seeds) for seeds, _ in listed],
        log1p(on_page[1]),
        [log1p(similar) for _, similar in listed],
        [float(node >= 0) for node in lists],
        [log1p(sizes[node]) / 3 if node >= 0 else 0.0 for node in lists],
    )


def _weight(member: str, here: str, known: Known) -> tuple[float, float]:
    """What a linked member adds to the counts of seeds and similar sites; no site speaks for itself."""
    if "://" in member:
        return 1.0, 0.0
    if member == here:
        return 0.0, 0.0
    if member in known.seeds:
        return 1.0, 0.0
    similarity = known.similarity.get(member, 0.0)
    return 0.0, similarity * similarity if similarity >= _SIMILAR else 0.0


def _totals(
    places: Iterable[tuple[str, int]], weight: Mapping[str, tuple[float, float]]
) -> dict[int, tuple[float, float]]:
    """Sums of weights by place; a member counts once a place."""
    totals: dict[int, tuple[float, float]] = {}
    for member, place in set(places):
        seeds, similar = weight[member]
        if seeds or similar:
            before = totals.get(place, (0.0, 0.0))
            totals[place] = before[0] + seeds, before[1] + similar
    return totals


def _url_similarities(urls: Sequence[UrlSigns], query: Query) -> list[float]:
    weights, norm = query.by_stem, query.norm or 1.0
    result = []
    for signs in urls:
        found = sum(weights.get(word, 0.0) for word in signs.words)
        result.append(found / (norm * sqrt(len(signs.words))) if found else 0.0)
    return result


def _paths(tree: TagTree, links: Sequence[Link], domains: Sequence[str], here: str) -> list[str]:
    """Kind of place: inner or outer link, and the two tags above it."""
    nodes = np.fromiter((link.node for link in links), np.int64, len(links))
    above = np.maximum(tree.parent[nodes], 0)
    higher = np.maximum(tree.parent[above], 0)
    tags, names = tree.tags, tree.tag_names
    return [
        f"{'inner' if domain == here else 'outer'}/{names[tags[far]]}/{names[tags[near]]}"
        for domain, near, far in zip(domains, above.tolist(), higher.tolist(), strict=True)
    ]


def _words(anchors: Sequence[AnchorSigns], urls: Sequence[UrlSigns]) -> list[tuple[str, ...]]:
    """Words of the anchor, then of the URL, marked as such."""
    return [
        (anchor.words + tuple([f"/{word}" for word in url.words]))[:MAX_WORDS]
        for anchor, url in zip(anchors, urls, strict=True)
    ]
