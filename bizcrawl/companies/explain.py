"""A rank taken apart: which kinds of evidence made it, and page by page what was found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bizcrawl.companies.name_similarity import CANDIDATE, similarity
from bizcrawl.companies.names import parse_name
from bizcrawl.companies.ranking import points_sql
from bizcrawl.companies.site_keys import site_meant
from bizcrawl.errors import WrongUse

Rows = Callable[[str, Sequence[object]], list[tuple[Any, ...]]]
"""Asks a collection: SQL and its parameters to rows. `Reader.rows` is one."""

SHOWN_CHOICES = 5
SAME_BUT_FOR_SPELLING = 0.97
"""Names so alike are one: words in another order, plurals, what is abbreviated."""


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
    is_seed: bool
    verdict: str | None
    """What the analyst said: accepted or rejected."""
    verdict_note: str | None
    """Why, in the analyst's words."""
    score: float
    kind: str
    """What its site is held to be: company, unknown, unseen or, if not ranked, another verdict."""
    kind_reasons: tuple[str, ...]
    """The signs that settled it, strongest first; none if it was ranked before these were kept."""
    parts: tuple[Part, ...]
    """Largest effect first; they add up to the score."""
    findings: tuple[Finding, ...]


def question_of(command: str) -> str:
    """What a collection was made to answer, from the command that made it: competitors, companies, partners
    or acquisitions. A plain crawl is read as a search for competitors.
    """
    head, _, asked = command.partition(" ")
    return asked if head == "discover" and asked else "competitors"


def explain(rows: Rows, company: str) -> Explanation:
    """Take the rank of a company of a collection apart, or what keeps a site that was met from having one.

    Raises `WrongUse` if the collection holds no such company, or does not take the site for one.
    """
    try:
        key = Named(rows).key_of(company)
    except WrongUse:
        met = _unranked_site(rows, company)
        if met is None:
            raise
        key = met
    ((command,),) = rows("SELECT command FROM crawls ORDER BY crawl DESC LIMIT 1", ())
    parts = rows(
        f'SELECT kind, points, strength, "rows" FROM ({points_sql(question_of(command))}) '  # noqa: S608
        "WHERE company = ? ORDER BY abs(points) DESC, kind",
        (key,),
    )
    held_to_be, signs = _verdict(rows, key)
    unranked = (key, "", None, False, None, None, sum(points for _, points, *_ in parts), held_to_be)
    (about,) = rows(
        "SELECT name, home_page, rank, is_seed, verdict, verdict_note, score, kind FROM companies "
        "WHERE company = ?",
        (key,),
    ) or [unranked]
    findings = rows(
        "SELECT kind, weight, page, link, snippet FROM evidence WHERE company = ? "
        "ORDER BY kind, weight DESC, page",
        (key,),
    )
    name, home_page, rank, is_seed, verdict, verdict_note, score, kind = about
    return Explanation(
        company=key,
        name=name,
        home_page=home_page,
        rank=rank,
        is_seed=is_seed,
        verdict=verdict,
        verdict_note=verdict_note,
        score=score,
        kind=kind,
        kind_reasons=signs,
        parts=tuple(Part(*part) for part in parts),
        findings=tuple(Finding(*finding) for finding in findings),
    )


def _unranked_site(rows: Rows, text: str) -> str | None:
    """Key of a site that was weighed and found wanting; None if it was not weighed.

    Raises `WrongUse` for a site that is held to be no company.
    """
    key = site_meant(text.strip())
    if key is None or rows("SELECT 1 FROM evidence WHERE company = ? LIMIT 1", (key,)):
        return key
    verdict, signs = _verdict(rows, key)
    if verdict:
        why = f" ({'; '.join(signs)})" if signs else ""
        raise WrongUse(f"{text!r}: not ranked, for its site is held to be: {verdict}{why}")
    return None


def _verdict(rows: Rows, site: str) -> tuple[str, tuple[str, ...]]:
    """What a site is held to be, and why; "" if nobody has said."""
    found = rows(
        "SELECT verdict, verdict_reasons FROM hosts WHERE domain = split_part($1, '/', 1) "
        "OR host IN ($1, 'www.' || $1) ORDER BY host NOT IN ($1, 'www.' || $1), pages DESC LIMIT 1",
        (site,),
    )
    verdict, signs = found[0] if found else (None, None)
    return verdict or "", tuple(signs or ())


class Named:
    """The companies of a collection by what users call them. Asked for once, however many are looked up."""

    def __init__(self, rows: Rows) -> None:
        self._known = rows("SELECT company, name, domains, rank FROM companies ORDER BY rank NULLS FIRST", ())
        self._by_site: dict[str, str] = {}
        for key, _, domains, _ in self._known:
            for site in (key, *domains):
                self._by_site.setdefault(site, key)

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[str, str]]]:
        """Key and name of companies, by the name as it is compared, without its spaces."""
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for key, name, _, _ in self._known:
            found[_joined(name)].append((key, name))
        return found

    def key_of(self, text: str) -> str:
        """Key of the company that is meant by a domain, a URL, a name or a rank such as ``#3``.

        Raises `WrongUse` if there is none, or if several may be meant.
        """
        wanted = text.strip()
        if wanted.startswith("#") and wanted[1:].isdigit():
            for key, _, _, rank in self._known:
                if rank == int(wanted[1:]):
                    return str(key)
        for site in (site_meant(wanted), wanted.lower()):
            if site in self._by_site:
                return self._by_site[site]
        same, near = self._by_name.get(_joined(wanted), []), []
        if not same:  # only now, for comparing with every name takes its time
            close = sorted(
                ((similarity(wanted, name), key, name) for key, name, *_ in self._known), reverse=True
            )
            same = [(key, name) for alike, key, name in close if alike >= SAME_BUT_FOR_SPELLING]
            near = [(key, name) for alike, key, name in close[:SHOWN_CHOICES] if alike >= CANDIDATE / 2]
        if len(same) == 1:
            return same[0][0]
        if like := same or near:
            choices = ", ".join(f"{name} ({key})" for key, name in like[:SHOWN_CHOICES])
            raise WrongUse(f"{text!r}: which company is meant? The nearest are {choices}")
        raise WrongUse(
            f"{text!r}: the collection has no such company; give a name, a domain or a rank such as '#3'"
        )


def _joined(name: str) -> str:
    return parse_name(name).key.replace(" ", "")
