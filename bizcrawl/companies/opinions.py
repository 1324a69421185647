"""What the analyst says of companies, and what follows for the ranking and for a crawl that goes on.

An opinion is given on one company and holds for all of its sites. It is also a call to the crawl's strategy:
written down among the other calls, it is replayed with them (docs/decisions/a-verdict-is-a-call.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable


class Judgement(StrEnum):
    """What can be said of a company; the values stand in `calls.kind`."""

    ACCEPT = "accept"
    REJECT = "reject"
    WITHDRAW = "withdraw"
    """What was said before does not hold any more."""

    @property
    def verdict(self) -> str | None:
        """As `companies.verdict` has it; None: nothing is said."""
        return None if self is Judgement.WITHDRAW else f"{self}ed"

    @property
    def done(self) -> str:
        """In a word, of a company of which it was said."""
        return self.verdict or "withdrawn"


@dataclass(frozen=True, slots=True)
class Opinion:
    """One judgement on one company."""

    judgement: Judgement
    company: str
    """Key of its main site."""
    others: Sequence[str] = ()
    """Keys of its other sites."""
    note: str = ""
    """Why, in the analyst's words; for people to read."""

    @property
    def accepted(self) -> bool:
        """Whether the company is in the business."""
        return self.judgement is Judgement.ACCEPT

    @property
    def rejected(self) -> bool:
        """Whether the company is not in the business."""
        return self.judgement is Judgement.REJECT

    @property
    def sites(self) -> frozenset[str]:
        """All that it holds for."""
        return frozenset((self.company, *self.others))


@runtime_checkable
class Judged(Protocol):
    """A strategy that heeds the analyst."""

    def judge(self, opinion: Opinion) -> None:
        """Learn what the analyst says of a company; like any call it may come at any time after `start`."""
        ...


@dataclass(frozen=True, slots=True)
class Opinions:
    """Everything that the analyst has said so far, by key of site."""

    accepted: frozenset[str] = frozenset()
    """In the business: they work as seeds."""
    rejected: frozenset[str] = frozenset()
    """Not in it: not ranked, and their word counts for nothing."""
    mains: Mapping[str, str] = field(default_factory=dict)
    """Main site of each second one that an opinion holds for."""

    def __or__(self, opinion: Opinion) -> Opinions:
        """With one more opinion; the last one on a company counts."""
        sites = opinion.sites
        mains = {site: main for site, main in self.mains.items() if site not in sites}
        if opinion.judgement is not Judgement.WITHDRAW:
            mains.update((site, opinion.company) for site in sites if site != opinion.company)
        return Opinions(
            self.accepted | sites if opinion.accepted else self.accepted - sites,
            self.rejected | sites if opinion.rejected else self.rejected - sites,
            mains,
        )

    def moved(self, new_key: Mapping[str, str]) -> Opinions:
        """The same of sites that have moved since; `new_key` holds those that have."""
        if not new_key:
            return self

        def now(sites: frozenset[str]) -> frozenset[str]:
            return frozenset(new_key.get(site, site) for site in sites)

        mains = {new_key.get(key, key): new_key.get(main, main) for key, main in self.mains.items()}
        return Opinions(
            now(self.accepted),
            now(self.rejected),
            {key: main for key, main in mains.items() if key != main},
        )


NO_OPINIONS = Opinions()
