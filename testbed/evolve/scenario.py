"""One topic of a recorded web, made ready to be crawled thousands of times.

All that a crawl asks of its pages and that does not depend on the crawl is worked out once and remembered:
what a URL leads to, how the classifier judges a page, what a page says of its links.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.relevance.classifier import Classifier, train
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
PAGES_PER_KNOWN = 5


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
            found = self._outcomes[url] = self.graph.outcome(url, lambda u: self._exclusions.ruling(u).reason)
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


def make_scenario(
    features: GraphFeatures, bed_topic: BedTopic, random_seed: int = 0, examples: str = "known"
) -> Scenario:
    """A scenario with a classifier of its own; `examples` is a key of `EXAMPLES`."""
    classifier = EXAMPLES[examples](features.graph, bed_topic, random_seed)
    return Scenario(features.graph, bed_topic, features.scores(classifier))


def train_from_known(graph: PageGraph, bed_topic: BedTopic, random_seed: int = 0) -> Classifier:
    """A classifier from the sites known to be relevant, seeds and targets, as the paper's (R119, R127).

    It knows the listing, and so it judges well; what a crawl by it finds of the targets says little.
    """
    urls = (*bed_topic.topic.seeds, *bed_topic.targets)
    return _train(graph, bed_topic.topic, urls, PAGES_PER_KNOWN, random_seed)


def train_from_seeds(graph: PageGraph, bed_topic: BedTopic, random_seed: int = 0) -> Classifier:
    """A classifier from what a crawler is given: the seeds and what stands below them."""
    return _train(graph, bed_topic.topic, bed_topic.topic.seeds, PAGES_PER_SEED, random_seed)


EXAMPLES: Mapping[str, Callable[[PageGraph, BedTopic, int], Classifier]] = {
    "known": train_from_known,
    "seeds": train_from_seeds,
}
"""What the classifiers of a search learn from, against random other pages."""


def _train(
    graph: PageGraph, topic: Topic, relevant_urls: Sequence[str], pages_each: int, random_seed: int
) -> Classifier:
    """Raises `BadClassifier` if none of the URLs is a page of the web."""
    rng = Random(f"{random_seed}/{topic.name}")
    known = [page for url in relevant_urls if not isinstance(page := graph.outcome(url), Reason)]
    urls = [graph.final_url(page) for page in range(len(graph))]
    relevant = sorted({page for one in known for page in _below(urls, one)[:pages_each]})
    hosts = {host_of(urls[page]) for page in known}
    elsewhere = [page for page, url in enumerate(urls) if host_of(url) not in hosts]
    others = elsewhere or sorted(set(range(len(graph))).difference(relevant))
    number = min(len(others), max(MIN_OTHERS, OTHERS_PER_RELEVANT * len(relevant)))
    return train(
        map(graph.tree, relevant),
        map(graph.tree, rng.sample(others, number)),
        origin={"topic": topic.name, "relevant sites": len(known)},
        random_seed=random_seed,
    )


def _below(urls: Sequence[str], seed: int) -> list[int]:
    """A page and those in and below its directory."""
    directory = urls[seed].partition("?")[0].rpartition("/")[0] + "/"
    return [seed, *(page for page, url in enumerate(urls) if url.startswith(directory) and page != seed)]
