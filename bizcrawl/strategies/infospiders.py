"""InfoSpiders (R69-R78, R81, A3-A5; TOIT §3.1.5 and §5, Figure 10): a population of agents that learn and
reproduce.

Each agent has keywords, a perceptron that estimates links from the keywords around them, and a part of the
frontier. Agents take turns; one that finds many similar pages divides, and its child learns a word of the
page at hand. The four variants are learning × evolution (R78).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import Gate, ScoredLink
from bizcrawl.strategies.agent import Agent, logistic, nearness
from bizcrawl.strategies.options import MAX_BUFFER, Givens, Options, option, require
from bizcrawl.strategies.scored import SEED_SCORE
from bizcrawl.topic import Topic
from contexts.vectors import page_counts


@dataclass(frozen=True, slots=True)
class InfoSpidersOptions(Options):
    """Parameters of InfoSpiders."""

    max_frontier: int = option(MAX_BUFFER, "URLs that may wait with all agents together (R77)")
    hosts_apart: int = option(
        0, "only 0: each agent draws from a frontier of its own (R71), so R14 does not apply"
    )
    alpha: float = option(0.5, "α: weight of the page against the neural net in an estimate (R70)")
    beta: float = option(5.0, "β: greed of the choice among links; 0 is uniform (R71, R81)")
    learning: bool = option(True, "agents train their nets on what they find (R73, R78)")
    learning_rate: float = option(0.5, "step of back-propagation (R73)")
    evolution: bool = option(True, "agents reproduce and children learn a keyword (R76, R78)")
    max_population: int = option(8, "agents at most (R76)")
    theta: float = option(2.0, "Θ: energy above which an agent reproduces (R76)")
    temperature: float = option(0.1, "T: how freely an agent moves to a less similar page (R75)")
    initial_weight: float = option(1.0, "weight of every keyword in a new net (A4)")
    reach: int = option(5, "links on either side within which a keyword is near a link (A4)")

    def __post_init__(self) -> None:
        require(0 <= self.alpha <= 1, "alpha", "between 0 and 1", self.alpha)
        require(self.beta >= 0, "beta", "0 or more", self.beta)
        require(self.hosts_apart == 0, "hosts_apart", "0, for each agent draws by chance", self.hosts_apart)
        require(self.max_population >= 1, "max_population", "1 or more", self.max_population)
        require(
            self.max_frontier >= self.max_population, "max_frontier", "one URL an agent", self.max_frontier
        )
        require(self.temperature > 0, "temperature", "above 0", self.temperature)
        require(self.reach >= 0, "reach", "0 or more", self.reach)


class InfoSpiders:
    """A population that never exceeds its bound, with a frontier that never exceeds its own (R76, R77)."""

    def __init__(self, options: InfoSpidersOptions, givens: Givens) -> None:
        self.options = options
        self.population: list[Agent] = []
        self._admits = givens.admits
        # choosing and moving draw apart, so that a replay that does not choose moves all the same
        self._choice = random.Random(givens.rng.random())
        self._moves = random.Random(givens.rng.random())
        self._turn = 0
        self._depth: dict[str, int] = {}
        """URLs that were given out or fetched, with their depth."""
        self._sent: dict[str, tuple[Agent, Sequence[float]]] = {}
        """Who was given a URL that is not yet back, and what stood around its link."""

    def start(self, topic: Topic) -> None:
        """See `Strategy`: one agent with the topic's keywords and all seeds (R69)."""
        o = self.options
        agent = Agent.with_query(topic.query, o.max_frontier, o.initial_weight)
        nothing = (0.0,) * len(agent.keywords)
        for url in (*topic.hubs, *topic.seeds):
            agent.frontier.push(ScoredLink(url, SEED_SCORE), nothing)
        self.population = [agent]

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        """See `Strategy`: agents choose in turn, each among its own links (R71); one without a link idles
        (A5).
        """
        links: list[ScoredLink] = []
        idle = 0
        while len(links) < n and idle < len(self.population):
            agent = self.population[self._turn % len(self.population)]
            self._turn += 1
            chosen = agent.frontier.choose(self.options.beta, self._choice, gate)
            if chosen is None:
                idle += 1
                continue
            idle = 0
            links.append(self._send(agent, *chosen))
        return links

    def give(self, urls: Sequence[str], *, chosen: bool = True) -> list[ScoredLink]:
        """See `GivesByName`: a URL is that of the next agent in turn that has it waiting."""
        return [self._give(url, chosen) for url in urls]

    def _give(self, url: str, chosen: bool) -> ScoredLink:
        size, first = len(self.population), self._turn if chosen else 0
        for turn in range(first, first + size):
            agent = self.population[turn % size]
            if waiting := agent.frontier.get(url):
                if chosen:
                    self._turn = turn + 1
                return self._send(agent, *waiting)
        self._leave(url, 0)
        return ScoredLink(url, 0.0, self._depth[url])

    def _send(self, agent: Agent, link: ScoredLink, features: Sequence[float]) -> ScoredLink:
        """An agent asks for a page."""
        self._leave(link.url, link.depth)
        self._sent[link.url] = (agent, features)
        return link

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        """See `Strategy`: one turn of Figure 10."""
        agent, features = self._receive(page)
        similarity = page.similarity(agent.query)
        agent.energy += similarity
        if self.options.learning and features:
            agent.net.learn(features, similarity, self.options.learning_rate)
        scored = self._enqueue(agent, page, similarity)
        if agent.at is None or self._moves.random() < move_probability(
            similarity - agent.at.similarity(agent.query), self.options.temperature
        ):
            agent.at = page
        if self.options.evolution:
            self._reproduce(agent)
        return scored

    def fail(self, url: str, reason: Reason) -> None:
        """See `Strategy`."""
        self._sent.pop(url, None)
        self._leave(url, 0)

    def __len__(self) -> int:
        """See `Strategy`."""
        return sum(len(agent.frontier) for agent in self.population)

    @property
    def dropped(self) -> int:
        """URLs turned away because an agent's frontier was full (`Reason.FRONTIER_FULL`)."""
        return sum(agent.frontier.dropped for agent in self.population)

    def _receive(self, page: Page) -> tuple[Agent, Sequence[float]]:
        """The agent whose page this is: who asked for it, else who has it waiting, else the first."""
        sent = self._sent.pop(page.url, None)
        if sent is None:
            agent = next((a for a in self.population if page.url in a.frontier), self.population[0])
            waiting = agent.frontier.get(page.url)
            depth, sent = (waiting[0].depth, (agent, waiting[1])) if waiting else (0, (agent, ()))
            self._leave(page.url, depth)
        self._leave(page.final_url, self._depth[page.url])
        return sent

    def _enqueue(self, agent: Agent, page: Page, similarity: float) -> list[ScoredLink]:
        """Estimates of the page's links (R70), into the agent's frontier."""
        alpha, depth = self.options.alpha, self._depth[page.url] + 1
        near = nearness(page, agent.keywords, self.options.reach) if similarity > 0 else None
        rows = [(0.0,) * len(agent.keywords)] * len(page.links) if near is None else near.tolist()
        scored = []
        for link, features in zip(page.links, rows, strict=True):
            estimate = agent.net(features)
            score = alpha * similarity + (1 - alpha) * estimate
            found = ScoredLink(link.url, score, depth, page.url, {"page": similarity, "net": estimate})
            scored.append(found)
            if link.url not in self._depth and (self._admits is None or self._admits(link.url)):
                agent.frontier.push(found, features)
        return scored

    def _reproduce(self, agent: Agent) -> None:
        """Divide an agent that has enough energy, while the population may grow (R76)."""
        o = self.options
        if agent.energy > o.theta and len(self.population) < o.max_population and agent.frontier.size > 1:
            keyword = _most_frequent(agent.at, agent.keywords)
            self.population.append(agent.divide(keyword, o.initial_weight))

    def _leave(self, url: str, depth: int) -> None:
        self._depth.setdefault(url, depth)
        for agent in self.population:
            agent.frontier.discard(url)


def move_probability(difference: float, temperature: float) -> float:
    """1 / (1 + exp(-δ / T)): chance of moving to a page that is more similar by δ (R75, TOIT eq. 7)."""
    return logistic(difference / temperature)


def _most_frequent(page: Page | None, known: Sequence[str]) -> str | None:
    """The most frequent stem of a page that is not yet a keyword, of equals the first (A5)."""
    if page is None:
        return None
    tree = page.tree
    for i in np.argsort(-page_counts(tree), kind="stable"):
        if (stem := tree.stems[int(i)]) not in known:
            return stem
    return None
