"""Words of the business from the pages of known companies, for when the user gives none.

A word is of the business if several of the companies use it, and use it where they say what they do: title,
heading, description. A word of one company alone is its name or its town; words of every web site (contact,
products, rights) are furniture. What is chosen is shown to the user, who can say it better with
``--keywords``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log1p

from bizcrawl.companies.facts import PageFacts
from bizcrawl.urls import domain_of
from contexts.text import stems

_WORD = re.compile(r"[^\W_]+")

MAX_KEYWORDS = 6
PROMINENT_WEIGHT = 3.0
"""A word in title, heading or description counts as this many in the text."""

FURNITURE = frozenset(
    stem
    for text in (
        # what stands on every site
        "home page homepage welcome site website web online internet map sitemap search menu index html",
        "link contact about us email mail phone tel fax address office headquarters location directions",
        "street road news press media event blog career job investor relation report annual financial",
        "result shareholder copyright right reserved term condition privacy policy legal notice cookie",
        "disclaimer imprint read more click here next previous back top new latest overview information",
        "info learn find help long login register account cart shop share follow facebook twitter",
        "linkedin youtube download print january february march april may june july august september",
        "october november december day week",
        # how every company speaks of itself
        "product service solution customer client partner company corporate business group subsidiary",
        "member inc ltd limited llc plc gmbh ag sa co corp corporation holding international global",
        "worldwide world team history mission vision value quality experience management leading leader",
        "year based founded since provide offer include range wide also one two use make made work",
        "people support delivery order every engage develop manufacture produce design operate sell",
        "sale market supply supplier distribute own specialize specialise serve principal primarily",
        "various related together public employee network technology system equipment industry",
        "industrial material component process application project program will can well good best high",
        "first need call time part special public list know get way reliable internationally among",
        "users available organisations",
        # where companies are
        "america american africa african asia asian europe european north south east west northern",
        "southern usa united states kingdom uk england canada canadian australia australian china",
        "chinese japan japanese germany german france french italy italian spain spanish india indian",
        "korea taiwan brazil mexico russia sweden norway denmark finland poland switzerland austria",
        "netherlands belgium ireland israel turkey singapore malaysia indonesia thailand vietnam",
        "philippines hong kong zealand chile argentina peru",
    )
    for stem in stems(text)
)
"""Stems of words that say nothing about the business: they stand on the sites of companies of any."""


def derive_keywords(pages: Sequence[PageFacts]) -> str:
    """The words that pages of companies of one business have in common, best first; "" if they share none.

    Each page should be of another company. A word must occur on two of them (on one, if there is only one),
    and pages weigh the same however long they are. The name of a page's domain is no word of the business.
    """
    weights: defaultdict[str, float] = defaultdict(float)
    sites: Counter[str] = Counter()
    spellings: dict[str, Counter[str]] = {}
    for page in pages:
        counts: defaultdict[str, float] = defaultdict(float)
        for text, weight in _texts(page):
            for word in _WORD.findall(text.lower()):
                for stem in stems(word):
                    counts[stem] += weight
                    spellings.setdefault(stem, Counter())[word] += 1
        label = domain_of(page.host).partition(".")[0]
        if "-" not in label:  # else it may well be made of words of the business
            for stem in stems(label):
                counts.pop(stem, None)
        total = sum(counts.values()) or 1.0
        for stem, count in counts.items():
            if stem not in FURNITURE and len(stem) > 2 and not stem.isdigit():
                sites[stem] += 1
                weights[stem] += log1p(100.0 * count / total)
    needed = min(2, len(pages))
    shared = {stem: weight * sites[stem] for stem, weight in weights.items() if sites[stem] >= needed}
    best = sorted(shared, key=lambda stem: (-shared[stem], stem))[:MAX_KEYWORDS]
    return " ".join(spellings[stem].most_common(1)[0][0] for stem in best)


def _texts(page: PageFacts) -> tuple[tuple[str, float], ...]:
    return (
        (page.title, PROMINENT_WEIGHT),
        (page.heading, PROMINENT_WEIGHT),
        (page.description, PROMINENT_WEIGHT),
        (page.opening, 1.0),
    )
