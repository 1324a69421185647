"""Who is listed by way of another page of the hub: behind a redirect, or on a page of their own.

Many directories link to no company from their lists. An entry leads to ``/out?url=…``, which redirects to the
company, or to a page about it, and that page links to it. Who is in a list is the same question for these.
A target that is written in the address of a redirect is read there: robots.txt often forbids to follow it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import unquote

from bizcrawl.companies.facts import OutLink, PageFacts
from bizcrawl.companies.names import parse_name, title_parts
from bizcrawl.companies.sites import Mention, Site, distance_from_top, platform_of, site_of
from bizcrawl.urls import host_of, parse

EVERYWHERE_PAGES = 2
EVERYWHERE_SHARE = 0.1
"""Sites that more pages of a hub link to, in number and in share, are not what any one page is about."""
NAMED_SHARE = 0.5
"""Of the entries of a list: so many must be called as the companies are, else it is one of articles."""
NAME_LIKE = 0.5
"""Part of the longer of name and host name that both begin with."""
SHARED_ANCHOR = 3
"""What so many links of a page say is no name."""


_URL_IN_QUERY = re.compile(r"[?&][^=&]+=(https?(?::|%3a)(?:/|%2f){2}[^&]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A link of a list, and the company that it leads to."""

    site: str
    url: str
    """Of the company."""
    name: str
    """What the entry calls it; "" if nothing does."""
    via: str = ""
    """The link that stands in the list."""


def add_indirect(sites: dict[str, Site], leads: Mapping[str, str]) -> None:
    """Add to each site the mentions in lists whose links lead to it in two steps.

    `leads` says where URLs redirect to.
    """
    keys = {alias: key for key, site in sites.items() for alias in site.aliases}
    leads = {url: final_url for url, final_url in leads.items() if site_of(url) != site_of(final_url)}
    for key in [key for key, site in sites.items() if site.pages]:
        about = _pages_about_others(sites[key], sites, keys)
        for page in sites[key].pages:
            for list_id, entries in _lists_of(page, about, leads, keys).items():
                for entry in entries:
                    if entry.site != key:
                        site = sites.setdefault(entry.site, Site(entry.site))
                        site.mentions.append(Mention(page, _out_link(entry, list_id), key))


def _lists_of(
    page: PageFacts, about: Mapping[str, _Entry], leads: Mapping[str, str], keys: Mapping[str, str]
) -> dict[int, list[_Entry]]:
    """Entries of the lists of a page that lead to companies in two steps, by list."""
    lists: dict[int, list[_Entry]] = defaultdict(list)
    profiles: dict[int, list[_Entry]] = defaultdict(list)
    listed = [link for link in page.inner if link.list_id >= 0]
    redirected = [(link, url) for link in listed if (url := leads.get(link.url) or _written_in(link.url))]
    said = Counter(link.anchor for link in page.inner) if redirected else {}
    for link, url in redirected:
        site = site_of(url)
        name = link.anchor if said[link.anchor] < SHARED_ANCHOR else ""
        lists[link.list_id].append(_Entry(keys.get(site, site), url, name, link.url))
    for link in listed:
        if link.url in about and link.url not in leads:
            profiles[link.list_id].append(replace(about[link.url], via=link.url))
    for list_id, entries in profiles.items():
        if sum(bool(entry.name) for entry in entries) >= max(2, NAMED_SHARE * len(entries)):
            lists[list_id] += entries
    return lists


def _written_in(url: str) -> str | None:
    """The URL, of another site, that stands in the query of a URL."""
    written = _URL_IN_QUERY.search(url)
    target = parse(unquote(written.group(1))) if written else None
    is_elsewhere = (
        target is not None and platform_of(host_of(target)) is None and site_of(target) != site_of(url)
    )
    return target if is_elsewhere else None


def _out_link(entry: _Entry, list_id: int) -> OutLink:
    host = host_of(entry.url)
    return OutLink(entry.url, host, entry.name, entry.name, list_id, nofollow=False, via=entry.via)


def _pages_about_others(site: Site, sites: Mapping[str, Site], keys: Mapping[str, str]) -> dict[str, _Entry]:
    """Pages of a site that are each about one other, by URL: of all sites that it links to, that one alone
    is not linked to all over the site.
    """
    linked = {page.final_url: dict(_linked_sites(page, keys)) for page in site.pages}
    times = Counter(key for targets in linked.values() for key in targets)
    usual = max(EVERYWHERE_PAGES, EVERYWHERE_SHARE * len(site.pages))
    found: dict[str, _Entry] = {}
    for page in site.pages:
        own = [key for key in linked[page.final_url] if times[key] <= usual and key != site.key]
        if len(own) == 1 and distance_from_top(page) > 1:
            (key,) = own
            entry = _Entry(key, linked[page.final_url][key], _name_on(page, key, sites))
            found[page.url] = found[page.final_url] = entry
    return found


def _linked_sites(page: PageFacts, keys: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(site, URL) of links to other sites, profiles on networks and the like left out."""
    for link in page.outlinks:
        if platform_of(link.host) is None:
            site = site_of(link.url)
            yield keys.get(site, site), link.url


def _name_on(page: PageFacts, key: str, sites: Mapping[str, Site]) -> str:
    """The name by which a page calls the site that it is about; "" if it is called something else."""
    label = parse_name(key.partition(".")[0].replace("-", " ")).key.replace(" ", "")
    target = sites.get(key)
    title = parse_name(target.home.title).key if target is not None and target.home is not None else ""
    for text in (page.heading, *title_parts(page.title)[:2]):
        name = parse_name(text).key
        if name and (_begin_alike(name.replace(" ", ""), label) or (len(name) >= 3 and name in title)):
            return text
    return ""


def _begin_alike(a: str, b: str) -> bool:
    same = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return same >= max(3, NAME_LIKE * max(len(a), len(b)))
