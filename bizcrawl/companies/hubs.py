"""Who is listed together with whom, and by how many who don't copy from each other.

A list is what `contexts` calls one: links of a page in the same list, table or run of like blocks or links.
What else a page links to stands in no list: nothing ties it together but the page. Short lists of few kinds
of companies say much, long ones little. Lists that repeat one another (mirrors, printed versions, the same
directory under another name) are one list, and sites that all link to one another speak with one voice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from math import ceil

from bizcrawl.companies.facts import OutLink, PageFacts
from bizcrawl.companies.names import begin_alike, parse_name
from bizcrawl.companies.sites import Mention, Site

MAX_LIST = 400
"""Longer lists name everybody; being in one says nothing."""
MIRROR_OVERLAP = 0.8
"""Two lists of different hubs that share this part of their members are one list."""
BESIDE_ENTRIES = 3
"""Who is linked to with one text in so many entries of a list is none of those listed."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One list of companies on one page."""

    page: PageFacts
    hub: str
    """Key of the site that publishes it."""
    members: Mapping[str, OutLink]
    """The link that stands in the list, by site; at least two."""


def listings_of(sites: Mapping[str, Site], companies: Collection[str]) -> list[Listing]:
    """All lists in which at least two of the companies stand, copies left out, in order of first sight."""
    gathered: dict[tuple[str, int], tuple[Mention, dict[str, OutLink]]] = {}
    for key in companies:
        services = _beside_entries(sites[key])
        for mention in sites[key].mentions:
            stands_in = mention.list_key
            if stands_in is not None and (stands_in, mention.link.anchor) not in services:
                _, members = gathered.setdefault(stands_in, (mention, {}))
                members.setdefault(key, mention.link)
    found = [
        Listing(first.page, first.source, members)
        for first, members in gathered.values()
        if 2 <= len(members) <= MAX_LIST
    ]
    return _without_copies(found)


def _beside_entries(site: Site) -> Set[tuple[tuple[str, int], str]]:
    """Lists in which a site stands beside several entries, as the site that takes bookings for all of them
    does, each with the text of its links: the same text in several entries, which leads nowhere else and does
    not name the site.
    """
    if len(site.mentions) < BESIDE_ENTRIES:
        return set()
    entries: dict[tuple[tuple[str, int], str], dict[str, Mention]] = defaultdict(dict)
    for mention in site.mentions:
        if mention.list_key is not None:
            entries[mention.list_key, mention.link.anchor][mention.link.entry] = mention
    beside = {
        (place, anchor): next(iter(mentions.values())).page
        for (place, anchor), mentions in entries.items()
        if len(mentions) >= BESIDE_ENTRIES and not begin_alike(parse_name(anchor).key, site.key)
    }
    led_elsewhere = _texts_that_lead_elsewhere(site, {page.final_url: page for page in beside.values()})
    return {
        (place, anchor)
        for (place, anchor), page in beside.items()
        if anchor not in led_elsewhere[page.final_url]
    }


def _texts_that_lead_elsewhere(site: Site, pages: Mapping[str, PageFacts]) -> dict[str, Set[str]]:
    """By URL of some pages that link to a site: the texts of their links that lead elsewhere."""
    urls: dict[str, set[str]] = {url: set() for url in pages}
    for mention in site.mentions:
        if mention.page.final_url in urls:
            urls[mention.page.final_url].add(mention.link.url)
    return {
        url: {link.anchor for link in page.outlinks if link.url not in urls[url]}
        for url, page in pages.items()
    }


def voices_of(sites: Mapping[str, Site], listings: Iterable[Listing]) -> dict[str, str]:
    """For each hub the one that speaks for all hubs of its publisher. Three or more that all link to one
    another (editions for several countries, sister papers, farms) count as one publisher's.
    """
    hubs = dict.fromkeys(listing.hub for listing in listings)
    citing = {hub: {mention.source for mention in sites[hub].mentions} for hub in hubs}
    mutual = {hub: {other for other in citing[hub] & hubs.keys() if hub in citing[other]} for hub in hubs}
    voices: dict[str, str] = {}
    for hub in hubs:
        waiting = [] if hub in voices else [hub]
        while waiting:
            at = waiting.pop()
            if at not in voices:
                voices[at] = hub
                waiting += sorted(
                    o for o in mutual[at] if o not in voices and not mutual[at].isdisjoint(mutual[o])
                )
    return voices


def _without_copies(listings: list[Listing]) -> list[Listing]:
    """Leave out lists that repeat another page's; the longest of each family stays."""
    kept: set[int] = set()  # places among all lists
    by_member: dict[str, list[int]] = defaultdict(list)
    for place, listing in sorted(enumerate(listings), key=lambda entry: -len(entry[1].members)):
        names = listing.members.keys()
        is_copy = len(names) >= 3 and any(
            _repeats(names, listings[other].members.keys()) for other in _possible_originals(names, by_member)
        )
        if not is_copy:
            kept.add(place)
            for name in names:
                by_member[name].append(place)
    return [listings[place] for place in sorted(kept)]


def _possible_originals(names: Set[str], by_member: Mapping[str, Sequence[int]]) -> Set[int]:
    """Places of the lists that some names may repeat. A list that they repeat holds at least one of their
    rarest names, so only lists with one of these are given: names that stand in thousands of lists would lead
    to all of those.
    """
    least = len(names) - ceil(MIRROR_OVERLAP * len(names) - 1e-9) + 1
    rarest = sorted(names, key=lambda name: len(by_member[name]))[:least]
    return {place for name in rarest for place in by_member[name]}


def _repeats(names: Set[str], others: Set[str]) -> bool:
    """Whether some names are a list again that has no fewer."""
    if len(names) < MIRROR_OVERLAP * len(others):
        return False
    shared = len(names & others)
    return shared >= MIRROR_OVERLAP * (len(names) + len(others) - shared)
