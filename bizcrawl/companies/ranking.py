"""The rank of companies, computed from rows of evidence in SQL and taken apart again.

The score of a company is a sum over kinds of evidence: points of the kind times the kind's strength.
Strengths of one kind are summed over pages and hubs and dampened by a logarithm, so that the tenth list says
less than the first. How the points were chosen, and what they reach, is in docs/companies.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import duckdb
import pyarrow as pa

from bizcrawl.companies.data import lines
from bizcrawl.companies.evidence import Evidence
from bizcrawl.companies.evidence_kinds import EvidenceKind
from bizcrawl.companies.questions import COMPETITORS


@dataclass(frozen=True, slots=True)
class Kind:
    """How much a kind of evidence counts."""

    kind: EvidenceKind
    points: float
    """Points of strength 1 (of the logarithm of 2, if dampened)."""
    scale: float
    """Dampening: points * ln(1 + scale * strength) / ln(1 + scale); 0: points * strength."""


@cache
def weights(question: str = COMPETITORS) -> tuple[Kind, ...]:
    """The kinds of evidence as weighed for a question: competitors, companies, partners or acquisitions.

    Raises ValueError for another one.
    """
    rows = [line.split("\t") for line in lines("weights.tsv")]
    found = tuple(
        Kind(EvidenceKind(kind), float(points), float(scale))
        for of, kind, points, scale in rows
        if of == question
    )
    if not found:
        raise ValueError(
            f"no weights for {question!r}; there are {', '.join(sorted({row[0] for row in rows}))}"
        )
    return found


def points_sql(question: str = COMPETITORS) -> str:
    """SELECT that gives (company, kind, strength, rows, points) from a table `evidence(company, kind,
    weight)`."""
    values = ", ".join(f"('{k.kind}', {k.points!r}, {k.scale!r})" for k in weights(question))
    return f"""
SELECT e.company, e.kind, sum(e.weight) AS strength, count(*) AS "rows",
    any_value(k.points) * CASE WHEN any_value(k.scale) > 0
        THEN ln(1 + any_value(k.scale) * sum(e.weight)) / ln(1 + any_value(k.scale))
        ELSE sum(e.weight) END AS points
FROM evidence e JOIN (VALUES {values}) AS k(kind, points, scale) ON k.kind = e.kind
GROUP BY e.company, e.kind"""  # noqa: S608 - numbers and names come from the package's own table


def scores_sql(question: str = COMPETITORS) -> str:
    """SELECT that gives (company, score) from a table `evidence(company, kind, weight)`."""
    return f"SELECT company, sum(points) AS score FROM ({points_sql(question)}) GROUP BY company"  # noqa: S608


def scores(evidence: Sequence[Evidence], question: str = COMPETITORS) -> dict[str, float]:
    """Score of every company with evidence, computed by `scores_sql`."""
    table = pa.table(
        {
            "company": pa.array([row.company for row in evidence], pa.string()),
            "kind": pa.array([row.kind for row in evidence], pa.string()),
            "weight": pa.array([row.weight for row in evidence], pa.float64()),
        }
    )
    with _database().cursor() as connection:
        connection.register("evidence", table)
        return {
            str(company): float(score) for company, score in connection.sql(scores_sql(question)).fetchall()
        }


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """A database in memory for the sums: to open one takes longer than they do, and a crawl asks often. What
    a cursor of it registers no other one sees."""
    return duckdb.connect(config={"threads": 1})
