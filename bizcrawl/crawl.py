"""The crawl: the life of a page, from the frontier to the collection.

    strategy ── next ──► fetch ──► harvest ──► visit ──► journal

A crawl knows the strategy, the way to fetch, the way to harvest and the journal only by what they do here;
it alone knows clocks and the budget. Fetches run side by side; everything that a strategy is told happens
in one place, one page after the other, so that a strategy needs no locks and a crawl with one connection is
reproducible.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Protocol

from bizcrawl.companies.opinions import Judged, Opinion
from bizcrawl.errors import BizcrawlError
from bizcrawl.frontier.seen_urls import SeenUrls
from bizcrawl.harvest import Harvested
from bizcrawl.politeness import Politeness
from bizcrawl.reasons import Reason
from bizcrawl.strategies import ScoredLink, Strategy
from bizcrawl.tally import Budget, Stop, Tally
from bizcrawl.topic import Topic
from bizcrawl.urls import host_of, key_of, without_campaign
from bizcrawl.web import Failure

DRAIN_S = 5.0
"""How long fetches under way may still take once the time is used up."""
LONGEST_NAP_S = 0.25
"""How long to sleep at most when every host of the frontier has to wait."""


class Journal(Protocol):
    """Where a crawl writes down what happened, in order; the collection stands behind it."""

    def called(self, kind: str, urls: Sequence[str], n: int = 0) -> None:
        """A call to the strategy (start or next)."""
        ...

    def judged(self, opinion: Opinion) -> None:
        """What the analyst said of a company."""
        ...

    def visited(self, link: ScoredLink, harvested: Harvested, scored: Sequence[ScoredLink]) -> None:
        """A good page, and the score that each of its links earned."""
        ...

    def failed(self, link: ScoredLink, failure: Failure) -> None:
        """A URL that brought no good page."""
        ...

    async def flush(self, wait: bool = False) -> None:
        """Hand what was written to the collection; with `wait`, return once it is safe on disk."""
        ...


Fetch = Callable[[ScoredLink], Awaitable[Harvested | Failure]]
_Finished = tuple[ScoredLink, Harvested | Failure | Exception]


class Crawl:
    """One crawl of one topic by one strategy: pick, fetch, parse, score, add what is new, and again (R10).

    All `connections` (75 threads in the papers, R11) share one frontier. With n of them n - 1 picks are made
    before a page is back, so that the best-first order is nearly that of Best-N-First (R19).
    """

    def __init__(
        self,
        topic: Topic,
        strategy: Strategy,
        fetch: Fetch,
        journal: Journal,
        budget: Budget,
        *,
        connections: int = 1,
        gate: Politeness | None = None,
        clock: Callable[[], float] = time.monotonic,
        observe: Callable[[Tally], None] = lambda _tally: None,
    ) -> None:
        self.tally = Tally()
        self._topic = topic
        self._strategy = strategy
        self._fetch = fetch
        self._journal = journal
        self._budget = budget
        self._connections = connections
        self._gate = gate
        self._clock = clock
        self._observe = observe
        self._leased: list[ScoredLink] = []
        self._finished: asyncio.Queue[_Finished | None] = asyncio.Queue()
        """Fetches that have ended; None only wakes the crawl."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._stored = SeenUrls()
        self._campaigns = SeenUrls()
        """Pages stored under URLs with campaign parameters, without these."""
        self._opinions: list[Opinion] = []
        self.started = False
        """Whether the strategy has been told of the topic, in this sitting or an earlier one."""
        self._ended = False
        self.interrupted = False

    def interrupt(self) -> None:
        """Take nothing new, keep what has arrived and stop; what is in flight is fetched by a resume."""
        self.interrupted = True
        self._finished.put_nowait(None)

    def has(self, url: str) -> bool:
        """Whether a page was stored under this URL, asked for or arrived at, now or in an earlier sitting."""
        return key_of(url) in self._stored

    def has_like(self, url: str) -> bool:
        """Whether `has`; or whether the page of a URL with campaign parameters (utm_source, gclid, …) was
        stored under a URL with other ones or none. A URL without them is asked for all the same: a home page
        should be one.
        """
        bare = without_campaign(url)
        return self.has(url) or (bare is not None and (bare in self._stored or bare in self._campaigns))

    def judge(self, opinion: Opinion) -> None:
        """Tell the strategy what the analyst says of a company; before the start, as soon as it has started.

        Raises `BizcrawlError` once the crawl is ending.
        """
        if self._ended:
            raise BizcrawlError("the crawl has just ended; repeat the command")
        if not self.started:
            self._opinions.append(opinion)
            return
        if isinstance(self._strategy, Judged):
            self._strategy.judge(opinion)
        self._journal.judged(opinion)

    def resume_from(
        self, tally: Tally, stored: Iterable[str], leased: Iterable[ScoredLink], *, started: bool
    ) -> None:
        """Go on after a replay: the strategy has been told of `stored`; `leased` are fetched again, first."""
        self._keep(stored)
        self._leased = list(leased)
        self.tally = tally
        self.tally.frontier = len(self._strategy)
        self.started = started

    async def run(self) -> Stop:
        """Crawl until the budget, the frontier or the user's patience ends."""
        began_s = self._clock() - self.tally.elapsed_s
        if not self.started:
            self._strategy.start(self._topic)
            self._journal.called("start", self._topic.seeds)
            self.started = True
            for opinion in self._opinions:
                self.judge(opinion)
        stop = None
        try:
            while (stop := self._stop()) is None:
                self._launch()
                await self._settle()
                self.tally.elapsed_s = self._clock() - began_s
                self.tally.frontier = len(self._strategy)
                self._observe(self.tally)
                await self._journal.flush()
        finally:
            await self._drain(0.0 if stop in {None, Stop.INTERRUPTED} else DRAIN_S)
        return stop

    def _stop(self) -> Stop | None:
        tally, budget = self.tally, self._budget
        if self.interrupted:
            return Stop.INTERRUPTED
        if tally.pages >= budget.pages:
            return Stop.PAGES
        if budget.minutes is not None and tally.elapsed_s >= budget.minutes * 60:
            return Stop.MINUTES
        if budget.body_bytes is not None and tally.body_bytes >= budget.body_bytes:
            return Stop.BYTES
        if not (tally.in_flight or self._leased or len(self._strategy)):
            return Stop.FRONTIER_EMPTY
        return None

    def _launch(self) -> None:
        """Start as many fetches as connections and budget allow."""
        while (free := self._free()) > 0 and (links := self._take(free)):
            for link in links:
                self.tally.in_flight += 1
                if self._gate is not None:
                    self._gate.lease(host_of(link.url))
                task = asyncio.create_task(self._follow(link))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    def _free(self) -> int:
        """Fetches that may be started now. Those that wait for a host's turn hold no connection."""
        connections = self._connections + (self._gate.sleeping if self._gate is not None else 0)
        return min(connections, self._budget.pages - self.tally.pages) - self.tally.in_flight

    def _take(self, free: int) -> list[ScoredLink]:
        """The next links to fetch: first those that were in hand when the crawl was interrupted."""
        links, self._leased = self._leased[:free], self._leased[free:]
        if not links:
            links = self._strategy.next(free, self._gate)
            if links:
                self._journal.called("next", [link.url for link in links], free)
        return links

    async def _follow(self, link: ScoredLink) -> None:
        try:
            self._finished.put_nowait((link, await self._fetch(link)))
        except Exception as error:  # a fault of ours: the crawl ends with it instead of waiting for ever
            self._finished.put_nowait((link, error))

    async def _settle(self) -> None:
        """Wait for a fetch to end or a host to become ready, and deal with all fetches that have ended."""
        nap_s = None
        if self._gate is not None and len(self._strategy) and self._free() > 0:
            nap_s = min(self._gate.soonest_s(), LONGEST_NAP_S)
        if not self.tally.in_flight:
            await asyncio.sleep(nap_s or 0.0)
            return
        if self._budget.minutes is not None:  # a fetch may wait for its host longer than the crawl may
            left_s = max(0.0, self._budget.minutes * 60 - self.tally.elapsed_s)
            nap_s = left_s if nap_s is None else min(nap_s, left_s)
        try:
            finished = await asyncio.wait_for(self._finished.get(), nap_s)
        except TimeoutError:
            return
        if finished is not None:
            self._finish(*finished)
        self._finish_all()

    def _finish_all(self) -> None:
        """Deal with all fetches that have ended."""
        while not self._finished.empty():
            if (finished := self._finished.get_nowait()) is not None:
                self._finish(*finished)

    def _finish(self, link: ScoredLink, outcome: Harvested | Failure | Exception) -> None:
        self.tally.in_flight -= 1
        if isinstance(outcome, Exception):
            raise outcome
        if self._gate is not None:
            self._gate.release(host_of(link.url))
        if isinstance(outcome, Harvested) and self.has(outcome.final_url):
            outcome = Failure(link.url, Reason.SEEN_AS_OTHER_URL, outcome.final_url)
        if isinstance(outcome, Failure):
            self._fail(link, outcome)
        else:
            self._visit(link, outcome)

    def _keep(self, urls: Iterable[str]) -> None:
        for url in urls:
            self._stored.add(key_of(url))
            if bare := without_campaign(url):
                self._campaigns.add(bare)

    def _visit(self, link: ScoredLink, harvested: Harvested) -> None:
        self._keep((link.url, harvested.final_url))
        scored = self._strategy.visit(harvested.page)
        left_alone, spoilt = len(harvested.tidied.left_alone), len(harvested.tidied.spoilt)
        self.tally.count_page(harvested.page, self._topic.seed_hosts, left_alone, spoilt)
        if harvested.unchanged:
            self.tally.unchanged += 1
        else:
            self.tally.body_bytes += harvested.body_bytes
        self._journal.visited(link, harvested, scored)

    def _fail(self, link: ScoredLink, failure: Failure) -> None:
        self._strategy.fail(link.url, failure.reason)
        self.tally.count_failure(link.url, failure, self._topic.seed_urls)
        self._journal.failed(link, failure)

    async def _drain(self, patience_s: float) -> None:
        """Keep the pages that arrive soon, leave the rest in hand for a resume, and wait for the disk."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=patience_s)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._ended = True
        try:
            self._finish_all()
        finally:  # where one fetch fails by a fault of ours, as when the disk is full, others mostly do too
            await self._journal.flush(wait=True)
