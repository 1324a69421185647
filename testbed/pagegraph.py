"""A recorded web as a page graph in arrays: tidied once, crawled thousands of times.

A page graph holds the tag trees of all good pages end to end in a few flat arrays, with the links between
them and with what became of every URL: a page, a redirect, or a reason why it brings none (R56). A query is
scored against every page and every link context of the web at once (`testbed.graph_cosines`), and remembered;
a simulated page is a window on these results and offers the same `Page` protocol as a fetched one, so that
strategies can't tell the difference.

`testbed.pagegraph_build` makes page graphs, `testbed.pagegraph_folder` keeps them on disk.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from bizcrawl.download import MAX_REDIRECTS
from bizcrawl.reasons import Reason
from bizcrawl.urls import hosts_of, parse
from contexts.aggregation import AGGREGATIONS
from contexts.links import Link
from contexts.tagtree import TagTree
from contexts.vectors import Floats, Query
from testbed.graph_arrays import (
    KINDS,
    REASONS,
    Arrays,
    SpanArrays,
    blob,
    join_spans,
    page_spans,
    texts,
)
from testbed.graph_cosines import context_cosines, page_cosines

MAX_QUERIES = 64
"""Queries whose similarities are remembered; InfoSpiders has up to nine at a time."""
MAX_TREES = 1024

Key = TypeVar("Key")
Value = TypeVar("Value")


class PageGraph:
    """A recorded web in arrays. `keep_spans` is told of contexts that were worked out, to keep them."""

    def __init__(
        self,
        arrays: Arrays,
        known_spans: Callable[[str], SpanArrays | None] = lambda _name: None,
        keep_spans: Callable[[str, SpanArrays], None] = lambda _name, _spans: None,
        faults: Mapping[str, int] | None = None,
    ) -> None:
        self.arrays = arrays
        self.faults: Mapping[str, int] = faults or {}
        """What could not be read of the record, by kind."""
        self._known_spans = known_spans
        self._keep_spans = keep_spans
        self.urls: list[str] = texts(arrays.url_text, arrays.url_at)
        self.url_ids: dict[str, int] = {url: i for i, url in enumerate(self.urls)}
        self._moved_to: list[int] = arrays.moved_to.tolist()
        self._page_at: list[int] = arrays.page_at.tolist()
        self._barred: list[int] = arrays.barred.tolist()
        self._page_url: list[int] = arrays.page_url.tolist()
        self._link_at: list[int] = arrays.link_at.tolist()
        self._links: dict[int, Sequence[Link]] = {}
        self._link_hosts: dict[int, Set[str]] = {}
        self._spans: dict[str, SpanArrays] = {}
        self._pages_of: OrderedDict[Query, list[float]] = OrderedDict()
        self._contexts_of: OrderedDict[tuple[Query, str], Floats] = OrderedDict()
        self._trees: OrderedDict[int, TagTree] = OrderedDict()

    def __len__(self) -> int:
        """Good pages."""
        return len(self._page_url)

    def only_kinds(self, kinds: Sequence[str]) -> PageGraph:
        """The same web with links of some kinds alone, such as ``("a", "area")``."""
        arrays = self.arrays
        wanted = [KINDS.index(kind) for kind in kinds]
        keep = np.isin(arrays.link_kind, wanted)
        places = np.flatnonzero(keep)
        lines = texts(arrays.link_text, arrays.link_text_at)
        link_text, link_text_at = blob([lines[i] for i in places.tolist()])
        cut = replace(
            arrays,
            link_at=np.concatenate(([0], np.cumsum(keep)))[arrays.link_at],
            link_url=arrays.link_url[keep],
            link_node=arrays.link_node[keep],
            link_kind=arrays.link_kind[keep],
            link_text=link_text,
            link_text_at=link_text_at,
        )

        def known(name: str) -> SpanArrays:
            whole = self.spans(name)
            return SpanArrays(whole.starts[keep], whole.ends[keep], whole.norms[keep])

        return PageGraph(cut, known)

    # what became of a URL

    def outcome(self, url: str, refused: Callable[[str], Reason | None] = lambda _url: None) -> int | Reason:
        """The page that a URL leads to after up to five redirects, or why it leads to none (R56).

        `refused` is asked before every hop, as scope and exclusions are in a live crawl.
        """
        known = self.url_ids.get(url, -1)
        if known < 0:
            known = self.url_ids.get(parse(url) or url, -1)
        hops: list[int] = []
        while len(hops) <= MAX_REDIRECTS:
            if known < 0:
                return refused(url) or Reason.NOT_RECORDED
            if reason := refused(self.urls[known]):
                return reason
            if self._barred[known] >= 0:
                return REASONS[self._barred[known]]
            if self._moved_to[known] < 0:
                page = self._page_at[known]
                return page if page >= 0 else REASONS[-1 - page]
            hops.append(known)
            known = self._moved_to[known]
            if known in hops:
                return Reason.REDIRECT_LOOP
        return Reason.TOO_MANY_REDIRECTS

    def final_url(self, page: int) -> str:
        """URL of a page after redirects."""
        return self.urls[self._page_url[page]]

    # pages as strategies see them

    def page(self, page: int, url: str | None = None) -> SimulatedPage:
        """A page under the URL that was asked for; its own if none is given."""
        return SimulatedPage(self, page, self.final_url(page) if url is None else url)

    def pages(self) -> Iterator[SimulatedPage]:
        """All good pages."""
        return (self.page(i) for i in range(len(self)))

    def links(self, page: int) -> Sequence[Link]:
        """Links of a page."""
        links = self._links.get(page)
        if links is None:
            links = self._links[page] = self._make_links(page)
        return links

    def link_hosts(self, page: int) -> Set[str]:
        """Hosts that the links of a page lead to."""
        hosts = self._link_hosts.get(page)
        if hosts is None:
            hosts = self._link_hosts[page] = set(hosts_of(link.url for link in self.links(page)))
        return hosts

    def _make_links(self, page: int) -> list[Link]:
        arrays, urls = self.arrays, self.urls
        first, last = self._link_at[page], self._link_at[page + 1]
        at = arrays.link_text_at[first : last + 1]
        lines = bytes(arrays.link_text[at[0] : at[-1]])
        ends = (at - at[0]).tolist()
        found = []
        for i in range(last - first):
            anchor, _, rel = lines[ends[i] : ends[i + 1]].decode().partition("\n")
            kind = KINDS[arrays.link_kind[first + i]]
            url, node = urls[arrays.link_url[first + i]], int(arrays.link_node[first + i])
            found.append(Link(url, node, i, anchor, kind, rel))
        return found

    def tree(self, page: int) -> TagTree:
        """Tag tree of a page."""
        tree = self._trees.get(page)
        if tree is None:
            tree = _remember(self._trees, page, self._make_tree(page), MAX_TREES)
        return tree

    def _make_tree(self, page: int) -> TagTree:
        a = self.arrays
        nodes = slice(a.node_at[page], a.node_at[page + 1])
        firsts = slice(a.node_at[page] + page, a.node_at[page + 1] + page + 1)
        rest = json.loads(bytes(a.rest[a.rest_at[page] : a.rest_at[page + 1]]))
        return TagTree(
            tags=a.tags[nodes],
            parent=a.parent[nodes],
            end=a.end[nodes],
            first_token=a.first_token[firsts],
            first_char=a.first_char[firsts],
            tokens=a.tokens[a.token_at[page] : a.token_at[page + 1]],
            stems=self.stems_of(page),
            tag_names=self.tag_names,
            text=bytes(a.text[a.text_at[page] : a.text_at[page + 1]]).decode(),
            attributes={int(node): values for node, values in rest["attributes"]},
            json_ld=tuple(rest["json_ld"]),
            cuts=tuple(rest["cuts"]),
            road=rest["road"],
        )

    def stems_of(self, page: int) -> tuple[str, ...]:
        """Every stem of a page, once."""
        a = self.arrays
        words = a.words[a.word_at[page] : a.word_at[page + 1]].tolist()
        return tuple([self.stems[word] for word in words])

    @cached_property
    def stems(self) -> list[str]:
        """Every stem of the web."""
        return texts(self.arrays.stem_text, self.arrays.stem_at)

    @cached_property
    def stem_ids(self) -> Mapping[str, int]:
        """Index of every stem of the web."""
        return {stem: i for i, stem in enumerate(self.stems)}

    @cached_property
    def tag_names(self) -> tuple[str, ...]:
        """Every tag name of the web."""
        return tuple(texts(self.arrays.tag_text, self.arrays.tag_at))

    # similarities of the whole web at once

    def page_similarities(self, query: Query) -> list[float]:
        """Cosine of a query with each page (R22)."""
        found = self._pages_of.get(query)
        if found is None:
            cosines = page_cosines(self.arrays, self.stem_ids, query).tolist()
            found = _remember(self._pages_of, query, cosines, MAX_QUERIES)
        return found

    def context_similarities(self, query: Query, aggregation: str) -> Floats:
        """Cosine of a query with the context of each link of the graph (R25)."""
        found = self._contexts_of.get((query, aggregation))
        if found is None:
            cosines = context_cosines(self.arrays, self.stem_ids, self.spans(aggregation), query)
            found = _remember(self._contexts_of, (query, aggregation), cosines, MAX_QUERIES)
        return found

    def spans(self, aggregation: str) -> SpanArrays:
        """Contexts of all links at one aggregation; worked out from the tag trees the first time."""
        # not kept on disk: what another package adds, whose code may change under the same name
        ours = aggregation.partition(":")[0] in AGGREGATIONS
        found = self._spans.get(aggregation) or (self._known_spans(aggregation) if ours else None)
        if found is None:
            found = join_spans(
                [page_spans(self.tree(i), self.links(i), aggregation) for i in range(len(self))],
                self.arrays.token_at,
            )
            if ours:
                self._keep_spans(aggregation, found)
        self._spans[aggregation] = found
        return found


class SimulatedPage:
    """A page of a page graph; see `bizcrawl.page.Page`."""

    __slots__ = ("_graph", "final_url", "links", "number", "url")

    def __init__(self, graph: PageGraph, number: int, url: str) -> None:
        self._graph = graph
        self.number = number
        self.url = url
        self.final_url = graph.final_url(number)
        self.links = graph.links(number)

    @property
    def tree(self) -> TagTree:
        """See `Page`."""
        return self._graph.tree(self.number)

    @property
    def stems(self) -> tuple[str, ...]:
        """See `Page`."""
        return self._graph.stems_of(self.number)

    @property
    def link_hosts(self) -> Set[str]:
        """See `Page`."""
        return self._graph.link_hosts(self.number)

    def similarity(self, query: Query) -> float:
        """See `Page`."""
        return self._graph.page_similarities(query)[self.number]

    def context_similarities(self, query: Query, aggregation: str) -> Floats:
        """See `Page`."""
        at = self._graph._link_at
        return self._graph.context_similarities(query, aggregation)[at[self.number] : at[self.number + 1]]


def _remember(known: OrderedDict[Key, Value], key: Key, value: Value, most: int) -> Value:
    """Keep a value under its key, and of all values the newest `most`."""
    known[key] = value
    if len(known) > most:
        known.popitem(last=False)
    return value
