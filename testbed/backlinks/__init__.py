"""Who links to a page: the seam behind which a link graph, Common Crawl's graphs and search services stand.

The search engine that answered the papers' ``link:`` queries is gone (A20). What can be asked instead is a
collection or a recorded web (pages), the public host and domain graphs of Common Crawl (home pages of
hosts), or a search service (pages that name a host). A source answers for many URLs at once, because the
large ones are files to be read once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from bizcrawl.errors import BizcrawlError


class BacklinkError(BizcrawlError):
    """A source of back-links that cannot be used; the message says why in one line."""


class Backlinks(Protocol):
    """A source of back-links."""

    async def linking_to(self, urls: Sequence[str], limit: int) -> Mapping[str, Sequence[str]]:
        """For each URL up to `limit` URLs of pages that link to it, best first; URLs without any may be
        left out.

        Raises BacklinkError if the source fails.
        """
        ...
