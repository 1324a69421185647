"""A strategy that shares its budget with the answer: every so many picks one goes to what the ranking needs.

The strategy within finds pages; the suggestions (`bizcrawl.companies.suggestions`) ask for the home pages of
companies near the top and for the rest of the best lists. Both learn from every page, whoever asked for it.
A URL that one of them has given out is never given out by the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from bizcrawl.companies.facts import facts_of_page
from bizcrawl.companies.opinions import Judged, Opinion
from bizcrawl.companies.suggestions import Suggestions
from bizcrawl.frontier import Frontier
from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import Gate, GivesByName, ScoredLink, Strategy, dropped_by
from bizcrawl.topic import Topic

BATCH = 8
"""Suggestions that are asked for at a time."""
MAX_WANTED = 1_000
SUGGESTED = "suggested"
"""The part of the score of a URL that was suggested."""


class Verifying:
    """Any strategy, with `share` of its picks given to suggestions as long as there are any."""

    def __init__(self, within: Strategy, suggestions: Suggestions, share: float) -> None:
        """`share` lies between 0 and 1."""
        self.within = within
        self._by_name = within if isinstance(within, GivesByName) else None
        self._suggestions = suggestions
        self._share = share
        self._wanted = Frontier(MAX_WANTED)
        self._picks = 0
        self._suggested = 0
        self._in_hand: set[str] = set()
        """Suggestions that were given out and of which nothing has been heard since."""

    def start(self, topic: Topic) -> None:
        """See `Strategy`."""
        self.within.start(topic)
        self._ask()

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
        if self._is_due():
            link = self._suggestion(gate)
        if link is None:
            link = self._from_within(gate)
        if link is None:
            link = self._suggestion(gate)
        if link is not None:
            self._picks += 1
        return link

    def _is_due(self) -> bool:
        """Whether the next pick is a suggestion's."""
        return self._suggested < self._share * (self._picks + 1)

    def _from_within(self, gate: Gate | None) -> ScoredLink | None:
        while links := self.within.next(1, gate):
            # a strategy that can't be told of suggestions has them waiting still
            if links[0].url not in self._in_hand:
                self._wanted.discard(links[0].url)
                return links[0]
        return None

    def _suggestion(self, gate: Gate | None) -> ScoredLink | None:
        link = next(iter(self._wanted.pop(1, gate)), None)
        return None if link is None else self._noted(link)

    def _noted(self, suggestion: ScoredLink) -> ScoredLink:
        """A suggestion is given out, so the strategy within must not give it out too.

        The strategy within knows how the crawl met it, if it has it waiting.
        """
        self._suggested += 1
        self._in_hand.add(suggestion.url)
        met = self._by_name.give([suggestion.url], chosen=False) if self._by_name is not None else []
        return suggestion._replace(depth=met[0].depth, parent=met[0].parent) if met else suggestion

    def _ask(self) -> None:
        """Have suggestions waiting if the next pick may need one.

        Asked for at the end of a call that is always recorded: a `next` that brings nothing is not, so a
        replay could not tell when it had asked.
        """
        is_dry = not len(self.within)
        if not len(self._wanted) and (self._is_due() or is_dry):
            for wanted in self._suggestions.next(BATCH, at_once=is_dry):
                self._wanted.push(ScoredLink(wanted.url, wanted.value, parts={SUGGESTED: wanted.value}))

    def give(self, urls: Sequence[str], *, chosen: bool = True) -> list[ScoredLink]:
        """See `GivesByName`. Who gave a URL out is told as `next` decides it."""
        return [link for url in urls for link in self._give(url, chosen)]

    def _give(self, url: str, chosen: bool) -> list[ScoredLink]:
        suggestion = self._wanted.get(url)
        self._wanted.discard(url)
        due = self._is_due()
        self._picks += chosen
        if suggestion is not None and due and chosen:
            return [self._noted(suggestion)]
        links = self._by_name.give([url], chosen=chosen) if self._by_name is not None else []
        # it wasn't the suggestions' turn, but the strategy within did not have it: all its hosts had to wait
        if suggestion is not None and chosen and not (links and links[0].parent):
            return [self._noted(suggestion)]
        return links

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        """See `Strategy`."""
        self._wanted.discard(page.url)
        self._wanted.discard(page.final_url)
        self._in_hand.discard(page.url)
        self._suggestions.visit(facts_of_page(page))
        scored = self.within.visit(page)
        self._ask()
        return scored

    def fail(self, url: str, reason: Reason) -> None:
        """See `Strategy`."""
        self._wanted.discard(url)
        self._in_hand.discard(url)
        self._suggestions.fail(url, reason)
        self.within.fail(url, reason)
        self._ask()

    def judge(self, opinion: Opinion) -> None:
        """See `Judged`. What was suggested before is dropped; what the strategy does is its own affair."""
        self._suggestions.judge(opinion, [link.url for link in self._wanted])
        self._wanted.clear()
        if isinstance(self.within, Judged):
            self.within.judge(opinion)
        self._ask()

    def __len__(self) -> int:
        """See `Strategy`. What is suggested waits within as well, for it was linked to: it counts once."""
        return max(len(self.within), len(self._wanted))

    @property
    def dropped(self) -> int:
        """URLs turned away because the frontier was full."""
        return dropped_by(self.within)
