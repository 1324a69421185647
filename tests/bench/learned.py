"""The apprentice against Hub-Seeking: recall by site, hubs fetched, cost, and what each group of signs gives.

usage: python tests/bench/learned.py [--half train|test] [--pages 1000] [--ablation] [--webkb]

Everything was chosen on the train half (topics 0, 2, 4, … of bizweb's topics.jsonl); the test half and webkb
were looked at once. The apprentice draws no random numbers, so one run stands for any random seed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from scipy.stats import ttest_rel

from bizcrawl.strategies.apprenticeship.signs import NAMES
from bizcrawl.strategies.apprenticeship.weights import load_weights
from bizcrawl.strategies.table import make_strategy
from bizcrawl.urls import domain_of, host_of
from testbed.pagegraph import PageGraph
from testbed.pagegraph_folder import open_graph
from testbed.simulate import Visits, simulate
from testbed.topics import BedTopic, read_topics

BEDS = Path(__file__).parents[3] / "shared" / "beds"
AT = (100, 200, 500, 1_000)
GROUPS = {
    "lists": ("seeds_in_list", "similar_in_list"),
    "outcomes of neighbours": ("list_reward", "word_reward"),
    "who keeps lists": ("keeps_lists",),
    "record of the site": ("host_pages", "host_best_hub", "company_again", "stranger_again"),
    "citing companies": ("seeds_citing_host", "cited_newcomer"),
    "cues": ("anchor_cue", "anchor_label", "url_cue"),
    "next parts of lists": ("next_of_hub", "next_of_topical"),
    "nearness where seeds share a site": ("near_on_shared",),
    "seeds' wording": ("page_wording", "anchor_wording", "block_wording"),
    "blocks": ("block_keywords", "block_wording"),
    "anchors and URLs": ("anchor_keywords", "anchor_wording", "url_keywords"),
}


@dataclass(frozen=True)
class Result:
    """Recall of each topic at each of `AT`, hubs among the first 1,000 pages, CPU seconds a page."""

    recall: np.ndarray
    curve: np.ndarray
    """(pages,) mean recall after each page."""
    hubs: np.ndarray
    cpu_s: float


def site(url: str) -> str:
    return domain_of(host_of(url))


def crawl(graph: PageGraph, topics: list[BedTopic], name: str, pages: int, by: str, **options: str) -> Result:
    """Simulate a strategy on all topics; `by` site or page."""
    recall, curves, hubs, visited, began = [], [], [], 0, time.process_time()
    for topic in topics:
        strategy = make_strategy(name, random.Random(0), **dict[str, object](options))
        visits = simulate(graph, topic.topic, strategy, pages, topic.excluded)
        visited += len(visits)
        seen, wanted = met(visits, by), wanted_of(graph, topic, by)
        recall.append([len(wanted & set(seen[:n])) / len(wanted) for n in AT])
        firsts = [seen.index(one) for one in wanted.intersection(seen)]
        curves.append(np.cumsum(np.bincount(firsts, minlength=pages)) / len(wanted))
        hubs.append(sum(is_hub(graph, page, topic) for page in visits.pages[:1_000]))
    cpu_s = (time.process_time() - began) / visited
    return Result(np.array(recall), np.mean(curves, axis=0), np.array(hubs), cpu_s)


def met(visits: Visits, by: str) -> list[object]:
    """The sites or pages visited, in order."""
    return [site(url) for url in visits.final_urls] if by == "site" else list(visits.pages)


def wanted_of(graph: PageGraph, topic: BedTopic, by: str) -> set[object]:
    """The sites or pages that are a topic's targets."""
    outcomes = {url: graph.outcome(url) for url in topic.targets}
    if by == "page":
        return {page for page in outcomes.values() if isinstance(page, int)}
    return {
        site(graph.final_url(page)) if isinstance(page, int) else site(url) for url, page in outcomes.items()
    }


def is_hub(graph: PageGraph, page: int, topic: BedTopic) -> bool:
    """Whether a page links to two seed hosts besides its own."""
    linked = graph.link_hosts(page) & topic.topic.seed_hosts
    return len(linked - {host_of(graph.final_url(page))}) >= 2


def row(name: str, result: Result, base: Result | None = None) -> str:
    means = result.recall.mean(0)
    cells = [f"{mean:.3f}" for mean in means]
    if base is not None:
        tests = ttest_rel(result.recall, base.recall, alternative="greater").pvalue
        ratios = means / base.recall.mean(0)
        cells = [f"{m:.3f} ({r:.2f} ×, p {p:.3f})" for m, r, p in zip(means, ratios, tests, strict=True)]
    return f"| {name} | {' | '.join(cells)} | {result.hubs.mean():.2f} | {result.cpu_s * 1e3:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", choices=("train", "test"), default="train")
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--ablation", action="store_true")
    parser.add_argument("--webkb", action="store_true")
    args = parser.parse_args()
    bed, by = ("webkb", "page") if args.webkb else ("bizweb", "site")
    graph = open_graph(BEDS / bed / "web.warc.gz")
    topics = read_topics(BEDS / bed / "topics.jsonl")
    if not args.webkb:
        topics = topics[0 if args.half == "train" else 1 :: 2]
    print(f"{bed}, {len(topics)} topics, recall by {by}")
    print(f"| strategy | {' | '.join(f'{n} pages' for n in AT)} | hubs | CPU ms a page |")
    base = crawl(graph, topics, "hub-seeking", args.pages, by)
    print(row("hub-seeking", base), flush=True)
    for name in ("dom", "breadth-first"):
        print(row(name, crawl(graph, topics, name, args.pages, by), base), flush=True)
    found = crawl(graph, topics, "apprentice", args.pages, by)
    print(row("apprentice", found, base), flush=True)
    reached = found.curve >= base.curve[-1]
    when = f"{int(np.argmax(reached)) + 1}" if reached.any() else f"more than {args.pages}"
    print(f"pages after which the apprentice has what hub-seeking has after {args.pages}: {when}", flush=True)
    if args.ablation:
        ablation(graph, topics, args.pages, by, base)


def ablation(graph: PageGraph, topics: list[BedTopic], pages: int, by: str, base: Result) -> None:
    """The apprentice without each group of signs, and without learning."""
    for name, options in (("learn=0", {"learn": "0"}), ("rescore_every=25", {"rescore_every": "25"})):
        print(row(name, crawl(graph, topics, "apprentice", pages, by, **options), base), flush=True)
    weights = dict(zip(NAMES, load_weights().tolist(), strict=True))
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, signs) in enumerate(GROUPS.items()):
            file = Path(folder) / f"{number}.json"
            file.write_text(json.dumps({sign: w for sign, w in weights.items() if sign not in signs}))
            result = crawl(graph, topics, "apprentice", pages, by, weights=str(file))
            print(row(f"without {name}", result, base), flush=True)


if __name__ == "__main__":
    main()
