"""Companies that a repeated crawl did not come to, and of which it therefore knows nothing new."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from bizcrawl.companies.assess import Company
from bizcrawl.companies.sites import site_of


def unreached(
    companies: Sequence[Company], former: duckdb.DuckDBPyConnection, renewed: duckdb.DuckDBPyConnection
) -> set[str]:
    """Keys of former companies that may be as before, for all that the later crawl can say.

    It asked for none of their sites, and not for all pages of which the former collection's evidence says
    that they list them. `former` and `renewed` are collections.
    """
    rows = renewed.execute(
        "SELECT url FROM calls WHERE kind IN ('visit', 'fail') UNION SELECT final_url FROM pages"
    ).fetchall()
    asked = {str(url) for (url,) in rows}
    sites = {site_of(url) for url in asked}
    listed = former.execute(
        "SELECT company, list(DISTINCT page) FROM evidence "
        "WHERE kind IN ('listed', 'partnered') GROUP BY company"
    ).fetchall()
    lists_asked = {str(company) for company, pages in listed if asked.issuperset(pages)}
    return {
        company.company
        for company in companies
        if company.company not in lists_asked and sites.isdisjoint(company.domains)
    }
