"""The search: generation by generation, saved after each, and taken up again where it was left (R126).

The file that comes out is the file that goes in: it holds the best weights, where they came from, and all
that is needed to go on. The same random seed gives the same weights, whether the search was interrupted or
not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from bizcrawl.collection.replacing import write_text
from bizcrawl.errors import WrongUse
from bizcrawl.strategies.rank_weights import FORMAT, LINK_STRUCTURE, RankWeights, read_weights
from bizcrawl.text_files import json_in
from testbed.evolve.evaluation import Evaluator, Fitting, Task
from testbed.evolve.genetic import (
    Breeding,
    Genes,
    Individual,
    first_generation,
    genes_of,
    offspring,
    survivors,
    weights_of,
)

PAPER_SCORES = (*LINK_STRUCTURE, *(f"PARENT_{k}" for k in range(1, 6)))
"""Nine weights, 63 bits (R126)."""


class OtherSearch(WrongUse):
    """The file to go on from holds another search."""


@dataclass(frozen=True, slots=True)
class Search:
    """Everything that decides how a search goes, apart from the bed."""

    scores: tuple[str, ...] = PAPER_SCORES
    fitness: str = "harvest"
    pages: int = 2_000
    simulations: int = 3
    """Crawls of each individual; they take the training topics in turn."""
    generations: int = 50
    start_from: tuple[str, ...] = ()
    """Names or files of weights that are members of the first generation; the others are drawn."""
    breeding: Breeding = field(default_factory=Breeding)
    random_seed: int = 0


@dataclass(frozen=True, slots=True)
class Generation:
    """How a generation did, for a person to watch."""

    number: int
    best: float
    mean: float
    evaluated: int
    """Individuals evaluated so far."""


@dataclass(slots=True)
class State:
    """A search under way."""

    search: Search
    told: Mapping[str, Any]
    """Where the weights come from: bed and topics, as the file will say."""
    population: list[Individual] = field(default_factory=list)
    tried: set[Genes] = field(default_factory=set)
    history: list[Generation] = field(default_factory=list)
    rng: Random = field(default_factory=Random)

    @property
    def weights(self) -> RankWeights:
        """The best weights so far."""
        best = self.population[0]
        origin = {
            **self.told,
            "fitness": self.search.fitness,
            "fitness reached": best.fitness,
            "began with": list(self.search.start_from) or "random weights alone",
            "generations": self.history[-1].number,
            "population": self.search.breeding.population,
            "individuals evaluated": len(self.tried),
            "pages a crawl": self.search.pages,
            "simulations an individual": self.search.simulations,
            "random seed": self.search.random_seed,
        }
        return named(self.search.scores, best.genes, origin)


def named(scores: tuple[str, ...], genes: Genes, origin: Mapping[str, Any] | None = None) -> RankWeights:
    """Rank weights that genes stand for, normalised to sum 1."""
    return RankWeights(
        dict(zip(scores, map(float, weights_of(genes)), strict=True)), origin or {}
    ).normalised()


def evolve(
    state: State,
    evaluator: Evaluator,
    topics: int,
    save: Callable[[State], None] = lambda _state: None,
    watch: Callable[[Generation], None] = lambda _generation: None,
) -> RankWeights:
    """Go on with a search until it has seen its generations; the best weights.

    `topics` is the number of topics in the evaluator's bed. `save` is called after each generation.
    """
    search = state.search
    if not state.history:
        given = [_genes_of(read_weights(name), search) for name in search.start_from]
        drawn = first_generation(len(search.scores), state.rng, search.breeding)
        genes = list(dict.fromkeys((*given, *drawn)))[: search.breeding.population]
        state.tried.update(genes)
        state.population = survivors((), _evaluated(state, genes, evaluator, topics), search.breeding)
        _note(state, 0, save, watch)
    while state.history[-1].number < search.generations:
        genes = offspring(state.population, state.tried, state.rng, search.breeding)
        new = _evaluated(state, genes, evaluator, topics)
        state.population = survivors(state.population, new, search.breeding)
        _note(state, state.history[-1].number + 1, save, watch)
    return state.weights


def _evaluated(state: State, genes: list[Genes], evaluator: Evaluator, topics: int) -> list[Individual]:
    search = state.search
    tasks = [
        Task(named(search.scores, one), number % topics, search.pages, number + 1000 * search.random_seed)
        for one in genes
        for number in range(search.simulations)
    ]
    worth = list(evaluator.run(Fitting(search.fitness), tasks))
    each = search.simulations
    return [Individual(one, fmean(worth[i * each : (i + 1) * each])) for i, one in enumerate(genes)]


def _genes_of(weights: RankWeights, search: Search) -> Genes:
    """Genes of known weights; raises `BadWeights` if they weigh none of the search's scores."""
    shared = {name: weights.by_score.get(name, 0.0) for name in search.scores}
    return genes_of(list(RankWeights(shared).by_score.values()))


def _note(
    state: State, number: int, save: Callable[[State], None], watch: Callable[[Generation], None]
) -> None:
    worth = [one.fitness for one in state.population]
    state.history.append(Generation(number, worth[0], fmean(worth), len(state.tried)))
    save(state)
    watch(state.history[-1])


def new_state(search: Search, told: Mapping[str, Any]) -> State:
    """A search that has not begun."""
    return State(search, told, rng=Random(search.random_seed))


def write_state(state: State, path: Path) -> None:
    """Write weights, origin and state; a crash leaves the former file or this one."""
    record = {
        "format": FORMAT,
        "weights": dict(state.weights.by_score),
        "origin": dict(state.weights.origin),
        "history": [asdict(one) for one in state.history],
        "state": {
            "search": asdict(state.search),
            "told": dict(state.told),
            "population": [[_hex(one.genes), one.fitness] for one in state.population],
            "tried": sorted(map(_hex, state.tried)),
            "random": state.rng.getstate(),
        },
    }
    write_text(path, json.dumps(record, indent=1) + "\n")


def read_state(path: Path, search: Search, told: Mapping[str, Any]) -> State:
    """Take up a search where `write_state` left it; it may now run for more generations.

    Raises `OtherSearch` with one line if the file holds another search, or none.
    """
    try:
        record = json_in(path.read_bytes())
        differing = _differing(record["state"], search, told)
        state = None if differing else _state_in(record, search, told)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise OtherSearch(
            f"{path}: holds no search to go on with; choose another name for the result"
        ) from None
    if state is None:
        raise OtherSearch(
            f"{path}: holds another search ({', '.join(differing)} differ); "
            "choose another name for the result"
        )
    return state


def _differing(kept: Mapping[str, Any], search: Search, told: Mapping[str, Any]) -> list[str]:
    """What is asked for differently than in the search that was kept; its length may differ."""
    asked = json.loads(json.dumps({"search": asdict(search), "told": dict(told)}))
    found = {"search": kept["search"] | {"generations": search.generations}, "told": kept["told"]}
    return sorted(key for part in asked for key in asked[part] if asked[part][key] != found[part].get(key))


def _state_in(record: Mapping[str, Any], search: Search, told: Mapping[str, Any]) -> State:
    """The state that was kept; raises whatever comes of a record that is none."""
    kept = record["state"]
    state = new_state(search, told)
    state.population = [Individual(_bits(genes, search), fitness) for genes, fitness in kept["population"]]
    state.tried = {_bits(genes, search) for genes in kept["tried"]}
    state.history = [Generation(**one) for one in record["history"]]
    version, numbers, gauss = kept["random"]
    state.rng.setstate((version, tuple(numbers), gauss))
    return state


def _hex(genes: Genes) -> str:
    return f"{int(''.join(map(str, genes)), base=2):x}"


def _bits(text: str, search: Search) -> Genes:
    width = len(genes_of([1.0] * len(search.scores)))
    return tuple(int(bit) for bit in f"{int(text, base=16):0{width}b}")
