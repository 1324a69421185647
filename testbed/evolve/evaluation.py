"""Crawls by rank weights, in this process or spread over several, here or on a Ray cluster.

Processes are started once and hold the recorded web and its scenarios; what travels to them is a task, what
comes back is a number. A task draws its chance from its own name, so the same tasks give the same numbers
however many processes there are and in whatever order they work.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from bizcrawl.strategies.evolved import Evolved, EvolvedOptions
from bizcrawl.strategies.options import Givens
from bizcrawl.strategies.rank_weights import RankWeights
from bizcrawl.workers import usable_processors
from testbed.evolve.features import GraphFeatures
from testbed.evolve.fitness import FITNESSES
from testbed.evolve.on_ray import on_ray
from testbed.evolve.roulette import Crawl, download
from testbed.evolve.scenario import Scenario, make_scenario
from testbed.pagegraph_folder import open_graph
from testbed.parallel import serve_parent
from testbed.topics import BedTopic

GC_THRESHOLD = 200_000
"""A crawl makes many small objects and no cycles: looking for cycles less often saves a tenth of its time."""


@dataclass(frozen=True, slots=True)
class Bed:
    """What processes need to make scenarios: a recorded web and topics on it."""

    web: Path
    topics: tuple[BedTopic, ...]
    page_cap_bytes: int
    random_seed: int = 0
    """Of the classifiers' training."""
    examples: str = "known"
    """What the classifiers learn from: a key of `testbed.evolve.scenario.EXAMPLES`."""


@dataclass(frozen=True, slots=True)
class Task:
    """One crawl."""

    weights: RankWeights
    topic: int
    """Number of the topic in the bed."""
    pages: int
    repeat: int
    """Another repeat is another roulette."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """Worth of a task by one of the `FITNESSES`: what a search asks for."""

    fitness: str

    def __call__(self, scenario: Scenario, task: Task) -> float:
        """Crawl and measure."""
        crawl, _ = crawl_by(scenario, task)
        return FITNESSES[self.fitness](scenario, crawl, task.pages)


Result = TypeVar("Result")
Spread = Callable[[Callable[[Scenario, Task], Any], Sequence[Task]], Iterator[Any]]
"""Does work for tasks; results in the order of the tasks."""


class Workshop:
    """Scenarios of a bed, made when they are first needed."""

    def __init__(self, bed: Bed) -> None:
        self.bed = bed
        self.graph = open_graph(bed.web, bed.page_cap_bytes)
        self._features: GraphFeatures | None = None
        self._scenarios: dict[int, Scenario] = {}

    def scenario(self, topic: int) -> Scenario:
        """The scenario of a topic by its number in the bed."""
        if topic not in self._scenarios:
            self._features = self._features or GraphFeatures(self.graph)
            self._scenarios[topic] = make_scenario(
                self._features, self.bed.topics[topic], self.bed.random_seed, self.bed.examples
            )
        return self._scenarios[topic]


def crawl_by(
    scenario: Scenario, task: Task, observe: Callable[[Crawl, Evolved], None] | None = None
) -> tuple[Crawl, Evolved]:
    """Crawl a scenario by rank weights, by simulated download (R120)."""
    givens = Givens(Random(task.repeat), score_page=scenario.score)
    strategy = Evolved(
        EvolvedOptions(), givens, weights=task.weights, signals=scenario.signals, keep_parts=False
    )
    rng = Random(f"{task.repeat}/{scenario.topic.name}")
    watch = (lambda crawl: observe(crawl, strategy)) if observe else (lambda _crawl: None)
    return download(scenario, scenario.topic, strategy, task.pages, rng, watch), strategy


class Evaluator:
    """Does work for tasks, in order; see `evaluator`."""

    def __init__(self, bed: Bed, spread: Spread | None = None) -> None:
        """Without `spread` the work is done here."""
        self.bed = bed
        self._spread = spread or _here(bed)

    def run(self, work: Callable[[Scenario, Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
        """The result of the work for each task, in their order."""
        return self._spread(work, tasks)


def _here(bed: Bed) -> Spread:
    workshop = Workshop(bed)
    return lambda work, tasks: (work(workshop.scenario(task.topic), task) for task in tasks)


@contextmanager
def evaluator(bed: Bed, processes: int = 1, ray: str = "") -> Iterator[Evaluator]:
    """An evaluator that works in this process, or in several started for it: `processes`, 0 for one a core.

    With the address of a Ray cluster they are the cluster's. Raises NoRay if there is none.
    """
    if ray or processes != 1:
        open_graph(bed.web, bed.page_cap_bytes)  # made once, here, if it has to be made
    if ray:
        with on_ray(partial(Workshop, bed), ray, processes) as spread:
            yield Evaluator(bed, spread)
        return
    processes = processes or usable_processors()
    if processes < 2:
        yield Evaluator(bed)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, initializer=_open, initargs=(bed,)) as executor:

        def spread(work: Callable[[Scenario, Task], Any], tasks: Sequence[Task]) -> Iterator[Any]:
            return executor.map(_work, [work] * len(tasks), tasks)

        yield Evaluator(bed, spread)


_workshops: list[Workshop] = []
"""The workshop of a process that was started for evaluation."""


def _open(bed: Bed) -> None:
    serve_parent()
    _workshops[:] = [Workshop(bed)]
    gc.set_threshold(GC_THRESHOLD)


def _work(work: Callable[[Scenario, Task], Result], task: Task) -> Result:
    scenario = _workshops[0].scenario(task.topic)
    gc.freeze()
    return work(scenario, task)
