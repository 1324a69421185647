"""Results about sites, kept until more is known of a site: a running crawl asks again and again, and of most
sites nothing is new.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from bizcrawl.companies.naming import Identity, identity_of
from bizcrawl.companies.sites import Site
from bizcrawl.companies.verdicts import Verdict, verdict_of
from bizcrawl.companies.wording import site_terms

Found = TypeVar("Found")


class Memory:
    """Verdicts, words and names of sites that have not changed since they were last looked at."""

    def __init__(self) -> None:
        self._verdicts = _Remembered[Verdict]()
        self._terms = _Remembered[dict[str, float]]()
        self._identities = _Remembered[Identity]()

    def verdict(self, site: Site, dead: bool) -> Verdict:
        """`verdict_of`, remembered."""
        state = (len(site.pages), site.others_described, dead)
        return self._verdicts.of(site, state, lambda: verdict_of(site, dead=dead))

    def terms(self, site: Site, known: frozenset[str]) -> dict[str, float]:
        """`site_terms`, remembered."""
        # whose a link is may change without another one: its page's site has moved to a known company
        by_known = sum(mention.source in known for mention in site.mentions)
        state = (len(site.pages), len(site.mentions), by_known, known)
        return self._terms.of(site, state, lambda: site_terms(site, known))

    def identity(self, site: Site) -> Identity:
        """`identity_of`, remembered."""
        return self._identities.of(site, (len(site.pages), len(site.mentions)), lambda: identity_of(site))


class _Remembered(Generic[Found]):
    """What was found of each site, with the state in which it was."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[Hashable, Found]] = {}

    def of(self, site: Site, state: Hashable, find: Callable[[], Found]) -> Found:
        """What is known of a site if its state is the same, else what there is to find now."""
        known = self._found.get(site.key)
        if known is None or known[0] != state:
            known = self._found[site.key] = (state, find())
        return known[1]
