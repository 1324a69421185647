"""Whether a predicate holds for one page, and what decides, as ``bizcrawl context`` tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bizcrawl.relevance.predicates import COLUMNS, Predicate, SqlPredicate

_SHOWN_CHARS = 100


@dataclass(frozen=True, slots=True)
class PredicateReport:
    """What a predicate says of a page."""

    holds: bool
    parts: Mapping[str, bool | float | str | None]
    """See `SqlPredicate.parts`; none of a function of one's own."""
    row: Mapping[str, object]
    """The page as the predicate sees it."""


def report_on(predicate: Predicate, row: Mapping[str, object]) -> PredicateReport:
    """Ask a predicate about a page. Raises `BadPredicate`."""
    parts = predicate.parts(row) if isinstance(predicate, SqlPredicate) else {}
    return PredicateReport(predicate(row), parts, {name: row.get(name) for name in COLUMNS})


def lines_of(report: PredicateReport) -> Iterator[str]:
    """The report for a screen: the answer, each part with its value, the page."""
    yield f"the predicate {'holds' if report.holds else 'does not hold'}"
    for part, value in report.parts.items():
        yield f"  {_shown(value):>5}  {part}"
    yield "it sees: " + ", ".join(f"{name} {_shown(value)}" for name, value in report.row.items())


def _shown(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.3f}"
        case str() if len(value) > _SHOWN_CHARS:
            return f"{value[:_SHOWN_CHARS]!r} … ({len(value):,} characters)"
        case _:
            return repr(value)
