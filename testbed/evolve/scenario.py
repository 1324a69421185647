"""One topic of a recorded web, made ready to be crawled thousands of times.

All that a crawl asks of its pages and that does not depend on the crawl is worked out once and remembered:
what a URL leads to, how the classifier judges a page, what a page says of its links.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from bizcrawl.classifier import Classifier, train
from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.scope import Exclusions
from bizcrawl.strategies.link_signals import LinkSignals, link_signals
from bizcrawl.topic import Topic
from bizcrawl.urls import host_of
from contexts.vectors import Floats
from testbed.evolve.features import GraphFeatures
from testbed.pagegraph import PageGraph, SimulatedPage
from testbed.topics import BedTopic

OTHERS_PER_RELEVANT = 5
"""The paper trained on 139 relevant pages and about 700 others (R127)."""
MIN_OTHERS = 200
PAGES_PER_SEED = 20
"""A company's site is small; a university's would drown the others."""


class Scenario:
    """A topic, the recorded web it is crawled on, and the judge of its pages."""

    def __init__(self, graph: PageGraph, bed_topic: BedTopic, scores: Floats) -> None:
        """`scores` holds the classifier's score of each page of the graph."""
        self.graph = graph
        self.bed_topic = bed_topic
        self.topic: Topic = bed_topic.topic
        self.scores: list[float] = scores.tolist()
        self.hosts: list[str] = [host_of(graph.final_url(page)) for page in range(len(graph))]
        self.target_hosts = frozenset(
            self.hosts[page]
            for url in bed_topic.targets
            if not isinstance(page := graph.outcome(url), Reason)
        )
        self._exclusions = Exclusions.of(bed_topic.excluded)
        self._outcomes: dict[str, int | Reason] = {}
        self._signals: dict[tuple[str, ...], LinkSignals] = {}

    def score(self, page: Page) -> float:
        """The classifier's score of a simulated page: what its crawls' `score_page` is."""
        if not isinstance(page, SimulatedPage):
            raise TypeError("a scenario judges pages of its own graph only")
        return self.scores[page.number]

    def outcome(self, url: str) -> int | Reason:
        """The page that a URL leads to, or why it leads to none; excluded pages are refused."""
        found = self._outcomes.get(url)
        if found is None:
            found = self._outcomes[url] = self.graph.outcome(
                url, lambda u: self._exclusions.verdict(u).reason
            )
        return found

    def signals(self, names: Sequence[str], topic: Topic) -> LinkSignals:
        """Link signals whose values are remembered by page."""
        key = tuple(names)
        if key not in self._signals:
            self._signals[key] = _remembered(link_signals(names, topic))
        return self._signals[key]


def _remembered(make: LinkSignals) -> LinkSignals:
    known: dict[str, Floats] = {}

    def values(page: Page) -> Floats:
        found = known.get(page.final_url)
        if found is None:
            found = known[page.final_url] = make(page)
        return found

    return values


def make_scenario(features: GraphFeatures, bed_topic: BedTopic, random_seed: int = 0) -> Scenario:
    """A scenario whose classifier has learned from the seeds' sites and from random other pages (R119)."""
    classifier = train_from_seeds(features.graph, bed_topic.topic, random_seed)
    return Scenario(features.graph, bed_topic, features.scores(classifier))


def train_from_seeds(graph: PageGraph, topic: Topic, random_seed: int = 0) -> Classifier:
    """A classifier from what a crawler is given: the seeds and what stands below them against random pages.

    Raises `BadClassifier` if no seed is a page of the web.
    """
    rng = Random(f"{random_seed}/{topic.name}")
    seeds = [page for url in topic.seeds if not isinstance(page := graph.outcome(url), Reason)]
    urls = [graph.final_url(page) for page in range(len(graph))]
    relevant = sorted({page for seed in seeds for page in _below(urls, seed)})
    hosts = {host_of(urls[seed]) for seed in seeds}
    elsewhere = [page for page, url in enumerate(urls) if host_of(url) not in hosts]
    others = elsewhere or sorted(set(range(len(graph))).difference(relevant))
    number = min(len(others), max(MIN_OTHERS, OTHERS_PER_RELEVANT * len(relevant)))
    return train(
        map(graph.tree, relevant),
        map(graph.tree, rng.sample(others, number)),
        origin={"topic": topic.name, "seeds": list(topic.seeds)},
        random_seed=random_seed,
    )


def _below(urls: Sequence[str], seed: int) -> list[int]:
    """A seed's page and those in and below its directory, the first `PAGES_PER_SEED` of them."""
    directory = urls[seed].partition("?")[0].rpartition("/")[0] + "/"
    found = [page for page, url in enumerate(urls) if url.startswith(directory) and page != seed]
    return [seed, *found[: PAGES_PER_SEED - 1]]
