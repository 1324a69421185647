"""Back-links from links that are at hand: a page graph in memory, or any list of links."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from bizcrawl.reasons import Reason
from bizcrawl.urls import host_of, key_of, parse
from testbed.pagegraph import PageGraph


class LinkGraph:
    """Links between pages; back-links come by in-degree of the linking page, or in random order (A20).

    With `across_hosts`, only pages on other hosts count. `names` gives the node behind a URL, so that
    redirects and spellings meet: by default the URL's key.
    """

    def __init__(
        self,
        links: Iterable[tuple[str, str]],
        names: Mapping[str, str] | None = None,
        rng: random.Random | None = None,
        across_hosts: bool = True,
    ) -> None:
        self._names = names or {}
        self._across_hosts = across_hosts
        self._rng = rng
        sources: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for source, target in links:
            if (here := self._name(source)) != (there := self._name(target)):
                sources[there].setdefault(here, source)
        self._sources = dict(sources)

    def _name(self, url: str) -> str:
        key = key_of(parse(url) or url)
        return self._names.get(key, key)

    def in_degree(self, url: str) -> int:
        """Number of other pages that link to a page."""
        return len(self._sources.get(self._name(url), ()))

    async def linking_to(self, urls: Sequence[str], limit: int) -> Mapping[str, Sequence[str]]:
        """See `Backlinks`."""
        return {url: self._of(url)[:limit] for url in urls}

    def _of(self, url: str) -> list[str]:
        here = self._name(url)
        site = host_of(url)
        found = list(self._sources.get(here, {}).values())
        if self._across_hosts:
            # a site's own pages say nothing of what others think of it
            found = [source for source in found if host_of(source) != site]
        if self._rng:
            found.sort()
            self._rng.shuffle(found)
            return found
        return sorted(found, key=lambda source: (-self.in_degree(source), source))


def graph_backlinks(
    graph: PageGraph, rng: random.Random | None = None, *, across_hosts: bool = True
) -> LinkGraph:
    """Back-links in a recorded web; URLs that redirect count as the page they lead to."""
    names: dict[str, str] = {}
    for url in graph.urls:
        page = graph.outcome(url)
        if not isinstance(page, Reason):
            names[key_of(url)] = key_of(graph.final_url(page))
    links = ((page.final_url, link.url) for page in graph.pages() for link in page.links)
    return LinkGraph(links, names, rng, across_hosts)
