"""How good the ranked companies are, on a recorded business web: precision, share found, non-companies,
doubles.

    python tests/bench/companies.py [--pages 300,1000,3000] [--seeds 10] [--share 0.5] [--strategy apprentice]
                                    [--half chosen|held-out|all] [--every K] [--bed ../shared/beds/bizweb]
                                    [--wrong FILE]

A ranked company is right when the bed's companies.jsonl.gz gives it the topic's business; neither the crawl
nor the analysis sees that file. Seeds are left out of the ranking and of what is to be found. Weights were
chosen on the even topics (0, 2, 4, …: "chosen"); the odd ones ("held-out") were not looked at. Each topic is
crawled once, to the largest number of pages, and ranked after each of the numbers given: a crawl does not
know where it will end. With `--seeds 0` no company is known and the crawl begins at pages about the keywords,
as `discover companies` does. Prints one line a topic, then means. `--wrong` writes down the wrong rows.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from math import sqrt
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bizcrawl.cli.starting import MAX_START_PAGES  # noqa: E402
from bizcrawl.companies.assess import Assessment, assess  # noqa: E402
from bizcrawl.companies.evidence import by_company  # noqa: E402
from bizcrawl.companies.evidence_kinds import EvidenceKind  # noqa: E402
from bizcrawl.companies.facts import PageFacts, facts_of_page  # noqa: E402
from bizcrawl.companies.site_keys import site_of  # noqa: E402
from bizcrawl.companies.suggestions import Suggestions  # noqa: E402
from bizcrawl.companies.verdicts import dead_sites  # noqa: E402
from bizcrawl.discover import DEFAULT_STRATEGY, VERIFY_SHARE, pages_of_company  # noqa: E402
from bizcrawl.page import Page  # noqa: E402
from bizcrawl.reasons import Reason  # noqa: E402
from bizcrawl.relevance.keywords import derive_keywords  # noqa: E402
from bizcrawl.strategies import Gate, ScoredLink, Strategy  # noqa: E402
from bizcrawl.strategies.table import make_strategy  # noqa: E402
from bizcrawl.strategies.verifying import Verifying  # noqa: E402
from bizcrawl.topic import Topic  # noqa: E402
from contexts.vectors import cosine  # noqa: E402
from testbed.pagegraph import PageGraph  # noqa: E402
from testbed.pagegraph_folder import open_graph  # noqa: E402
from testbed.simulate import simulate  # noqa: E402
from testbed.topics import BedTopic, read_topics  # noqa: E402

MEASURES = (
    "P@10",
    "P@20",
    "share@50",
    "no company@20",
    "doubles@50",
    "plain text P@10",
    "P@20",
    "weighed text P@10",
    "P@20 ",
    "found",
)


@dataclass(frozen=True, slots=True)
class Truth:
    """Who is in which business."""

    company: dict[str, int]
    """Number of the company by site."""
    business: list[str | None]
    """Business of each company."""


class Recording:
    """A strategy that also keeps the failures and, unless suggestions do, the facts of pages, as a crawl
    does."""

    def __init__(self, within: Strategy, suggestions: Suggestions | None) -> None:
        self.within = within
        self.own: list[PageFacts] = []
        self.suggestions = suggestions
        self.failures: list[tuple[int, str, Reason]] = []
        """After how many pages, and what failed."""

    @property
    def facts(self) -> Sequence[PageFacts]:
        """Facts of the pages visited."""
        return self.own if self.suggestions is None else self.suggestions.pages

    def start(self, topic: Topic) -> None:
        """See `Strategy`."""
        self.within.start(topic)

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        """See `Strategy`."""
        return self.within.next(n, gate)

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        """See `Strategy`."""
        if self.suggestions is None:
            self.own.append(facts_of_page(page))
        return self.within.visit(page)

    def fail(self, url: str, reason: Reason) -> None:
        """See `Strategy`."""
        self.failures.append((len(self.facts), url, reason))
        self.within.fail(url, reason)

    def __len__(self) -> int:
        return len(self.within)


def main() -> None:
    """Crawl and rank every topic."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bed", type=Path, default=ROOT.parent / "shared" / "beds" / "bizweb")
    parser.add_argument("--pages", default="3000", help="one or several numbers, with commas between")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--share", type=float, default=VERIFY_SHARE, help="of the budget for suggestions")
    parser.add_argument("--strategy", default=DEFAULT_STRATEGY)
    parser.add_argument("--half", choices=("all", "chosen", "held-out"), default="all")
    parser.add_argument(
        "--derived", action="store_true", help="keywords from the seeds' pages, as for one who gives none"
    )
    parser.add_argument("--every", type=int, default=1, help="take every K-th of the topics only")
    parser.add_argument("--page-cap", type=int, default=None, help="bytes")
    parser.add_argument("--wrong", type=Path, default=None, help="where to write what is wrong")
    given = parser.parse_args()
    marks = sorted({int(pages) for pages in given.pages.split(",")})
    truth = read_truth(given.bed / "companies.jsonl.gz")
    graph = open_graph(given.bed / "web.warc.gz", page_cap_bytes=given.page_cap)
    topics = read_topics(given.bed / "topics.jsonl")
    numbered = list(enumerate(topics))
    if given.half != "all":
        numbered = [entry for entry in numbered if entry[0] % 2 == (given.half == "held-out")]
    rows: dict[int, list[list[float]]] = {mark: [] for mark in marks}
    print("| pages | topic | " + " | ".join(MEASURES) + " | CPU s |")
    print("|---" * (len(MEASURES) + 3) + "|")
    for _, topic in numbered[:: given.every]:
        started = time.process_time()
        if given.derived:
            topic = with_derived_keywords(graph, topic, given.seeds)
        harvest = crawled(graph, topic, marks[-1], given.seeds, given.share, given.strategy)
        for mark in marks:
            assessment, row = measured(harvest, mark, truth)
            rows[mark].append([*row, time.process_time() - started])
            print(f"| {mark} | {topic.name[-48:]} | {cells(rows[mark][-1])} |", flush=True)
            if given.wrong is not None:
                with given.wrong.open("a") as file:
                    file.writelines(wrong_rows(assessment, harvest.topic, truth, mark))
    for mark, found in rows.items():
        means = [sum(column) / len(found) for column in zip(*found, strict=True)]
        print(f"| {mark} | **mean of {len(found)}** | {cells(means)} |")


def cells(values: Sequence[float]) -> str:
    """Values as cells of a table."""
    return " | ".join(f"{value:.3f}" for value in values)


def read_truth(path: Path) -> Truth:
    """Read companies.jsonl.gz."""
    company: dict[str, int] = {}
    business: list[str | None] = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            record = json.loads(line)
            business.append(record["business"])
            for host in record["hosts"]:
                company[site_of(f"http://{host}/")] = number
    return Truth(company, business)


@dataclass(frozen=True, slots=True)
class Harvest:
    """What a crawl of one topic met."""

    topic: Topic
    facts: Sequence[PageFacts]
    failures: Sequence[tuple[int, str, Reason]]


def with_derived_keywords(graph: PageGraph, bed_topic: BedTopic, seeds: int) -> BedTopic:
    """A topic with the keywords that discovery finds on the sites of its first seeds."""

    async def visit(url: str) -> Page | None:
        outcome = graph.outcome(url)
        return None if isinstance(outcome, Reason) else graph.page(outcome, url)

    async def read() -> list[list[PageFacts]]:
        homes = [await visit(seed) for seed in bed_topic.topic.seeds[:seeds]]
        return [await pages_of_company(home, visit) for home in homes if home is not None]

    keywords = derive_keywords(asyncio.run(read()))
    return replace(bed_topic, topic=replace(bed_topic.topic, keywords=keywords))


def crawled(
    graph: PageGraph, bed_topic: BedTopic, pages: int, seeds: int, share: float, strategy: str
) -> Harvest:
    """Crawl one topic."""
    topic = replace(bed_topic.topic, seeds=bed_topic.topic.seeds[:seeds])
    if not seeds:
        similar = zip(graph.page_similarities(topic.query), range(len(graph)), strict=True)
        best = nlargest(MAX_START_PAGES, similar)
        topic = replace(topic, hubs=tuple(graph.final_url(page) for _, page in best))
    within = make_strategy(strategy, random.Random(1))
    suggestions = Suggestions(topic) if share else None
    if suggestions is not None:
        within = Verifying(within, suggestions, share)
    crawl = Recording(within, suggestions)
    simulate(graph, topic, crawl, pages, bed_topic.excluded)
    return Harvest(topic, crawl.facts, crawl.failures)


def measured(harvest: Harvest, pages: int, truth: Truth) -> tuple[Assessment, list[float]]:
    """Rank the companies after so many pages, and compare with the truth."""
    facts = harvest.facts[:pages]
    failures = [(url, reason) for at, url, reason in harvest.failures if at < pages]
    assessment = assess(facts, harvest.topic, dead=dead_sites(failures))
    return assessment, figures(assessment, harvest.topic, truth, plain_order(facts, harvest.topic))


def wrong_rows(assessment: Assessment, topic: Topic, truth: Truth, pages: int) -> Iterator[str]:
    """A line for each row among the first 20 that is wrong, and for each double among the first 50."""
    parts = by_company(assessment.evidence)
    seen = {truth.company.get(site_of(seed)) for seed in topic.seeds} - {None}
    for place, company in enumerate(assessment.ranked[:50], 1):
        number = truth.company.get(company.company)
        business = None if number is None else truth.business[number]
        what = "DOUBLE" if number in seen else "NO COMPANY" if number is None else business
        seen |= {number} - {None}
        if what == "DOUBLE" or (place <= 20 and business != topic.name):
            reasons = " ".join(f"{row.kind}={row.weight:.2f}" for row in parts.get(company.company, ()))
            yield (
                f"{pages} {topic.name} #{place} {company.company} {company.name!r} {company.kind} "
                f"score={company.score} is {what}: {reasons}\n"
            )


def plain_order(facts: Sequence[PageFacts], topic: Topic) -> list[str]:
    """Sites met by the plain cosine of their text with the mean of the seeds' texts: text similarity
    alone."""
    counts: dict[str, Counter[str]] = {}
    for page in facts:
        words = counts.setdefault(site_of(page.final_url), Counter())
        words.update(dict(zip(page.stems, page.counts, strict=True)))
    seeds = {site_of(seed) for seed in topic.seeds}
    mean: Counter[str] = Counter()
    for seed in seeds & counts.keys():
        length = sqrt(sum(n * n for n in counts[seed].values())) or 1.0
        mean.update({stem: n / length for stem, n in counts[seed].items()})
    return sorted(counts.keys() - seeds, key=lambda key: (-cosine(counts[key], mean), key))


def figures(assessment: Assessment, topic: Topic, truth: Truth, plain: Sequence[str]) -> list[float]:
    """The measures, in the order of `MEASURES`."""
    given = {truth.company.get(site_of(seed)) for seed in topic.seeds} - {None}
    wanted = {n for n, business in enumerate(truth.business) if business == topic.name} - given
    order = [company.company for company in assessment.ranked]
    by_text = {row.company: row.weight for row in assessment.evidence if row.kind == EvidenceKind.SIMILAR}
    weighed = sorted(order, key=lambda key: -by_text.get(key, 0.0))
    numbers = [truth.company.get(key) for key in order]
    seen = [n for n in numbers[:50] if n is not None]
    met = {truth.company.get(key) for key in assessment.verdicts}
    return [
        precision(order, wanted, truth, 10),
        precision(order, wanted, truth, 20),
        len(wanted.intersection(seen)) / len(wanted),
        sum(n is None for n in numbers[:20]) / 20,
        float(len(seen) - len(set(seen)) + len(given.intersection(seen))),
        precision(plain, wanted, truth, 10),
        precision(plain, wanted, truth, 20),
        precision(weighed, wanted, truth, 10),
        precision(weighed, wanted, truth, 20),
        len(wanted & met) / len(wanted),
    ]


def precision(order: Sequence[str], wanted: set[int], truth: Truth, n: int) -> float:
    """Share of the first n that are right; a company that comes twice is right once."""
    return len({truth.company.get(key) for key in order[:n]} & wanted) / n


if __name__ == "__main__":
    main()
