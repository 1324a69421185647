"""What happened in a crawl, as rows of the collection.

Rows gather in the order of events and are handed over together, so that a page, its links and the calls to
the strategy up to it are in one transaction, and the file always holds a prefix of the crawl.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import UTC

from bizcrawl.admission import QUEUED
from bizcrawl.collection.opinions import call_of
from bizcrawl.collection.rows import Batch, CallRow, DecisionRow, HostRow, PageLinks, PageRow, StoredPage
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.opinions import Opinion
from bizcrawl.harvest import Harvested
from bizcrawl.reasons import Reason
from bizcrawl.strategies import ScoredLink
from bizcrawl.topic import Topic
from bizcrawl.web import Failure

FLUSH_PAGES = 32
"""Pages that gather before they are handed over. With three times as many a crawl takes a twentieth less
processor time, but short ones would be written down at their end alone."""
FLUSH_BYTES = 16 * 2**20
"""The same for large pages, by what they take in memory."""
FLUSH_EVENTS = 2_000
FLUSH_S = 1.0
"""Longest time an event waits before it is handed over."""


class CollectionJournal:
    """Writes a crawl down in a collection."""

    def __init__(
        self,
        collection: Collection,
        topic: Topic,
        *,
        clock: Callable[[], float],
        relevant: Callable[[ScoredLink, Harvested], bool | None] = lambda _link, _harvested: None,
        hub_score: Callable[[int], float] = lambda _n: 0.0,
        fate: Callable[[str], str] = lambda _url: QUEUED,
        hosts: Callable[[], Sequence[HostRow]] = tuple,
    ) -> None:
        """`relevant` is the predicate, `fate` says what became of a link, `hosts` gives news of hosts."""
        self._collection = collection
        self._topic = topic
        self._clock = clock
        self._began_s = clock()
        self._relevant = relevant
        self._hub_score = hub_score
        self._fate = fate
        self._hosts = hosts
        self._pages: list[StoredPage] = []
        self._pages_bytes = 0
        self._calls: list[CallRow] = []
        self._decisions: list[DecisionRow] = []
        self._handed_over_s = clock()
        self._pending: list[Future[object]] = []
        self.has_room = asyncio.Event()
        """Set but while the collection takes no more."""
        self.has_room.set()

    def resumed(self, elapsed_s: float) -> None:
        """Count time from what earlier sittings of the same crawl have used."""
        self._began_s = self._clock() - elapsed_s

    def called(self, kind: str, urls: Sequence[str], n: int = 0) -> None:
        """See `bizcrawl.crawl.Journal`."""
        self._calls.append(CallRow(kind, n=n, given=tuple(urls), at_s=self._elapsed_s()))

    def judged(self, opinion: Opinion) -> None:
        """See `bizcrawl.crawl.Journal`."""
        self._calls.append(call_of(opinion, self._elapsed_s()))

    def visited(self, link: ScoredLink, harvested: Harvested, scored: Sequence[ScoredLink]) -> None:
        """See `bizcrawl.crawl.Journal`."""
        # first the page: a predicate may fail on it, and a visit without its page could not be replayed
        page = StoredPage(
            self._page_row(link, harvested),
            stored_links(harvested, scored, self._fate),
            harvested.tidied.stored,
        )
        self._calls.append(CallRow("visit", link.url, at_s=self._elapsed_s()))
        self._decisions += [
            DecisionRow(text, Reason.BAD_URL, harvested.final_url, "a link, as it is written")
            for text in harvested.tidied.spoilt
        ]
        self._pages.append(page)
        self._pages_bytes += page.held_bytes

    def failed(self, link: ScoredLink, failure: Failure) -> None:
        """See `bizcrawl.crawl.Journal`."""
        self._calls.append(
            CallRow("fail", link.url, reason=failure.reason, detail=failure.detail, at_s=self._elapsed_s())
        )
        self._decisions.append(DecisionRow(link.url, failure.reason, link.parent, failure.detail))

    async def flush(self, wait: bool = False) -> None:
        """See `bizcrawl.crawl.Journal`."""
        due = self._clock() - self._handed_over_s >= FLUSH_S
        large = len(self._pages) >= FLUSH_PAGES or self._pages_bytes >= FLUSH_BYTES
        if wait or due or large or len(self._calls) >= FLUSH_EVENTS:
            await self._hand_over()
        for future in [f for f in self._pending if f.done()]:
            self._pending.remove(future)
            future.result()
        if wait:
            await asyncio.gather(*map(asyncio.wrap_future, self._pending))
            self._pending.clear()

    async def _hand_over(self) -> None:
        self._handed_over_s = self._clock()
        if not self._calls:
            return
        batch = Batch(self._pages, self._calls, self._decisions, self._hosts())
        self._pages, self._calls, self._decisions = [], [], []
        self._pages_bytes = 0
        self.has_room.clear()
        try:
            # a full queue holds the crawl back here, not the event loop
            self._pending.append(await asyncio.to_thread(self._collection.submit, batch))
        finally:
            self.has_room.set()

    def _elapsed_s(self) -> float:
        return self._clock() - self._began_s

    def _page_row(self, link: ScoredLink, harvested: Harvested) -> PageRow:
        response, tidied = harvested.response, harvested.tidied
        tree = tidied.page.tree
        return PageRow(
            url=link.url,
            final_url=tidied.page.final_url,
            fetched_at=response.fetched_at.astimezone(UTC).replace(tzinfo=None),
            status=response.status,
            media_type=response.headers.get("content-type", "").partition(";")[0].strip().lower(),
            charset=tidied.charset,
            charset_source=tidied.charset_source,
            body_bytes=harvested.body_bytes,
            wire_bytes=response.wire_bytes,
            body_hash=tidied.body_hash,
            title=tidied.title,
            text=tree.text,
            language=tidied.language,
            soft_404=tidied.soft_404,
            sketch=tidied.sketch,
            robots_tags=sorted(harvested.robots_tags),
            depth=link.depth,
            parent=link.parent,
            score=link.score,
            similarity=tidied.page.similarity(self._topic.query),
            hub_score=self._hub_score(len(self._topic.seed_hosts & tidied.page.link_hosts)),
            relevant=self._relevant(link, harvested),
            elapsed_s=response.elapsed_s,
            tidy_road=tree.road,
            tidy_difference=tidied.difference,
            cuts=tree.cuts,
            truncated=response.truncated,
            rendered=response.rendered,
            address=response.address,
            etag=response.headers.get("etag", ""),
            last_modified=response.headers.get("last-modified", ""),
        )


def stored_links(harvested: Harvested, scored: Sequence[ScoredLink], fate: Callable[[str], str]) -> PageLinks:
    """The links of a page, with the score that each occurrence earned."""
    left_alone = len(harvested.tidied.left_alone)
    return PageLinks(
        harvested.tidied.stored_links,
        scores=[link.score for link in scored] + [0.0] * left_alone,
        parts=[link.parts for link in scored] + [{}] * left_alone,
        fates=[fate(link.url) for link in scored] + [Reason.NOFOLLOW] * left_alone,
    )
