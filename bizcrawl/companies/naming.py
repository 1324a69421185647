"""What a company is called: the name on which the site itself and those who link to it agree."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from bizcrawl.companies.data import lines
from bizcrawl.companies.link_text import name_in
from bizcrawl.companies.listing_names import without_share_class
from bizcrawl.companies.name_similarity import SAME, key_similarity
from bizcrawl.companies.names import fold, parse_name, title_parts
from bizcrawl.companies.site_keys import site_of
from bizcrawl.companies.sites import Mention, Site, is_top_page

MAX_ANCHORS = 30
SHARED_ANCHOR = 2
"""Links to so many other sites of a page say the same: no name (one other may be a namesake's)."""
MAX_NAME_CHARS = 90
MIN_ENTRY_CHARS = 40
"""A shorter list entry is the name and little more."""

_AROUND = " .!:>»-"
"""Signs around a text that are no part of it."""
_WELCOME = re.compile(
    r"^(?:welcome to|willkommen bei|bienvenue chez|home of|the home page of)\s+(?:the\s+)?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Identity:
    """What a site says it is called, with what agrees on it."""

    name: str
    """To be shown."""
    key: str
    """To be compared."""
    legal_name: str
    """The fullest form with a legal form in it; "" if none was seen."""
    sources: tuple[str, ...]
    """Where the name was found: structured data, copyright line, title, logo, heading, links to it."""
    weight: float
    """How much agrees on it."""
    country: str
    language: str
    description: str


def identity_of(site: Site) -> Identity:
    """Name a site. A name is never empty: without any sign it is the site's key."""
    claims = [claim for claim in _claims(site) if _sensible(claim[0])]
    groups: list[tuple[str, list[tuple[str, float, str]]]] = []
    for claim in claims:
        key = parse_name(claim[0]).key
        if not key:
            continue
        for group_key, members in groups:
            if key_similarity(group_key, key) >= SAME:
                members.append(claim)
                break
        else:
            groups.append((key, [claim]))
    if not groups:
        return Identity(site.key, parse_name(site.key).key, "", (), 0.0, *_about(site))
    key, members = max(groups, key=lambda group: _agreement(group[1], site))
    legal = [claim for claim in members if parse_name(claim[0]).legal]
    forms: dict[str, float] = defaultdict(float)
    for text, weight, _ in legal or members:
        forms[text] += weight
    name, _ = parent_of(key, forms)
    legal_name = name if legal else ""
    sources = tuple(dict.fromkeys(source for _, _, source in members))
    return Identity(name, key, legal_name, sources, sum(w for _, w, _ in members), *_about(site))


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


def _claims(site: Site) -> Iterator[tuple[str, float, str]]:
    """(text, weight, source) of everything that may be the site's name."""
    home = site.home
    if home is not None:
        at_top = is_top_page(home)
        for organisation in home.organisations[:5]:
            if organisation.kind.lower() not in {
                "website",
                "webpage",
                "article",
                "newsarticle",
                "person",
                "product",
            }:
                yield organisation.name, 4.0, "structured data"
        if home.site_name:
            yield home.site_name, 3.0, "structured data"
        for page in site.pages[:8]:
            if page.owner:
                yield (
                    page.owner.partition(",")[0] if _place_follows(page.owner) else page.owner,
                    1.5,
                    "copyright line",
                )
        if at_top:
            for part in title_parts(home.title):
                yield _WELCOME.sub("", part), 2.0, "title"
            yield _WELCOME.sub("", home.heading), 1.0, "heading"
        for page in site.pages[:8]:
            for part in title_parts(page.title)[1:]:
                yield part, 0.7, "title"
        if home.logo:
            yield name_in(home.logo), 1.5, "logo"
    for mention in site.mentions[:MAX_ANCHORS]:
        anchor = mention.link.anchor
        if not (_is_no_name(anchor) or _is_host(mention) or _leads_anywhere(mention)):
            name = without_share_class(name_in(anchor))
            yield name, 1.0 if not site.pages else 0.6, "links to it"


def _is_host(mention: Mention) -> bool:
    """Whether the text of a link is where it leads, which is no name that anybody gave."""
    return mention.link.anchor.lower().rstrip("/").removeprefix("www.") == mention.link.host.removeprefix(
        "www."
    )


def _leads_anywhere(mention: Mention) -> bool:
    """Whether links with the same text lead from the page to other sites, too, as "to the website" does in
    every row of a table, in whatever language.
    """
    anchor, own = mention.link.anchor, site_of(mention.link.url)
    others = {site_of(link.url) for link in mention.page.outlinks if link.anchor == anchor} - {own}
    return len(others) >= SHARED_ANCHOR


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


def _agreement(members: list[tuple[str, float, str]], site: Site) -> float:
    """Weight of a group of like claims; agreement of unlike sources and with the host name counts extra."""
    best: dict[str, float] = defaultdict(float)
    for _, weight, source in members:
        best[source] = min(best[source] + weight, 3 * weight)
    place, _, tenant = site.key.rpartition("/")
    label = re.sub(r"[^a-z0-9]", "", fold(tenant if place else tenant.partition(".")[0]))
    key = parse_name(members[0][0]).key.replace(" ", "")
    matches = len(key) >= 3 and (label.startswith(key[:6]) or key.startswith(label[:6]))
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
        said = mention.link.entry
        if len(said) > MIN_ENTRY_CHARS and not any(
            link.entry == said and link.host != mention.link.host for link in mention.page.outlinks
        ):
            yield said
