"""Pages become sites: what one organisation publishes, under whatever hosts.

Redirects join an old domain to the new one. Who is only linked to has a site too, without pages: it is known
by what others write beside their links.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from bizcrawl.companies.facts import OutLink, PageFacts
from bizcrawl.companies.moved import says_moved
from bizcrawl.companies.site_keys import home_distance, is_top, platform_of, site_of, top_of
from bizcrawl.urls import host_of


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
        is_inside = home is not None and not (is_top(home.url) or is_top(home.final_url))
        return top_of(url) if is_inside and platform_of(host_of(url)) is None else url

    @property
    def home_url(self) -> str:
        """The visited page that is nearest to its top; without one, the top as links to it have it."""
        if self.home is not None:
            return self.home.final_url
        if self.mentions:
            return top_of(self.mentions[0].link.url)
        return f"http://{self.key}/"


def distance_from_top(page: PageFacts) -> int:
    """`home_distance` of a page: of the URL that was asked for, where that redirects within the site, as the
    top does to ``/en/``.
    """
    final = home_distance(page.final_url)
    is_within = page.url != page.final_url and site_of(page.url) == site_of(page.final_url)
    return min(final, home_distance(page.url)) if is_within else final


def is_top_page(page: PageFacts) -> bool:
    """Whether a page is the top of its site; see `distance_from_top`."""
    return distance_from_top(page) <= 1


def _entrance(page: PageFacts, key: str) -> tuple[bool, bool, int]:
    """Sorts pages of a site by how likely a person enters there: at a top, and rather at the site's own host
    than at one below it, where its jobs, its shop or a dealer may be.
    """
    distance = distance_from_top(page)
    return not is_top_page(page), page.host.removeprefix("www.") != key, distance


def sites_of(pages: Iterable[PageFacts], leads: Mapping[str, str] = MappingProxyType({})) -> dict[str, Site]:
    """Group pages and links between sites by site, redirected domains joined; in order of first sight.

    A page that was visited again, in a later run, says what it says now: its former text and links are gone.
    `leads` says where further URLs redirect to.
    """
    pages = list(pages)
    moved = _ends(_moves(pages, leads))
    sites: dict[str, Site] = {}

    def site_at(key: str) -> Site:
        if key not in sites:
            sites[key] = Site(key)
        return sites[key]

    for page in {page.final_url: page for page in pages}.values():
        key = site_of(page.final_url)
        key = moved.get(key, key)
        site_at(key).pages.append(page)
        for link in page.outlinks:
            target = site_of(link.url)
            target = moved.get(target, target)
            if target != key:
                site_at(target).mentions.append(Mention(page, link, key))
    for old, new in moved.items():
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
        if is_top(url) and (old := site_of(url)) != (new := site_of(final_url)):
            _move(moved, old, new)
    for page in pages:
        old, new = site_of(page.url), site_of(page.final_url)
        if old != new and is_top(page.url):
            _move(moved, old, new)
        if not is_top_page(page):
            continue
        if page.canonical and is_top(page.canonical) and site_of(page.canonical) != new:
            _move(moved, new, site_of(page.canonical))
        if says_moved(page):
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


def _ends(moved: Mapping[str, str]) -> dict[str, str]:
    """Where each site that has moved is now. Farms move from site to site thousands of times, and all of
    their links lead to the first: none of these follows the moves again.
    """
    ends: dict[str, str] = {}
    for old in moved:
        passed = [old]
        while (key := moved[passed[-1]]) in moved and key not in ends:
            passed.append(key)
        ends.update(dict.fromkeys(passed, ends.get(key, key)))
    return ends


def _follow(key: str, moved: Mapping[str, str]) -> str:
    """The end of a chain of moves."""
    while key in moved:
        key = moved[key]
    return key
