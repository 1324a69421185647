"""Sites that belong to one company: which of them gives the company its rank, and which is its home.

Names tell (`bizcrawl.companies.resolve`), and ties that only one company has: its mail, its structured data,
links from the same name under another top-level domain.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from bizcrawl.companies.memory import Memory
from bizcrawl.companies.resolve import Record, resolve
from bizcrawl.companies.site_keys import site_of
from bizcrawl.companies.sites import Site

RESOLVED_RANKS = 400
"""Companies further down are not compared by name."""
READ_PAGES = 8
"""Of each site are looked through for what its company calls its own."""
_OWNERS = frozenset({"organization", "corporation", "localbusiness", "manufacturer"})
"""Types of structured data (schema.org, lower case) by which a site speaks of its company."""


def main_sites(
    keys: Sequence[str],
    sites: Mapping[str, Site],
    known: Collection[str],
    score: Mapping[str, float],
    memory: Memory,
) -> dict[str, str]:
    """Main site of each site that is a second one of a known company, or of one near the top: the one for
    which most speaks, and rather one that was visited.
    """
    top = sorted((key for key in keys if key not in known), key=lambda key: (-score.get(key, 0.0), key))
    compared = [key for key in keys if key in known] + sorted(
        top[:RESOLVED_RANKS], key=lambda key: (not sites[key].pages, -score.get(key, 0.0), key)
    )
    mains = resolve([_record(sites[key], memory) for key in compared])
    return {key: main for key, main in mains.items() if key != main and key not in known}


def homes(mains: Mapping[str, str], known: Collection[str], sites: Mapping[str, Site]) -> dict[str, str]:
    """Home of each company with several sites, by its main site, where the two differ: of the visited sites
    the one that most of the others call their company's own.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for key, main in mains.items():
        if main not in known:
            groups[main].append(key)
    found = {}
    for main, others in groups.items():
        visited = [key for key in (main, *others) if sites[key].pages]
        named = Counter(own for key in visited for own in _own_sites(sites[key]) - {key})
        home = max(visited, key=lambda key: named[key], default=main)  # of equals the main one
        if home != main:
            found[main] = home
    return found


def _record(site: Site, memory: Memory) -> Record:
    identity = memory.identity(site)
    name = identity.legal_name or identity.name
    return Record(site.key, name, identity.country, visited=bool(site.pages), ties=_ties(site))


def _ties(site: Site) -> frozenset[str]:
    """What ties sites of one company: domains of its mail, the site its structured data calls its own, and
    a link from the same name under another top-level domain, as its sites for several countries have.
    """
    label = site.key.partition(".")[0]
    linking = {mention.source for mention in site.mentions if mention.source.partition(".")[0] == label}
    return frozenset({site.key} | linking | _own_sites(site))


def _own_sites(site: Site) -> set[str]:
    """What a site calls its company's own: domains of its mail, addresses in its structured data."""
    found: set[str] = set()
    for page in site.pages[:READ_PAGES]:
        found.update(page.mail_domains)
        found.update(
            site_of(org.url) for org in page.organisations if org.url and org.kind.lower() in _OWNERS
        )
    return found
