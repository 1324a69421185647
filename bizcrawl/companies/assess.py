"""From the facts of pages to ranked companies: the analysis as one pure function.

`assess` reads nothing but its arguments, so it gives the same answer while crawling, after it, and again when
the analyst has accepted or rejected a company.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from bizcrawl.companies.evidence import WITH_KNOWN, Evidence, by_company
from bizcrawl.companies.evidence_kinds import EvidenceKind
from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.naming import identity_of
from bizcrawl.companies.opinions import NO_OPINIONS, Opinions
from bizcrawl.companies.passages import with_passages
from bizcrawl.companies.questions import ACQUISITIONS, COMPETITORS, PARTNERS
from bizcrawl.companies.site_kinds import SiteKind
from bizcrawl.companies.standing import Standing, standing_of
from bizcrawl.companies.verdicts import Verdict
from bizcrawl.topic import Topic

__all__ = ["Assessment", "Company", "Opinions", "assess", "why"]


@dataclass(frozen=True, slots=True)
class Company:
    """One company, one row."""

    company: str
    """Key of the site where it is at home: a registrable domain, mostly."""
    name: str
    home_page: str
    domains: tuple[str, ...]
    country: str
    language: str
    """Primary subtag of the language that its pages state, such as ``de``; "" if none does."""
    description: str
    kind: SiteKind
    """What its site is held to be."""
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
    opinions: Opinions = NO_OPINIONS,
    *,
    dead: Collection[str] = (),
    leads: Mapping[str, str] = MappingProxyType({}),
    question: str = COMPETITORS,
) -> Assessment:
    """Find, judge and rank the companies on some pages, in the order in which they were visited.

    `dead`: keys of sites that don't answer. `leads`: where URLs redirect to whose pages had been visited
    already. `question`: competitors, companies, partners or acquisitions.
    """
    standing = standing_of(pages, topic, opinions, dead=dead, leads=leads, question=question)
    homes = standing.homes
    evidence = tuple(
        replace(row, company=homes[row.company]) if row.company in homes else row
        for row in with_passages(standing)
    )
    rows = by_company(evidence)
    ranks = {key: rank for rank, key in enumerate(standing.order, 1)}
    others = _second_sites(standing)
    companies = tuple(
        _company(key, standing, others[key], ranks.get(key), why(rows.get(homes.get(key, key), []), question))
        for key in (*_unranked(standing), *standing.order)
    )
    return Assessment(companies, evidence, standing.met.verdicts, standing.words)


def _unranked(standing: Standing) -> list[str]:
    """Main sites of the known and the rejected companies. Rejected ones stay in the table, so that the
    verdict on them is kept.
    """
    met = standing.met
    second = {key for key, main in met.opinions.mains.items() if main in met.sites}
    unranked = (met.known | met.opinions.rejected) - second
    return [key for key in met.sites if key in unranked]


def _second_sites(standing: Standing) -> defaultdict[str, list[str]]:
    """Other sites of companies, by the main one."""
    others: defaultdict[str, list[str]] = defaultdict(list)
    for other, main in (*standing.mains.items(), *standing.met.opinions.mains.items()):
        others[main].append(other)
    return others


def _company(key: str, standing: Standing, others: Iterable[str], rank: int | None, reasons: str) -> Company:
    """The company whose main site has a key, as it is called at home. `others`: keys of its other sites."""
    main = standing.met.sites[key]
    home = standing.met.sites[standing.homes.get(key, key)]
    domains = {key, *main.aliases, *others, *home.aliases} - {home.key}
    identity = identity_of(home)
    return Company(
        company=home.key,
        name=identity.name,
        home_page=home.front_door,
        domains=(home.key, *sorted(domains)),
        country=identity.country,
        language=identity.language,
        description=identity.description,
        kind=standing.met.verdicts[home.key].kind,
        is_seed=key in standing.met.seeds,
        rank=rank,
        score=round(standing.scores.get(key, 0.0), 4),
        why=reasons,
    )


def why(rows: Iterable[Evidence], question: str = COMPETITORS) -> str:
    """The reasons for a rank in a few words; `question` as for `assess`, since it says what counts."""
    rows = list(rows)
    parts = []
    if question == PARTNERS:
        parts += [row.snippet.partition(": ")[0] for row in rows if row.kind == EvidenceKind.LINKED]
        parts += _listed(rows, EvidenceKind.PARTNERED, "company site")
    parts += _listed(rows, EvidenceKind.LISTED, "hub")
    similar = next((row.weight for row in rows if row.kind == EvidenceKind.SIMILAR), 0.0)
    if similar:
        visited = not any(row.kind == EvidenceKind.UNVERIFIED for row in rows)
        parts.append(f"{'pages' if visited else 'entries'} {similar:.2f} similar")
    small = next((row.weight for row in rows if row.kind == EvidenceKind.SMALL), 0.0)
    if small and question == ACQUISITIONS:
        parts.append(f"small site, strength {small:.2f}")
    said = next((row.weight for row in rows if row.kind == EvidenceKind.KEYWORDS), 0.0)
    if said and not similar:
        parts.append(f"says the keywords, strength {said:.2f}")
    return "; ".join(parts)


def _listed(rows: Iterable[Evidence], kind: str, place: str) -> list[str]:
    """With how many known companies a company is listed, "up to" where it is not the same number everywhere,
    and on how many hubs or other places; without any, on how many it stands beside others of the kind.
    """
    listed = [row.snippet for row in rows if row.kind == kind]
    if not listed:
        return []
    known = [int(found[1]) for snippet in listed if (found := WITH_KNOWN.match(snippet))]
    up_to = "up to " if len(set(known)) > 1 else ""
    beside = f"{up_to}{max(known)} of your companies" if known else "companies of the kind"
    places = len(known or listed)
    return [f"listed with {beside} on {places} {place}{'s' if places > 1 else ''}"]
