"""Scores that one page gives its links, to stand beside those of the link structure in a rank function.

The fourth paper names them as future work: the text around a link, and more (§4). A signal is a function of
a page and the topic alone; a URL has the best value that any of its links has earned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from bizcrawl.errors import WrongUse
from bizcrawl.page import Page
from bizcrawl.strategies.hub_seeking import hub_score
from bizcrawl.strategies.options import require_aggregation
from bizcrawl.topic import Topic
from bizcrawl.urls import hosts_of
from contexts.lists import list_ids
from contexts.vectors import Floats, Query, cosine

CONTEXT = "context:"
_WORDS = re.compile(r"[^\W\d_]{2,}")


class LinkSignals(Protocol):
    """The values of some signals for the links of a page."""

    def __call__(self, page: Page) -> Floats:
        """(signals, len(page.links)) one row for each signal."""
        ...


Signal = Callable[[Page, Topic], Floats]


def seeds_on_page(page: Page, topic: Topic) -> Floats:
    """n(n − 1) / (1 + n²) for the seed hosts that the page links to: hub_score of R30, for all links."""
    return np.full(len(page.links), hub_score(len(topic.seed_hosts & page.link_hosts)))


def seeds_in_list(page: Page, topic: Topic) -> Floats:
    """The same within the list, table or run of like blocks that holds the link; 0 outside of lists."""
    values = np.zeros(len(page.links))
    if topic.seed_hosts.isdisjoint(page.link_hosts):
        return values
    hosts = hosts_of(link.url for link in page.links)
    ids = list_ids(page.tree, page.links).tolist()
    seeds: dict[int, set[str]] = {}
    for host, number in zip(hosts, ids, strict=True):
        if number >= 0 and host in topic.seed_hosts:
            seeds.setdefault(number, set()).add(host)
    for i, number in enumerate(ids):
        values[i] = hub_score(len(seeds.get(number, ())))
    return values


def words_in_url(page: Page, topic: Topic) -> Floats:
    """Cosine of the keywords with the words of the link's URL."""
    wanted = topic.query.by_stem
    urls = {link.url for link in page.links}
    found = {url: cosine(Query.from_text(" ".join(_WORDS.findall(url))).by_stem, wanted) for url in urls}
    return np.array([found[link.url] for link in page.links])


def words_in_anchor(page: Page, topic: Topic) -> Floats:
    """Cosine of the keywords with the link's own text."""
    wanted = topic.query.by_stem
    return np.array([cosine(Query.from_text(link.anchor).by_stem, wanted) for link in page.links])


SIGNALS: Mapping[str, Signal] = {
    "hub": seeds_on_page,
    "block": seeds_in_list,
    "url": words_in_url,
    "anchor": words_in_anchor,
}


def signal(name: str) -> Signal:
    """A signal by name: one of `SIGNALS`, or ``context:`` and an aggregation such as ``parent`` (R25).

    Raises WrongUse naming what there is.
    """
    if name in SIGNALS:
        return SIGNALS[name]
    if name.startswith(CONTEXT):
        aggregation = name.removeprefix(CONTEXT)
        require_aggregation(aggregation)
        return lambda page, topic: page.context_similarities(topic.query, aggregation)
    raise WrongUse(f"no score is called {name!r}; there are: {', '.join(SIGNALS)}, {CONTEXT}AGGREGATION")


def link_signals(names: Sequence[str], topic: Topic) -> LinkSignals:
    """The signals of some names for the pages of a crawl."""
    made = [signal(name) for name in names]

    def values(page: Page) -> Floats:
        return np.array([one(page, topic) for one in made]).reshape(len(made), len(page.links))

    return values
