"""What a site is: a company, or one of the many things that are found beside companies.

Signs add up to points for each kind of site, and every sign is kept, so that a verdict can say why. Signs are
what a site says of itself (navigation, title, structured data, wording of parked domains), the shape of its
links, and platforms known by name; the lists of signs are data with their source. No name of a single site
decides anything but for platforms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.names import fold, parse_name, title_parts
from bizcrawl.companies.site_cues import SHOP, Shop, cues_in, cues_of, navigation_cues
from bizcrawl.companies.site_keys import is_top, platform_of, site_of
from bizcrawl.companies.site_kinds import SiteKind
from bizcrawl.companies.sites import Site, is_top_page
from bizcrawl.reasons import Reason

ENOUGH = 5.0
"""Points that settle a verdict."""
CLEAR = 1.5
"""Points that make a site with no stronger signs a company; below it stays unclear what it is."""
MOST_FOR_SHOP = 4.0
"""Points for a marketplace of all signs of a shop, which makers that sell on their own site have, too."""
MANY_DOMAINS = 25
"""Sites linked to; a company's own pages rarely name more."""
MANY_PROFILES, PROFILED_SHARE = 10, 0.6
"""So many sites that have a page each, which are this share of the pages, are what a site is for."""
SHORT_WORDS = 400
PLAIN_SIGN = 6.0
"""A sign of parking so strong ("this domain is for sale") counts on any home page of fewer words, however
many links to sponsors it has; weaker ones ("related searches") only where there is hardly anything else.
"""
MAX_PAGES = 30
MAX_REASONS = 5
"""Kept of a verdict."""

DEAD_REASONS = frozenset(
    {Reason.DNS, Reason.CONNECTION, Reason.HTTP_ERROR, Reason.NOT_RECORDED, Reason.EMPTY}
)
"""Failures of a home page that mean that nobody lives there; others may pass, or say nothing about that."""

MAX_LEGAL_NAME_CHARS = 90
_ASSOCIATION_FORM = re.compile(
    r"\w\W+(?:e\.\s?v|eingetragener verein|a?i?sbl|a\.(?:i\.)?s\.b\.l|i?vzw|onlus)\.?$"
)
"""Forms that only associations have, folded. Without its dots EV says that something is electric."""
_LINK_TRADE = re.compile(
    r"link\s?exchange|exchange links|free links|top ?sites|add your link|reciprocal", re.IGNORECASE
)


def dead_sites(failures: Iterable[tuple[str, Reason]]) -> set[str]:
    """Keys of sites whose home page was asked for in vain, from (URL, reason) of each failed fetch."""
    return {site_of(url) for url, reason in failures if reason in DEAD_REASONS and is_top(url)}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a site is held to be, and why."""

    kind: SiteKind
    reasons: tuple[str, ...]
    """The signs that settled it, strongest first."""
    points: float = 0.0

    @property
    def may_be_company(self) -> bool:
        """See `SiteKind`."""
        return self.kind.may_be_company

    @property
    def is_hub(self) -> bool:
        """See `SiteKind`."""
        return self.kind.is_hub


class _Sign(NamedTuple):
    """One sign of what a site is."""

    speaks_for: SiteKind | Shop
    points: float
    reason: str


def verdict_of(site: Site, *, dead: bool = False) -> Verdict:
    """Say what a site is. `dead`: its pages were asked for and none came."""
    return _by_its_platform(site) or _unlooked_at(site, dead) or _by_its_signs(site)


def _by_its_platform(site: Site) -> Verdict | None:
    """The verdict on a platform, and on tenants of those that are no homes of companies."""
    platform = platform_of(site.key.partition("/")[0])
    if platform is None or (platform.kind == "site" and site.key != platform.domain):
        return None
    return Verdict(SiteKind.PLATFORM, (f"{platform.domain} is a platform ({platform.kind})",))


def _unlooked_at(site: Site, dead: bool) -> Verdict | None:
    """The verdict on a site of which there is no page to look at."""
    if not site.pages and dead:
        return Verdict(SiteKind.DEAD, ("none of its pages answers",))
    if not site.pages:
        return Verdict(SiteKind.UNSEEN, ("not visited",))
    if not all(page.is_missing for page in site.pages):
        return None
    if any(is_top_page(page) for page in site.pages):
        return Verdict(SiteKind.DEAD, ("its home page says that it is not found",))
    return Verdict(SiteKind.UNSEEN, ("only missing pages visited",))


def _by_its_signs(site: Site) -> Verdict:
    """The verdict for which most points speak; a company where no other has enough of them."""
    signs = _by_kind(_signs(site))
    if not signs:
        return Verdict(SiteKind.UNKNOWN, ("says nothing of itself",))
    points = {kind: _points(of_kind) for kind, of_kind in signs.items()}
    for_company = points.get(SiteKind.COMPANY, 0.0)
    best = max(points, key=lambda kind: (points[kind], kind is SiteKind.COMPANY))
    if best is not SiteKind.COMPANY and points[best] < max(ENOUGH, for_company):
        if for_company < CLEAR:
            too_little = (f"{reason}: too little for {best}" for reason in _strongest(signs[best]))
            return Verdict(SiteKind.UNKNOWN, tuple(too_little))
        best = SiteKind.COMPANY
    return Verdict(best, _strongest(signs[best]), points[best])


def _by_kind(signs: Iterable[_Sign]) -> dict[SiteKind, list[_Sign]]:
    """Signs by what they speak for, each reason once; those of a shop come last of a marketplace's."""
    first: dict[tuple[str, str], _Sign] = {}
    for sign in signs:
        first.setdefault((sign.speaks_for, sign.reason), sign)
    found: dict[SiteKind, list[_Sign]] = {}
    of_shop: list[_Sign] = []
    for sign in first.values():
        if sign.speaks_for == SHOP:
            of_shop.append(sign)
        else:
            found.setdefault(sign.speaks_for, []).append(sign)
    if of_shop:
        found.setdefault(SiteKind.MARKETPLACE, []).extend(of_shop)
    return found


def _points(signs: Iterable[_Sign]) -> float:
    """Points of all signs of one kind."""
    points = sold = 0.0
    for sign in signs:
        if sign.speaks_for == SHOP:
            sold += sign.points
        else:
            points += sign.points
    return points + min(sold, MOST_FOR_SHOP)


def _strongest(signs: Iterable[_Sign]) -> tuple[str, ...]:
    """The reasons with most points."""
    return tuple(sign.reason for sign in sorted(signs, key=lambda sign: -sign.points)[:MAX_REASONS])


def _signs(site: Site) -> Iterator[_Sign]:
    """Every sign of a site."""
    pages = site.pages[:MAX_PAGES]
    home = site.home or pages[0]
    yield from _navigation(pages)
    yield from _naming(site, home)
    yield from _types(pages)
    yield from _wording(pages, home)
    yield from _shape(site, pages)


def _navigation(pages: list[PageFacts]) -> Iterator[_Sign]:
    for anchor in dict.fromkeys(anchor for page in pages for anchor in page.inner_anchors):
        for kind, worth in navigation_cues(anchor):
            yield _Sign(kind, worth, f"links to its own “{anchor}”")


def _naming(site: Site, home: PageFacts) -> Iterator[_Sign]:
    labels = " ".join(re.split(r"[.\-_~/]", site.key))
    texts = {labels: "its host name", home.site_name: "its name", home.title: "its title"}
    if is_top_page(home):
        texts[home.heading] = "its heading"
    for text, place in texts.items():
        for sign, (kind, worth) in cues_in("name", text):
            yield _Sign(kind, worth, f"“{sign}” in {place}")
    for label in home.host.split(".")[-2:]:
        for kind, worth in cues_of("top", label):
            yield _Sign(kind, worth, f"under .{label}")
    kind, legal = _legal_name(site, home)
    if legal:
        yield _Sign(kind, 6.0, f"carries a legal form: {legal}")


def _legal_name(site: Site, home: PageFacts) -> tuple[SiteKind, str]:
    """A name with a legal form by which the site calls itself, "" if there is none; and whose form it is."""
    claims = [home.owner, home.site_name, *(org.name for org in home.organisations), *title_parts(home.title)]
    claims += [page.owner for page in site.pages[:5]]
    for claim in claims:
        if _ASSOCIATION_FORM.search(fold(claim)) and len(claim) < MAX_LEGAL_NAME_CHARS:
            return SiteKind.ASSOCIATION, claim
    for claim in claims:
        name = parse_name(claim)
        if name.legal and len(name.key) > 2 and len(claim) < MAX_LEGAL_NAME_CHARS:
            return SiteKind.COMPANY, claim
    return SiteKind.COMPANY, ""


def _types(pages: list[PageFacts]) -> Iterator[_Sign]:
    kinds = dict.fromkeys(org.kind.lower() for page in pages for org in page.organisations)
    for name in [*kinds, *dict.fromkeys(page.page_type for page in pages)]:
        for kind, worth in cues_of("type", name):
            yield _Sign(kind, worth, f"structured data says {name}")


def _wording(pages: list[PageFacts], home: PageFacts) -> Iterator[_Sign]:
    for page in pages[:10]:
        thin = page.words < 60 and len(page.inner) <= 3
        short = page is home and page.words < SHORT_WORDS
        for sign, (kind, worth) in cues_in("text", page.opening):
            if kind != SiteKind.PARKED or thin or (short and worth >= PLAIN_SIGN):
                yield _Sign(kind, worth, f"says “{sign}”")
    bare_title = home.title.lower().removeprefix("www.")
    if home.words < 40 and bare_title and bare_title == home.host.removeprefix("www."):
        yield _Sign(SiteKind.PARKED, 3.0, "its title is its host name")
    if re.match(r"ww\d+\.", home.host):
        yield _Sign(SiteKind.PARKED, 5.0, "answers from a numbered host")


def _shape(site: Site, pages: list[PageFacts]) -> Iterator[_Sign]:
    linked = {site_of(link.url) for page in pages for link in page.outlinks}
    if len(linked) >= MANY_DOMAINS and len(linked) >= 3 * len(pages):
        yield _Sign(SiteKind.DIRECTORY, 5.0, f"links to {len(linked)} other sites from {len(pages)} pages")
    elif len(linked) >= 2 * MANY_DOMAINS:
        yield _Sign(SiteKind.DIRECTORY, 3.0, f"links to {len(linked)} other sites")
    described = site.others_described
    if described >= MANY_PROFILES and described >= PROFILED_SHARE * len(site.pages):
        yield _Sign(SiteKind.DIRECTORY, 5.0, f"has a page on each of {described} other sites")
    traded = sum(bool(_LINK_TRADE.search(f"{page.title} {page.heading}")) for page in pages)
    if traded or _LINK_TRADE.search(site.key.replace("-", " ")):
        yield _Sign(SiteKind.FARM, 8.0, "trades links")
