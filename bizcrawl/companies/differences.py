"""What is new since last time: companies that appeared, vanished, lost their rank, moved or were renamed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
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
    former = _former_of(before, now)
    found: list[Difference] = []
    for company in now:
        old = former.get(company.company)
        if _is_near_top(company, top) or (old is not None and _is_near_top(old, top)):
            found += _changes(company, old)
    followed = {old.company for old in former.values()}
    absent = [old for old in before if old.company not in followed and _is_near_top(old, top)]
    found += [_absence(old, unreached, at_home) for old in absent]
    order = {change: at for at, change in enumerate(Change)}
    return sorted(found, key=lambda entry: (order[entry.change], entry.rank or 0, entry.company))


def _is_near_top(company: Company, top: int | None) -> bool:
    """Whether a company is one of the first `top`; so are all that have no rank, such as the known."""
    return top is None or company.rank is None or company.rank <= top


def _former_of(before: Sequence[Company], now: Sequence[Company]) -> dict[str, Company]:
    """What each company that was there last time was then, by its key now; by its sites, then by its name."""
    by_domain = {domain: company for company in before for domain in company.domains}
    by_name = _by_name(before, now)
    former = {}
    for company in now:
        by_site = next((by_domain[d] for d in company.domains if d in by_domain), None)
        if (old := by_site or by_name.get(company.company)) is not None:
            former[company.company] = old
    return former


def _changes(company: Company, old: Company | None) -> Iterator[Difference]:
    """How a company that is there now differs from what it was; `old` is None if it was not there."""
    key, name, rank = company.company, company.name, company.rank
    if old is None:
        yield Difference(Change.APPEARED, key, name, "", rank)
        return
    if old.company != key:
        yield Difference(Change.MOVED, key, name, old.company, rank)
    if similarity(old.name, name) < SAME:
        yield Difference(Change.RENAMED, key, name, old.name, rank)


def _absence(old: Company, unreached: Collection[str], at_home: Collection[str]) -> Difference:
    """What became of a company that is not there any more."""
    if old.company in unreached:
        change = Change.UNREACHED
    else:
        change = Change.UNRANKED if old.company in at_home else Change.VANISHED
    return Difference(change, old.company, old.name, old.company, old.rank)


def _by_name(before: Sequence[Company], now: Sequence[Company]) -> dict[str, Company]:
    """Last time's company by the key of the one that has its name now."""
    records = [Record(f"-{c.company}", c.name, c.country) for c in before]
    records += [Record(f"+{c.company}", c.name, c.country) for c in now]
    mains = resolve(records)
    old = {mains[f"-{c.company}"]: c for c in reversed(before)}
    return {c.company: old[mains[f"+{c.company}"]] for c in now if mains[f"+{c.company}"] in old}
