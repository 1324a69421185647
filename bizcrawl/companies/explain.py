"""A rank taken apart: which kinds of evidence made it, and page by page what was found."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from bizcrawl.companies.name_similarity import CANDIDATE, similarity
from bizcrawl.companies.names import parse_name
from bizcrawl.companies.ranking import points_sql
from bizcrawl.errors import WrongUse

SHOWN_CHOICES = 5


@dataclass(frozen=True, slots=True)
class Part:
    """What one kind of evidence adds to a score."""

    kind: str
    points: float
    strength: float
    rows: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One row of evidence, as it was found."""

    kind: str
    weight: float
    page: str
    link: str
    snippet: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a company ranks where it does."""

    company: str
    name: str
    home_page: str
    rank: int | None
    score: float
    kind: str
    parts: tuple[Part, ...]
    """Largest effect first; they add up to the score."""
    findings: tuple[Finding, ...]


def explain(con: duckdb.DuckDBPyConnection, company: str, question: str = "competitors") -> Explanation:
    """Take the rank of a company of a collection apart. Raises `WrongUse` if it holds no such company."""
    key = find_company(con, company)
    row = con.execute(
        "SELECT name, home_page, rank, score, kind FROM companies WHERE company = ?", [key]
    ).fetchone()
    assert row is not None
    parts = con.execute(
        f'SELECT kind, points, strength, "rows" FROM ({points_sql(question)}) WHERE company = ? '  # noqa: S608
        "ORDER BY abs(points) DESC, kind",
        [key],
    ).fetchall()
    findings = con.execute(
        "SELECT kind, weight, page, link, snippet FROM evidence WHERE company = ? "
        "ORDER BY kind, weight DESC, page",
        [key],
    ).fetchall()
    name, home_page, rank, score, kind = row
    return Explanation(
        company=key,
        name=name,
        home_page=home_page,
        rank=rank,
        score=score,
        kind=kind,
        parts=tuple(Part(*part) for part in parts),
        findings=tuple(Finding(*finding) for finding in findings),
    )


def find_company(con: duckdb.DuckDBPyConnection, text: str) -> str:
    """Key of the company that a user means by a domain, a URL, a name or a rank such as ``#3``."""
    rows = con.execute(
        "SELECT company, name, domains, rank FROM companies ORDER BY rank NULLS FIRST"
    ).fetchall()
    wanted = text.strip()
    if wanted.startswith("#") and wanted[1:].isdigit():
        ranked = [key for key, _, _, rank in rows if rank == int(wanted[1:])]
        if ranked:
            return str(ranked[0])
    bare = wanted.split("://")[-1].strip("/").lower().removeprefix("www.")
    for key, _, domains, _ in rows:
        if bare in {key, *domains} or bare.endswith(f".{key}"):
            return str(key)
    close = sorted(((similarity(wanted, name), str(key), name) for key, name, _, _ in rows), reverse=True)
    same = [
        entry for entry in close if entry[0] >= 0.97 or parse_name(entry[2]).key == parse_name(wanted).key
    ]
    if len(same) == 1:
        return same[0][1]
    like = same or [entry for entry in close[:SHOWN_CHOICES] if entry[0] >= CANDIDATE / 2]
    if like:
        choices = ", ".join(f"{name} ({key})" for _, key, name in like[:SHOWN_CHOICES])
        raise WrongUse(f"{text!r}: which company is meant? The nearest are {choices}")
    raise WrongUse(
        f"{text!r}: the collection has no such company; give a name, a domain or a rank such as '#3'"
    )
