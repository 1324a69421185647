"""The companies of a collection: facts of its pages, what follows from them, and the answer written back.

Facts are made anew from the stored tag trees, so the same few lines serve the end of a crawl, an analyst's
verdict a month later, and a collection that was merged from others.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import duckdb

from bizcrawl.collection.rows import CompanyRow, EvidenceRow
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.assess import Assessment, Opinions, assess
from bizcrawl.companies.facts import PageFacts, facts_of
from bizcrawl.topic import Topic
from contexts.links import links
from contexts.stored import from_bytes

PAGES_PER_FETCH = 64


def assess_collection(collection: Collection, topic: Topic, question: str = "competitors") -> Assessment:
    """Judge and rank the companies of a collection, and put them in place of the former ones.

    `question` is competitors, partners or acquisitions. The analyst's verdicts are read from the collection.
    """
    with closing(collection.cursor()) as con:
        assessment = assess(
            stored_facts(con), topic, opinions_in(con), dead=hosts_without_pages(con), question=question
        )
    collection.replace_companies(
        [
            CompanyRow(
                company=c.company,
                name=c.name,
                home_page=c.home_page,
                domains=c.domains,
                country=c.country,
                description=c.description,
                kind=c.kind,
                is_seed=c.is_seed,
                rank=c.rank,
                score=c.score,
                why=c.why,
            )
            for c in assessment.companies
        ],
        [EvidenceRow(e.company, e.kind, e.weight, e.page, e.link, e.snippet) for e in assessment.evidence],
    )
    return assessment


def stored_facts(con: duckdb.DuckDBPyConnection) -> Iterator[PageFacts]:
    """Facts of all pages of a collection, in the order in which they were visited."""
    with closing(con.cursor()) as cursor:
        cursor.execute(
            "SELECT p.url, p.final_url, t.tree FROM pages p JOIN trees t USING (page) ORDER BY p.page"
        )
        while rows := cursor.fetchmany(PAGES_PER_FETCH):
            for url, final_url, stored in rows:
                tree = from_bytes(stored)
                yield facts_of(url, final_url, tree, links(tree, final_url))


def opinions_in(con: duckdb.DuckDBPyConnection) -> Opinions:
    """The analyst's verdicts."""
    rows = con.execute("SELECT company, verdict FROM companies WHERE verdict IS NOT NULL").fetchall()
    return Opinions(
        accepted=frozenset(company for company, verdict in rows if verdict == "accepted"),
        rejected=frozenset(company for company, verdict in rows if verdict == "rejected"),
    )


def hosts_without_pages(con: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """Hosts that were asked and gave no page at all."""
    rows = con.execute(
        "SELECT DISTINCT regexp_extract(url, '^https?://([^/:?#]+)', 1) FROM decisions "
        "WHERE reason IN ('dns', 'connection', 'timeout', 'tls', 'not_recorded', 'http_error') "
        "EXCEPT SELECT host FROM pages"
    ).fetchall()
    return frozenset(row[0] for row in rows)
