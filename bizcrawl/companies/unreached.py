"""Companies that a repeated crawl does not name, though they may well be there: either the crawl did not
reach them, or it found their sites and nothing speaks for them any more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import duckdb

from bizcrawl.companies.assess import Company
from bizcrawl.companies.evidence_kinds import EvidenceKind
from bizcrawl.companies.site_keys import site_of
from bizcrawl.companies.site_kinds import SiteKind


def listing_pages(former: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """By company of a collection: the pages of which its evidence says that they list it."""
    rows = former.execute(
        "SELECT company, list(DISTINCT page) FROM evidence WHERE kind IN (?, ?) GROUP BY company",
        [EvidenceKind.LISTED, EvidenceKind.PARTNERED],
    ).fetchall()
    return dict(rows)


def unreached(
    companies: Sequence[Company],
    listed: Mapping[str, Collection[str]],
    renewed: duckdb.DuckDBPyConnection,
) -> set[str]:
    """Keys of former companies that may be as before, for all that the later crawl can say.

    It asked for none of their sites, and not for all pages on which they were `listed`; see `listing_pages`.
    `renewed` is its collection.
    """
    rows = renewed.execute(
        "SELECT url FROM calls WHERE kind IN ('visit', 'fail') UNION SELECT final_url FROM pages"
    ).fetchall()
    asked = {str(url) for (url,) in rows}
    sites = {site_of(url) for url in asked}
    lists_asked = {company for company, pages in listed.items() if asked.issuperset(pages)}
    return {
        company.company
        for company in companies
        if company.company not in lists_asked and sites.isdisjoint(company.domains)
    }


def at_home(companies: Sequence[Company], renewed: duckdb.DuckDBPyConnection) -> set[str]:
    """Keys of former companies whose sites the later crawl visited and found inhabited."""
    rows = renewed.execute(
        "SELECT company FROM evidence WHERE kind = ? "
        "UNION SELECT domain FROM hosts WHERE pages > 0 AND verdict NOT IN (?, ?)",
        [EvidenceKind.SMALL, SiteKind.PARKED, SiteKind.DEAD],
    ).fetchall()
    inhabited = {str(site) for (site,) in rows}
    return {company.company for company in companies if not inhabited.isdisjoint(company.domains)}
