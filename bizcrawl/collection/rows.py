"""The rows that a crawl hands to the collection: one frozen type per table.

Columns that follow from others (host, domain, number of the page) are filled in by the writer. The links of a
page, a hundred of them, are columns from the start (`link_columns`). Texts may hold anything a stranger
wrote, lone surrogates included: the writer cleans what UTF-8 can't carry, the outputs neutralise the rest.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from bizcrawl.reasons import Reason
from bizcrawl.topic import Topic

CONTEXT_CHARS = 300
"""Longest context text kept for a link; the whole page's text and tag tree are kept beside it."""


class CrawlRow(NamedTuple):
    """A run, written when it begins."""

    command: str
    """What the user asked for, such as ``discover competitors``."""
    topic: Topic
    strategy: str
    strategy_options: Mapping[str, object] = {}
    settings: Mapping[str, object] = {}
    """Everything else that resuming must know: web, scope, exclusions, connections, …; JSON values only."""
    budget: Mapping[str, float] = {}
    """By name: pages, minutes, body_bytes."""
    random_seed: int = 0
    gated: bool = False
    """Hosts had to wait, so what `next` gave depended on time: resume tells the strategy what it gave."""


class PageRow(NamedTuple):
    """A fetched page. Its number, host and domain are filled in by the writer."""

    url: str
    """URL that was asked for."""
    final_url: str
    """URL after redirects."""
    fetched_at: datetime
    """UTC."""
    status: int = 200
    media_type: str = "text/html"
    charset: str = ""
    charset_source: str = ""
    """How the charset was known: header, bom, meta, utf-8, default, …"""
    body_bytes: int = 0
    wire_bytes: int = 0
    body_hash: bytes = b""
    """SHA-256 of the decoded body."""
    title: str = ""
    text: str = ""
    language: str = ""
    soft_404: bool | None = None
    """It says "not found" in spite of its status; None if nobody looked."""
    sketch: int | None = None
    """64 bits of its text (`near_duplicates`); None for a short one."""
    robots_tags: Sequence[str] | None = None
    """What X-Robots-Tag and meta robots ask of this crawler; None if nobody looked."""
    depth: int = 0
    """Links followed from a seed."""
    parent: str = ""
    """URL of the page whose link led here; "" for a seed."""
    score: float = 0.0
    """Score with which it was taken from the frontier."""
    similarity: float = 0.0
    """Cosine with the topic's keywords (R22)."""
    hub_score: float = 0.0
    """What the strategy or the companies' analysis holds of it as a hub."""
    relevant: bool | None = None
    """What the predicate or classifier says; None if there is none."""
    elapsed_s: float = 0.0
    """Time the fetch took."""
    tidy_road: str = "html5lib"
    """Which tidier made the tag tree."""
    tidy_difference: str | None = None
    """Where the two roads to the tree part; "" if they do not, None if only one was taken."""
    cuts: Sequence[str] = ()
    """Limits that cut the page."""
    truncated: bool = False
    rendered: bool = False
    address: str = ""
    etag: str = ""
    last_modified: str = ""


class CallRow(NamedTuple):
    """A call made to the strategy, in order; the record that resume replays."""

    kind: str
    """start, next, visit or fail; accept, reject or withdraw for what the analyst says of a company."""
    url: str = ""
    """URL visited or failed; key of the company."""
    n: int = 0
    """How many URLs `next` was asked for."""
    given: Sequence[str] = ()
    """URLs that `next` gave out: they are leased until visited or failed. Further sites of the company."""
    reason: Reason | None = None
    """Why it failed."""
    detail: str = ""
    """One line about the failure for a person; the analyst's note on a company."""
    at_s: float = 0.0
    """Seconds of crawling before the call, earlier sittings of the same crawl included."""


class DecisionRow(NamedTuple):
    """A URL that was turned away, and why."""

    url: str
    reason: Reason
    parent: str = ""
    """Page on which it stood, if any."""
    detail: str = ""


class HostRow(NamedTuple):
    """What the crawl learns of a host from its robots.txt; the newest row counts."""

    host: str
    robots: str = ""
    """rules, open (none), closed (429, 5xx), unreachable or "" if never asked."""
    delay_s: float | None = None
    last_failure: str = ""


class CompanyRow(NamedTuple):
    """A company as `bizcrawl.companies` found it; a verdict on it is kept when it is written again."""

    company: str
    """Key of the site where it is at home: a registrable domain, mostly."""
    name: str
    home_page: str = ""
    domains: Sequence[str] = ()
    country: str = ""
    language: str = ""
    """Primary subtag, as its pages state it."""
    description: str = ""
    kind: str = "company"
    """What its site is held to be; `bizcrawl.companies.site_kinds` names all that it may be."""
    is_seed: bool = False
    rank: int | None = None
    """Place among the competitors, from 1; None for seeds and for what is no company."""
    score: float = 0.0
    why: str = ""
    """The reasons for its rank in a few words."""


class EvidenceRow(NamedTuple):
    """One reason that speaks for or, by its kind, against a company."""

    company: str
    kind: str
    """listed, alike, linked, unverified, …; `bizcrawl.companies.evidence_kinds` names them all."""
    weight: float
    """Strength, 0 or more."""
    page: str = ""
    """URL of the page on which it was found."""
    link: str = ""
    """URL of the link that says so."""
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Every occurrence of a link on a page, in the order of `found`."""

    found: bytes = b""
    """What the page says of them, as `link_columns.pack` packs it."""
    scores: Sequence[float] = ()
    """What the strategy gave each occurrence."""
    parts: Sequence[Mapping[str, float]] = ()
    """What each score was made from, by name."""
    fates: Sequence[str] = ()
    """What became of each when the page was visited: ``queued``, or why it was turned away."""


LINK_BYTES = 300
"""What the parts and the fate of a link take in memory."""


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page with all that is committed together with it."""

    row: PageRow
    links: PageLinks
    tree: bytes
    """The tag tree as `contexts.stored` packs it."""

    @property
    def held_bytes(self) -> int:
        """What it takes in memory, nearly."""
        links = len(self.links.found) + LINK_BYTES * len(self.links.scores)
        return sys.getsizeof(self.row.text) + len(self.tree) + links


@dataclass(frozen=True, slots=True)
class Batch:
    """What goes into the collection in one transaction, or not at all."""

    pages: Sequence[StoredPage] = ()
    calls: Sequence[CallRow] = ()
    decisions: Sequence[DecisionRow] = ()
    hosts: Sequence[HostRow] = ()
