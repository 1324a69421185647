"""What is worth a visit for the sake of the answer: pages that verify companies, and lists that name more.

As companies stand, whoever is near the top should be looked at (home page, "about us", products), and lists
that name several of the known should be read to their end.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import exp

from bizcrawl.companies.data import lines
from bizcrawl.companies.facts import InnerLink
from bizcrawl.companies.hubs import Listing
from bizcrawl.companies.names import fold, fold_label
from bizcrawl.companies.sites import Site, is_top_page
from bizcrawl.companies.standing import Standing
from bizcrawl.companies.telling import most_telling, telling
from contexts.text import stems

VERIFIED_RANKS = 400
"""Companies further down are not verified."""
HALF_RANK = 60.0
"""Rank at which verifying a company is worth half of what it is at the top, and at which the company counts
for half as much in a list.
"""
TRUST_FALL_RANKS = 15.0
"""How slowly that falls: about from `HALF_RANK` less twice this to twice this more."""
_MOST_FALL = 500.0
"""Times that; from rank 10,700 on it would be a number beyond all that a computer holds."""
TOP_TRUST = 0.8
"""What the first competitors count for in a list, where a known company counts for 1."""
PAGES_PER_COMPANY = 4
"""Pages of a company that are asked for; its business is clear after that."""
NEXT_PAGE_WORTH, PROFILE_WORTH = 2.5, 1.5
"""Of a further page of a list, and of the page that a directory has on one of those listed, for a share of
1.
"""
LEAST_CITING, LEAST_SHARE = 0.5, 0.1
"""A hub is looked through for more lists if so many of the business link to it, or if one of its lists holds
this share of them.
"""
MAX_HUB_PAGES = 30
"""Pages of a hub whose links are looked through."""

_NEXT_WORDS = """
    next|next page|more|weiter|nächste|nächste seite|suivant|suivante|suivants|siguiente|siguientes|avanti
    التالي|الصفحة التالية|הבא|sonraki|następny|další|következő|наступна|επόμενη|tiếp
    successivo|successiva|próximo|próxima|seguinte|volgende|nästa|næste|następna|далее|следующая
    次へ|次の|次のページ|次ページ|下一页|下一頁|다음
"""
_NEXT = re.compile(
    r"\d{1,3}|[>»›→]+|[^\W\d_](?:\s?[-–]\s?[^\W\d_])?|[あ-わ]行|(?:"
    + "|".join(re.escape(fold(word.strip())) for word in re.split(r"[|\n]", _NEXT_WORDS) if word.strip())
    + r")\s*[>»›→]*"
)
"""A link to a further page of a list."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One URL worth a visit."""

    url: str
    value: float
    """Between 0 and about 1, comparable between kinds."""
    why: str


def suggestions_from(standing: Standing) -> Iterator[Suggestion]:
    """Everything that is worth a visit as companies stand; the same URL may come more than once."""
    trust = dict.fromkeys(standing.met.known, 1.0)
    for rank, key in enumerate(standing.order):
        trust[key] = TOP_TRUST / (1 + exp(min(_MOST_FALL, (rank - HALF_RANK) / TRUST_FALL_RANKS)))
    yield from _to_verify(standing)
    yield from _to_read_on(standing, trust)
    yield from _to_find_lists(standing, trust)


def _to_verify(standing: Standing) -> Iterator[Suggestion]:
    """Home pages and telling pages of the known companies and of those near the top."""
    sites = standing.met.sites
    worths = {key: 1.0 for key in standing.met.known if key in sites}
    worths |= {
        key: HALF_RANK / (HALF_RANK + rank) for rank, key in enumerate(standing.order[:VERIFIED_RANKS])
    }
    for key, worth in worths.items():
        site = sites[key]
        if not any(map(is_top_page, site.pages)):
            yield Suggestion(site.front_door, worth, f"home page of {key}")
        yield from _telling_pages(site, worth)


def _telling_pages(site: Site, worth: float) -> Iterator[Suggestion]:
    """The pages of a site that most likely tell its business, as far as `PAGES_PER_COMPANY` are not there."""
    missing = PAGES_PER_COMPANY - len(site.pages)
    if missing <= 0:
        return
    for place, link in enumerate(most_telling(site.pages)[:missing]):
        value = worth * telling(link) * 0.9 ** (place + len(site.pages))
        yield Suggestion(link.url, value, f"what {site.key} says of itself")


def _to_read_on(standing: Standing, trust: Mapping[str, float]) -> Iterator[Suggestion]:
    """Further pages of lists that name companies of the business, and the pages on others of those listed."""
    by_page: dict[str, list[Listing]] = defaultdict(list)
    for listing in standing.listings:
        by_page[listing.page.final_url].append(listing)
    for listings in by_page.values():
        hub = listings[0].hub
        best = 0.0
        best_of: dict[int, float] = defaultdict(float)
        for listing in listings:
            share = _share(listing, trust)
            best = max(best, share)
            for place in {member.list_id for member in listing.members.values() if member.via}:
                best_of[place] = max(best_of[place], share)
        for link in listings[0].page.inner:
            if link.list_id in best_of:
                value = min(1.0, PROFILE_WORTH * best_of[link.list_id])
                yield Suggestion(link.url, value, f"who else is in a list of {hub}")
            if _NEXT.fullmatch(fold(link.anchor).strip()):
                yield Suggestion(link.url, min(1.0, NEXT_PAGE_WORTH * best), f"more of a list of {hub}")


def _to_find_lists(standing: Standing, trust: Mapping[str, float]) -> Iterator[Suggestion]:
    """Pages that may hold lists, of hubs to which companies of the business link, or which list some."""
    shares: dict[str, float] = {}
    for listing in standing.listings:
        shares[listing.hub] = max(shares.get(listing.hub, 0.0), _share(listing, trust))
    words = set(standing.words) | {stem for stem, _ in standing.topic.query.weights}
    for key, site in standing.met.sites.items():
        if key in standing.met.opinions.rejected or not standing.met.verdicts[key].is_hub:
            continue
        citing = sum(trust.get(source, 0.0) for source in {mention.source for mention in site.mentions})
        share = shares.get(key, 0.0)
        if citing <= LEAST_CITING and share <= LEAST_SHARE:
            continue
        worth = min(1.0, 0.25 * citing + 1.5 * share)
        for page in site.pages[:MAX_HUB_PAGES]:
            for link in page.inner:
                is_list = _leads_to_a_list(link)
                topical = len(words.intersection(stems(link.anchor)))
                if is_list or topical:
                    value = worth * min(1.0, 0.6 * is_list + 0.35 * topical)
                    yield Suggestion(link.url, value, f"who is listed by {key}")


def _share(listing: Listing, trust: Mapping[str, float]) -> float:
    """How far a list consists of companies of the business; short ones have to hold more of them."""
    return sum(trust.get(member, 0.0) for member in listing.members) / (len(listing.members) + 2)


def _leads_to_a_list(link: InnerLink) -> bool:
    """Whether a link seems to lead to a list of companies."""
    return fold_label(link.anchor) in _listing_cues()


@cache
def _listing_cues() -> frozenset[str]:
    return frozenset(fold(line) for line in lines("lists.txt"))
