"""What a report says, worked out from the measurements; how it looks is the templates' business."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import duckdb

from testbed.covariates import Covariate, covariates, properties_of
from testbed.experiment import BOUNDS
from testbed.measures import Measure
from testbed.measures.table import MEASURES
from testbed.measuring import measure_runs
from testbed.plots import curve_svg
from testbed.results import Effort, Point, by_mean, comparisons, curves, efforts, per_topic, webs
from testbed.single_run import ORACLE
from testbed.statistics import Comparison, standard_error
from testbed.topic_table import load_topics

TESTED = ("recall", "precision", "site_recall")
CLAIMED_ORDER = ("hub-seeking", "dom", "best-first", "breadth-first")
"""R48: each is claimed to be better than those after it."""
CHECKPOINTS = (50, 100, 250, 500, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000)
TABLE_POINTS = (100, 500, 1_000, 2_000, 3_000, 5_000, 10_000)


@dataclass(frozen=True, slots=True)
class Row:
    """A strategy's line in a table."""

    strategy: str
    bound: bool
    points: list[Point]
    """One for each column; NaN where nothing was measured."""
    gap_closed: float | None = None
    """(this - hub-seeking) / (oracle - hub-seeking) at the last N: how much of what is left to win was won.
    """


@dataclass(frozen=True, slots=True)
class Section:
    """One measure."""

    measure: Measure
    rows: list[Row]
    columns: list[int]
    svg: str


@dataclass(frozen=True, slots=True)
class Tests:
    """Comparisons by one measure after N pages."""

    measure: Measure
    n: int
    comparisons: list[Comparison]


@dataclass(frozen=True, slots=True)
class WebReport:
    """Everything about one web."""

    web: str
    digest: str
    pages: int
    topics: int
    budget: int
    sections: list[Section]
    tests: list[Tests]
    efforts: list[Effort]
    groups: list[tuple[str, int, list[Row]]] = field(default_factory=list)
    """Recall of topics that stand apart: name, number of topics, rows."""
    covariates: list[Covariate] = field(default_factory=list)
    """Properties of topics beside recall at the last N; none for few topics."""
    buffer_svg: str = ""
    """Relative cost against the size of the frontier, if strategies were run at several."""


def report_of(con: duckdb.DuckDBPyConnection, *, measure: bool = True) -> list[WebReport]:
    """A report on every web of a bed's database. Raises ExperimentError if nothing was run yet."""
    return [_web(con, web, measure) for web in webs(con)]


def _web(con: duckdb.DuckDBPyConnection, web: str, measure: bool) -> WebReport:
    budget: int
    topics: int
    digest: str
    pages: int
    budget, topics = _one(con, "SELECT max(pages), count(DISTINCT topic) FROM runs WHERE web = ?", web)
    digest, pages = _one(con, "SELECT digest, pages FROM webs WHERE web = ?", web)
    checkpoints = [n for n in CHECKPOINTS if n < budget] + [budget]
    if measure:
        measure_runs(con, web, MEASURES.values(), checkpoints)
    columns = [n for n in TABLE_POINTS if n < budget] + [budget]
    sections = [
        _section(measure, found, columns)
        for name, measure in MEASURES.items()
        if (found := curves(con, web, name))
    ]
    tests = [_tests(con, web, MEASURES[name], n) for name in TESTED for n in columns[-3:]]
    return WebReport(
        web,
        digest,
        pages,
        topics,
        budget,
        sections,
        [test for test in tests if test.comparisons],
        efforts(con, web),
        _groups(con, web, columns),
        covariates(properties_of(con, web), per_topic(con, web, "recall", budget)),
        _buffers(con, web, budget),
    )


def _section(measure: Measure, found: Mapping[str, list[Point]], columns: Sequence[int]) -> Section:
    order = by_mean(found, higher_is_better=measure.higher_is_better)
    shown = [name for name in order if not (name == ORACLE and measure.name == "lift")]
    svg = curve_svg(found, measure.name.replace("_", " "), measure.name.replace("_", " "), shown)
    return Section(measure, _rows(found, order, columns), list(columns), svg)


def _rows(found: Mapping[str, list[Point]], order: Sequence[str], columns: Sequence[int]) -> list[Row]:
    at = {name: {point.n: point for point in points} for name, points in found.items()}
    last = {name: points[columns[-1]].mean for name, points in at.items() if columns[-1] in points}
    hub, best = last.get("hub-seeking"), last.get(ORACLE)
    rows = []
    for name in order:
        gap = None
        # a strategy that was run for fewer pages than others has nothing at the last N to compare
        if name in last and hub is not None and best is not None and best != hub:
            gap = (last[name] - hub) / (best - hub)
        points = [at[name].get(n) or Point(n, math.nan, math.nan, 0) for n in columns]
        rows.append(Row(name, name in BOUNDS, points, gap))
    return rows


def _tests(con: duckdb.DuckDBPyConnection, web: str, measure: Measure, n: int) -> Tests:
    values = per_topic(con, web, measure.name, n)
    order = [name for name in CLAIMED_ORDER if name in values]
    pairs = list(pairwise(order))
    if len(order) > 2:
        pairs += [(order[0], name) for name in order[2:]]
    # everything else against the best of the papers that was run
    others = [name for name in values if name not in CLAIMED_ORDER and name not in BOUNDS]
    pairs += [(name, best) for name in others for best in order[:1]]
    return Tests(measure, n, comparisons(values, pairs, higher_is_better=measure.higher_is_better))


def _groups(
    con: duckdb.DuckDBPyConnection, web: str, columns: Sequence[int]
) -> list[tuple[str, int, list[Row]]]:
    """Recall over topics whose seeds lie on several hosts, and on one: hub scores are zero on the latter
    (R29).
    """
    run = {
        topic for (topic,) in con.execute("SELECT DISTINCT topic FROM runs WHERE web = ?", [web]).fetchall()
    }
    hosts = {topic.name: len(topic.topic.seed_hosts) for topic in load_topics(con) if topic.name in run}
    several = [name for name, count in hosts.items() if count > 1]
    one = [name for name, count in hosts.items() if count == 1]
    if not (several and one):
        return []
    groups = []
    for title, names in (("seeds on several hosts", several), ("all seeds on one host", one)):
        found: dict[str, list[Point]] = {}
        for n in columns:
            for strategy, values in per_topic(con, web, "recall", n, names).items():
                numbers = list(values.values())
                mean = sum(numbers) / len(numbers)
                point = Point(n, mean, standard_error(numbers), len(numbers))
                found.setdefault(strategy, []).append(point)
        groups.append((title, len(names), _rows(found, by_mean(found), columns)))
    return groups


def _buffers(con: duckdb.DuckDBPyConnection, web: str, budget: int) -> str:
    """Cost against buffer size (R91), for strategies that were run at more than one size."""
    sized: dict[str, list[Point]] = {}
    for strategy, values in per_topic(con, web, "relative_cost", budget).items():
        name, _, options = strategy.partition(":")
        parts = dict(option.split("=", 1) for option in options.split("+") if "=" in option)
        if size := parts.pop("max_frontier", ""):
            numbers = list(values.values())
            label = ":".join(filter(None, (name, "+".join(f"{k}={v}" for k, v in parts.items()))))
            point = Point(int(size), sum(numbers) / len(numbers), standard_error(numbers), len(numbers))
            sized.setdefault(label, []).append(point)
    several = {name: sorted(points, key=lambda p: p.n) for name, points in sized.items() if len(points) > 1}
    if not several:
        return ""
    return curve_svg(several, "cost against buffer size", "relative cost", x_label="URLs in the frontier")


def _one(con: duckdb.DuckDBPyConnection, query: str, web: str) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = con.execute(query, [web]).fetchone()
    assert row is not None
    return row
