"""A strategy that shares its budget with the answer: every so many picks one goes to what the ranking needs.

The strategy within finds pages; the suggestions (`bizcrawl.companies.suggestions`) ask for the home pages of
companies near the top and for the rest of the best lists. Both learn from every page, whoever asked for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from bizcrawl.companies.facts import facts_of
from bizcrawl.companies.opinions import Judged, Opinion
from bizcrawl.companies.suggestions import Suggestions
from bizcrawl.frontier import Frontier
from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import Gate, ScoredLink, Strategy
from bizcrawl.topic import Topic

BATCH = 8
"""Suggestions that are asked for at a time."""
MAX_WANTED = 1_000


class Verifying:
    """Any strategy, with `share` of its picks given to suggestions as long as there are any."""

    def __init__(self, within: Strategy, suggestions: Suggestions, share: float) -> None:
        """`share` lies between 0 and 1."""
        self.within = within
        self._suggestions = suggestions
        self._share = share
        self._wanted = Frontier(MAX_WANTED)
        self._picks = 0
        self._suggested = 0

    def start(self, topic: Topic) -> None:
        """See `Strategy`."""
        self.within.start(topic)

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        """See `Strategy`."""
        links: list[ScoredLink] = []
        while len(links) < n:
            link = self._one(gate)
            if link is None:
                break
            links.append(link)
        return links

    def _one(self, gate: Gate | None) -> ScoredLink | None:
        link = None
        if self._suggested < self._share * (self._picks + 1):
            link = self._suggestion(gate)
        if link is None:
            link = next(iter(self.within.next(1, gate)), None)
            if link is not None:
                self._wanted.discard(link.url)
        if link is None:
            link = self._suggestion(gate)
        if link is not None:
            self._picks += 1
        return link

    def _suggestion(self, gate: Gate | None) -> ScoredLink | None:
        if not len(self._wanted):
            for wanted in self._suggestions.next(BATCH):
                self._wanted.push(ScoredLink(wanted.url, wanted.value, parts={"suggested": wanted.value}))
        link = next(iter(self._wanted.pop(1, gate)), None)
        if link is not None:
            self._suggested += 1
        return link

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        """See `Strategy`."""
        self._wanted.discard(page.url)
        self._wanted.discard(page.final_url)
        self._suggestions.visit(facts_of(page.url, page.final_url, page.tree, page.links))
        return self.within.visit(page)

    def fail(self, url: str, reason: Reason) -> None:
        """See `Strategy`."""
        self._wanted.discard(url)
        self._suggestions.fail(url, reason)
        self.within.fail(url, reason)

    def judge(self, opinion: Opinion) -> None:
        """See `Judged`. What was suggested before is dropped; what the strategy does is its own affair."""
        self._suggestions.judge(opinion, [link.url for link in self._wanted])
        # what was given out stays known
        self._wanted.resize(0)
        self._wanted.resize(MAX_WANTED)
        if isinstance(self.within, Judged):
            self.within.judge(opinion)

    def __len__(self) -> int:
        """See `Strategy`."""
        return len(self.within) + len(self._wanted)

    @property
    def dropped(self) -> int:
        """URLs turned away because the frontier was full."""
        return int(getattr(self.within, "dropped", 0))
