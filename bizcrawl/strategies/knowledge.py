"""What intelligent crawling learns (R107): counts over crawled pages, and the interest ratios that follow
(R108-R112).

Knowledge can be kept and used by a later crawl for a like predicate (R118).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from math import log
from pathlib import Path

import numpy as np

FLOOR = 1e-3
"""No factor is smaller, so that its logarithm exists (A27)."""
SUPPORT = 5
"""Corrected significance: pages with a word before it counts (A23)."""
SHRINKAGE = 20.0
"""Corrected significance: as many pages as the average weighs against a word's own (A23)."""


@dataclass(slots=True)
class Events:
    """How often something occurred on crawled pages, and on those that satisfy the predicate: words or URL
    tokens.
    """

    seen: Counter[str] = field(default_factory=Counter)
    good: Counter[str] = field(default_factory=Counter)

    def add(self, events: Iterable[str], good: bool) -> None:
        """Count the events of one page; each occurs once at most."""
        events = tuple(events)
        self.seen.update(events)
        if good:
            self.good.update(events)


@dataclass(slots=True)
class Knowledge:
    """The state K of the paper."""

    pages: int = 0
    """N_t"""
    good_pages: int = 0
    """N_c"""
    words: Events = field(default_factory=Events)
    tokens: Events = field(default_factory=Events)
    links: Counter[str] = field(default_factory=Counter)
    """Links between crawled pages by whether source and target satisfy the predicate: pp, pn, np, nn."""

    @property
    def share(self) -> float:
        """P(C) = N_c / N_t."""
        return self.good_pages / self.pages if self.pages else 0.0

    def log_ratios(self, events: Events, significance: float, corrected: bool) -> dict[str, float]:
        """log I(C, E) of every event that is significant (R108-R110); of both signs (A25).

        As printed, the number of tries in eq. 6 is that of good pages, n(C); corrected, that of pages with
        the event, of which there must be `SUPPORT`, and P(C|E) is drawn towards P(C) (A23).
        """
        share = self.share
        if not 0 < share < 1 or not events.seen:
            return {}
        names = list(events.seen)
        n = np.fromiter(events.seen.values(), float, len(names))
        good = np.fromiter(map(events.good.get, names, repeat(0)), float, len(names))
        given = good / n  # P(C|E), eq. 11
        tries = n if corrected else float(self.good_pages)
        kept = np.abs(given - share) >= significance * np.sqrt(share * (1 - share) / tries)
        if corrected:
            kept &= n >= SUPPORT
            given = (good + SHRINKAGE * share) / (n + SHRINKAGE)
        ratios = np.log(np.maximum(FLOOR, given / share))
        return {names[i]: float(ratios[i]) for i in np.flatnonzero(kept & (ratios != 0))}

    def log_link_ratios(self) -> tuple[float, float]:
        """What each in-linker that satisfies the predicate adds to log I_l, and each that does not (R111)."""
        share, n = self.share, sum(self.links.values())
        if not n or not 0 < share < 1:
            return 0.0, 0.0
        from_good = self.links["pp"] / (n * share**2)
        from_bad = self.links["np"] / (n * share * (1 - share))
        return log(max(FLOOR, from_good)), log(max(FLOOR, from_bad))

    def log_sibling_ratio(self, siblings: int, good_siblings: int) -> float:
        """log I_s = log max(1, s / e), e = visited siblings · P(C) (R112, A26)."""
        expected = siblings * self.share
        return log(max(1.0, good_siblings / expected)) if expected > 0 else 0.0

    def save(self, path: Path) -> None:
        """Keep it as JSON for a later crawl (R118)."""
        values = {
            "pages": self.pages,
            "good_pages": self.good_pages,
            "words": {"seen": self.words.seen, "good": self.words.good},
            "tokens": {"seen": self.tokens.seen, "good": self.tokens.good},
            "links": self.links,
        }
        path.write_text(json.dumps(values, sort_keys=True), "utf-8")

    @classmethod
    def load(cls, path: Path) -> Knowledge:
        """Read what `save` wrote. Raises `OSError`, `ValueError`."""
        values = json.loads(path.read_text("utf-8"))
        if not isinstance(values, Mapping) or set(values) != set(cls.__dataclass_fields__):
            raise ValueError(f"{path}: not the knowledge of a crawl")
        events = {
            name: Events(Counter(values[name]["seen"]), Counter(values[name]["good"]))
            for name in ("words", "tokens")
        }
        return cls(
            pages=int(values["pages"]),
            good_pages=int(values["good_pages"]),
            links=Counter(values["links"]),
            **events,
        )
