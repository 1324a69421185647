"""What a crawl may use, what it has used and found so far, and why it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field
from enum import StrEnum

from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.urls import domain_of
from bizcrawl.web import Failure

HUB_SEEDS = 2
"""A page that links to so many seed hosts is counted as a hub: the first n with a hub score (R30)."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a crawl may use; whichever runs out first ends it."""

    pages: int
    """Good pages (R8, A36); failures and stale links are free."""
    minutes: float | None = None
    body_bytes: int | None = None


class Stop(StrEnum):
    """Why a crawl ended."""

    PAGES = "page budget used"
    MINUTES = "time used up"
    BYTES = "byte budget used"
    FRONTIER_EMPTY = "nothing left to visit"
    INTERRUPTED = "interrupted"


@dataclass(slots=True)
class Tally:
    """Running counts of a crawl, for the progress line and the summary."""

    pages: int = 0
    unchanged: int = 0
    """Pages among them that the server said were as an earlier crawl has them."""
    relevant: int | None = None
    """Pages among them that satisfy the predicate; None without one."""
    body_bytes: int = 0
    hubs: int = 0
    """Pages that link to two or more seed hosts (R29)."""
    listed: set[str] = field(default_factory=set)
    """Registrable domains that stand on those pages."""
    frontier: int = 0
    in_flight: int = 0
    elapsed_s: float = 0.0
    turned_away: Counter[Reason] = field(default_factory=Counter)
    """URLs that brought no good page, by reason."""
    seed_failures: dict[str, Failure] = field(default_factory=dict)

    def count_page(self, page: Page, seed_hosts: Set[str], left_alone: int, spoilt: int) -> None:
        """Count a good page, the sites that it lists if it is a hub, links that it asks not to follow, and
        those that lead nowhere.
        """
        self.pages += 1
        self.turned_away[Reason.NOFOLLOW] += left_alone
        self.turned_away[Reason.BAD_URL] += spoilt
        if len(seed_hosts & page.link_hosts) >= HUB_SEEDS:
            self.hubs += 1
            self.listed.update(map(domain_of, page.link_hosts))

    def count_failure(self, url: str, failure: Failure, seeds: Set[str]) -> None:
        """Count a URL that brought no good page, and keep what became of a seed."""
        self.turned_away[failure.reason] += 1
        if url in seeds:
            self.seed_failures[url] = failure
