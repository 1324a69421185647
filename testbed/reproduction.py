"""Holds the papers' comparative claims against what was run, and writes down how they fared.

A claim counts as reproduced if the order of means is the paper's for every pair, and, where the paper
claims significance, if a paired one-tailed t-test agrees at the paper's level, .05 if it names none. Claims
of no difference count as reproduced if neither direction is significant. A small bed has little power: 46
topics show effects of d ≥ 0.37 four times out of five (A19), so the effect and its interval stand beside
every verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import duckdb

from bizcrawl.collection.replacing import write_text
from testbed.claims import CLAIMS, Claim, name_and_kind
from testbed.measures.table import MEASURES
from testbed.measuring import measure_runs
from testbed.report.writing import environment
from testbed.results import per_topic, webs
from testbed.statistics import Comparison, compare, untested

SIGNIFICANT = 0.05
EARLY_SHARE = 0.1
WEB_SHARE = 1 / 8
"""Claims are judged after at most this share of a web's pages: later the end of the web decides, not the
strategy. The papers' crawls saw a vanishing part of theirs. Figures for all pages that were crawled stand
beside it."""


class Verdict(StrEnum):
    """How a claim fared on a bed."""

    REPRODUCED = "reproduced"
    IN_PART = "in part"
    NOT_REPRODUCED = "not reproduced"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Ground:
    """The runs of one bed's database on one web."""

    name: str
    """bizweb, webkb, …: the name of the database up to the first hyphen."""
    kind: str
    """plain, augmented, examples or neighbours: the name's part after the hyphen."""
    con: duckdb.DuckDBPyConnection
    web: str

    @property
    def pages(self) -> int:
        """Pages of the web."""
        row = self.con.execute("SELECT pages FROM webs WHERE web = ?", [self.web]).fetchone()
        return int(row[0]) if row else 0

    def values(self, measure: str, strategy: str, n: int) -> Mapping[str, float]:
        """Value by topic."""
        return per_topic(self.con, self.web, measure, n).get(strategy, {})

    def budget(self, strategies: Sequence[str]) -> int:
        """The largest number of pages that all of some strategies were run for; 0 if one was not run."""
        rows = self.con.execute(
            "SELECT strategy, max(pages) FROM runs WHERE web = ? GROUP BY strategy", [self.web]
        ).fetchall()
        budgets = dict(rows)
        return min((budgets.get(name, 0) for name in strategies), default=0)


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim held against one bed."""

    claim: Claim
    bed: str
    n: int
    comparisons: tuple[Comparison, ...]
    verdict: Verdict
    budget: int = 0
    """Pages that were crawled in all."""
    at_budget: tuple[Comparison, ...] = ()
    """The same comparisons after all of them, if that is more than `n`."""


def findings(grounds: Sequence[Ground], claims: Sequence[Claim] = CLAIMS) -> list[Finding]:
    """Every claim that a bed can be asked, held against every bed, on each web on which it was crawled."""
    found = []
    for claim in claims:
        if claim.why_not:
            continue
        for bed in dict.fromkeys(ground.name for ground in grounds):
            pairs = _grounds(claim, [ground for ground in grounds if ground.name == bed])
            if not pairs:
                found.append(Finding(claim, bed, 0, (), Verdict.NOT_RUN))
            for first, second in pairs:
                name = bed if len(pairs) == 1 else f"{bed} ({first.web})"
                found.append(_finding(claim, name, first, second))
    return found


def write_reproduction(beds: Mapping[Path, duckdb.DuckDBPyConnection], path: Path) -> list[Finding]:
    """Measure the beds' databases and write the table of claims as Markdown.

    Their files' names say which bed and which kind each is. Raises ExperimentError for a bed without runs.
    """
    grounds: list[Ground] = []
    for bed, con in beds.items():
        grounds += [Ground(*name_and_kind(bed), con, web) for web in webs(con)]
    for ground in grounds:
        _measure(ground, [other for other in grounds if other.name == ground.name])
    found = findings(grounds)
    text = (
        environment()
        .get_template("reproduction.md.j2")
        .render(
            claims=CLAIMS,
            findings=found,
            tallies=_tallies(found),
            grounds=[_said(ground) for ground in grounds],
        )
    )
    write_text(path, text)
    return found


def _tallies(found: Sequence[Finding]) -> dict[str, Counter[Verdict]]:
    """How many claims had each verdict, by bed, of those that were asked."""
    tallies: dict[str, Counter[Verdict]] = {}
    for finding in filter(lambda finding: finding.comparisons, found):
        tallies.setdefault(finding.bed, Counter())[finding.verdict] += 1
    return tallies


def _grounds(claim: Claim, grounds: Sequence[Ground]) -> list[tuple[Ground, Ground]]:
    """The grounds of the better and of the worse strategy, by web; two for claims that compare beds."""
    return [
        (first, second)
        for first in grounds
        for second in grounds
        if (first.kind, second.kind) == (claim.better_on, claim.worse_on) and first.web == second.web
    ]


def _finding(claim: Claim, bed: str, first: Ground, second: Ground) -> Finding:
    missing = Finding(claim, bed, 0, (), Verdict.NOT_RUN)
    n = min(
        first.budget([better for better, _ in claim.pairs]),
        second.budget([worse for _, worse in claim.pairs]),
    )
    if not n:
        return missing
    budget, n = n, _judged_at(n, first.pages)
    if claim.early:
        budget = n = max(1, int(n * EARLY_SHARE))
    made = _compared(claim, first, second, n)
    if not made:
        return missing
    later = _compared(claim, first, second, budget) if budget > n else ()
    return Finding(claim, bed, n, made, _verdict(claim, made), budget, later)


def _judged_at(budget: int, pages: int) -> int:
    """The number of pages after which a claim is judged: round, and no more than `WEB_SHARE` of the web
    unless that is less than 500; never more than were crawled.
    """
    most = int(pages * WEB_SHARE)
    return budget if budget <= most else min(budget, max(500, most // 500 * 500))


def _compared(claim: Claim, first: Ground, second: Ground, n: int) -> tuple[Comparison, ...]:
    measure = MEASURES[claim.measure]
    begin = _begin(claim, n)
    made = (
        compare(
            better,
            worse,
            first.values(claim.measure, better, begin),
            second.values(claim.measure, worse, n),
            higher_is_better=measure.higher_is_better,
        )
        for better, worse in claim.pairs
    )
    enough = [one for one in made if one.topics > 1]
    return tuple(enough if measure.by_topic else map(untested, enough))


def _begin(claim: Claim, n: int) -> int:
    """The number of pages after which what a claim calls better is measured."""
    return max(1, int(n * claim.since)) if claim.since else n


def _verdict(claim: Claim, made: Sequence[Comparison]) -> Verdict:
    held = [_holds(claim, one) for one in made]
    if all(held):
        return Verdict.REPRODUCED
    return Verdict.IN_PART if any(held) else Verdict.NOT_REPRODUCED


def _holds(claim: Claim, one: Comparison) -> bool:
    if claim.equal:
        return SIGNIFICANT / 2 <= one.paired_p <= 1 - SIGNIFICANT / 2 or one.difference == 0
    if claim.significant:
        return one.paired_p < claim.level
    return one.difference > 0


def _measure(ground: Ground, of_bed: Sequence[Ground]) -> None:
    """Measure a ground's runs at every number of pages that a claim may be about, be it for runs of the bed's
    other kinds.
    """
    runs = "SELECT DISTINCT pages FROM runs WHERE web = ?"
    budgets = {pages for other in of_bed for (pages,) in other.con.execute(runs, [other.web]).fetchall()}
    budgets |= {_judged_at(pages, ground.pages) for pages in budgets}
    early = {max(1, int(pages * EARLY_SHARE)) for pages in budgets}
    begins = {_begin(claim, pages) for claim in CLAIMS for pages in budgets}
    names = {claim.measure for claim in CLAIMS if claim.measure}
    measure_runs(
        ground.con, ground.web, [MEASURES[name] for name in sorted(names)], sorted(budgets | early | begins)
    )


def _said(ground: Ground) -> dict[str, object]:
    row = ground.con.execute(
        """
        SELECT count(DISTINCT topic), count(DISTINCT strategy), count(*),
               list(DISTINCT pages ORDER BY pages)::VARCHAR,
               (SELECT max(share) FROM (SELECT sum(missing) / greatest(sum(chosen), 1) AS share
                                        FROM runs WHERE web = $web GROUP BY strategy))
        FROM runs WHERE web = $web
        """,
        {"web": ground.web},
    ).fetchone()
    assert row is not None
    names = ("topics", "strategies", "runs", "pages", "missing")
    return {"name": f"{ground.name} ({ground.kind})", "web": ground.web} | dict(zip(names, row, strict=True))
