"""What a crawl is about: some known companies and the words of their business."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from bizcrawl.urls import host_of, parse
from contexts.vectors import Query


@dataclass(frozen=True)
class Topic:
    """Seeds and keywords: all that a strategy may see (R5, R6, R8).

    Seeds and hubs are kept as they are fetched, however a topics file or an older collection writes them:
    else one page would stand in the collection under two names. What is no URL stays as it is.
    """

    name: str
    """Path of the category, or a name of the user's."""
    seeds: tuple[str, ...]
    """URLs of known companies, or of hubs (R40)."""
    keywords: str
    """Words of the business, as text."""
    hubs: tuple[str, ...] = ()
    """Seeds that are hubs rather than companies (R40): fetched first, never counted as seed hosts."""

    def __post_init__(self) -> None:
        for name in ("seeds", "hubs"):
            object.__setattr__(self, name, tuple(parse(url) or url for url in getattr(self, name)))

    @cached_property
    def query(self) -> Query:
        """Term frequencies of the keywords, stop-listed and stemmed (R9, R22)."""
        return Query.from_text(self.keywords)

    @cached_property
    def seed_urls(self) -> frozenset[str]:
        """The seeds, to ask for one of thousands."""
        return frozenset(self.seeds)

    @cached_property
    def seed_hosts(self) -> frozenset[str]:
        """Fully qualified host names of the seeds, in lower case (R29, A10)."""
        return frozenset(host for seed in self.seeds if (host := host_of(seed)))
