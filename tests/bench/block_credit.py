"""Does a hub's credit by list (M5) bring better links than credit for the whole page (R32)?

    python tests/bench/block_credit.py [--every 1] [--pages 3000]

A hub is a page that links to two seed hosts or more. Two figures for each bed: the share of targets among the
links of hubs, by how many lists out the first list with two seeds stands (-1: none), and the share of targets
among the first 50 links that a crawl takes from each hub.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bizcrawl.strategies import ScoredLink  # noqa: E402
from bizcrawl.strategies.hub_seeking import HubSeeking  # noqa: E402
from bizcrawl.strategies.table import make_strategy  # noqa: E402
from bizcrawl.urls import parse  # noqa: E402
from testbed.pagegraph import PageGraph, SimulatedPage  # noqa: E402
from testbed.pagegraph_folder import open_graph  # noqa: E402
from testbed.simulate import simulate  # noqa: E402
from testbed.topics import BedTopic, read_topics  # noqa: E402

BEDS = ROOT.parent / "shared" / "beds"
FIRST = 50


def main() -> None:
    """Print both figures for both beds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--pages", type=int, default=3_000)
    given = parser.parse_args()
    for bed in ("bizweb", "webkb"):
        graph = open_graph(BEDS / bed / "web.warc.gz").only_kinds(("a", "area"))
        topics = read_topics(BEDS / bed / "topics.jsonl")[:: given.every]
        print(f"\n{bed}, {len(topics)} topics\n")
        print("| lists out | links of hubs | targets among them |\n|---|---|---|")
        links, hits = by_list(graph, topics)
        for out in sorted(links):
            print(f"| {out} | {links[out]:,} | {hits[out] / links[out]:.3f} |")
        print(f"\n| credit | hubs visited | of their first {FIRST} links taken, targets |\n|---|---|---|")
        for credit in ("page", "block"):
            hubs, taken, found = first_links(graph, topics, credit, given.pages)
            print(f"| {credit} | {hubs} | {found:,} of {taken:,} = {found / taken:.3f} |", flush=True)


def by_list(graph: PageGraph, topics: list[BedTopic]) -> tuple[Counter[int], Counter[int]]:
    """Links of hubs, and targets among them, by lists out; links to seeds left out."""
    links, hits = Counter[int](), Counter[int]()
    for bed_topic in topics:
        strategy = hub_seeking(bed_topic, "block")
        seeds, targets = pages_of(graph, bed_topic.topic.seeds), pages_of(graph, bed_topic.targets)
        for page in graph.pages():
            if page.final_url in bed_topic.excluded or strategy.seed_hosts_linked(page) < 2:
                continue
            for link, out in zip(page.links, strategy.lists_out(page), strict=True):
                leads_to = graph.outcome(link.url)
                if leads_to not in seeds:
                    links[out] += 1
                    hits[out] += leads_to in targets
    return links, hits


def first_links(graph: PageGraph, topics: list[BedTopic], credit: str, pages: int) -> tuple[int, int, int]:
    """Hubs visited, links among the first 50 taken from each, targets among these; over all topics."""
    totals = [first_links_of(graph, bed_topic, credit, pages) for bed_topic in topics]
    hubs, taken, found = (sum(column) for column in zip(*totals, strict=True))
    return hubs, taken, found


def first_links_of(graph: PageGraph, bed_topic: BedTopic, credit: str, pages: int) -> tuple[int, int, int]:
    """The same for one crawl."""
    strategy = hub_seeking(bed_topic, credit)
    seeds, targets = pages_of(graph, bed_topic.topic.seeds), pages_of(graph, bed_topic.targets)
    hubs: set[str] = set()
    taken, found = Counter[str](), Counter[str]()

    def observe(link: ScoredLink, page: SimulatedPage) -> None:
        if link.parent in hubs and page.number not in seeds and taken[link.parent] < FIRST:
            taken[link.parent] += 1
            found[link.parent] += page.number in targets
        if strategy.seed_hosts_linked(page) >= 2:
            hubs.add(link.url)

    simulate(graph, bed_topic.topic, strategy, pages, bed_topic.excluded, observe)
    return len(hubs), taken.total(), found.total()


def hub_seeking(bed_topic: BedTopic, credit: str) -> HubSeeking:
    strategy = make_strategy("hub-seeking", random.Random(1), credit=credit)
    assert isinstance(strategy, HubSeeking)
    strategy.start(bed_topic.topic)
    return strategy


def pages_of(graph: PageGraph, urls: tuple[str, ...]) -> set[object]:
    return {page for url in urls if isinstance(page := graph.outcome(parse(url) or url), int)}


if __name__ == "__main__":
    main()
