"""How companies of the business put it: words that the seeds' own pages share and other pages lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from math import log, log1p

from bizcrawl.companies.data import lines
from contexts.text import stems
from contexts.vectors import Query

MAX_WORDS = 40
MIN_BACKGROUND = 30
"""Pages after which words of the whole crawl tell what is common everywhere."""
GENERAL = 0.2
"""What a keyword weighs that any site has, against 1 for others."""


@cache
def site_words() -> frozenset[str]:
    """Stems that any organisation's site has, whatever its business (`site_words.txt`)."""
    return frozenset(stems(" ".join(lines("site_words.txt"))))


def telling_keywords(keywords: Query) -> Query:
    """The keywords, those that any site has weighing less; unchanged if all are such words."""
    general = site_words()
    if general.issuperset(keywords.by_stem):
        return keywords
    return Query.from_weights(
        {stem: weight * (GENERAL if stem in general else 1.0) for stem, weight in keywords.weights}
    )


class Wording:
    """Gathers words of seeds and of the crawl; `query` is the topic in the seeds' own words."""

    def __init__(self, keywords: Query) -> None:
        self._keywords = keywords
        self._pages = 0
        self._spread: Counter[str] = Counter()
        self._seeds: dict[str, Counter[str]] = {}

    def see(self, counts: Mapping[str, int], seed: str | None) -> None:
        """A page with its words; `seed` is its URL if it is a seed, whose first visit counts."""
        self._pages += 1
        self._spread.update(counts.keys())
        if seed is not None and seed not in self._seeds:
            self._seeds[seed] = Counter(counts)

    def query(self) -> Query:
        """The keywords, and words that several seeds share, weighed by how rare they are in the crawl."""
        weights = self._shared()
        best = sorted(weights, key=lambda stem: (-weights[stem], stem))[:MAX_WORDS]
        top = max((weights[stem] for stem in best), default=1.0)
        chosen = {stem: weights[stem] for stem in best}
        for stem, weight in telling_keywords(self._keywords).weights:
            chosen[stem] = max(chosen.get(stem, 0.0), 0.7 * top * min(1.0, weight))
        return Query.from_weights(chosen)

    def _shared(self) -> dict[str, float]:
        seeds = len(self._seeds)
        sites: Counter[str] = Counter()
        use: dict[str, float] = {}
        for counts in self._seeds.values():
            sites.update(counts.keys())
            for stem, count in counts.items():
                use[stem] = use.get(stem, 0.0) + log1p(count)
        needed = 2 if seeds > 2 else 1
        general = site_words()
        return {
            stem: number / seeds * use[stem] * self._rarity(stem) ** 2
            for stem, number in sites.items()
            if number >= needed and stem not in general and not stem.isdigit() and self._rarity(stem) > 0
        }

    def _rarity(self, stem: str) -> float:
        if self._pages < MIN_BACKGROUND:
            return 1.0
        return max(0.0, log((self._pages + 1) / (self._spread[stem] + 0.5)))
