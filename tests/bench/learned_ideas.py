"""Ideas for the apprentice that were tried and not kept: a budget shared by unlike crawlers (M15), and
weights that crawls of other topics have learned (M13). What came of them is in docs/apprentice.md.

usage: python tests/bench/learned_ideas.py [--half train|test] [--pages 1000]
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

import numpy as np
from learned import AT, BEDS, Result, crawl, is_hub, met, row, wanted_of

from bizcrawl.strategies.apprenticeship.weights import Learned
from bizcrawl.strategies.table import make_strategy
from testbed.pagegraph import PageGraph
from testbed.pagegraph_folder import open_graph
from testbed.simulate import simulate
from testbed.topics import BedTopic, read_topics


def sharing(graph: PageGraph, topics: list[BedTopic], names: tuple[str, ...], pages: int) -> Result:
    """What several crawlers have found together, each with its share of the pages."""
    recall, hubs, began = [], [], time.process_time()
    for topic in topics:
        wanted = wanted_of(graph, topic, "site")
        crawlers = [make_strategy(name, random.Random(0)) for name in names]
        every = [simulate(graph, topic.topic, one, pages // len(names), topic.excluded) for one in crawlers]
        sites = [met(visits, "site") for visits in every]
        found = [{one for some in sites for one in some[: n // len(names)]} for n in AT]
        recall.append([len(wanted & some) / len(wanted) for some in found])
        fetched = {page for visits in every for page in visits.pages}
        hubs.append(sum(is_hub(graph, page, topic) for page in fetched))
    cpu_s = (time.process_time() - began) / (pages * len(topics))
    return Result(np.array(recall), np.zeros(pages), np.array(hubs), cpu_s)


def learned_on(graph: PageGraph, topics: list[BedTopic], pages: int) -> list[Learned]:
    """What the apprentice knows after a crawl of each topic."""
    found = []
    for topic in topics:
        strategy = make_strategy("apprentice", random.Random(0))
        simulate(graph, topic.topic, strategy, pages, topic.excluded)
        found.append(strategy.knowledge)
    return found


def begun_with(graph: PageGraph, topics: list[BedTopic], weights: list[Learned], pages: int) -> Result:
    """The apprentice on each topic, with weights of its own to begin with."""
    with tempfile.TemporaryDirectory() as folder:
        results = []
        for topic, own in zip(topics, weights, strict=True):
            file = Path(folder) / f"{len(results)}.json"  # one each: what was read of a file is kept
            own.save(file)
            results.append(crawl(graph, [topic], "apprentice", pages, "site", weights=str(file)))
    return Result(
        np.concatenate([one.recall for one in results]),
        np.mean([one.curve for one in results], axis=0),
        np.concatenate([one.hubs for one in results]),
        float(np.mean([one.cpu_s for one in results])),
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", choices=("train", "test"), default="train")
    parser.add_argument("--pages", type=int, default=1_000)
    args = parser.parse_args()
    graph = open_graph(BEDS / "bizweb" / "web.warc.gz")
    topics = read_topics(BEDS / "bizweb" / "topics.jsonl")[0 if args.half == "train" else 1 :: 2]
    print(f"| strategy | {' | '.join(f'{n} pages' for n in AT)} | hubs | CPU ms a page |")
    print(row("apprentice", crawl(graph, topics, "apprentice", args.pages, "site")), flush=True)
    for third in ("intelligent", "breadth-first"):
        names = ("apprentice", "hub-seeking", third)
        print(row(" + ".join(names), sharing(graph, topics, names, args.pages)), flush=True)
    learned = learned_on(graph, topics, args.pages)
    before = [learned[at - 1] for at in range(len(topics))]
    print(row("weights of the topic before", begun_with(graph, topics, before, args.pages)), flush=True)
    total = np.sum([one.weights for one in learned], axis=0)
    others = [Learned((total - one.weights) / (len(topics) - 1)) for one in learned]
    print(row("mean weights of all other topics", begun_with(graph, topics, others, args.pages)), flush=True)


if __name__ == "__main__":
    main()
