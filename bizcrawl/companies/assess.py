"""From the facts of pages to ranked companies: the analysis as one pure function.

`assess` reads nothing but its arguments, so it gives the same answer while crawling, after it, and again when
the analyst has accepted or rejected a company.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bizcrawl.companies.evidence import (
    LISTED,
    SIMILAR,
    Evidence,
    by_company,
    doubts,
    listing_evidence,
    wording_evidence,
)
from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.hubs import Listing, listings_of
from bizcrawl.companies.naming import identity_of
from bizcrawl.companies.ranking import scores
from bizcrawl.companies.sites import Site, site_of, sites_of
from bizcrawl.companies.verdicts import Verdict, verdict_of
from bizcrawl.companies.wording import compare, site_terms
from bizcrawl.topic import Topic


@dataclass(frozen=True, slots=True)
class Opinions:
    """What the analyst said of companies, by the key of any of their sites."""

    accepted: frozenset[str] = frozenset()
    """In the business: they work as seeds."""
    rejected: frozenset[str] = frozenset()
    """Not in it: not ranked, and their word counts for nothing."""


@dataclass(frozen=True, slots=True)
class Company:
    """One company, one row."""

    company: str
    """Key of its main site: a registrable domain, mostly."""
    name: str
    home_page: str
    domains: tuple[str, ...]
    country: str
    description: str
    kind: str
    """Verdict on its site: company, unseen or unknown."""
    is_seed: bool
    rank: int | None
    """Place among the competitors, from 1; None for seeds, accepted and rejected companies."""
    score: float
    why: str
    """The reasons for its rank in a few words."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """The answer."""

    companies: tuple[Company, ...]
    """Seeds first, then by rank."""
    evidence: tuple[Evidence, ...]
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    """Of every site met, by key."""
    words: tuple[str, ...] = ()
    """Stems by which the known companies were told from others."""

    @property
    def ranked(self) -> list[Company]:
        """Competitors in order."""
        return [company for company in self.companies if company.rank is not None]


def assess(
    pages: Iterable[PageFacts],
    topic: Topic,
    opinions: Opinions = Opinions(),
    *,
    dead: Collection[str] = (),
    question: str = "competitors",
) -> Assessment:
    """Find, judge and rank the companies on some pages, in the order in which they were visited.

    `dead`: hosts of which no page could be had. `question`: competitors, partners or acquisitions.
    """
    standing = standing_of(pages, topic, opinions, dead=dead, question=question)
    sites, verdicts, score = standing.sites, standing.verdicts, standing.scores
    places = {key: place for place, key in enumerate(standing.order, 1)}
    rows = by_company(standing.evidence)
    chosen = [*(key for key in sites if key in standing.known), *standing.order]
    companies = tuple(
        _company(
            sites[key],
            verdicts[key],
            key in standing.seeds,
            places.get(key),
            score.get(key, 0.0),
            rows.get(key, []),
        )
        for key in chosen
    )
    return Assessment(companies, standing.evidence, verdicts, standing.words)


class Memory:
    """Verdicts and words of sites that have not changed since they were last looked at."""

    def __init__(self) -> None:
        self._verdicts: dict[str, tuple[tuple[int, bool], Verdict]] = {}
        self._terms: dict[str, tuple[tuple[int, int], dict[str, float]]] = {}

    def verdict(self, site: Site, dead: bool) -> Verdict:
        """`verdict_of`, remembered."""
        state = (len(site.pages), dead)
        known = self._verdicts.get(site.key)
        if known is None or known[0] != state:
            known = self._verdicts[site.key] = (state, verdict_of(site, dead=dead))
        return known[1]

    def terms(self, site: Site) -> dict[str, float]:
        """`site_terms`, remembered."""
        state = (len(site.pages), len(site.mentions))
        known = self._terms.get(site.key)
        if known is None or known[0] != state:
            known = self._terms[site.key] = (state, site_terms(site))
        return known[1]


@dataclass(frozen=True, slots=True)
class Standing:
    """How companies stand before they are named: what an assessment and suggestions for the crawl share."""

    topic: Topic
    sites: Mapping[str, Site]
    verdicts: Mapping[str, Verdict]
    seeds: frozenset[str]
    known: frozenset[str]
    """Seeds and accepted companies that were not rejected."""
    listings: Sequence[Listing]
    evidence: tuple[Evidence, ...]
    scores: Mapping[str, float]
    order: Sequence[str]
    """Competitors, best first."""
    words: tuple[str, ...]


def standing_of(
    pages: Iterable[PageFacts],
    topic: Topic,
    opinions: Opinions = Opinions(),
    *,
    dead: Collection[str] = (),
    question: str = "competitors",
    memory: Memory | None = None,
) -> Standing:
    """Gather and weigh the evidence; see `assess`. `memory` spares work when pages are only added to former
    ones."""
    memory = memory or Memory()
    sites = sites_of(pages)
    seeds = frozenset(_current(site_of(seed), sites) for seed in topic.seeds)
    known = (seeds | opinions.accepted) - opinions.rejected
    gone = {site_of(f"http://{host}/") for host in dead}
    verdicts = {key: memory.verdict(site, key in gone) for key, site in sites.items()}
    keys = [
        key
        for key in sites
        if key in known or (verdicts[key].may_be_company and key not in opinions.rejected)
    ]
    terms = [memory.terms(sites[key]) for key in keys]
    at = {key: index for index, key in enumerate(keys)}
    wording = compare(terms, {at[key]: 1.0 for key in known if key in at}, topic.query)
    listings = listings_of(sites, keys)
    evidence = (
        *wording_evidence(keys, sites, wording, [stem for stem, _ in topic.query.weights]),
        *listing_evidence(listings, dict.fromkeys(known, 1.0)),
        *doubts(keys, sites, verdicts),
    )
    score = scores(evidence, question)
    order = sorted((key for key in keys if key not in known), key=lambda key: (-score.get(key, 0.0), key))
    order = [key for key in order if score.get(key, 0.0) > 0]
    return Standing(topic, sites, verdicts, seeds, known, listings, evidence, score, order, wording.words)


def _current(key: str, sites: Mapping[str, Site]) -> str:
    """The site that a seed's has moved to."""
    if key in sites:
        return key
    return next((site.key for site in sites.values() if key in site.aliases), key)


def _company(
    site: Site, verdict: Verdict, is_seed: bool, rank: int | None, score: float, rows: list[Evidence]
) -> Company:
    identity = identity_of(site)
    return Company(
        company=site.key,
        name=identity.name,
        home_page=site.home_url,
        domains=(site.key, *sorted(site.aliases)),
        country=identity.country,
        description=identity.description,
        kind=verdict.kind,
        is_seed=is_seed,
        rank=rank,
        score=round(score, 4),
        why=why(rows),
    )


def why(rows: Iterable[Evidence]) -> str:
    """The reasons for a rank in a few words."""
    rows = list(rows)
    listed = [row for row in rows if row.kind == LISTED]
    parts = []
    if listed:
        most = max(int(row.snippet.split(" ", 1)[0]) for row in listed)
        hubs = "1 hub" if len(listed) == 1 else f"{len(listed)} hubs"
        parts.append(
            f"listed with {most} of your companies on {hubs}"
            if most
            else f"listed with similar companies on {hubs}"
        )
    similar = next((row.weight for row in rows if row.kind == SIMILAR), 0.0)
    if similar:
        parts.append(f"pages {similar:.2f} similar")
    return "; ".join(parts)
