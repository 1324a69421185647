"""The story of a search as a person reads it: how fitness grew, what the weights are worth (R130–R132)."""

from __future__ import annotations

from collections.abc import Sequence

from bizcrawl.strategies.rank_weights import BEST_FIRST, PAPER, RankWeights
from testbed.evolve.comparison import MEASURES, Row, mean, paired_tests
from testbed.evolve.search import Generation
from testbed.plots import curve_svg
from testbed.report.writing import cell, number, p_value
from testbed.results import Point

STRATEGIES = ("evolved", "best-first", "paper")
_SPLITS = {"train": "Topics of the search", "test": "Topics held back"}


def growth_svg(history: Sequence[Generation]) -> str:
    """Best and mean fitness by generation, as an SVG picture that stands alone."""
    curves = {
        "best": [Point(one.number, one.best, 0.0, 0) for one in history],
        "mean": [Point(one.number, one.mean, 0.0, 0) for one in history],
    }
    svg = curve_svg(curves, "Fitness of the population", "fitness", ("best", "mean"), x_label="generation")
    return svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1) if "xmlns=" not in svg else svg


def report_markdown(weights: RankWeights, rows: Sequence[Row], measures: Sequence[str] = MEASURES) -> str:
    """Where weights came from, they themselves, means and paired tests, as Markdown.

    What they were bred for is tested, and harvest; p-values are one-tailed.
    """
    lines = ["# Evolved rank weights", "", *_origin(weights), "", *_weights_table(weights), ""]
    tested = tuple(dict.fromkeys((str(weights.origin.get("fitness", "harvest")), "harvest")))
    for split, title in _SPLITS.items():
        topics = {row.topic for row in rows if row.split == split}
        if topics:
            lines += [f"## {title} ({len(topics)})", "", *_means_table(rows, split, measures), ""]
            lines += ["One-tailed tests of the evolved weights against the others, paired by topic:", ""]
            lines += [*_tests_table(rows, split, tested), ""]
    return "\n".join(lines)


def _origin(weights: RankWeights) -> list[str]:
    said = {
        name: ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        for name, value in weights.origin.items()
    }
    return [f"- {cell(name)}: {cell(value)}" for name, value in said.items()]


def _weights_table(weights: RankWeights) -> list[str]:
    names = dict.fromkeys((*weights.by_score, *PAPER.by_score))
    head = ["| score | evolved | paper | best-first |", "| --- | ---: | ---: | ---: |"]
    columns = (weights.normalised(), PAPER, BEST_FIRST)
    rows = [
        f"| {name} | " + " | ".join(f"{column.by_score.get(name, 0.0):.4f}" for column in columns) + " |"
        for name in names
    ]
    return [*head, *rows]


def _means_table(rows: Sequence[Row], split: str, measures: Sequence[str]) -> list[str]:
    lengths = sorted({row.pages for row in rows})
    head = [
        "| measure | pages | " + " | ".join(STRATEGIES) + " |",
        "| --- | ---: | " + " | ".join("---:" for _ in STRATEGIES) + " |",
    ]
    body = [
        f"| {measure} | {pages:,} | "
        + " | ".join(f"{number(mean(rows, name, measure, pages, split), 4)}" for name in STRATEGIES)
        + " |"
        for measure in measures
        for pages in lengths
    ]
    return [*head, *body]


def _tests_table(rows: Sequence[Row], split: str, measures: Sequence[str]) -> list[str]:
    lengths = sorted({row.pages for row in rows})
    head = [
        "| measure | against | pages | difference | 95 % interval | paired p | Wilcoxon p | wins |",
        "| --- | --- | ---: | ---: | --- | ---: | ---: | --- |",
    ]
    body = [
        f"| {measure} | {one.worse} | {pages:,} | {one.difference:+.4f} | "
        f"{number(one.low, 4)} to {number(one.high, 4)} | {p_value(one.paired_p)} | "
        f"{p_value(one.wilcoxon_p)} | {one.wins} of {one.topics} |"
        for measure in measures
        for pages in lengths
        for one in paired_tests(rows, measure, pages, split)
    ]
    return [*head, *body]
