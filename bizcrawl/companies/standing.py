"""How companies stand: the sites that may be companies, what speaks for each, and their order.

This is what an assessment and the suggestions for a running crawl share.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
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
from bizcrawl.companies.memory import Memory
from bizcrawl.companies.one_company import homes, main_sites
from bizcrawl.companies.opinions import NO_OPINIONS, Opinions
from bizcrawl.companies.questions import COMPETITORS, PARTNERS
from bizcrawl.companies.ranking import scores
from bizcrawl.companies.site_keys import site_of
from bizcrawl.companies.site_kinds import SiteKind
from bizcrawl.companies.sites import Site, sites_of
from bizcrawl.companies.verdicts import Verdict
from bizcrawl.companies.wording import Wording, compare
from bizcrawl.topic import Topic

TRUSTED_RANKS = 30
"""The first companies of a ranking by the known alone (or, if there are none, by the keywords) stand beside
these when lists are weighed again.
"""
FIRST_TRUST = 0.8
"""What the first of them counts for, where a known company counts for 1."""


@dataclass(frozen=True, slots=True)
class Met:
    """Who was met on some pages: sites, what each is held to be, and which of them may be companies."""

    sites: Mapping[str, Site]
    verdicts: Mapping[str, Verdict]
    seeds: frozenset[str]
    known: frozenset[str]
    """Seeds and accepted companies that were not rejected."""
    opinions: Opinions
    """The analyst's, by the keys that sites have now."""
    candidates: Sequence[str]
    """The known, and whoever may be a company and was not rejected; in order of first sight."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How companies stand before they are named: what an assessment and suggestions for the crawl share."""

    topic: Topic
    met: Met
    listings: Sequence[Listing]
    evidence: tuple[Evidence, ...]
    scores: Mapping[str, float]
    order: Sequence[str]
    """Competitors, best first."""
    words: tuple[str, ...]
    """Stems by which the known companies were told from others."""
    mains: Mapping[str, str]
    """Main site of each of a company's other sites: the one for which most speaks."""
    homes: Mapping[str, str]
    """Where a company is at home, by its main site, if that is another one."""


def standing_of(
    pages: Iterable[PageFacts],
    topic: Topic,
    opinions: Opinions = NO_OPINIONS,
    *,
    dead: Collection[str] = (),
    leads: Mapping[str, str] = MappingProxyType({}),
    question: str = COMPETITORS,
    memory: Memory | None = None,
    hopeful: bool = False,
) -> Standing:
    """Gather and weigh the evidence; see `assess`. `memory` spares work when pages are only added, and
    all else stays, `leads` too. `hopeful` as for `compare`: for whoever asks what to visit.
    """
    memory = memory or Memory()
    met = _who_was_met(list(pages), topic, opinions, dead, leads, question, memory)
    wording = _wording(met, topic, memory, hopeful)
    listings = [
        listing
        for listing in listings_of(met.sites, met.candidates)
        if listing.hub not in met.opinions.rejected
    ]
    voices = voices_of(met.sites, listings)
    said = list(_said(met, wording, topic))

    def evidence_if(trust: Mapping[str, float]) -> list[Evidence]:
        return [*said, *listing_evidence(listings, trust, met.verdicts, voices)]

    # ranked by the known alone at first; then lists count, too, that name the first of that ranking
    trust = dict.fromkeys(met.known, 1.0)
    first = scores(evidence_if(trust), question)
    mains = main_sites(met.candidates, met.sites, met.known, first, memory)
    rivals = [key for key in met.candidates if key not in met.known and mains.get(key, key) == key]
    trust |= _trust_in_first(_ordered(rivals, first), _likeness(met, wording))
    evidence = joined_evidence(evidence_if(trust), mains)
    score = scores(evidence, question)
    return Standing(
        topic=topic,
        met=met,
        listings=listings,
        evidence=evidence,
        scores=score,
        order=_ordered(rivals, score),
        words=wording.words,
        mains=mains,
        homes=homes(mains, met.known, met.sites),
    )


def _who_was_met(
    pages: list[PageFacts],
    topic: Topic,
    opinions: Opinions,
    dead: Collection[str],
    leads: Mapping[str, str],
    question: str,
    memory: Memory,
) -> Met:
    """Group pages by site and judge the sites; arguments as for `standing_of`."""
    sites = sites_of(pages, leads)
    leads = {**leads, **{page.url: page.final_url for page in pages if page.url != page.final_url}}
    add_indirect(sites, leads)
    seeds = frozenset(_current(site_of(leads.get(seed, seed)), sites) for seed in topic.seeds)
    opinions = opinions.moved(_moved(opinions.accepted | opinions.rejected, sites))
    known = (seeds | opinions.accepted) - opinions.rejected
    verdicts = {key: memory.verdict(site, key in dead) for key, site in sites.items()}
    if question != PARTNERS:  # who keeps a list of one's products or customers may well be one
        verdicts |= _hubs_by_their_lists(sites, known, verdicts)
    candidates = [
        key
        for key in sites
        if key in known or (verdicts[key].may_be_company and key not in opinions.rejected)
    ]
    return Met(sites, verdicts, seeds, known, opinions, candidates)


def _wording(met: Met, topic: Topic, memory: Memory, hopeful: bool) -> Wording:
    """What the candidates say, compared with what the known companies among them say."""
    terms = [memory.terms(met.sites[key], met.known) for key in met.candidates]
    known = {index: 1.0 for index, key in enumerate(met.candidates) if key in met.known}
    return compare(terms, known, topic.query, hopeful=hopeful)


def _said(met: Met, wording: Wording, topic: Topic) -> Iterator[Evidence]:
    """All evidence on the candidates but that of lists."""
    keywords = [stem for stem, _ in topic.query.weights]
    yield from wording_evidence(met.candidates, met.sites, wording, keywords)
    yield from link_evidence(met.sites, met.known, met.candidates)
    yield from size_evidence(met.candidates, met.sites)
    yield from doubts(met.candidates, met.sites, met.verdicts)


def _likeness(met: Met, wording: Wording) -> dict[str, float]:
    """How far each candidate says what the known companies or the keywords say; see `Wording`."""
    likeness = np.maximum(wording.alike, wording.keywords)
    return dict(zip(met.candidates, likeness.tolist(), strict=True))


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
        source: Verdict(
            SiteKind.DIRECTORY, (f"lists {n} of your companies together", *verdicts[source].reasons)
        )
        for source, n in most.items()
        if n >= 2 and verdicts[source].kind is SiteKind.UNKNOWN
    }


def _moved(keys: Iterable[str], sites: Mapping[str, Site]) -> dict[str, str]:
    """New keys of those sites that have moved."""
    return {key: now for key in keys if (now := _current(key, sites)) != key}


def _current(key: str, sites: Mapping[str, Site]) -> str:
    """The key of a site, or of the one to which it has moved."""
    if key in sites:
        return key
    return next((site.key for site in sites.values() if key in site.aliases), key)
