"""What is new since last time: companies that appeared, vanished, lost their rank, moved or were renamed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bizcrawl.companies.assess import Company
from bizcrawl.companies.name_similarity import SAME, similarity
from bizcrawl.companies.resolve import Record, resolve


class Change(StrEnum):
    """How a company differs from last time."""

    APPEARED = "appeared"
    VANISHED = "vanished"
    UNRANKED = "unranked"
    """Its site is there, and nothing speaks for it any more."""
    MOVED = "moved"
    RENAMED = "renamed"
    UNREACHED = "unreached"
    """The crawl ended before it came to it."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One change of one company."""

    change: Change
    company: str
    """Key of its site now; last time's if it is absent now."""
    name: str
    before: str
    """Site or name last time; "" if it appeared."""
    rank: int | None
    """Rank now; last time's if it is absent now."""


def differences(
    before: Sequence[Company],
    now: Sequence[Company],
    top: int | None = None,
    unreached: Collection[str] = (),
    at_home: Collection[str] = (),
) -> list[Difference]:
    """Compare two answers; a company is followed by its sites, then by its name.

    `unreached` and `at_home` are keys of former companies that didn't vanish if they are absent now; see
    `bizcrawl.companies.unreached`. With `top`, companies that rank lower on both sides are left out. Order:
    by change, then by rank.
    """
    found = []
    matched: set[str] = set()
    by_domain = {domain: company for company in before for domain in company.domains}
    by_name = _by_name(before, now)
    for company in now:
        old = next((by_domain[d] for d in company.domains if d in by_domain), None) or by_name.get(
            company.company
        )
        if old is None:
            found.append(Difference(Change.APPEARED, company.company, company.name, "", company.rank))
            continue
        matched.add(old.company)
        if old.company != company.company:
            found.append(Difference(Change.MOVED, company.company, company.name, old.company, company.rank))
        if similarity(old.name, company.name) < SAME:
            found.append(Difference(Change.RENAMED, company.company, company.name, old.name, company.rank))

    def absence(key: str) -> Change:
        return (
            Change.UNREACHED if key in unreached else Change.UNRANKED if key in at_home else Change.VANISHED
        )

    found += [
        Difference(
            absence(old.company),
            old.company,
            old.name,
            old.company,
            old.rank,
        )
        for old in before
        if old.company not in matched
    ]
    if top is not None:
        found = [entry for entry in found if entry.rank is None or entry.rank <= top]
    order = {change: at for at, change in enumerate(Change)}
    return sorted(found, key=lambda entry: (order[entry.change], entry.rank or 0, entry.company))


def _by_name(before: Sequence[Company], now: Sequence[Company]) -> dict[str, Company]:
    """Last time's company by the key of the one that has its name now."""
    records = [Record(f"-{c.company}", c.name, c.country) for c in before]
    records += [Record(f"+{c.company}", c.name, c.country) for c in now]
    mains = resolve(records)
    old = {mains[f"-{c.company}"]: c for c in reversed(before)}
    return {c.company: old[mains[f"+{c.company}"]] for c in now if mains[f"+{c.company}"] in old}
