"""What evolving rank functions costs and brings: the measured table of issue 7.

    python -P tests/bench/evolve.py [--bed ../shared/beds/bizweb] [--generations 50] [--population 50]

Prints, for one bed: the time of one crawl of 10,000 visits, of a whole search and what two processes gain,
whether the same random seed gives the same weights, and evolved weights against Best-First and the paper's on
topics held back. CPU times are taken where one process works, wall-clock times where several do.
"""

from __future__ import annotations

import argparse
import gc
import time
from pathlib import Path
from random import Random

from bizcrawl.strategies.rank_weights import PAPER, RankWeights, read_weights
from testbed.evolve.comparison import compare_weights
from testbed.evolve.evaluation import Bed, Evaluator, Task, Workshop, crawl_by, evaluator
from testbed.evolve.genetic import Breeding
from testbed.evolve.report import report_markdown
from testbed.evolve.search import PAPER_SCORES, Search, evolve, new_state, write_state
from testbed.topics import read_topics

ROOT = Path(__file__).parents[2]
SMALL = Breeding(population=8)


def main() -> None:
    """Measure and print."""
    options = _options()
    topics = read_topics(options.bed / "topics.jsonl")
    rng = Random(options.random_seed)
    chosen = rng.sample(topics, min(len(topics), 3 + options.test_topics))
    bed = Bed(options.bed / "web.warc.gz", tuple(chosen), 10_000, examples=options.examples)
    print(f"## {options.bed.name}, judged by what {options.examples} examples teach\n")
    _one_evaluation(bed)
    if options.speed:
        _processes(bed)
        _same_seed(bed)
    search = Search(
        pages=2_000,
        simulations=3,
        generations=options.generations,
        start_from=tuple(options.start_from),
        scores=(*PAPER_SCORES, *options.score),
        breeding=Breeding(options.population),
        fitness=options.fitness,
        random_seed=options.random_seed,
    )
    with evaluator(bed, options.processes) as evaluating:
        _search_and_compare(search, evaluating, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bed", type=Path, default=ROOT.parent / "shared" / "beds" / "bizweb")
    parser.add_argument("--generations", type=int, default=50)
    parser.add_argument("--population", type=int, default=50)
    parser.add_argument("--fitness", default="harvest")
    parser.add_argument("--examples", default="known")
    parser.add_argument("--start-from", nargs="*", default=[])
    parser.add_argument("--score", nargs="*", default=[])
    parser.add_argument("--test-topics", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--lengths", type=int, nargs="+", default=[1_000, 2_000, 5_000])
    parser.add_argument("--weights", default="", help="compare these instead of searching")
    parser.add_argument("--to", type=Path, help="where to keep the weights")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--random-seed", type=int, default=0)
    parser.add_argument("--speed", action=argparse.BooleanOptionalAction, default=True)
    return parser.parse_args()


def _one_evaluation(bed: Bed) -> None:
    scenario = Workshop(bed).scenario(0)
    for pages in (2_000, 10_000):
        task = Task(PAPER, 0, pages, 0)
        crawl_by(scenario, task)  # what is remembered by page is part of a search, not of each crawl
        gc.freeze()
        start = time.process_time()
        crawl, _ = crawl_by(scenario, task)
        print(f"one crawl of {len(crawl):,} visits: {time.process_time() - start:.2f} s CPU")


def _processes(bed: Bed) -> None:
    tasks = [Task(PAPER, n % 3, 2_000, n) for n in range(24)]
    walls = {}
    for processes in (1, 2):
        with evaluator(bed, processes) as evaluating:
            # every process makes its scenarios first, and remembers what their pages say
            list(evaluating.run(crawled_pages, tasks[: 6 * processes]))
            start = time.perf_counter()
            list(evaluating.run(crawled_pages, tasks))
            walls[processes] = time.perf_counter() - start
    print(f"two processes against one: {walls[1] / walls[2]:.2f} × ({walls[1]:.1f} s, {walls[2]:.1f} s)")


def crawled_pages(scenario: object, task: Task) -> int:
    """Crawl and count: work for the processes."""
    crawl, _ = crawl_by(scenario, task)  # type: ignore[arg-type]
    return len(crawl)


def _same_seed(bed: Bed) -> None:
    search = Search(pages=300, simulations=3, generations=3, breeding=SMALL, random_seed=5)
    found = []
    for processes in (1, 2):
        with evaluator(bed, processes) as evaluating:
            found.append(evolve(new_state(search, {}), evaluating, 3).by_score)
    same = "the same" if found[0] == found[1] else "OTHER"
    print(f"same random seed, in one process and in two: {same} weights")


def _search_and_compare(search: Search, evaluating: Evaluator, options: argparse.Namespace) -> None:
    weights = read_weights(options.weights) if options.weights else _searched(search, evaluating, options)
    bred_on = weights.origin.get("topics", ())
    names = [topic.name for topic in evaluating.bed.topics]
    splits = {number: "train" if name in bred_on else "test" for number, name in enumerate(names)}
    rows = compare_weights(weights, evaluating, splits, options.lengths, options.repeats)
    print(report_markdown(weights, rows))


def _searched(search: Search, evaluating: Evaluator, options: argparse.Namespace) -> RankWeights:
    topics = [topic.name for topic in evaluating.bed.topics[:3]]
    told = {"bed": options.bed.name, "examples": options.examples, "topics": topics}
    state = new_state(search, told)
    start, cpu = time.perf_counter(), time.process_time()
    weights = evolve(state, evaluating, 3, watch=print)
    wall = time.perf_counter() - start
    cpu = time.process_time() - cpu
    crawls = len(state.tried) * search.simulations
    print(
        f"search of {search.generations} generations × {search.breeding.population} individuals × "
        f"{search.simulations} crawls × {search.pages:,} visits: {wall / 60:.1f} min, "
        f"{crawls:,} crawls, {wall / crawls:.2f} s a crawl ({cpu / crawls:.2f} s CPU of this process)"
    )
    if options.to:
        write_state(state, options.to)
    return weights


if __name__ == "__main__":
    main()
