"""Intelligent crawling with arbitrary predicates (R106-R118, A23-A29; Aggarwal, Al-Garawi and Yu 2001).

The crawler knows nothing of the Web at first. It learns which words of in-linking pages, which tokens of
URLs, which links and which siblings go with pages that satisfy the user's predicate, and orders candidates by
the product of these interest ratios.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bizcrawl.frontier import Frontier
from bizcrawl.frontier.seen_urls import SeenUrls
from bizcrawl.page import MAX_STEMS, Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import Gate, ScoredLink
from bizcrawl.strategies.candidates import FACTORS, Candidate, Families, Interest, Parent, url_tokens
from bizcrawl.strategies.knowledge import Knowledge
from bizcrawl.strategies.options import MAX_BUFFER, Givens, Options, UnknownOption, option, require
from bizcrawl.topic import Topic

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
    relevance: float = option(0.1, "without a predicate, pages this similar to the keywords are good (R106)")
    knowledge: str = option("", "file with the knowledge of an earlier crawl (R118)", file=True)

    def __post_init__(self) -> None:
        require(self.mode in {"paper", "corrected"}, "mode", "paper or corrected", self.mode)
        require(self.refresh >= 1, "refresh", "1 or more", self.refresh)
        unknown = set(self.factors.split(",")) - set(FACTORS)
        require(not unknown, "factors", f"some of {', '.join(FACTORS)}", self.factors)


class Intelligent:
    """Priority = Σ w · log I over content, URL tokens, links and siblings (R113)."""

    def __init__(self, options: IntelligentOptions, givens: Givens) -> None:
        self.options = options
        self.rng = givens.rng
        self.frontier = Frontier(options.max_frontier, options.hosts_apart, admits=givens.admits)
        self.knowledge = _read(options.knowledge) if options.knowledge else Knowledge()
        self.weights = dict.fromkeys(options.factors.split(","), 1.0)
        self._columns = [FACTORS.index(name) for name in self.weights]
        self.topic = Topic("", (), "")
        self._predicate = givens.is_good
        self._candidates: dict[str, Candidate] = {}
        """Of URLs that wait or are in hand."""
        self._families = Families()
        self._crawled = {True: SeenUrls(), False: SeenUrls()}
        """URLs of crawled pages, by whether the page satisfies the predicate."""
        self._visited = 0
        self._interest = self._learned()

    def start(self, topic: Topic) -> None:
        """See `Strategy`."""
        self.topic = topic
        for url in (*topic.hubs, *topic.seeds):
            self.frontier.push(ScoredLink(url, SEED_PRIORITY))

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        """See `Strategy`."""
        return self.frontier.pop(n, gate)

    def give(self, urls: Sequence[str], *, chosen: bool = True) -> list[ScoredLink]:
        """See `GivesByName`."""
        return self.frontier.take(urls)

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        """See `Strategy`. Learns from the page, then gives its links their priority.

        All priorities are reassigned every `refresh` pages: here and not in `next`, which a replay may skip.
        """
        depth = self.frontier.discard(page.url) + 1
        self.frontier.discard(page.final_url)
        good = self.is_good(page)
        self._visited += 1
        here = self._learn(page, good)
        known: dict[str, ScoredLink] = {}
        for link in page.links:
            if link.url not in known:
                known[link.url] = self._offer(link.url, here, depth, page.url)
        if self._visited % self.options.refresh == 0:
            self._refresh()
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

    def _offer(self, url: str, here: Parent, depth: int, parent: str) -> ScoredLink:
        """A link of the page at hand becomes a candidate, or one with an in-linker more."""
        candidate = self._candidates.get(url)
        if self.frontier.gave_out(url):
            if candidate is not None:  # it is in hand: the link counts when its page has come (R107)
                self._families.add(candidate, here)
            return ScoredLink(url, 0.0, depth, parent)
        if candidate is None:
            tokens = url_tokens(url)
            candidate = self._candidates[url] = Candidate(tokens, self._interest.of_url(tokens))
        self._families.add(candidate, here)
        factors = self._interest.factors(candidate)
        parts = {name: factors[column] for name, column in zip(self.weights, self._columns, strict=True)}
        link = ScoredLink(url, self._priority(parts), depth, parent, parts)
        waiting = self.frontier.get(url)
        if waiting is None or waiting.parent:
            self.frontier.update(link)
        if url not in self.frontier:
            del self._candidates[url]
        return link

    def _priority(self, parts: Mapping[str, float]) -> float:
        if not self.knowledge.good_pages:
            return self._blind()
        return sum([self.weights[name] * value for name, value in parts.items()])

    def _blind(self) -> float:
        """Nothing is known: priority 0, in random order (A27)."""
        return self.rng.random() * 1e-9

    def _learn(self, page: Page, good: bool) -> Parent:
        """Update K by a crawled page and its place in the graph (R107).

        A link counts when both of its pages have been crawled, whichever of them was first (IC §4).
        """
        k = self.knowledge
        words = k.words.numbered(page.stems[:MAX_STEMS])
        k.pages += 1
        k.good_pages += good
        k.words.add(words, good)
        k.tokens.add(k.tokens.numbered(url_tokens(page.url)), good)
        here = Parent(good, words)
        self._interest.weigh(here)
        names = {page.url, page.final_url}
        for url in names:
            candidate = self._candidates.pop(url, None)
            for parent in candidate.parents if candidate else ():
                k.add_link(parent.good, good)
                parent.add_child(good)
        for url in {link.url for link in page.links if self.frontier.gave_out(link.url)} - names:
            for was_good, urls in self._crawled.items():
                if url in urls:
                    k.add_link(good, was_good)
                    here.add_child(was_good)
        self._crawled[good].update(names)
        return here

    def _learned(self) -> Interest:
        return Interest(self.knowledge, self.options.significance, self.options.mode == "corrected")

    def _refresh(self) -> None:
        """Ratios, weights and priorities anew (R113, R114): factors weigh alike over all candidates."""
        self._interest = self._learned()
        in_hand = {url: c for url, c in self._candidates.items() if self.frontier.gave_out(url)}
        waiting = {url: c for url, c in self._candidates.items() if url in self.frontier}
        self._candidates = waiting | in_hand
        values = self._interest.factors_of_all(list(waiting.values()))[self._columns]
        means = np.abs(values).sum(axis=1) / max(1, values.shape[1])
        self.weights = {
            name: 1 / mean if mean else 0.0 for name, mean in zip(self.weights, means.tolist(), strict=True)
        }
        priorities = (np.array(list(self.weights.values())) @ values).tolist()
        if not self.knowledge.good_pages:
            priorities = [self._blind() for _ in priorities]
        parts = [dict(zip(self.weights, row, strict=True)) for row in values.T.tolist()]
        found = dict(zip(waiting, zip(priorities, parts, strict=True), strict=True))

        def scored(link: ScoredLink) -> ScoredLink:
            # a seed stays first, even if a page that links to it has made it a candidate
            if not link.parent or link.url not in found:
                return link
            return ScoredLink(link.url, found[link.url][0], link.depth, link.parent, found[link.url][1])

        self.frontier.remake(scored)


def _read(path: str) -> Knowledge:
    try:
        return Knowledge.load(Path(path))
    except OSError as error:
        raise UnknownOption(
            f"option knowledge: {path}: cannot be read ({error.strerror or error}); give a file that "
            "--keep-knowledge wrote"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        raise UnknownOption(
            f"option knowledge: {path}: not the knowledge of a crawl; give a file that --keep-knowledge "
            "wrote for intelligent crawling"
        ) from None
