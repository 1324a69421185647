"""What a claim is, and the names of the strategies that the papers compare."""

from __future__ import annotations

from dataclasses import dataclass

BFS, DOM, HUB, BREADTH = "best-first", "dom", "hub-seeking", "breadth-first"
BFS256 = "best-first:n=256"
SHARK, SPIDERS = "shark-search", "infospiders"
TOIT = "TOIT"
"""Menczer, Pant and Srinivasan 2004; its claims stand in two modules."""
SIMILARITY = "mean_similarity"
"""Its second measure, beside recall."""

Pairs = tuple[tuple[str, str], ...]
"""(better, worse) according to the paper."""


def sized(name: str, urls: int) -> str:
    """A strategy with room for so many URLs in its frontier."""
    return f"{name}{'+' if ':' in name else ':'}max_frontier={urls}"


def small(name: str) -> str:
    """A strategy with the smallest buffer of TOIT and EvE (R58, R100)."""
    return sized(name, 256)


def large(name: str) -> str:
    """A strategy with the largest buffer of TOIT (R58)."""
    return sized(name, 2048)


@dataclass(frozen=True, slots=True)
class Claim:
    """One comparative result."""

    source: str
    """R number and paper."""
    text: str
    measure: str = ""
    pairs: Pairs = ()
    significant: bool = False
    """The paper claims significance, not only the order."""
    level: float = 0.05
    """The α at which it does."""
    equal: bool = False
    """The paper claims that there is no significant difference."""
    early: bool = False
    """The claim is about the first tenth of the crawl."""
    since: float = 0.0
    """The claim is about change: what it calls better is measured after this share of the crawl, what it
    calls worse at the end. 0 for claims that compare two crawls at one time."""
    bed: str = "plain"
    """Kind of bed: plain, augmented (seeds with hubs), examples or neighbours (EvE); ``A over B`` for the
    better one on A and the worse one on B."""
    why_not: str = ""
    """Why no recorded bed can be asked."""

    @property
    def better_on(self) -> str:
        """Kind of bed on which the better one of each pair crawls."""
        return self.bed.partition(" over ")[0]

    @property
    def worse_on(self) -> str:
        """Kind of bed on which the worse one of each pair crawls; mostly the same."""
        return self.bed.partition(" over ")[2] or self.better_on
