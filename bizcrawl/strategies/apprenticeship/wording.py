"""How companies of the business put it: words that the seeds' own pages share and other pages lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import log, log1p

from contexts.vectors import Query

MAX_WORDS = 40
MIN_BACKGROUND = 30
"""Pages after which words of the whole crawl tell what is common everywhere."""


class Wording:
    """Gathers words of seeds and of the crawl; `query` is the topic in the seeds' own words."""

    def __init__(self, keywords: Query) -> None:
        self._keywords = keywords
        self._pages = 0
        self._spread: Counter[str] = Counter()
        self._seeds: dict[str, Counter[str]] = {}

    def see(self, counts: Mapping[str, int], seed: str | None) -> None:
        """A page with its words; `seed` is the seed's site it belongs to, if any: its first page counts."""
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
        for stem, _ in self._keywords.weights:
            chosen[stem] = max(chosen.get(stem, 0.0), 0.7 * top)
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
        return {
            stem: number / seeds * use[stem] * self._rarity(stem) ** 2
            for stem, number in sites.items()
            if number >= needed and self._rarity(stem) > 0
        }

    def _rarity(self, stem: str) -> float:
        if self._pages < MIN_BACKGROUND:
            return 1.0
        return max(0.0, log((self._pages + 1) / (self._spread[stem] + 0.5)))
