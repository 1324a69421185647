"""Intelligent crawling with arbitrary predicates (R106-R118, A23-A29; Aggarwal, Al-Garawi and Yu 2001).

The crawler knows nothing of the Web at first. It learns which words of in-linking pages, which tokens of
URLs, which links and which siblings go with pages that satisfy the user's predicate, and orders candidates by
the product of these interest ratios.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bizcrawl.frontier import Frontier
from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import Gate, ScoredLink
from bizcrawl.strategies.knowledge import Knowledge
from bizcrawl.strategies.options import Givens, Options, UnknownOption, option, require
from bizcrawl.strategies.pagerank import MAX_BUFFER
from bizcrawl.topic import Topic
from bizcrawl.urls import parse

FACTORS = ("content", "url", "link", "sibling")
SEED_PRIORITY = 1e9
"""Seeds make up the first priority list (Figure 2)."""


@dataclass(frozen=True, slots=True)
class IntelligentOptions(Options):
    """Parameters of intelligent crawling."""

    max_frontier: int = option(MAX_BUFFER, "max-size: candidates kept (R114)")
    significance: float = option(2.0, "t: standard deviations from which a word or token counts (R110)")
    mode: str = option("corrected", "significance as printed, or corrected: paper, corrected (A23)")
    refresh: int = option(100, "pages between two reassignments of all priorities and weights (R113, A28)")
    factors: str = option("content,url,link,sibling", "factors that make up the priority (R113, R117)")
    relevance: float = option(0.1, "without a predicate, pages this similar to the keywords are good")
    knowledge: str = option("", "file with the knowledge of an earlier crawl (R118)")

    def __post_init__(self) -> None:
        require(self.mode in {"paper", "corrected"}, "mode", "paper or corrected", self.mode)
        require(self.refresh >= 1, "refresh", "1 or more", self.refresh)
        unknown = set(self.factors.split(",")) - set(FACTORS)
        require(not unknown, "factors", f"some of {', '.join(FACTORS)}", self.factors)


@dataclass(slots=True)
class _Seen:
    """A crawled page as its links' candidates see it."""

    good: bool
    content: dict[str, float]
    """Words of the page with their present log ratios; shared by all its links."""
    words: tuple[str, ...]
    content_sum: float = 0.0
    visited: int = 0
    """Pages it links to that were crawled since."""
    visited_good: int = 0


@dataclass(slots=True)
class _Candidate:
    """What is known of a URL that has not been crawled."""

    tokens: tuple[str, ...]
    url_ratio: float = 0.0
    """Σ log ratio of its significant tokens (R110)."""
    parents: list[_Seen] = field(default_factory=list)


class Intelligent:
    """Priority = Σ w · log I over content, URL tokens, links and siblings (R113)."""

    def __init__(self, options: IntelligentOptions, givens: Givens) -> None:
        self.options = options
        self.rng = givens.rng
        self.frontier = Frontier(options.max_frontier, options.hosts_apart, admits=givens.admits)
        self.knowledge = _read(options.knowledge) if options.knowledge else Knowledge()
        self.weights = dict.fromkeys(options.factors.split(","), 1.0)
        self.topic = Topic("", (), "")
        self._predicate = givens.is_good
        self._candidates: dict[str, _Candidate] = {}
        self._word_ratios: dict[str, float] = {}
        self._token_ratios: dict[str, float] = {}
        self._link_ratios = (0.0, 0.0)
        self._visited = 0
        self._refreshed_at = 0
        self._relearn()

    def start(self, topic: Topic) -> None:
        """See `Strategy`."""
        self.topic = topic
        for url in (*topic.hubs, *topic.seeds):
            self.frontier.push(ScoredLink(parse(url) or url, SEED_PRIORITY))

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        """See `Strategy`. All priorities are reassigned every `refresh` pages."""
        if self._visited - self._refreshed_at >= self.options.refresh:
            self._refreshed_at = self._visited
            self._refresh()
        return self.frontier.pop(n, gate)

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        """See `Strategy`. Learns from the page, then gives its links their priority."""
        self.frontier.discard(page.url)
        self.frontier.discard(page.final_url)
        good = self.is_good(page)
        self._visited += 1
        seen = self._learn(page, good)
        depth = self.frontier.depth_of(page.url) + 1
        known: dict[str, ScoredLink] = {}
        for link in page.links:
            if link.url not in known:
                known[link.url] = self._offer(link.url, seen, depth, page.url)
        return [known[link.url] for link in page.links]

    def fail(self, url: str, reason: Reason) -> None:
        """See `Strategy`."""
        self.frontier.discard(url)
        self._candidates.pop(url, None)

    def __len__(self) -> int:
        """See `Strategy`."""
        return len(self.frontier)

    @property
    def dropped(self) -> int:
        """URLs turned away because the list was full (`Reason.FRONTIER_FULL`)."""
        return self.frontier.dropped

    def is_good(self, page: Page) -> bool:
        """Whether a page satisfies the predicate (R106); without one, is similar to the keywords."""
        if self._predicate is not None:
            return self._predicate(page)
        return page.similarity(self.topic.query) >= self.options.relevance

    def log_factors(self, candidate: _Candidate) -> dict[str, float]:
        """log I of each factor for a candidate (R109-R112)."""
        m = siblings = good_siblings = 0
        for parent in candidate.parents:
            m += parent.good
            siblings += parent.visited
            good_siblings += parent.visited_good
        good, bad = self._link_ratios
        values = {
            "content": self._content(candidate),
            "url": candidate.url_ratio,
            "link": m * good + (len(candidate.parents) - m) * bad,
            "sibling": self.knowledge.log_sibling_ratio(siblings, good_siblings),
        }
        return values if len(self.weights) == len(values) else {name: values[name] for name in self.weights}

    def _content(self, candidate: _Candidate) -> float:
        """Σ log ratio of the significant words that occur on any in-linking page (R109)."""
        parents = candidate.parents
        if len(parents) == 1:
            return parents[0].content_sum
        together: dict[str, float] = {}
        for parent in parents:
            together.update(parent.content)
        return sum(together.values())

    def _url_ratio(self, candidate: _Candidate) -> float:
        ratios = self._token_ratios
        return sum([ratios[token] for token in candidate.tokens if token in ratios])

    def _offer(self, url: str, seen: _Seen, depth: int, parent: str) -> ScoredLink:
        """A link of the page at hand becomes a candidate, or one with an in-linker more."""
        if self.frontier.gave_out(url):
            return ScoredLink(url, 0.0, depth, parent)
        candidate = self._candidates.get(url)
        if candidate is None:
            candidate = self._candidates[url] = _Candidate(url_tokens(url))
            candidate.url_ratio = self._url_ratio(candidate)
        candidate.parents.append(seen)
        factors = self.log_factors(candidate)
        link = ScoredLink(url, self._priority(factors), depth, parent, factors)
        waiting = self.frontier.get(url)
        if waiting is None or waiting.parent:
            self.frontier.update(link)
        if url not in self.frontier:
            del self._candidates[url]
        return link

    def _priority(self, factors: Mapping[str, float]) -> float:
        if not self.knowledge.good_pages:
            return self.rng.random() * 1e-9  # nothing known: priority 0, in random order (A27)
        return sum([self.weights[name] * value for name, value in factors.items()])

    def _learn(self, page: Page, good: bool) -> _Seen:
        """Update K by a crawled page and its place in the graph (R107)."""
        k = self.knowledge
        words = page.tree.stems
        k.pages += 1
        k.good_pages += good
        k.words.add(words, good)
        k.tokens.add(url_tokens(page.url), good)
        candidate = self._candidates.pop(page.url, None)
        for parent in candidate.parents if candidate else ():
            k.links[("p" if parent.good else "n") + ("p" if good else "n")] += 1
            parent.visited += 1
            parent.visited_good += good
        seen = _Seen(good, {}, words)
        self._weigh(seen)
        return seen

    def _weigh(self, seen: _Seen) -> None:
        ratios = self._word_ratios
        seen.content = {word: ratios[word] for word in seen.words if word in ratios}
        seen.content_sum = sum(seen.content.values())

    def _relearn(self) -> None:
        k, t, corrected = self.knowledge, self.options.significance, self.options.mode == "corrected"
        self._word_ratios = k.log_ratios(k.words, t, corrected)
        self._token_ratios = k.log_ratios(k.tokens, t, corrected)
        self._link_ratios = k.log_link_ratios()

    def _refresh(self) -> None:
        """Ratios, weights and priorities anew (R113, R114): factors weigh alike over all candidates."""
        self._relearn()
        self._candidates = {url: c for url, c in self._candidates.items() if url in self.frontier}
        for parent in {id(p): p for c in self._candidates.values() for p in c.parents}.values():
            self._weigh(parent)
        factors = {}
        for url, candidate in self._candidates.items():
            candidate.url_ratio = self._url_ratio(candidate)
            factors[url] = self.log_factors(candidate)
        for name in self.weights:
            mean = sum([abs(values[name]) for values in factors.values()]) / (len(factors) or 1)
            self.weights[name] = 1 / mean if mean else 0.0

        def scored(link: ScoredLink) -> ScoredLink:
            values = factors.get(link.url)
            if values is None:
                return link  # a seed
            return ScoredLink(link.url, self._priority(values), link.depth, link.parent, values)

        self.frontier.remake(scored)


def url_tokens(url: str) -> tuple[str, ...]:
    """Tokens of a URL, split at "." and "/" (R110); each once, without the scheme."""
    return tuple(
        dict.fromkeys(token for token in re.split(r"[./]", url.partition("://")[2].lower()) if token)
    )


def _read(path: str) -> Knowledge:
    try:
        return Knowledge.load(Path(path))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnknownOption(f"option knowledge: cannot use {path}: {error}") from None
