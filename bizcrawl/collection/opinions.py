"""What the analyst says of companies, as the collection keeps it: a call of the crawl, and the verdict that
stands beside the company until the next one.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import duckdb

from bizcrawl.collection.opening import CollectionError
from bizcrawl.collection.rows import CallRow
from bizcrawl.companies.opinions import Judgement, Opinion, Opinions
from bizcrawl.companies.site_kinds import SiteKind

_JUDGEMENTS = frozenset(Judgement)

_SET = """
INSERT INTO companies (company, name, home_page, domains, country, description, kind, is_seed, score, why,
    first_seen, last_seen, verdict, verdict_note)
VALUES ($company, $company, '', $domains, '', '', $kind, false, 0, '', $now, $now, $verdict, $note)
ON CONFLICT (company) DO UPDATE SET verdict = excluded.verdict, verdict_note = excluded.verdict_note
"""

KEEP_VERDICTS = """
UPDATE companies SET verdict = former.verdict, verdict_note = former.verdict_note FROM former
WHERE former.verdict IS NOT NULL AND list_contains(companies.domains, former.company);
UPDATE companies SET verdict = former.verdict, verdict_note = former.verdict_note FROM former
WHERE former.verdict IS NOT NULL AND companies.company = former.company;
INSERT INTO companies SELECT * REPLACE (NULL AS rank, false AS is_seed) FROM former
WHERE verdict IS NOT NULL AND company NOT IN (SELECT unnest(list_append(domains, company)) FROM companies);
"""
"""After companies were written anew: verdicts follow a company to its new main site, and one on a company
that is not there any more stays. ``former`` holds the companies as they were."""


def call_of(opinion: Opinion, at_s: float) -> CallRow:
    """The call that an opinion is."""
    given, note = tuple(opinion.others), opinion.note
    return CallRow(opinion.judgement, opinion.company, given=given, detail=note, at_s=at_s)


def opinion_of(kind: str, url: str, given: Iterable[str], note: str) -> Opinion | None:
    """The opinion that a recorded call is; None if it is some other call."""
    if kind not in _JUDGEMENTS:
        return None
    return Opinion(Judgement(kind), url, tuple(given), note)


def set_verdicts(con: duckdb.DuckDBPyConnection, calls: Iterable[CallRow], now: datetime) -> None:
    """Store the verdicts among some calls with their companies, also with one that was not met before; a
    verdict that was withdrawn is removed.
    """
    for call in calls:
        opinion = opinion_of(call.kind, call.url, call.given, call.detail)
        if opinion is not None:
            values = {
                "company": opinion.company,
                "domains": [opinion.company, *opinion.others],
                "kind": SiteKind.UNSEEN,
                "now": now,
                "verdict": opinion.judgement.verdict,
                "note": opinion.note or None,
            }
            con.execute(_SET, values)


def opinions_kept(con: duckdb.DuckDBPyConnection) -> list[Opinion]:
    """The verdicts that stand, by company. Raises `CollectionError` for one that bizcrawl did not write."""
    rows = con.execute(
        "SELECT company, domains, verdict, coalesce(verdict_note, '') FROM companies "
        "WHERE verdict IS NOT NULL ORDER BY company"
    ).fetchall()
    judgements = {judgement.verdict: judgement for judgement in (Judgement.ACCEPT, Judgement.REJECT)}
    if unknown := next((row for row in rows if row[2] not in judgements), None):
        raise CollectionError(
            f"the verdict on {unknown[0]} is {unknown[2]!r}, and `companies.verdict` can be accepted, "
            "rejected or NULL"
        )
    return [
        Opinion(judgements[verdict], company, tuple(domain for domain in domains if domain != company), note)
        for company, domains, verdict, note in rows
    ]


def opinions_in(con: duckdb.DuckDBPyConnection) -> Opinions:
    """The verdicts that stand, all together."""
    opinions = Opinions()
    for opinion in opinions_kept(con):
        opinions |= opinion
    return opinions
