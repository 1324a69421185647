"""What strategies and their frontier cost, on recorded webs, one core.

    python tests/bench/strategies.py [--pages 10000] [--only frontier|simulation|share]

Prints CPU seconds of simulated crawls, microseconds and bytes of the frontier by size, and CPU of each
strategy per page relative to best-first without fetching and common work (R57, R84). Everything is CPU time;
ratios are taken within one run, the least of several, since the machine is shared.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import time
import tracemalloc
from collections.abc import Sequence
from math import exp
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bizcrawl.frontier import Frontier  # noqa: E402
from bizcrawl.page import Page  # noqa: E402
from bizcrawl.reasons import Reason  # noqa: E402
from bizcrawl.strategies import Gate, ScoredLink, Strategy  # noqa: E402
from bizcrawl.strategies.table import STRATEGIES, make_strategy  # noqa: E402
from bizcrawl.topic import Topic  # noqa: E402
from contexts.tagtree import TagTree  # noqa: E402
from contexts.vectors import Floats, Query  # noqa: E402
from testbed.pagegraph import PageGraph  # noqa: E402
from testbed.pagegraph_folder import open_graph  # noqa: E402
from testbed.simulate import simulate  # noqa: E402
from testbed.topics import BedTopic, read_topics  # noqa: E402

BEDS = ROOT.parent / "shared" / "beds"
SIZES = (1_000, 70_000, 1_000_000)
FAST = ("breadth-first", "best-first", "dom", "hub-seeking")
STEPS = 20_000
TRIES = 5


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--only", choices=("frontier", "simulation", "share"))
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    given = parser.parse_args()
    if given.only in (None, "frontier"):
        frontier()
    if given.only in (None, "simulation"):
        for bed in ("bizweb", "webkb"):
            simulation(bed, given.pages, given.strategies.split(","))
    if given.only in (None, "share"):
        share(given.pages, given.strategies.split(","))


def frontier() -> None:
    """Push and pop at a steady size; bytes a URL, its text included."""
    print("\n| URLs waiting | µs push + pop | with 50 hosts apart | bytes a URL |\n|---|---|---|---|")
    first: list[float] = []
    for size in SIZES:
        plain, apart = (min(steady(size, hosts) for _ in range(3)) for hosts in (0, 50))
        first = first or [plain, apart]
        times = [f"{us:.2f} (x{us / base:.2f})" for us, base in zip((plain, apart), first, strict=True)]
        print(f"| {size:,} | {times[0]} | {times[1]} | {bytes_a_url(size):.0f} |", flush=True)


def links(n: int, start: int, rng: random.Random) -> list[ScoredLink]:
    parts = {"page": 0.5}
    return [
        ScoredLink(f"http://www.host{i % 4000}.example/some/page/{i}.html", rng.random(), 1, "", parts)
        for i in range(start, start + n)
    ]


def steady(size: int, hosts_apart: int) -> float:
    """Microseconds for one push and one pop while `size` URLs wait."""
    rng = random.Random(1)
    waiting = Frontier(2 * size, hosts_apart)
    for link in links(size, 0, rng):
        waiting.push(link)
    # the best goes with each step, so what comes must lie below it to come in at any place
    new = [link._replace(score=link.score * exp(-k / size)) for k, link in enumerate(links(STEPS, size, rng))]
    gc.collect()
    gc.disable()
    began = time.process_time()
    for link in new:
        waiting.push(link)
        waiting.pop()
    used = time.process_time() - began
    gc.enable()
    return used / STEPS * 1e6


def bytes_a_url(size: int) -> float:
    rng = random.Random(1)
    tracemalloc.start()
    waiting = Frontier(2 * size)
    for link in links(size, 0, rng):
        waiting.push(link)
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return used / len(waiting)


def bed(name: str) -> tuple[PageGraph, list[BedTopic]]:
    graph = open_graph(BEDS / name / "web.warc.gz").only_kinds(("a", "area"))
    return graph, read_topics(BEDS / name / "topics.jsonl")


def simulation(name: str, pages: int, strategies: list[str]) -> None:
    """CPU seconds of one crawl, by strategy; the graph is open, similarities of the topic are not known."""
    graph, topics = bed(name)
    print(f"\n| {name} | good pages | URLs turned away | CPU s | s for 10,000 pages | bound |")
    print("|---|---|---|---|---|---|")
    for strategy in strategies:
        best = (float("inf"), 0, 0)
        for bed_topic in topics[3:6]:
            for i in range(len(graph)):
                graph.links(i)
            began = time.process_time()
            visits = simulate(
                graph, bed_topic.topic, make_strategy(strategy, random.Random(1)), pages, bed_topic.excluded
            )
            used = time.process_time() - began
            if len(visits) and used / len(visits) < best[0] / (best[1] or 1):
                best = (used, len(visits), sum(visits.turned_away.values()))
        per = best[0] / best[1] * 10_000
        print(
            f"| {strategy} | {best[1]:,} | {best[2]:,} | {best[0]:.2f} | {per:.2f} |"
            f" {1 if strategy in FAST else 5} |",
            flush=True,
        )


class Ready:
    """A page whose similarities to the keywords are known: counting them is common work (R57)."""

    def __init__(self, page: Page, query: Query) -> None:
        self.page, self.query = page, query
        self.url, self.final_url, self.links = page.url, page.final_url, page.links
        self.link_hosts = page.link_hosts  # the crawl counts hubs by them, whatever the strategy
        self.known = page.similarity(query)
        self.contexts = {name: page.context_similarities(query, name) for name in ("parent", "anchor")}

    @property
    def tree(self) -> TagTree:
        return self.page.tree

    @property
    def stems(self) -> Sequence[str]:
        return self.page.stems

    def similarity(self, query: Query) -> float:
        return self.known if query is self.query else self.page.similarity(query)

    def context_similarities(self, query: Query, aggregation: str) -> Floats:
        if query is self.query and aggregation in self.contexts:
            return self.contexts[aggregation]
        return self.page.context_similarities(query, aggregation)


class Timed:
    """A strategy whose CPU time is counted, the similarities it asks for left out (R57: common work)."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy
        self.used_s = 0.0
        self.query = Query(())

    def start(self, topic: Topic) -> None:
        self.query = topic.query
        self.strategy.start(topic)

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        began = time.process_time()
        found = self.strategy.next(n, gate)
        self.used_s += time.process_time() - began
        return found

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        ready = Ready(page, self.query)
        began = time.process_time()
        scored = self.strategy.visit(ready)
        self.used_s += time.process_time() - began
        return scored

    def fail(self, url: str, reason: Reason) -> None:
        self.strategy.fail(url, reason)

    def __len__(self) -> int:
        return len(self.strategy)


def share(pages: int, strategies: list[str]) -> None:
    """CPU of the strategy alone, per page, relative to best-first, over five topics; best-first must be among
    `strategies`.
    """
    graph, topics = bed("bizweb")
    used = dict.fromkeys(strategies, 0.0)
    pages_visited = dict.fromkeys(strategies, 0)
    gc.collect()
    gc.freeze()  # the web's own objects would be looked through again and again
    for bed_topic in topics[:30:6]:
        query = bed_topic.topic.query
        graph.page_similarities(query)
        graph.context_similarities(query, "parent")
        graph.context_similarities(query, "anchor")
        tries: dict[str, list[float]] = {name: [] for name in strategies}
        # in turn, so that a time when the machine is busy falls on all alike
        for repeat in range(TRIES):
            for name in strategies:
                timed = Timed(make_strategy(name, random.Random(1)))
                gc.collect()
                visits = simulate(graph, bed_topic.topic, timed, min(pages, 3_000), bed_topic.excluded)
                tries[name].append(timed.used_s)
                pages_visited[name] += 0 if repeat else len(visits)
        for name in strategies:
            used[name] += min(tries[name])
    used = {name: seconds / pages_visited[name] for name, seconds in used.items()}
    print("\n| strategy | µs a page | relative to best-first |\n|---|---|---|")
    for name, seconds in used.items():
        print(f"| {name} | {seconds * 1e6:.0f} | {seconds / used['best-first']:.2f} |")


if __name__ == "__main__":
    main()
