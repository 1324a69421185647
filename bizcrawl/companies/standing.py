"""How companies stand: the sites that may be companies, what speaks for each, and their order.

This is what an assessment and the suggestions for a running crawl share.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from bizcrawl.companies.evidence import (
    Evidence,
    doubts,
    joined_evidence,
    link_evidence,
    listing_evidence,
    size_evidence,
    wording_evidence,
)
from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.hubs import Listing, listings_of, voices_of
from bizcrawl.companies.indirect import add_indirect
from bizcrawl.companies.naming import Identity, identity_of
from bizcrawl.companies.opinions import NO_OPINIONS, Opinions
from bizcrawl.companies.ranking import scores
from bizcrawl.companies.resolve import Record, resolve
from bizcrawl.companies.sites import Site, site_of, sites_of
from bizcrawl.companies.verdicts import Verdict, verdict_of
from bizcrawl.companies.wording import compare, site_terms
from bizcrawl.topic import Topic

RESOLVED_RANKS = 400
"""Companies further down are not compared by name."""
TRUSTED_RANKS = 30
"""The first companies of a ranking by the known alone (or, if there are none, by the keywords) stand beside
these when lists are weighed again.
"""
FIRST_TRUST = 0.8
"""What the first of them counts for, where a known company counts for 1."""
_OWNERS = frozenset({"organization", "corporation", "localbusiness", "manufacturer"})


class Memory:
    """Verdicts and words of sites that have not changed since they were last looked at."""

    def __init__(self) -> None:
        self._verdicts: dict[str, tuple[tuple[int, int, bool], Verdict]] = {}
        self._terms: dict[str, tuple[tuple[int, int, frozenset[str]], dict[str, float]]] = {}
        self._names: dict[str, tuple[tuple[int, int], Identity]] = {}

    def verdict(self, site: Site, dead: bool) -> Verdict:
        """`verdict_of`, remembered."""
        state = (len(site.pages), site.others_described, dead)
        known = self._verdicts.get(site.key)
        if known is None or known[0] != state:
            known = self._verdicts[site.key] = (state, verdict_of(site, dead=dead))
        return known[1]

    def terms(self, site: Site, known: frozenset[str]) -> dict[str, float]:
        """`site_terms`, remembered."""
        state = (len(site.pages), len(site.mentions), known)
        found = self._terms.get(site.key)
        if found is None or found[0] != state:
            found = self._terms[site.key] = (state, site_terms(site, known))
        return found[1]

    def identity(self, site: Site) -> Identity:
        """`identity_of`, remembered."""
        state = (len(site.pages), len(site.mentions))
        known = self._names.get(site.key)
        if known is None or known[0] != state:
            known = self._names[site.key] = (state, identity_of(site))
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
    opinions: Opinions
    """The analyst's, by the keys that sites have now."""
    listings: Sequence[Listing]
    evidence: tuple[Evidence, ...]
    scores: Mapping[str, float]
    order: Sequence[str]
    """Competitors, best first."""
    words: tuple[str, ...]
    mains: Mapping[str, str]
    """Main site of each of a company's other sites: the one for which most speaks."""
    fronts: Mapping[str, str]
    """Where a company is at home, by its main site, if that is another one."""
    names: Mapping[str, Identity]
    """What companies near the top are called."""


def standing_of(
    pages: Iterable[PageFacts],
    topic: Topic,
    opinions: Opinions = NO_OPINIONS,
    *,
    dead: Collection[str] = (),
    leads: Mapping[str, str] = MappingProxyType({}),
    question: str = "competitors",
    memory: Memory | None = None,
    hopeful: bool = False,
) -> Standing:
    """Gather and weigh the evidence; see `assess`. `memory` spares work when pages are only added. `hopeful`
    as for `compare`: for whoever asks what to visit.
    """
    memory = memory or Memory()
    pages = list(pages)
    sites = sites_of(pages, leads)
    leads = {**leads, **{page.url: page.final_url for page in pages if page.url != page.final_url}}
    add_indirect(sites, leads)
    seeds = frozenset(_current(site_of(leads.get(seed, seed)), sites) for seed in topic.seeds)
    opinions = opinions.moved(_moved(opinions.accepted | opinions.rejected, sites))
    known = (seeds | opinions.accepted) - opinions.rejected
    verdicts = {key: memory.verdict(site, key in dead) for key, site in sites.items()}
    if question != "partners":  # who keeps a list of one's products or customers may well be one
        verdicts |= _hubs_by_their_lists(sites, known, verdicts)
    keys = [
        key
        for key in sites
        if key in known or (verdicts[key].may_be_company and key not in opinions.rejected)
    ]
    terms = [memory.terms(sites[key], known) for key in keys]
    at = {key: index for index, key in enumerate(keys)}
    wording = compare(terms, {at[key]: 1.0 for key in known if key in at}, topic.query, hopeful=hopeful)
    listings = [listing for listing in listings_of(sites, keys) if listing.hub not in opinions.rejected]
    voices = voices_of(sites, listings)
    said = [
        *wording_evidence(keys, sites, wording, [stem for stem, _ in topic.query.weights]),
        *link_evidence(sites, known, keys),
        *size_evidence(keys, sites),
        *doubts(keys, sites, verdicts),
    ]
    trust = dict.fromkeys(known, 1.0)
    first = scores([*said, *listing_evidence(listings, trust, verdicts, voices)], question)
    mains, names = _joined(keys, sites, known, first, memory)
    rivals = [key for key in keys if key not in known and mains.get(key, key) == key]
    likeness = dict(zip(keys, np.maximum(wording.alike, wording.keywords).tolist(), strict=True))
    trust |= _trust_in_first(_ordered(rivals, first), likeness)
    evidence = joined_evidence([*said, *listing_evidence(listings, trust, verdicts, voices)], mains)
    score = scores(evidence, question)
    return Standing(
        topic=topic,
        sites=sites,
        verdicts=verdicts,
        seeds=seeds,
        known=known,
        opinions=opinions,
        listings=listings,
        evidence=evidence,
        scores=score,
        order=_ordered(rivals, score),
        words=wording.words,
        mains=mains,
        fronts=_fronts(mains, known, sites),
        names=names,
    )


def _ordered(keys: Iterable[str], score: Mapping[str, float]) -> list[str]:
    """Those of some companies for which anything speaks, best first."""
    return sorted((key for key in keys if score.get(key, 0.0) > 0), key=lambda key: (-score[key], key))


def _trust_in_first(order: Sequence[str], likeness: Mapping[str, float]) -> dict[str, float]:
    """How far the first of a ranking are taken for known when lists are weighed again: the less, the lower
    they rank and the less they say what the known or the keywords say.
    """
    return {
        key: FIRST_TRUST * (1 - place / TRUSTED_RANKS) * min(1.0, likeness[key])
        for place, key in enumerate(order[:TRUSTED_RANKS])
        if likeness[key] > 0
    }


def _hubs_by_their_lists(
    sites: Mapping[str, Site], known: Set[str], verdicts: Mapping[str, Verdict]
) -> dict[str, Verdict]:
    """Verdicts on sites that say nothing of themselves but list several known companies together (R30):
    companies don't, whatever language they speak.
    """
    together: dict[tuple[str, tuple[str, int]], set[str]] = defaultdict(set)
    for key in known & sites.keys():
        for mention in sites[key].mentions:
            if mention.list_key is not None and mention.source not in known:
                together[mention.source, mention.list_key].add(key)
    most: dict[str, int] = defaultdict(int)
    for (source, _), members in together.items():
        most[source] = max(most[source], len(members))
    return {
        source: Verdict("directory", (f"lists {n} of your companies together", *verdicts[source].reasons))
        for source, n in most.items()
        if n >= 2 and verdicts[source].kind == "unknown"
    }


def _joined(
    keys: Sequence[str],
    sites: Mapping[str, Site],
    known: Collection[str],
    score: Mapping[str, float],
    memory: Memory,
) -> tuple[dict[str, str], dict[str, Identity]]:
    """Main site of each site that is a second one of a company near the top, and the names of all these."""
    top = sorted((key for key in keys if key not in known), key=lambda key: (-score.get(key, 0.0), key))
    chosen = [key for key in keys if key in known] + sorted(
        top[:RESOLVED_RANKS], key=lambda key: (not sites[key].pages, -score.get(key, 0.0), key)
    )
    names = {key: memory.identity(sites[key]) for key in chosen}
    records = [
        Record(
            key,
            names[key].legal_name or names[key].name,
            names[key].country,
            visited=bool(sites[key].pages),
            ties=_ties(sites[key]),
        )
        for key in chosen
    ]
    mains = {key: main for key, main in resolve(records).items() if key != main and key not in known}
    return mains, names


def _ties(site: Site) -> frozenset[str]:
    """What ties sites of one company: domains of its mail, the site its structured data calls its own, and
    a link from the same name under another top-level domain, as its sites for several countries have.
    """
    label = site.key.partition(".")[0]
    linking = {mention.source for mention in site.mentions if mention.source.partition(".")[0] == label}
    return frozenset({site.key} | linking | _own_sites(site))


def _own_sites(site: Site) -> set[str]:
    """What a site calls its company's own: domains of its mail, addresses in its structured data."""
    found: set[str] = set()
    for page in site.pages[:8]:
        found.update(page.mail_domains)
        found.update(
            site_of(org.url) for org in page.organisations if org.url and org.kind.lower() in _OWNERS
        )
    return found


def _fronts(mains: Mapping[str, str], known: Collection[str], sites: Mapping[str, Site]) -> dict[str, str]:
    """Of companies with several sites the visited one that most of the others call their company's own, by
    the main one, where that is called so by fewer.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for key, main in mains.items():
        if main not in known:
            groups[main].append(key)
    fronts = {}
    for main, others in groups.items():
        visited = [key for key in (main, *others) if sites[key].pages]
        named = Counter(own for key in visited for own in _own_sites(sites[key]) - {key})
        front = max(visited, key=lambda key: named[key], default=main)  # of equals the main one
        if front != main:
            fronts[main] = front
    return fronts


def _moved(keys: Iterable[str], sites: Mapping[str, Site]) -> dict[str, str]:
    """New keys of those sites that have moved."""
    return {key: now for key in keys if (now := _current(key, sites)) != key}


def _current(key: str, sites: Mapping[str, Site]) -> str:
    """The key of a site, or of the one to which it has moved."""
    if key in sites:
        return key
    return next((site.key for site in sites.values() if key in site.aliases), key)
