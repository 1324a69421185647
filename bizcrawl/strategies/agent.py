"""One agent of InfoSpiders: its keywords, its neural net and its part of the frontier (R69-R76)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import tanh

import numpy as np

from bizcrawl.page import Page
from bizcrawl.strategies import Gate, ScoredLink
from bizcrawl.urls import host_of
from contexts.vectors import Floats, Query

_ROOM = 2_048
"""Links for which an agent's frontier has room at first; it grows with what waits, up to its bound."""

Features = Sequence[float]
"""For each keyword of an agent, how often it stands near a link, weighted by nearness (R74)."""


def logistic(x: float) -> float:
    """1 / (1 + exp(-x)), for any x."""
    return 0.5 * (1 + tanh(x / 2))


class Net:
    """A perceptron with one sigmoid output and no hidden layer (R69)."""

    def __init__(self, weights: Sequence[float], bias: float = 0.0) -> None:
        self.weights = list(weights)
        self.bias = bias

    def __call__(self, features: Features) -> float:
        """Estimate of a link, between 0 and 1."""
        return logistic(self.bias + sum(w * x for w, x in zip(self.weights, features, strict=False)))

    def learn(self, features: Features, target: float, rate: float) -> None:
        """One step of back-propagation of the squared error of one example (R73)."""
        output = self(features)
        step = rate * (target - output) * output * (1 - output)
        for i, x in enumerate(features):
            self.weights[i] += step * x
        self.bias += step


class AgentFrontier:
    """An agent's links, at most `size`: the worst goes when one too many comes, of equals the latest.

    A link seen again with a higher score takes that score, and is the latest to have it (A9). Choosing is by
    lot, so links stand in no order.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.dropped = 0
        self._links: dict[str, tuple[ScoredLink, Features]] = {}
        self._places: dict[str, int] = {}
        self._urls: list[str] = []
        self._scores = np.empty(min(size, _ROOM))
        self._since = np.empty(min(size, _ROOM), np.int64)
        """When each link took its score, as a running number: places change when links go."""
        self._pushes = 0

    def push(self, link: ScoredLink, features: Features) -> None:
        """Add a link or raise its score."""
        known = self._links.get(link.url)
        if known is not None:
            if link.score > known[0].score:
                self._put(self._places[link.url], link, features)
            return
        if len(self._urls) >= self.size:
            self.dropped += 1
            worst = self._worst()
            if link.score <= self._scores[worst]:
                return
            self.discard(self._urls[worst])
        self._places[link.url] = len(self._urls)
        if len(self._urls) == len(self._scores):
            more = (0, len(self._scores))
            self._scores, self._since = np.pad(self._scores, more), np.pad(self._since, more)
        self._urls.append(link.url)
        self._put(self._places[link.url], link, features)

    def _put(self, place: int, link: ScoredLink, features: Features) -> None:
        self._links[link.url] = (link, features)
        self._scores[place] = link.score
        self._since[place] = self._pushes
        self._pushes += 1

    def choose(
        self, beta: float, rng: random.Random, gate: Gate | None = None
    ) -> tuple[ScoredLink, Features] | None:
        """A link drawn with probability exp(βμ) / Σ exp(βμ') (R71, TOIT eq. 6), of hosts that are ready."""
        scores = self._scores[: len(self._urls)]
        weights = np.exp(beta * (scores - scores.max(initial=0.0)))
        while weights.any():
            running = np.cumsum(weights)
            place = min(
                int(np.searchsorted(running, rng.random() * running[-1], side="right")), len(weights) - 1
            )
            host = host_of(self._urls[place])
            if gate is None or gate.wait_s(host) <= 0:
                return self._links[self._urls[place]]
            weights[[i for i, url in enumerate(self._urls) if host_of(url) == host]] = 0.0
        return None

    def get(self, url: str) -> tuple[ScoredLink, Features] | None:
        """A waiting link with what stands around it."""
        return self._links.get(url)

    def discard(self, url: str) -> None:
        """Take a link out; the last one takes its place."""
        place = self._places.pop(url, None)
        if place is None:
            return
        del self._links[url]
        last = self._urls.pop()
        if last != url:
            self._urls[place] = last
            self._places[last] = place
            self._scores[place] = self._scores[len(self._urls)]
            self._since[place] = self._since[len(self._urls)]

    def split(self) -> AgentFrontier:
        """Give every second link, from best to worst, and half of the room to a new frontier (R76)."""
        child = AgentFrontier(self.size // 2)
        k = len(self._urls)
        order = np.lexsort((self._since[:k], -self._scores[:k]))
        for url in [self._urls[i] for i in order[1::2]]:
            link, features = self._links[url]
            self.discard(url)
            child.push(link, features)
        self.size -= child.size
        while len(self._urls) > self.size:
            self.discard(self._urls[self._worst()])
            self.dropped += 1
        return child

    def _worst(self) -> int:
        scores = self._scores[: len(self._urls)]
        worst = np.flatnonzero(scores == scores.min())
        return int(worst[self._since[worst].argmax()])

    def __len__(self) -> int:
        return len(self._urls)

    def __contains__(self, url: str) -> bool:
        return url in self._places


@dataclass(slots=True)
class Agent:
    """One agent."""

    query: Query
    keywords: tuple[str, ...]
    """In the order of the net's inputs."""
    net: Net
    frontier: AgentFrontier
    energy: float = 0.0
    at: Page | None = None
    """The page on which it stands (R75)."""

    @classmethod
    def with_query(cls, query: Query, size: int, weight: float) -> Agent:
        """The first agent: all weights alike (R78, A4)."""
        keywords = tuple(stem for stem, _ in query.weights)
        return cls(query, keywords, Net([weight] * len(keywords)), AgentFrontier(size))

    def divide(self, keyword: str | None, weight: float) -> Agent:
        """A child with half of the frontier and one keyword more; both begin without energy (R76)."""
        self.energy = 0.0
        child = Agent(self.query, self.keywords, Net(self.net.weights, self.net.bias), self.frontier.split())
        if keyword is not None:
            child.query = Query.from_weights({**self.query.by_stem, keyword: 1.0})
            child.keywords = (*self.keywords, keyword)
            child.net.weights.append(weight)
        child.at = self.at
        return child


def nearness(page: Page, keywords: Sequence[str], reach: int) -> Floats:
    """(links, keywords): sum over a keyword's occurrences of 1 / distance to the link (R74, A4).

    The distance is 1 in the anchor and right beside it, and one more for each link in between; occurrences
    with more than `reach` links in between count nothing.
    """
    tree, k = page.tree, len(page.links)
    nodes = np.fromiter((link.node for link in page.links), np.int64, k)
    starts, ends = tree.first_token[nodes], tree.first_token[tree.end[nodes]]
    ids = {stem: i for i, stem in enumerate(tree.stems)}
    result = np.zeros((k, len(keywords)))
    for column, keyword in enumerate(keywords):
        if keyword not in ids:
            continue
        at = np.flatnonzero(tree.tokens == ids[keyword])
        before = np.searchsorted(starts, at, side="right")
        inside = np.zeros(len(at), bool)
        inside[before > 0] = at[before > 0] < ends[before[before > 0] - 1]
        anchors = np.bincount(before[inside] - 1, minlength=k)
        gaps = np.bincount(before[~inside], minlength=k + 1)
        total = anchors.astype(float)
        for d in range(min(reach + 1, k)):  # d links in between
            share = 1.0 / (1 + d)
            total[d:] += share * gaps[: k - d]  # text before the link
            total[: k - d] += share * gaps[1 + d :]  # text after it
            if d:
                total[d:] += share * anchors[: k - d]
                total[: k - d] += share * anchors[d:]
        result[:, column] = total
    return result
