"""What evolved weights are worth: against Best-First and the paper's own, on topics of the search and others.

As in the paper's tests (R127, R130–R132): every strategy crawls every topic to three lengths, fifteen times
with other luck, and is measured by fitness, by the cohesiveness of its community and of its whole crawl,
and by how far from the seeds it went. Values are means over the repeats of a topic; tests are paired by
topic.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from bizcrawl.strategies.evolved import Evolved
from bizcrawl.strategies.rank_weights import BEST_FIRST, PAPER, RankWeights
from testbed.evolve.evaluation import Evaluator, Task, crawl_by
from testbed.evolve.fitness import FITNESSES
from testbed.evolve.roulette import Crawl
from testbed.evolve.scenario import Scenario
from testbed.statistics import Comparison, compare

REPEATS = 15
LENGTHS = (1_000, 2_000, 5_000)
MEASURES = (
    *FITNESSES,
    "community cohesiveness",
    "overall cohesiveness",
    "mean distance",
    "greatest distance",
)


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of one strategy on one topic after some pages, as the mean over the repeats."""

    strategy: str
    topic: str
    split: str
    """train or test."""
    pages: int
    measure: str
    value: float


@dataclass(frozen=True, slots=True)
class Measuring:
    """Crawls once to the greatest length and measures at each on the way."""

    lengths: tuple[int, ...]

    def __call__(self, scenario: Scenario, task: Task) -> dict[int, dict[str, float]]:
        """Measures by length; a crawl that ends early has its last values from there on."""
        found: dict[int, dict[str, float]] = {}

        def observe(crawl: Crawl, strategy: Evolved) -> None:
            if len(crawl) in self.lengths:
                found[len(crawl)] = measures(scenario, crawl, strategy, len(crawl))

        crawl, strategy = crawl_by(scenario, task, observe)
        for length in self.lengths:
            if length not in found:
                found[length] = measures(scenario, crawl, strategy, length)
        return found


def measures(scenario: Scenario, crawl: Crawl, strategy: Evolved, pages: int) -> dict[str, float]:
    """All `MEASURES` of a crawl as it stands."""
    around = strategy.neighbourhood
    community = [number for number in around.community if number in around.children]
    found = {name: fitness(scenario, crawl, pages) for name, fitness in FITNESSES.items()}
    found["community cohesiveness"] = around.cohesiveness(community)
    found["overall cohesiveness"] = around.cohesiveness(around.children)
    found["mean distance"] = fmean(crawl.depths) if crawl.depths else 0.0
    found["greatest distance"] = float(max(crawl.depths, default=0))
    return found


def compare_weights(
    evolved: RankWeights,
    evaluator: Evaluator,
    splits: Mapping[int, str],
    lengths: Sequence[int] = LENGTHS,
    repeats: int = REPEATS,
    watch: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[Row]:
    """Measure the evolved weights, Best-First (R129) and the paper's weights (R128).

    `splits` says of each topic's number in the evaluator's bed whether it is for training or for testing.
    `watch` is told how many crawls are done, of how many.
    """
    strategies = {"evolved": evolved, "best-first": BEST_FIRST, "paper": PAPER}
    names = [topic.name for topic in evaluator.bed.topics]
    tasks = [
        (name, Task(weights, topic, max(lengths), repeat))
        for topic in splits
        for name, weights in strategies.items()
        for repeat in range(repeats)
    ]
    values: dict[tuple[str, int, int, str], list[float]] = {}
    results = evaluator.run(Measuring(tuple(lengths)), [task for _, task in tasks])
    for done, ((name, task), found) in enumerate(zip(tasks, results, strict=True), 1):
        for length, by_measure in found.items():
            for measure, value in by_measure.items():
                values.setdefault((name, task.topic, length, measure), []).append(value)
        watch(done, len(tasks))
    return [
        Row(name, names[topic], splits[topic], length, measure, fmean(several))
        for (name, topic, length, measure), several in values.items()
    ]


def paired_tests(rows: Sequence[Row], measure: str, pages: int, split: str) -> list[Comparison]:
    """Paired tests of the evolved weights against the two others, by topic (R46, A19)."""
    values: dict[str, dict[str, float]] = {}
    for row in rows:
        if (row.measure, row.pages, row.split) == (measure, pages, split):
            values.setdefault(row.strategy, {})[row.topic] = row.value
    others = [name for name in ("best-first", "paper") if name in values]
    with warnings.catch_warnings():
        # on few topics the differences can be all the same; the interval says so without scipy's warning
        warnings.simplefilter("ignore", RuntimeWarning)
        return [compare("evolved", other, values["evolved"], values[other]) for other in others]


def mean(rows: Sequence[Row], strategy: str, measure: str, pages: int, split: str) -> float:
    """Mean over the topics; NaN if there are none."""
    found = [
        r.value
        for r in rows
        if (r.strategy, r.measure, r.pages, r.split) == (strategy, measure, pages, split)
    ]
    return fmean(found) if found else float("nan")
