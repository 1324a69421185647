"""What a company is called: the name on which the site itself and those who link to it agree."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from bizcrawl.companies.data import lines
from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.link_text import name_in
from bizcrawl.companies.listing_names import without_share_class
from bizcrawl.companies.name_similarity import SAME, key_similarity
from bizcrawl.companies.names import fold, host_keys, parse_name, romanised, title_parts
from bizcrawl.companies.site_keys import site_of
from bizcrawl.companies.sites import Mention, Site, is_top_page

MAX_ANCHORS = 30
"""Links to a site that are looked at."""
MAX_PAGES, MAX_ORGANISATIONS = 8, 5
"""Pages of a site, and organisations in the structured data of its home page."""
SHARED_ANCHOR = 2
"""Links to so many other sites of a page say the same: no name (one other may be a namesake's)."""
PAGES_AT_HAND = 64
"""Pages whose links are looked through once for all sites to which they lead: of some, thousands. Of the
pages that link to a site `MAX_ANCHORS` are looked at, and all sites of a directory stand on the same.
"""
MAX_TITLE_PARTS = 12
"""Of a title with more, which is a list of words, these are looked at: each is compared with all others."""
MAX_NAME_CHARS = 90
MIN_ENTRY_CHARS = 40
"""A shorter list entry is the name and little more."""

_AROUND = " .!:>»-"
"""Signs around a text that are no part of it."""
_WELCOME = re.compile(
    r"^(?:welcome to|home of|the home page of|(?:herzlich )?willkommen (?:bei|auf der seite)"
    r"|bienvenue (?:chez|à|sur)|bienvenidos a|bem[- ]vindos? (?:a|à|ao)|benvenuti (?:in|da|su)|welkom bij"
    r"|välkommen till|velkommen til|witamy w|добро пожаловать (?:на сайт|в)|ласкаво просимо (?:на сайт|до)"
    r"|مرحبا\S* بكم في)\s+(?:the\s+)?|^(?:欢迎光临|歡迎光臨|欢迎来到)|へようこそ[!！]?$",
    re.IGNORECASE,
)


_OTHER_TYPES = frozenset({"website", "webpage", "article", "newsarticle", "person", "product"})
"""Types of structured data (schema.org, lower case) whose name is not the company's."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a site says it is called, with what agrees on it."""

    name: str
    """To be shown."""
    legal_name: str
    """The fullest form with a legal form in it; "" if none was seen."""
    sources: tuple[str, ...]
    """Where the name was found: structured data, copyright line, title, logo, heading, links to it."""
    country: str
    language: str
    description: str


class _Claim(NamedTuple):
    """A text that may be the site's name."""

    text: str
    weight: float
    source: str
    """As `Identity.sources` has it."""


def identity_of(site: Site) -> Identity:
    """Name a site. A name is never empty: without any sign it is the site's key."""
    groups = _like_claims(claim for claim in _claims(site) if _sensible(claim.text))
    if not groups:
        return Identity(site.key, "", (), *_about(site))
    key, claims = max(groups.items(), key=lambda group: _agreement(group[1], site))
    legal = [claim for claim in claims if parse_name(claim.text).legal]
    forms: dict[str, float] = defaultdict(float)
    for claim in legal or claims:
        forms[claim.text] += claim.weight
    name, _ = parent_of(key, forms)
    sources = tuple(dict.fromkeys(claim.source for claim in claims))
    return Identity(name, name if legal else "", sources, *_about(site))


def _like_claims(claims: Iterable[_Claim]) -> dict[str, list[_Claim]]:
    """Claims that name one company, by the key of the first of them."""
    groups: dict[str, list[_Claim]] = {}
    for claim in claims:
        if key := parse_name(claim.text).key:
            like = next((known for known in groups if key_similarity(known, key) >= SAME), key)
            groups.setdefault(like, []).append(claim)
    return groups


def parent_of(title: str, names: Mapping[str, float]) -> tuple[str, list[str]]:
    """The company that a shared domain belongs to, and the names that are its children.

    `title` is what the domain's own site calls itself; `names` says how much speaks for each name. The name
    closest to the title without a country in brackets wins, then the one for which most speaks.
    """
    key = parse_name(title).key

    def closeness(name: str) -> tuple[float, bool, float, int, str]:
        parsed = parse_name(name)
        alike = round(key_similarity(parsed.key, key), 1)
        return (alike, not parsed.qualifier, names[name], -len(name), name)

    ordered = sorted(names, key=closeness, reverse=True)
    return ordered[0], [name for name in names if name != ordered[0]]


def _claims(site: Site) -> Iterator[_Claim]:
    """Everything that may be the site's name."""
    if site.home is not None:
        yield from _own_claims(site, site.home)
    for mention in site.mentions[:MAX_ANCHORS]:
        anchor = mention.link.anchor
        if not (_is_no_name(anchor) or _is_host(mention) or _leads_anywhere(mention)):
            name = without_share_class(name_in(anchor))
            yield _Claim(name, 0.6 if site.pages else 1.0, "links to it")


def _own_claims(site: Site, home: PageFacts) -> Iterator[_Claim]:
    """What a site says itself."""
    for organisation in home.organisations[:MAX_ORGANISATIONS]:
        if organisation.kind.lower() not in _OTHER_TYPES:
            yield _Claim(organisation.name, 4.0, "structured data")
    if home.site_name:
        yield _Claim(home.site_name, 3.0, "structured data")
    for page in site.pages[:MAX_PAGES]:
        if page.owner:
            owner = page.owner.partition(",")[0] if _place_follows(page.owner) else page.owner
            yield _Claim(owner, 1.5, "copyright line")
    if is_top_page(home):
        for part in title_parts(home.title)[:MAX_TITLE_PARTS]:
            yield _Claim(_WELCOME.sub("", part), 2.0, "title")
        yield _Claim(_WELCOME.sub("", home.heading), 1.0, "heading")
    for page in site.pages[:MAX_PAGES]:
        for part in title_parts(page.title)[1:MAX_TITLE_PARTS]:
            yield _Claim(part, 0.7, "title")
    if home.logo:
        yield _Claim(name_in(home.logo), 1.5, "logo")


def _is_host(mention: Mention) -> bool:
    """Whether the text of a link is where it leads, which is no name that anybody gave."""
    said = mention.link.anchor.lower().rstrip("/")
    return said.removeprefix("www.") == mention.link.host.removeprefix("www.")


def _leads_anywhere(mention: Mention) -> bool:
    """Whether links with the same text lead from the page to other sites, too, as "to the website" does in
    every row of a table, in whatever language.
    """
    own = site_of(mention.link.url)
    others = [site for site in _sites_by_text(mention.page).get(mention.link.anchor, ()) if site != own]
    return len(others) >= SHARED_ANCHOR


@lru_cache(maxsize=PAGES_AT_HAND)
def _sites_by_text(page: PageFacts) -> Mapping[str, Sequence[str]]:
    """Sites to which the links of a page lead, by their text; of many sites as many as `SHARED_ANCHOR` asks
    for, whichever of them is left out.
    """
    found: dict[str, tuple[str, ...]] = {}
    for link in page.outlinks:
        sites = found.get(link.anchor, ())
        if len(sites) <= SHARED_ANCHOR and (site := site_of(link.url)) not in sites:
            found[link.anchor] = (*sites, site)
    return found


@lru_cache(maxsize=PAGES_AT_HAND)
def _host_by_entry(page: PageFacts) -> Mapping[str, str]:
    """The host to which the links of each entry of a page lead; "" if they lead to several."""
    found: dict[str, str] = {}
    for link in page.outlinks:
        if found.setdefault(link.entry, link.host) != link.host:
            found[link.entry] = ""
    return found


@cache
def _no_names() -> frozenset[str]:
    return frozenset(fold(line) for line in lines("no_names.txt"))


def _is_no_name(text: str) -> bool:
    return fold(text).strip(_AROUND) in _no_names()


def _place_follows(owner: str) -> bool:
    """Whether a comma is followed by a place rather than by a legal form."""
    before, comma, after = owner.rpartition(",")
    return bool(comma) and not parse_name(f"x {after}").legal and bool(parse_name(before).key)


def _sensible(text: str) -> bool:
    folded = fold(text).strip(_AROUND)
    if not 1 < len(folded) <= MAX_NAME_CHARS or _is_no_name(text) or folded.endswith(("?", "…")):
        return False
    return not re.search(r"https?:|www\.|@|^\W*$|^\d+$", folded) and len(folded.split()) <= 12


def _agreement(claims: Sequence[_Claim], site: Site) -> float:
    """Weight of like claims; agreement of unlike sources and with the host name counts extra."""
    best: dict[str, float] = defaultdict(float)
    for claim in claims:
        best[claim.source] = min(best[claim.source] + claim.weight, 3 * claim.weight)
    tenant = site.key.rpartition("/")[2]
    labels = host_keys(tenant)
    key = parse_name(claims[0].text).key.replace(" ", "")
    matches = len(key) >= 3 and any(
        label.startswith(spelt[:6]) or spelt.startswith(label[:6])
        for spelt in {key, romanised(key)}
        for label in labels - {""}
    )
    return sum(best.values()) + len(best) + 2.0 * matches


def _about(site: Site) -> tuple[str, str, str]:
    """Country, language and description, where the pages say so."""
    country = next((o.country for page in site.pages for o in page.organisations if o.country), "")
    language = next((page.language for page in site.pages if page.language), "")
    return country, language, next(filter(None, _descriptions(site)), "")


def _descriptions(site: Site) -> Iterator[str]:
    """What is said of a site, its own words first; those beside a link only where they are of it alone."""
    pages = [site.home, *site.pages] if site.home is not None else site.pages
    for page in pages:
        yield page.description
    for page in pages:
        yield page.lead
    for mention in site.mentions[:MAX_ANCHORS]:
        said, host = mention.link.entry, mention.link.host
        if len(said) > MIN_ENTRY_CHARS and _host_by_entry(mention.page).get(said, host) == host:
            yield said
