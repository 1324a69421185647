"""The story of a search as a person reads it: how fitness grew, what the weights are worth (R130–R132)."""

from __future__ import annotations

from collections.abc import Sequence

from bizcrawl.strategies.rank_weights import BEST_FIRST, PAPER, RankWeights
from testbed.evolve.comparison import MEASURES, Row, mean, paired_tests
from testbed.evolve.search import Generation
from testbed.plots import curve_svg
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
    """Weights, means and paired tests as Markdown."""
    lines = ["# Evolved rank weights", "", *_weights_table(weights), ""]
    for split, title in _SPLITS.items():
        topics = {row.topic for row in rows if row.split == split}
        if topics:
            lines += [f"## {title} ({len(topics)})", "", *_means_table(rows, split, measures), ""]
            lines += [*_tests_table(rows, split), ""]
    return "\n".join(lines)


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
        + " | ".join(f"{mean(rows, name, measure, pages, split):.4f}" for name in STRATEGIES)
        + " |"
        for measure in measures
        for pages in lengths
    ]
    return [*head, *body]


def _tests_table(rows: Sequence[Row], split: str) -> list[str]:
    lengths = sorted({row.pages for row in rows})
    head = [
        "| against | pages | harvest differs by | 95 % interval | paired p, one-tailed | Wilcoxon p | wins |",
        "| --- | ---: | ---: | --- | ---: | ---: | --- |",
    ]
    body = [
        f"| {one.worse} | {pages:,} | {one.difference:+.4f} | {one.low:+.4f} to {one.high:+.4f} | "
        f"{one.paired_p:.3f} | {one.wilcoxon_p:.3f} | {one.wins} of {one.topics} |"
        for pages in lengths
        for one in paired_tests(rows, "harvest", pages, split)
    ]
    return [*head, *body]
