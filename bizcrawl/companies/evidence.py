"""Evidence: rows that speak for or against a company, each with the page, link and words it was found in.

A row's weight is a strength on its kind's own scale (0 says nothing, 1 is what a known company typically
has); how much a kind counts is the ranking's affair (`bizcrawl.companies.ranking`), so that the analyst can
weigh them anew in SQL.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import log1p

from bizcrawl.companies.evidence_kinds import EvidenceKind
from bizcrawl.companies.hubs import Listing
from bizcrawl.companies.site_keys import site_of
from bizcrawl.companies.site_kinds import SiteKind
from bizcrawl.companies.sites import Mention, Site
from bizcrawl.companies.verdicts import Verdict
from bizcrawl.companies.wording import Wording

MAX_SNIPPET_CHARS = 240

_BEFORE_STOP = re.compile(r" (?=[,.;](?:\s|$))")

WITH_KNOWN = re.compile(r"(\d+) of your companies")
"""Begins the snippet of `LISTED` and `PARTNERED` where known companies stand in the list."""

_COMPARISON = re.compile(
    r"(?<![^\W_])(?:vs|versus|alternatives?|alternativen?|alternativas?|compared|comparison|comparing|vergleich"
    r"|comparatif|comparaison|comparativa|comparación|confronto|vergelijking|jämförelse|比較|对比)(?![^\W_])",
    re.IGNORECASE,
)
"""In the title or heading of a page: it sets its company beside rivals."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason that speaks for a company or, by its kind, against it."""

    company: str
    """Key of the company's main site."""
    kind: EvidenceKind
    weight: float
    """Strength, 0 or more."""
    page: str = ""
    """URL of the page on which it was found."""
    link: str = ""
    """URL of the link that says so."""
    snippet: str = ""
    """The words it was found in."""


def wording_evidence(
    keys: Sequence[str], sites: Mapping[str, Site], wording: Wording, keywords: Collection[str]
) -> Iterator[Evidence]:
    """Rows for what a company's own pages and the entries about it say."""
    telling = {*wording.words, *keywords}
    measures = (
        (EvidenceKind.KEYWORDS, wording.keywords),
        (EvidenceKind.SIMILAR, wording.similar),
        (EvidenceKind.ALIKE, wording.alike),
    )
    for index, key in enumerate(keys):
        strengths = [(kind, float(values[index])) for kind, values in measures]
        if not any(strength > 0 for _, strength in strengths):
            continue
        page, snippet = _most_telling(sites[key], telling)
        for kind, strength in strengths:
            if strength > 0:
                yield Evidence(key, kind, round(strength, 4), page, "", snippet)


def listing_evidence(
    listings: Sequence[Listing],
    trust: Mapping[str, float],
    verdicts: Mapping[str, Verdict],
    voices: Mapping[str, str],
) -> Iterator[Evidence]:
    """One row for each company and voice among the hubs (`bizcrawl.companies.hubs.voices_of`): how far the
    best of its lists consists of known companies.

    `trust` says how sure each site is in the business: 1 for the known, less for others. A company's
    own trust is not counted for it. Lists on a company's own site name its partners and customers and count
    as such; what exchanges and farms list says nothing about a business.
    """
    best: dict[tuple[str, str], tuple[float, Listing]] = {}
    for listing in listings:
        total = sum(trust.get(member, 0.0) for member in listing.members)
        if not total or verdicts[listing.hub].kind.lists_anybody:
            continue
        for member in listing.members:
            strength = (total - trust.get(member, 0.0)) / (len(listing.members) + 1)
            place = (member, voices[listing.hub])
            if strength > 0.001 and (place not in best or strength > best[place][0]):
                best[place] = (strength, listing)
    for (member, _), (strength, listing) in best.items():
        link = listing.members[member]
        beside = [trust[other] for other in listing.members if other != member and other in trust]
        note = (
            f"{_number_beside(beside)} among {len(listing.members)} on “{listing.page.title}”: "
            f"{as_read(link.entry or link.anchor)}"
        )
        kind = EvidenceKind.LISTED if verdicts[listing.hub].is_hub else EvidenceKind.PARTNERED
        yield Evidence(
            member,
            kind,
            round(strength, 4),
            listing.page.final_url,
            link.via or link.url,
            note[:MAX_SNIPPET_CHARS],
        )


def _number_beside(trust: Sequence[float]) -> str:
    """How many known companies and others of the kind stand beside one."""
    known = sum(sure >= 1.0 for sure in trust)
    others = len(trust) - known
    if not known:
        return f"{others} compan{'y' if others == 1 else 'ies'} of the kind"
    return f"{known} of your companies" + (f" and {others} of the kind" if others else "")


def link_evidence(
    sites: Mapping[str, Site], known: Collection[str], keys: Collection[str]
) -> Iterator[Evidence]:
    """A row for each company that a known one links to or that links to one: partners, not rivals.

    Where a company compares itself with another ("A vs B", "alternatives to B") the two are rivals.
    """
    wanted, seen = set(keys), set(known)
    for key in keys:
        for mention in sites[key].mentions:
            other = mention.source
            if key in known and other in wanted and other not in seen:
                company, what = other, f"links to {key}"
            elif other in known and key not in seen:
                company, what = key, f"{other} links to it"
            else:
                continue
            if not _COMPARISON.search(f"{mention.page.title} {mention.page.heading}"):
                seen.add(company)
                yield _linked(company, mention, what)


def _linked(company: str, mention: Mention, what: str) -> Evidence:
    snippet = f"{what}: {as_read(mention.link.entry)}"[:MAX_SNIPPET_CHARS]
    return Evidence(company, EvidenceKind.LINKED, 1.0, mention.page.final_url, mention.link.url, snippet)


def size_evidence(keys: Sequence[str], sites: Mapping[str, Site]) -> Iterator[Evidence]:
    """A row for each visited company: near 1 if its site is small and hardly anybody links to it."""
    for key in keys:
        site = sites[key]
        if site.pages:
            inner = len({link.url for page in site.pages for link in page.inner})
            naming = len({mention.source for mention in site.mentions})
            note = f"its pages link to {inner} others of the site; {naming} other sites link to it"
            yield Evidence(
                key, EvidenceKind.SMALL, round(1 / (1 + log1p(inner + naming)), 4), site.home_url, "", note
            )


def doubts(
    keys: Sequence[str], sites: Mapping[str, Site], verdicts: Mapping[str, Verdict]
) -> Iterator[Evidence]:
    """Rows for what is not known: pages nobody has seen, sites that don't say that they are companies."""
    for key in keys:
        verdict = verdicts[key]
        if verdict.kind is SiteKind.UNSEEN:
            yield Evidence(
                key, EvidenceKind.UNVERIFIED, 1.0, "", sites[key].home_url, "its own pages were not visited"
            )
        elif verdict.kind is SiteKind.UNKNOWN:
            yield Evidence(
                key, EvidenceKind.UNCLEAR, 1.0, sites[key].home_url, "", "doesn't say that it is a company"
            )


def joined_evidence(evidence: Sequence[Evidence], mains: Mapping[str, str]) -> tuple[Evidence, ...]:
    """Give lists that name a company's second site to the company; all other evidence of that site is
    dropped.
    """
    if not mains:
        return tuple(evidence)
    joined = []
    hubs = {(row.company, site_of(row.page)) for row in evidence if row.kind == EvidenceKind.LISTED}
    for row in evidence:
        main = mains.get(row.company, row.company)
        if main == row.company:
            joined.append(row)
        elif row.kind == EvidenceKind.LISTED and (main, site_of(row.page)) not in hubs:
            hubs.add((main, site_of(row.page)))
            joined.append(replace(row, company=main))
    return tuple(joined)


def _most_telling(site: Site, telling: Set[str]) -> tuple[str, str]:
    """The page of a site, or the list entry about it, with most of the telling words, and its words."""
    best, page_url, snippet = 0, "", ""
    for page in site.pages[:20]:
        hits = len(telling & set(page.stems))
        if hits > best:
            best, page_url, snippet = hits, page.final_url, page.description or page.opening
    if not best and site.mentions:
        mention = max(site.mentions[:20], key=lambda entry: len(entry.link.entry))
        return mention.page.final_url, as_read(mention.link.entry)[:MAX_SNIPPET_CHARS]
    return page_url, as_read(" ".join(snippet.split()))[:MAX_SNIPPET_CHARS]


def as_read(text: str) -> str:
    """The words of a page as its readers see them: “Acme, Bolt.” rather than “Acme , Bolt .”.

    In the text of a page a space stands wherever a tag was.
    """
    return _BEFORE_STOP.sub("", text)


def by_company(evidence: Sequence[Evidence]) -> dict[str, list[Evidence]]:
    """Rows of each company, in order."""
    rows: dict[str, list[Evidence]] = defaultdict(list)
    for row in evidence:
        rows[row.company].append(row)
    return rows
