"""Measured values as tables: per topic first, averages over topics from them (R45)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from testbed.experiment import BOUNDS, ExperimentError
from testbed.measures.table import measure_named
from testbed.statistics import Comparison, compare, holm, standard_error

MISSING_SHARE = 0.05
"""A crawl that chose more links than this outside the record is flagged: the record does not know what it
would have found."""

_BY_TOPIC = """
SELECT strategy, n, topic, value FROM topic_values
WHERE web = $web AND measure = $measure AND ($n IS NULL OR n = $n) ORDER BY ALL
"""


@dataclass(frozen=True, slots=True)
class Point:
    """A measure's mean over topics after N pages."""

    n: int
    mean: float
    error: float
    """±1 standard error over topics."""
    topics: int


@dataclass(frozen=True, slots=True)
class Effort:
    """What a strategy's crawls chose and what the record could not answer."""

    strategy: str
    topics: int
    visited: float
    """Mean number of pages per crawl."""
    missing: float
    """Share of the chosen links that the record does not hold."""
    cpu_ms: float
    """Processor time of the strategy per page."""

    @property
    def flagged(self) -> bool:
        """Whether the record is too small for this strategy."""
        return self.missing > MISSING_SHARE


def per_topic(
    con: duckdb.DuckDBPyConnection, web: str, measure: str, n: int, topics: Sequence[str] | None = None
) -> dict[str, dict[str, float]]:
    """Value by strategy and topic after N pages, averaged over repeats."""
    rows = con.execute(_BY_TOPIC, {"web": web, "measure": measure, "n": n}).fetchall()
    values: dict[str, dict[str, float]] = {}
    for strategy, _, topic, value in rows:
        if topics is None or topic in topics:
            values.setdefault(strategy, {})[topic] = value
    return values


def curves(con: duckdb.DuckDBPyConnection, web: str, measure: str) -> dict[str, list[Point]]:
    """A measure against N, by strategy."""
    rows = con.execute(_BY_TOPIC, {"web": web, "measure": measure, "n": None}).fetchall()
    at: dict[tuple[str, int], list[float]] = {}
    for strategy, n, _, value in rows:
        at.setdefault((strategy, n), []).append(value)
    found: dict[str, list[Point]] = {}
    by_topic = measure_named(measure).by_topic
    for (strategy, n), values in at.items():
        mean = sum(values) / len(values)
        error = standard_error(values) if by_topic else float("nan")
        found.setdefault(strategy, []).append(Point(n, mean, error, len(values)))
    return found


def efforts(con: duckdb.DuckDBPyConnection, web: str) -> list[Effort]:
    """What each strategy chose, by name."""
    rows = con.execute(
        """
        SELECT strategy, count(DISTINCT topic), avg(visited), sum(missing) / greatest(sum(chosen), 1),
               1000 * sum(cpu_s) / greatest(sum(visited), 1)
        FROM runs WHERE web = ? GROUP BY strategy ORDER BY strategy
        """,
        [web],
    ).fetchall()
    return [Effort(*row) for row in rows]


def comparisons(
    values: Mapping[str, Mapping[str, float]],
    pairs: Sequence[tuple[str, str]],
    *,
    higher_is_better: bool = True,
) -> list[Comparison]:
    """Compare pairs (better, worse) of strategies that have values, Holm's correction over all of them."""
    made = [
        compare(better, worse, values[better], values[worse], higher_is_better=higher_is_better)
        for better, worse in pairs
        if better in values and worse in values
    ]
    return [replace(one, holm_p=p) for one, p in zip(made, holm([one.paired_p for one in made]), strict=True)]


def by_mean(points: Mapping[str, Sequence[Point]], *, higher_is_better: bool = True) -> list[str]:
    """Strategies, the best at the last N first, then those that did not go so far; the bounds after all
    others.
    """
    last = max((of_strategy[-1].n for of_strategy in points.values()), default=0)

    def order(strategy: str) -> tuple[bool, bool, float]:
        point = points[strategy][-1]
        return strategy in BOUNDS, point.n < last, -point.mean if higher_is_better else point.mean

    return sorted(points, key=order)


def webs(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Webs on which runs were made. Raises ExperimentError if there are none."""
    try:
        found = [web for (web,) in con.execute("SELECT DISTINCT web FROM runs ORDER BY web").fetchall()]
    except duckdb.CatalogException:
        found = []
    if not found:
        raise ExperimentError(
            f"{_name(con)}: no runs in this file yet; make some with 'bizcrawl testbed run'"
        )
    return found


def _name(con: duckdb.DuckDBPyConnection) -> str:
    """File name of a database."""
    row = con.execute(
        "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"
    ).fetchone()
    return Path(row[0]).name if row and row[0] else "the bed"
