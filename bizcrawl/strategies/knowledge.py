"""What intelligent crawling learns (R107): counts over crawled pages, and the interest ratios that follow
(R108-R112).

Knowledge can be kept and used by a later crawl for a like predicate (R118).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bizcrawl.collection.replacing import replacing
from bizcrawl.text_files import json_in
from contexts.tagtree import Ints
from contexts.vectors import Floats

Counts = npt.NDArray[np.int64]

FLOOR = 1e-3
"""No factor is smaller, so that its logarithm exists (A27)."""
SUPPORT = 5
"""Corrected significance: pages with a word before it counts (A23)."""
SHRINKAGE = 20.0
"""Corrected significance: as many pages as the average weighs against a word's own (A23)."""


class Events:
    """How often words, or URL tokens, occurred on crawled pages and on those that satisfy the predicate.

    Each has a number, counted from 0 in order of first use.
    """

    def __init__(self, seen: Mapping[str, int] | None = None, good: Mapping[str, int] | None = None) -> None:
        self.numbers: dict[str, int] = {}
        self._seen, self._good = np.zeros(1024, np.int64), np.zeros(1024, np.int64)
        seen, good = seen or {}, good or {}
        self.numbered((*seen, *good))  # makes room for all of them
        self._seen[self.numbered(seen)] = list(seen.values())
        self._good[self.numbered(good)] = list(good.values())

    def numbered(self, events: Iterable[str]) -> Ints:
        """(k,) numbers of events; what is new gets the next."""
        numbers = self.numbers
        found = np.array([numbers.setdefault(event, len(numbers)) for event in events], np.int32)
        if len(numbers) > len(self._seen):
            more = (0, 2 * len(numbers) - len(self._seen))
            self._seen, self._good = np.pad(self._seen, more), np.pad(self._good, more)
        return found

    def add(self, events: Ints, good: bool) -> None:
        """Count the events of one page; each occurs once at most."""
        self._seen[events] += 1
        if good:
            self._good[events] += 1

    @property
    def seen(self) -> Counts:
        """(n,) pages on which each event occurred."""
        return self._seen[: len(self.numbers)]

    @property
    def good(self) -> Counts:
        """(n,) those of them that satisfy the predicate."""
        return self._good[: len(self.numbers)]

    def by_name(self) -> dict[str, dict[str, int]]:
        """Both counts as JSON has them."""
        counts = {"seen": self.seen, "good": self.good}
        return {
            name: {event: n for event, n in zip(self.numbers, values.tolist(), strict=True) if n}
            for name, values in counts.items()
        }


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

    def add_link(self, from_good: bool, to_good: bool) -> None:
        """Count a link between two crawled pages: N_l, and one of N_pp, N_pn, N_np, N_nn (R107)."""
        self.links[("p" if from_good else "n") + ("p" if to_good else "n")] += 1

    def log_ratios(self, events: Events, significance: float, corrected: bool) -> Floats:
        """(n + 1,) log I(C, E) of every event, by number, 0 where it is not significant (R108-R110).

        Of both signs (A25). The last is 0 and stands for all that is not known.

        As printed, the number of tries in eq. 6 is that of good pages, n(C); corrected, that of pages with
        the event, of which there must be `SUPPORT`, and P(C|E) is drawn towards P(C) (A23).
        """
        share, n, good = self.share, events.seen, events.good
        ratios = np.zeros(len(n) + 1)
        if not 0 < share < 1:
            return ratios
        given = good / np.maximum(n, 1)  # P(C|E), eq. 11
        tries = n if corrected else float(self.good_pages)
        kept = np.abs(given - share) >= significance * np.sqrt(share * (1 - share) / tries)
        if corrected:
            kept &= n >= SUPPORT
            given = (good + SHRINKAGE * share) / (n + SHRINKAGE)
        ratios[:-1][kept] = np.log(np.maximum(FLOOR, given[kept] / share))
        return ratios

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
            "words": self.words.by_name(),
            "tokens": self.tokens.by_name(),
            "links": self.links,
        }
        with replacing(path) as file:
            file.write(json.dumps(values, sort_keys=True).encode())

    @classmethod
    def load(cls, path: Path) -> Knowledge:
        """Read what `save` wrote. Raises `OSError`, and what Python raises where a value is of another kind:
        `ValueError`, `KeyError`, `TypeError`, `AttributeError`, `OverflowError`.
        """
        values = json_in(path.read_bytes())
        if not isinstance(values, Mapping) or set(values) != set(cls.__dataclass_fields__):
            raise ValueError(f"{path}: not the knowledge of a crawl")
        events = {name: Events(values[name]["seen"], values[name]["good"]) for name in ("words", "tokens")}
        if any(
            (counted.good < 0).any() or (counted.seen < counted.good).any() for counted in events.values()
        ):
            raise ValueError(f"{path}: counts that no crawl has")
        return cls(
            pages=int(values["pages"]),
            good_pages=int(values["good_pages"]),
            links=Counter(values["links"]),
            **events,
        )
