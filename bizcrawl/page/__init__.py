"""A fetched page as strategies see it; one type for live, recorded and simulated pages."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from bizcrawl.page.packed import PackedLinks, PackedTree, pack_links, pack_tree, unpack_links, unpack_tree
from bizcrawl.urls import host_of, hosts_of
from contexts.aggregation import spans
from contexts.links import Link
from contexts.tagtree import TagTree
from contexts.vectors import Floats, Query, page_cosine, query_weights, slice_cosines

MAX_STEMS = 10_000
"""Distinct terms of a page, from its top, that are learned from and kept in memory as long as a crawl runs.
Of 1,000 saved pages none has 5,000; a page of random letters has 800,000."""


class Page(Protocol):
    """What a strategy may ask of a page. It never sees the response, the clock or the collection."""

    @property
    def url(self) -> str:
        """URL under which the page was asked for: the one that `Strategy.next` gave out."""
        ...

    @property
    def final_url(self) -> str:
        """URL after redirects."""
        ...

    @property
    def links(self) -> Sequence[Link]:
        """Every occurrence of every link, in document order."""
        ...

    @property
    def tree(self) -> TagTree:
        """The tag tree."""
        ...

    @property
    def stems(self) -> Sequence[str]:
        """Every term of the page, once."""
        ...

    @property
    def link_hosts(self) -> Set[str]:
        """Hosts that the links lead to."""
        ...

    def similarity(self, query: Query) -> float:
        """Cosine of the whole page with a query (R22)."""
        ...

    def context_similarities(self, query: Query, aggregation: str) -> Floats:
        """(len(links),) cosine of each link's context at an aggregation, such as ``parent`` (R25)."""
        ...


@dataclass(frozen=True, eq=False)
class TidiedPage:
    """A page with its own tag tree, as live and recorded crawls make it."""

    url: str
    final_url: str
    links: Sequence[Link]
    tree: TagTree

    def __reduce__(self) -> tuple[object, ...]:
        """Between processes a page travels packed, and with it the hosts of its links, for which every crawl
        asks.
        """
        hosts = " ".join(self.link_hosts)
        return _unpacked, (self.url, self.final_url, pack_links(self.links), pack_tree(self.tree), hosts)

    @property
    def host(self) -> str:
        """Host of the final URL."""
        return host_of(self.final_url)

    @property
    def stems(self) -> Sequence[str]:
        """See `Page`."""
        return self.tree.stems

    @cached_property
    def link_hosts(self) -> Set[str]:
        """See `Page`."""
        return set(hosts_of(link.url for link in self.links))

    def similarity(self, query: Query) -> float:
        """See `Page`. Remembered, for the strategy asks and so does the journal."""
        known = self._similarities.get(query)
        if known is None:
            known = self._similarities[query] = page_cosine(self.tree, query)
        return known

    @cached_property
    def _similarities(self) -> dict[Query, float]:
        return {}

    def context_similarities(self, query: Query, aggregation: str) -> Floats:
        """See `Page`."""
        if query in self._weights:
            weights = self._weights[query]
        else:
            weights = self._weights[query] = query_weights(self.tree.stems, query)
        if weights is None or not self.links:
            return np.zeros(len(self.links))
        found = spans(self.tree, self.links, aggregation)
        return slice_cosines(self.tree.tokens, weights, query.norm, found.starts, found.ends)

    @cached_property
    def _weights(self) -> dict[Query, Floats | None]:
        """What queries make of the page's words; one is asked for at several aggregations."""
        return {}


def _unpacked(
    url: str, final_url: str, links: PackedLinks | None, tree: PackedTree, link_hosts: str
) -> TidiedPage:
    page = TidiedPage(url, final_url, unpack_links(links), unpack_tree(tree))
    page.__dict__["link_hosts"] = frozenset(link_hosts.split(" ")) if links else frozenset()
    return page
