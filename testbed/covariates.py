"""What makes a topic hard: properties of topics, and how far recall goes with them.

Means over topics hide that a crawler may do well on popular topics only (Srinivasan, Pant and Menczer, "A
general evaluation framework for topical crawlers", 2005). So each property of a topic is set beside the
recall of each strategy, by Spearman's rank correlation over topics.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import duckdb
import numpy as np
from scipy import stats

from testbed.statistics import holm

LEAST_TOPICS = 5
"""With fewer topics a rank correlation says nothing."""
QUARTILES = (0.25, 0.5, 0.75)
MEANINGS = {
    "targets": "targets in the record",
    "popularity": "pages of other hosts that link to a target, mean over targets",
    "cohesion": "links from target to target, per target",
    "distance": "links from the seeds to a target, mean over those that can be reached",
    "reachable": "share of the targets that can be reached from the seeds",
}
"""What each property of a topic is."""
_PROPERTIES = """
WITH found AS (SELECT topic, page, host, distance FROM targets WHERE web = $web AND page IS NOT NULL),
    citing AS (
        SELECT f.topic, f.page, count(*) AS pages FROM found f
        JOIN page_links l ON l.web = $web AND l.target = f.page
        JOIN web_pages p ON p.web = $web AND p.page = l.page AND p.host <> f.host GROUP BY ALL),
    within AS (
        SELECT a.topic, count(*) AS links FROM found a
        JOIN page_links l ON l.web = $web AND l.page = a.page
        JOIN found b ON b.topic = a.topic AND b.page = l.target AND b.page <> a.page GROUP BY ALL)
SELECT f.topic, count(*), sum(coalesce(c.pages, 0)) / count(*), coalesce(any_value(w.links), 0) / count(*),
    avg(f.distance), count(f.distance) / count(*)
FROM found f LEFT JOIN citing c USING (topic, page) LEFT JOIN within w USING (topic) GROUP BY f.topic
"""


@dataclass(frozen=True, slots=True)
class Correlation:
    """How far a strategy's values go with a property of topics."""

    rho: float
    """Spearman's rank correlation, -1 to 1; NaN if either is the same for all topics."""
    holm_p: float
    """Two-tailed p-value, corrected for all correlations of the table."""


@dataclass(frozen=True, slots=True)
class Covariate:
    """A property of topics beside what strategies reach on them."""

    name: str
    meaning: str
    quartiles: tuple[float, ...]
    """Of the property, over topics."""
    correlations: Mapping[str, Correlation]
    """By strategy."""


def properties_of(con: duckdb.DuckDBPyConnection, web: str) -> dict[str, dict[str, float]]:
    """Value by property and topic, of topics with a target in the record."""
    found: dict[str, dict[str, float]] = {name: {} for name in MEANINGS}
    for topic, *values in con.execute(_PROPERTIES, {"web": web}).fetchall():
        for name, value in zip(MEANINGS, values, strict=True):
            if value is not None:
                found[name][topic] = float(value)
    return found


def covariates(
    properties: Mapping[str, Mapping[str, float]], values: Mapping[str, Mapping[str, float]]
) -> list[Covariate]:
    """Correlate properties of topics (name, topic) with values (strategy, topic). Strategies that were run on
    too few topics are left out.
    """
    compared = {
        strategy: reached
        for strategy, reached in values.items()
        if all(len(of_topic.keys() & reached.keys()) >= LEAST_TOPICS for of_topic in properties.values())
    }
    if not compared:
        return []
    made = {
        (name, strategy): _spearman(of_topic, reached)
        for name, of_topic in properties.items()
        for strategy, reached in compared.items()
    }
    corrected = dict(zip(made, holm([p for _, p in made.values()]), strict=True))
    return [
        Covariate(
            name,
            MEANINGS[name],
            tuple(np.quantile(list(of_topic.values()), QUARTILES).tolist()),
            {one: Correlation(made[name, one][0], corrected[name, one]) for one in compared},
        )
        for name, of_topic in properties.items()
    ]


def _spearman(first: Mapping[str, float], second: Mapping[str, float]) -> tuple[float, float]:
    """Correlation and p-value over the topics that both have; NaN and 1 if either is constant."""
    topics = sorted(first.keys() & second.keys())
    a, b = [first[topic] for topic in topics], [second[topic] for topic in topics]
    if len(set(a)) == 1 or len(set(b)) == 1:
        return float("nan"), 1.0
    found = stats.spearmanr(a, b)
    return float(found.statistic), float(found.pvalue)
