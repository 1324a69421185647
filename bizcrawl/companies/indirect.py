"""Who is listed in two steps: behind a redirect, or on a page of the hub that is about the company alone.

Many directories link to no company from their lists. An entry leads to ``/out?url=…``, or to a counter of
clicks on another domain, which redirects to the company, or to a page about it, and that page links to it.
Who is in a list is the same question for these. A target that is written in the address of a redirect is read
there: robots.txt often forbids to follow it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import unquote

from bizcrawl.companies.facts import InnerLink, OutLink, PageFacts
from bizcrawl.companies.names import begin_alike, parse_name, title_parts
from bizcrawl.companies.site_keys import platform_of, site_of
from bizcrawl.companies.sites import Mention, Site, is_top_page
from bizcrawl.urls import host_of, parse

EVERYWHERE_PAGES = 2
EVERYWHERE_SHARE = 0.1
"""Sites that more pages of a hub link to, in number and in share, are not what any one page is about."""
NAMED_SHARE = 0.5
"""Of the entries of a list: so many must be called as the companies are, else it is one of articles."""
SHARED_ANCHOR = 3
"""What so many links of a page say is no name."""


_WRITTEN = re.compile(
    r"(?:[?&][^=&?]+=|/)(https?(?::|%3a)(?:/|%2f){1,2}[^&]+)|[?&][^=&?]+=(www\.[^&]+)", re.IGNORECASE
)
"""A URL in another: in its query, with or without a scheme, or at the end of its path."""


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
    text: str = ""
    """What stands in the list beside the link, or the name."""


def add_indirect(sites: dict[str, Site], leads: Mapping[str, str]) -> None:
    """Add to each site the mentions in lists whose links lead to it in two steps, and count the others that
    its own pages are about. Sites that only lead on to several others go.

    `leads` says where URLs redirect to.
    """
    keys = {alias: key for key, site in sites.items() for alias in site.aliases}
    leads = {url: final_url for url, final_url in leads.items() if site_of(url) != site_of(final_url)}
    led_on: dict[str, set[str]] = defaultdict(set)
    for key in [key for key, site in sites.items() if site.pages]:
        about = _pages_about_others(sites[key], sites, keys, leads)
        sites[key].others_described = len({entry.site for entry in about.values() if entry.name})
        for page in sites[key].pages:
            for list_id, entries in _lists_of(page, about, leads, keys).items():
                for entry in entries:
                    if entry.site != key:
                        site = sites.setdefault(entry.site, Site(entry.site))
                        site.mentions.append(Mention(page, _out_link(entry, list_id), key))
                        led_on[site_of(entry.via)].add(entry.site)
    for key, targets in led_on.items():
        if len(targets) > 1 and key in sites and not sites[key].pages:
            del sites[key]


def _lists_of(
    page: PageFacts, about: Mapping[str, _Entry], leads: Mapping[str, str], keys: Mapping[str, str]
) -> dict[int, list[_Entry]]:
    """Entries of the lists of a page that lead to companies in two steps, by list."""
    lists: dict[int, list[_Entry]] = defaultdict(list)
    profiles: dict[int, list[_Entry]] = defaultdict(list)
    every: list[InnerLink | OutLink] = [*page.inner, *page.outlinks]
    listed = [link for link in every if link.list_id >= 0]
    redirected = [(link, url) for link in listed if (url := _led_to(link.url, leads))]
    said = Counter(link.anchor for link in every) if redirected else {}
    for link, url in redirected:
        site = _key_of(url, keys)
        if site != _key_of(link.url, keys):
            name = link.anchor if said[link.anchor] < SHARED_ANCHOR else ""
            lists[link.list_id].append(_Entry(site, url, name, link.url, _text_of(link) or name))
    for link in listed:
        if link.url in about and link.url not in leads:
            profile = about[link.url]
            profiles[link.list_id].append(replace(profile, via=link.url, text=_text_of(link) or profile.name))
    for list_id, entries in profiles.items():
        if sum(bool(entry.name) for entry in entries) >= max(2, NAMED_SHARE * len(entries)):
            lists[list_id] += entries
    return lists


def _key_of(url: str, keys: Mapping[str, str]) -> str:
    site = site_of(url)
    return keys.get(site, site)


def _text_of(link: InnerLink | OutLink) -> str:
    """The entry that holds a link, as far as the page's facts have it."""
    return link.entry if isinstance(link, OutLink) else ""


def _led_to(url: str, leads: Mapping[str, str]) -> str | None:
    """The URL, of another site, to which one redirects or that is written in it; None if there is none."""
    if url in leads:
        return leads[url]
    written = _WRITTEN.search(url, len("https://"))
    target = parse(unquote(written.group(1) or f"http://{written.group(2)}")) if written else None
    is_elsewhere = (
        target is not None and platform_of(host_of(target)) is None and site_of(target) != site_of(url)
    )
    return target if is_elsewhere else None


def _out_link(entry: _Entry, list_id: int) -> OutLink:
    host = host_of(entry.url)
    return OutLink(entry.url, host, entry.name, entry.text, list_id, nofollow=False, via=entry.via)


def _pages_about_others(
    site: Site, sites: Mapping[str, Site], keys: Mapping[str, str], leads: Mapping[str, str]
) -> dict[str, _Entry]:
    """Pages of a site that are each about one other, by URL: of all sites that it links to, that one alone
    is not linked to all over the site, or that one alone is called like the page.
    """
    linked = {page.final_url: dict(_linked_sites(page, keys, leads)) for page in site.pages}
    times = Counter(key for targets in linked.values() for key in targets)
    usual = max(EVERYWHERE_PAGES, EVERYWHERE_SHARE * len(site.pages))
    found: dict[str, _Entry] = {}
    for page in site.pages:
        targets = linked[page.final_url]
        own = [key for key in targets if times[key] <= usual and key != site.key]
        if len(own) > 1:
            names = [parse_name(text).key for text in _titles(page)]
            own = [key for key in own if any(begin_alike(name, key) for name in names)]
        is_top = is_top_page(page) and page.host.removeprefix("www.") == site.key
        if len(own) == 1 and not is_top:
            (key,) = own
            found[page.url] = found[page.final_url] = _Entry(key, targets[key], _name_on(page, key, sites))
    return found


def _linked_sites(
    page: PageFacts, keys: Mapping[str, str], leads: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """(site, URL) of links to other sites, also by way of redirects; profiles on networks and the like left
    out.
    """
    inner = [url for link in page.inner if (url := _led_to(link.url, leads))]
    for url in (*(_led_to(link.url, leads) or link.url for link in page.outlinks), *inner):
        if platform_of(host_of(url)) is None:
            yield _key_of(url, keys), url


def _name_on(page: PageFacts, key: str, sites: Mapping[str, Site]) -> str:
    """The name by which a page calls the site that it is about; "" if it is called something else."""
    target = sites.get(key)
    title = parse_name(target.home.title).key if target is not None and target.home is not None else ""
    for text in _titles(page):
        name = parse_name(text).key
        if name and (begin_alike(name, key) or (len(name) >= 3 and name in title)):
            return text
    return ""


def _titles(page: PageFacts) -> list[str]:
    return [page.heading, *title_parts(page.title)[:2]]
