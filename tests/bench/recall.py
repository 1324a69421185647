"""Target recall of every strategy on both recorded beds, beside what an independent evaluator measured.

    python tests/bench/recall.py [--strategies dom,hub-seeking] [--beds bizweb] [--every 6] [--keep FILE]

Rules are those of the reference figures (../shared/beds/REFERENCE.md): page cap 10,000 bytes, links of `a`
and `area` alone, recorded robots.txt, excluded pages refused, only good pages counted. A target counts as
found when its URL or the page that it leads to was visited (A18), its site when any page of its host was.
Values are means over topics with one standard error (R45); below them stand paired one-tailed tests of the
papers' orders (A19).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.stats import ttest_rel

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bizcrawl.strategies.table import make_strategy  # noqa: E402
from bizcrawl.urls import host_of, parse  # noqa: E402
from testbed.pagegraph import PageGraph  # noqa: E402
from testbed.pagegraph_folder import open_graph  # noqa: E402
from testbed.simulate import Visits, simulate  # noqa: E402
from testbed.topics import BedTopic, read_topics  # noqa: E402

BEDS = ROOT.parent / "shared" / "beds"
POINTS = (100, 500, 1000, 2000, 3000)
STRATEGIES: dict[str, str] = {
    "random": "random",
    "breadth-first": "breadth-first",
    "best-first": "best-first",
    "best-first n=256": "best-first n=256",
    "dom": "dom",
    "hub-seeking": "hub-seeking",
    "hub-seeking credit=block": "hub-seeking credit=block",
    "shark-search": "shark-search",
    "shark-search n=256": "shark-search n=256",
    "fish-search": "fish-search",
    "pagerank": "pagerank",
    "infospiders": "infospiders",
    "infospiders, neither": "infospiders learning=no evolution=no",
    "infospiders, neither, 256": "infospiders learning=no evolution=no max_frontier=256",
    "best-first n=256, 256": "best-first n=256 max_frontier=256",
    "intelligent": "intelligent",
    "intelligent mode=paper": "intelligent mode=paper",
    "evolved": "evolved",
}
REFERENCE: dict[str, dict[str, tuple[float, ...]]] = {
    "bizweb": {
        "random": (0.006, 0.043, 0.092, 0.180, 0.280),
        "breadth-first": (0.000, 0.054, 0.147, 0.296, 0.407),
        "best-first": (0.062, 0.265, 0.419, 0.616, 0.752),
        "best-first n=256": (0.000, 0.139, 0.375, 0.614, 0.743),
        "dom": (0.070, 0.284, 0.428, 0.644, 0.762),
        "hub-seeking": (0.072, 0.288, 0.435, 0.651, 0.766),
        "shark-search": (0.065, 0.278, 0.443, 0.616, 0.737),
        "pagerank": (0.003, 0.024, 0.033, 0.043, 0.130),
    },
    "webkb": {
        "random": (0.217, 0.501, 0.609, 0.710),
        "breadth-first": (0.227, 0.585, 0.672, 0.720),
        "best-first": (0.210, 0.507, 0.578, 0.678),
        "best-first n=256": (0.233, 0.545, 0.601, 0.698),
        "dom": (0.237, 0.501, 0.565, 0.678),
        "hub-seeking": (0.246, 0.498, 0.575, 0.680),
        "shark-search": (0.250, 0.491, 0.562, 0.679),
        "pagerank": (0.218, 0.449, 0.545, 0.618),
    },
}
ORDERS = (
    ("hub-seeking", "dom", "R48"),
    ("dom", "best-first", "R48"),
    ("hub-seeking", "best-first", "R49"),
    ("best-first", "breadth-first", "R48, R88"),
    ("breadth-first", "pagerank", "R87"),
    ("best-first", "pagerank", "R87"),
    ("best-first", "shark-search", "R88"),
    ("best-first n=256", "best-first", "R93"),
    ("shark-search n=256", "shark-search", "R93"),
    ("infospiders", "breadth-first", "R88"),
    ("hub-seeking credit=block", "hub-seeking", "M5"),
)
Values = npt.NDArray[np.float64]


def main() -> None:
    """Crawl, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--beds", default="bizweb,webkb")
    parser.add_argument("--strategies", default=",".join(STRATEGIES).replace(", ", "; "))
    parser.add_argument("--every", type=int, default=1, help="take every n-th topic alone")
    parser.add_argument("--keep", type=Path, help="write the values of every topic to this JSON file")
    given = parser.parse_args()
    kept: dict[str, dict[str, list[list[list[float]]]]] = {}
    for bed in given.beds.split(","):
        graph = open_graph(BEDS / bed / "web.warc.gz").only_kinds(("a", "area"))
        topics = read_topics(BEDS / bed / "topics.jsonl")[:: given.every]
        found: dict[str, Values] = {}
        print(f"\n{bed}, {len(topics)} topics: recall by page (± standard error), and by site\n")
        print("| strategy |", " | ".join(f"{n:,}" for n in POINTS), "| by site |", end=" ")
        print(" | ".join(f"{n:,}" for n in POINTS), "|\n|" + "---|" * (2 * len(POINTS) + 2))
        for name in given.strategies.split(","):
            name = name.replace("; ", ", ")
            values = [recall(graph, topic, STRATEGIES.get(name, name)) for topic in topics]
            found[name] = np.array(values)
            print_row(name, found[name], REFERENCE[bed].get(name))
            kept.setdefault(bed, {})[name] = found[name].tolist()
            if given.keep:
                given.keep.write_text(json.dumps(kept))
        print_orders(found)


def recall(graph: PageGraph, bed_topic: BedTopic, spec: str) -> list[list[float]]:
    """Recall by page and by site at each point."""
    name, *options = spec.split()
    strategy = make_strategy(name, random.Random(1), **dict(option.split("=") for option in options))
    visits = simulate(graph, bed_topic.topic, strategy, POINTS[-1], bed_topic.excluded)
    return list(recall_of(graph, bed_topic, visits))


def recall_of(graph: PageGraph, bed_topic: BedTopic, visits: Visits) -> tuple[list[float], list[float]]:
    """Recall by page and by site of a crawl."""
    never = POINTS[-1] + 1
    by_page: dict[object, int] = {}
    by_site: dict[str, int] = {}
    for i, (url, final_url, page) in enumerate(
        zip(visits.urls, visits.final_urls, visits.pages, strict=True), 1
    ):
        by_page.setdefault(url, i)
        by_page.setdefault(page, i)
        by_site.setdefault(host_of(url), i)
        by_site.setdefault(host_of(final_url), i)
    targets = [(parse(url) or url, graph.outcome(url)) for url in bed_topic.targets]
    pages = [min(by_page.get(url, never), by_page.get(page, never)) for url, page in targets]
    sites = [by_site.get(host, never) for host in {host_of(url) for url, _ in targets}]
    return share(pages), share(sites)


def share(found_at: list[int]) -> list[float]:
    """Share found within each of the points."""
    return [sum(at <= n for at in found_at) / len(found_at) for n in POINTS]


def print_row(name: str, values: Values, reference: tuple[float, ...] | None) -> None:
    """One line of the table, and one with the reference."""
    means, errors = values.mean(axis=0), values.std(axis=0, ddof=1) / len(values) ** 0.5
    pages = [f"{m:.3f} ±{e:.3f}" for m, e in zip(means[0], errors[0], strict=True)]
    sites = [f"{m:.3f}" for m in means[1]]
    print(f"| {name} | {' | '.join(pages)} | | {' | '.join(sites)} |", flush=True)
    if reference:
        differences = [
            f"{theirs:.3f} ({ours - theirs:+.3f})" for ours, theirs in zip(means[0], reference, strict=False)
        ]
        print(f"| *reference* | {' | '.join(differences)} |", flush=True)


def print_orders(found: dict[str, Values]) -> None:
    """Does the first of each pair find more than the second?"""
    print(
        "\n| order | " + " | ".join(f"difference, p at {n:,}" for n in POINTS[1:]),
        "|\n|" + "---|" * len(POINTS),
    )
    for better, worse, source in ORDERS:
        if better in found and worse in found:
            cells = []
            for i in range(1, len(POINTS)):
                ours, theirs = found[better][:, 0, i], found[worse][:, 0, i]
                p = ttest_rel(ours, theirs, alternative="greater").pvalue
                cells.append(f"{(ours - theirs).mean():+.3f}, {p:.3f}")
            print(f"| {better} > {worse} ({source}) | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
