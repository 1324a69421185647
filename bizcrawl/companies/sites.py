"""Pages become sites: what one organisation publishes, under whatever hosts.

A site is a registrable domain, or one tenant of a hosting platform. Redirects join an old domain to the new
one. Who is only linked to has a site too, without pages: it is known by what others write beside their links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from types import MappingProxyType

from bizcrawl.companies.data import lines
from bizcrawl.companies.facts import OutLink, PageFacts
from bizcrawl.companies.moved import says_moved
from bizcrawl.urls import domain_of, host_of, parse

_TILDE = re.compile(r"/(~[^/?]+|%7[eE][^/?]+)")
_URL = re.compile(r"(https?)://([^/?#]*)([^?#]*)(?:\?([^#]*))?", re.IGNORECASE)
_HOME_NAMES = re.compile(r"/(?:index|default|home|main|start|welcome)\.\w{2,5}", re.IGNORECASE)


@lru_cache(maxsize=65_536)
def _parts(url: str) -> tuple[str, str, str, str]:
    """(scheme, host and port, path, query) of a URL; urllib raises for some that are met."""
    found = _URL.match(url)
    if found is None:
        return "http", "", "/", ""
    scheme, place, path, query = found.groups(default="")
    return scheme, place, path, query


@dataclass(frozen=True, slots=True)
class Platform:
    """A host of other people's sites."""

    domain: str
    tenant_in: str
    """host, path or path2."""
    kind: str
    """site, shop, profile, media or market."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A link to a site from another one."""

    page: PageFacts
    link: OutLink
    source: str
    """Key of the site that the page belongs to."""

    @property
    def list_key(self) -> tuple[str, int] | None:
        """Which list of which page it stands in; None if it stands in no list."""
        if self.link.list_id < 0:
            return None
        return (self.page.final_url, self.link.list_id)


@dataclass(slots=True)
class Site:
    """What is known of a site; filled by `sites_of` and `indirect.add_indirect`, read only after that."""

    key: str
    pages: list[PageFacts] = field(default_factory=list)
    """In the order in which they were first visited, each final URL once, as it was last seen."""
    mentions: list[Mention] = field(default_factory=list)
    """Links to it from other sites, in order."""
    aliases: set[str] = field(default_factory=set)
    """Keys of sites that redirect here."""
    home: PageFacts | None = None
    """Its top page, or the visited page that comes nearest to it."""
    others_described: int = 0
    """Other sites that a page of it each is about and called like."""

    @property
    def front_door(self) -> str:
        """Where a person would enter it: its top, also if only pages further in were visited."""
        home, url = self.home, self.home_url
        is_inside = home is not None and min(home_distance(home.url), home_distance(home.final_url)) > 1
        return top_of(url) if is_inside and platform_of(host_of(url)) is None else url

    @property
    def home_url(self) -> str:
        """The visited page that is nearest to its top; without one, the top as links to it have it."""
        if self.home is not None:
            return self.home.final_url
        if self.mentions:
            return top_of(self.mentions[0].link.url)
        return f"http://{self.key}/"


@cache
def platforms() -> Mapping[str, Platform]:
    """Known platforms by domain."""
    rows = (line.split("\t") for line in lines("platforms.tsv"))
    return {domain: Platform(domain, where, kind) for domain, where, kind in rows}


@lru_cache(maxsize=262_144)
def platform_of(host: str) -> Platform | None:
    """The platform that a host belongs to, if it is a known one."""
    known = platforms()
    labels = host.split(".")
    for start in range(len(labels) - 1):
        if found := known.get(".".join(labels[start:])):
            return found
    return None


@lru_cache(maxsize=262_144)
def site_of(url: str) -> str:
    """Key of the site that a URL belongs to: a domain, a tenant's host, or a host with the tenant's path."""
    host = host_of(url)
    path = _parts(url)[2]
    tilde = _TILDE.match(path)
    if tilde:
        return f"{_bare(host)}/{tilde.group(1).replace('%7E', '~').replace('%7e', '~').lower()}"
    platform = platform_of(host)
    if platform is None:
        return domain_of(host)
    if platform.tenant_in == "host":
        labels = host.removesuffix(platform.domain).strip(".").split(".")
        return f"{labels[-1]}.{platform.domain}" if labels[-1] not in {"", "www"} else platform.domain
    pieces = [piece for piece in path.split("/") if piece]
    wanted = 2 if platform.tenant_in == "path2" else 1
    if len(pieces) < wanted:
        return platform.domain
    return f"{platform.domain}/{'/'.join(pieces[:wanted]).lower()}"


def site_meant(text: str) -> str | None:
    """Key of the site that a user names by a domain or by any of its URLs; None for what is neither."""
    url = parse(text if "://" in text else f"http://{text}") if "." in text else None
    return None if url is None else site_of(url)


def _bare(host: str) -> str:
    return host.removeprefix("www.")


def top_of(url: str) -> str:
    """Top of the site that a URL belongs to, on the URL's own host."""
    scheme, place, path, _ = _parts(url)
    tilde = _TILDE.match(path)
    return f"{scheme}://{place}{tilde.group() if tilde else ''}/"


def home_distance(url: str) -> int:
    """How far a URL is from the top of its site: 0 the top, 1 index.html and the like, then by length."""
    _, _, whole, query = _parts(url)
    path = _TILDE.sub("", whole, count=1) or "/"
    if not query and path == "/":
        return 0
    if not query and _HOME_NAMES.fullmatch(path):
        return 1
    return 2 + path.count("/") * 4 + len(path) + 8 * bool(query)


def distance_from_top(page: PageFacts) -> int:
    """`home_distance` of a page: of the URL that was asked for, where that redirects within the site, as the
    top does to ``/en/``.
    """
    final = home_distance(page.final_url)
    is_within = page.url != page.final_url and site_of(page.url) == site_of(page.final_url)
    return min(final, home_distance(page.url)) if is_within else final


def _entrance(page: PageFacts, key: str) -> tuple[bool, bool, int]:
    """Sorts pages of a site by how likely a person enters there: at a top, and rather at the site's own host
    than at one below it, where its jobs, its shop or a dealer may be.
    """
    distance = distance_from_top(page)
    return distance > 1, _bare(page.host) != key, distance


def sites_of(pages: Iterable[PageFacts], leads: Mapping[str, str] = MappingProxyType({})) -> dict[str, Site]:
    """Group pages and links between sites by site, redirected domains joined; in order of first sight.

    A page that was visited again, in a later run, says what it says now: its former text and links are gone.
    `leads` says where further URLs redirect to.
    """
    pages = list(pages)
    moved = _moves(pages, leads)
    sites: dict[str, Site] = {}
    for page in {page.final_url: page for page in pages}.values():
        key = _follow(site_of(page.final_url), moved)
        site = sites.setdefault(key, Site(key))
        site.pages.append(page)
        for link in page.outlinks:
            target = _follow(site_of(link.url), moved)
            if target != key:
                sites.setdefault(target, Site(target)).mentions.append(Mention(page, link, key))
    for old in moved:
        new = _follow(old, moved)
        if new in sites:
            sites[new].aliases.add(old)
    for site in sites.values():
        if site.pages:
            site.home = min(site.pages, key=lambda page: _entrance(page, site.key))
    return sites


def _moves(pages: Iterable[PageFacts], leads: Mapping[str, str]) -> dict[str, str]:
    """New site by old site, for sites whose top page leads to another's, or says that it is there now."""
    moved: dict[str, str] = {}
    for url, final_url in leads.items():
        if home_distance(url) <= 1 and (old := site_of(url)) != (new := site_of(final_url)):
            _move(moved, old, new)
    for page in pages:
        old, new = site_of(page.url), site_of(page.final_url)
        if old != new and home_distance(page.url) <= 1:
            _move(moved, old, new)
        if page.canonical and distance_from_top(page) <= 1:
            elsewhere = site_of(page.canonical)
            if elsewhere != new and home_distance(page.canonical) <= 1:
                _move(moved, new, elsewhere)
        if distance_from_top(page) <= 1 and says_moved(page):
            linked = {site_of(link.url) for link in page.outlinks if platform_of(link.host) is None} - {new}
            if len(linked) == 1:
                _move(moved, new, *linked)
    return moved


def _move(moved: dict[str, str], old: str, new: str) -> None:
    """Note a move. It outweighs an earlier one that leads back, so that no moves go in a circle."""
    moved.pop(old, None)
    if _follow(new, moved) == old:
        del moved[new]
    moved[old] = new


def _follow(key: str, moved: Mapping[str, str]) -> str:
    """The end of a chain of moves."""
    while key in moved:
        key = moved[key]
    return key
