"""Every strategy by name, written out: what it is called, what it takes, what it does and where it comes
from.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from bizcrawl.errors import WrongUse
from bizcrawl.page import Page
from bizcrawl.strategies import Strategy
from bizcrawl.strategies.apprentice import Apprentice, ApprenticeOptions
from bizcrawl.strategies.best_first import BestFirst, BestFirstOptions
from bizcrawl.strategies.breadth_first import BreadthFirst
from bizcrawl.strategies.dom import Dom, DomOptions
from bizcrawl.strategies.evolved import Evolved, EvolvedOptions
from bizcrawl.strategies.hub_seeking import HubSeeking, HubSeekingOptions
from bizcrawl.strategies.infospiders import InfoSpiders, InfoSpidersOptions
from bizcrawl.strategies.intelligent import Intelligent, IntelligentOptions
from bizcrawl.strategies.options import Givens, Options, UnknownOption, build_options
from bizcrawl.strategies.pagerank import PageRank, PageRankOptions
from bizcrawl.strategies.random_order import RandomOrder
from bizcrawl.strategies.shark_search import (
    FishSearch,
    FishSearchOptions,
    SharkSearch,
    SharkSearchOptions,
)

ENTRY_POINTS = "bizcrawl.strategies"
"""Entry point group under which others' strategies are found."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One strategy: how it is made, and one line for a person."""

    make: Callable[[Any, Givens], Strategy]
    options: type[Options]
    meaning: str


class UnknownStrategy(WrongUse):
    """No strategy has this name."""


STRATEGIES: dict[str, Entry] = {
    "breadth-first": Entry(BreadthFirst, Options, "links in the order in which they were met (R21, R65)"),
    "best-first": Entry(
        BestFirst, BestFirstOptions, "links of the pages most similar to the keywords (R22, R66, R79)"
    ),
    "pagerank": Entry(PageRank, PageRankOptions, "links by PageRank among the pages visited (R67)"),
    "shark-search": Entry(
        SharkSearch, SharkSearchOptions, "links by anchor, surroundings and ancestors (R68, R80)"
    ),
    "fish-search": Entry(FishSearch, FishSearchOptions, "links of relevant pages first, then of others (L1)"),
    "infospiders": Entry(
        InfoSpiders, InfoSpidersOptions, "a population of agents that learn and reproduce (R69-R78)"
    ),
    "intelligent": Entry(
        Intelligent, IntelligentOptions, "learns what goes with pages that satisfy a predicate (R106-R118)"
    ),
    "dom": Entry(Dom, DomOptions, "page and context of the link together (R23-R27)"),
    "hub-seeking": Entry(
        HubSeeking, HubSeekingOptions, "links of pages that name several seeds first (R29-R33)"
    ),
    "apprentice": Entry(
        Apprentice,
        ApprenticeOptions,
        "links by signs whose weights are learned in the crawl (M1, M5-M8)",
    ),
    "evolved": Entry(
        Evolved, EvolvedOptions, "a weighted sum of what the pages around a URL say (R122-R125)"
    ),
    "random": Entry(RandomOrder, Options, "any waiting link, the reference (R115)"),
}


def all_strategies() -> dict[str, Entry]:
    """The table, and after it what other packages offer under the entry point group `ENTRY_POINTS`.

    An entry point is an `Entry`, or a class that is made as ours are: ``cls(options, givens)``, where
    its attribute ``options_type`` names the dataclass of its options if it has any. A name of ours can't be
    taken. One that can't be loaded is listed with what is wrong with it.
    """
    found = dict(STRATEGIES)
    for point in entry_points(group=ENTRY_POINTS):
        if point.name not in found:
            found[point.name] = _offered(point)
    return found


def make_strategy(
    name: str,
    rng: random.Random,
    *,
    admits: Callable[[str], bool] | None = None,
    is_good: Callable[[Page], bool] | None = None,
    score_page: Callable[[Page], float] | None = None,
    **options: Any,
) -> Strategy:
    """A strategy by name, with options by name; texts are converted. See `Givens` for the rest.

    Raises `UnknownStrategy` or `UnknownOption` with one line that names what there is.
    """
    table = STRATEGIES if name in STRATEGIES else all_strategies()
    if name not in table:
        raise UnknownStrategy(f"no strategy is called {name!r}; there are: {', '.join(table)}")
    entry = table[name]
    try:
        parameters = build_options(entry.options, options)
    except UnknownOption as error:
        raise UnknownOption(f"{name}: {error}") from None
    return entry.make(parameters, Givens(rng, admits, is_good, score_page))


def _offered(point: EntryPoint) -> Entry:
    """What another package offers; one that can't be loaded says so in its line and when it is made."""
    try:
        return _entry(point.load())
    except Exception as error:  # whatever the module of a stranger raises
        why = " ".join(f"can't be loaded from {point.value}: {error!r}".split())

    def make(_options: Options, _givens: Givens) -> Strategy:
        raise UnknownStrategy(f"strategy {point.name} {why}")

    return Entry(make, Options, why)


def _entry(offered: Any) -> Entry:
    if isinstance(offered, Entry):
        return offered
    lines = (offered.__doc__ or "").strip().splitlines()
    return Entry(offered, getattr(offered, "options_type", Options), lines[0] if lines else "")
