"""A rank taken apart: which kinds of evidence made it, and page by page what was found."""

from __future__ import annotations

from dataclasses import dataclass

from bizcrawl.companies.named import Named, Rows
from bizcrawl.companies.questions import question_of
from bizcrawl.companies.ranking import points_sql
from bizcrawl.companies.site_keys import site_meant
from bizcrawl.errors import WrongUse


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
    parts = _parts(rows, key)
    held_to_be, signs = _held_to_be(rows, key)
    unranked = (key, "", None, False, None, None, sum(part.points for part in parts), held_to_be)
    ((name, home_page, rank, is_seed, verdict, verdict_note, score, kind),) = rows(
        "SELECT name, home_page, rank, is_seed, verdict, verdict_note, score, kind FROM companies "
        "WHERE company = ?",
        (key,),
    ) or [unranked]
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
        parts=parts,
        findings=_findings(rows, key),
    )


def _parts(rows: Rows, key: str) -> tuple[Part, ...]:
    """What each kind of evidence adds to a score, for the question of the last run."""
    asked = rows("SELECT command FROM crawls ORDER BY crawl DESC LIMIT 1", ())
    if not asked:
        raise WrongUse(
            "the collection holds no crawl, so that nobody knows what its companies are ranked for"
        )
    ((command,),) = asked
    found = rows(
        f'SELECT kind, points, strength, "rows" FROM ({points_sql(question_of(command))}) '  # noqa: S608
        "WHERE company = ? ORDER BY abs(points) DESC, kind",
        (key,),
    )
    return tuple(Part(*part) for part in found)


def _findings(rows: Rows, key: str) -> tuple[Finding, ...]:
    found = rows(
        "SELECT kind, weight, page, link, snippet FROM evidence WHERE company = ? "
        "ORDER BY kind, weight DESC, page",
        (key,),
    )
    return tuple(Finding(*finding) for finding in found)


def _unranked_site(rows: Rows, text: str) -> str | None:
    """Key of a site that was weighed and found wanting; None if it was not weighed.

    Raises `WrongUse` for a site that is held to be no company.
    """
    key = site_meant(text.strip())
    if key is None or rows("SELECT 1 FROM evidence WHERE company = ? LIMIT 1", (key,)):
        return key
    held_to_be, signs = _held_to_be(rows, key)
    if held_to_be:
        why = f" ({'; '.join(signs)})" if signs else ""
        raise WrongUse(f"{text!r}: not ranked, for its site is held to be: {held_to_be}{why}")
    return None


def _held_to_be(rows: Rows, site: str) -> tuple[str, tuple[str, ...]]:
    """What a site is held to be, and why; "" if nobody has said."""
    found = rows(
        "SELECT verdict, verdict_reasons FROM hosts WHERE domain = split_part($1, '/', 1) "
        "OR host IN ($1, 'www.' || $1) ORDER BY host NOT IN ($1, 'www.' || $1), pages DESC LIMIT 1",
        (site,),
    )
    kind, signs = found[0] if found else (None, None)
    return kind or "", tuple(signs or ())
