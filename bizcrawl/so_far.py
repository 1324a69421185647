"""The ranking so far, written down while a crawl is running: for whoever looks meanwhile, and in case the
crawl is killed.

It is made after a hundred pages and then whenever the crawl has doubled, so that all of them together cost
about as much as the one at the end. A crawl that goes on after a kill waits until it would have been due: the
ranking before is in its file, and one at each start would leave a crawl that is often killed no time.
"""

from __future__ import annotations

from collections.abc import Callable

from bizcrawl.assessing import rank_so_far
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.suggestions import Suggestions
from bizcrawl.tally import Tally

FIRST_AFTER_PAGES = 100


class RankingSoFar:
    """Looks at a crawl that is running, and ranks the companies on its pages now and then."""

    def __init__(
        self,
        collection: Collection,
        suggestions: Suggestions,
        question: str,
        max_pages: int,
        observe: Callable[[Tally], None],
    ) -> None:
        """`question` as for `assess`. After `max_pages` the crawl is over and is ranked anyway. `observe` is
        told of the crawl as well.
        """
        self._collection = collection
        self._suggestions = suggestions
        self._question = question
        self._max_pages = max_pages
        self._observe = observe
        self._due_at = 0

    def __call__(self, tally: Tally) -> None:
        """See `Crawl`."""
        self._observe(tally)
        if not self._due_at:
            self._due_at = FIRST_AFTER_PAGES
            while self._due_at < tally.pages:
                self._due_at *= 2
        if self._due_at <= tally.pages < self._max_pages:
            self._due_at = 2 * tally.pages
            rank_so_far(self._collection, self._suggestions, self._question)
