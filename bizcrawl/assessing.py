"""The companies of a collection: facts of its pages, what follows from them, and the answer written back.

Facts are made anew from the stored tag trees, so the same few lines serve the end of a crawl, an analyst's
verdict a month later, and a collection that was merged from others.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

import duckdb
import pyarrow as pa

from bizcrawl.collection.arrow import text_lists, texts
from bizcrawl.collection.host_counts import count_hosts
from bizcrawl.collection.opinions import opinions_in
from bizcrawl.collection.resume import read_resumption
from bizcrawl.collection.rows import CompanyRow, EvidenceRow
from bizcrawl.collection.stored_values import reason_in
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.assess import Assessment, assess
from bizcrawl.companies.questions import COMPETITORS, question_of
from bizcrawl.companies.site_keys import site_of
from bizcrawl.companies.suggestions import Suggestions
from bizcrawl.companies.verdicts import Verdict, dead_sites
from bizcrawl.plan import Plan
from bizcrawl.reasons import Reason
from bizcrawl.stored_facts import stored_facts
from bizcrawl.topic import Topic

REFUSED = r"status (401|403|407|451)$"
"""What the detail of a failed fetch says where a server answered, but not to us."""


def assess_again(collection: Collection) -> Assessment:
    """Assess a collection for what its last run was asked: its seeds, its keywords, its question."""
    with closing(collection.cursor()) as con:
        plan = plan_of(con)
    return assess_collection(collection, plan.topic, question_of(plan.command))


def plan_of(con: duckdb.DuckDBPyConnection) -> Plan:
    """What the last run of a collection was asked to do."""
    return read_resumption(con).plan


def assess_collection(
    collection: Collection, topic: Topic, question: str = COMPETITORS, met: Suggestions | None = None
) -> Assessment:
    """Judge and rank the companies of a collection, and put them in place of the former ones.

    `question` as for `assess`. The analyst's verdicts are read from the collection. `met`, what a crawl that
    has just ended knows of its pages, spares reading them again, if the collection holds no others.
    """
    with closing(collection.cursor()) as con:
        opinions, dead, leads = opinions_in(con), dead_sites(failures_in(con)), leads_in(con)
        if met is not None and len(met.pages) == _n_pages(con):
            assessment = met.assessment(question, opinions, dead, leads)
        else:
            assessment = assess(stored_facts(con), topic, opinions, dead=dead, leads=leads, question=question)
    write_down(collection, assessment)
    collection.transact(lambda con: _write_verdicts(con, assessment.verdicts))
    return assessment


def rank_so_far(collection: Collection, met: Suggestions, question: str) -> None:
    """Rank the companies on the pages of a crawl that is running, as they would be if it ended now."""
    with closing(collection.cursor()) as con:
        # the last failures are not written down yet; the crawl can't tell which of its own are refusals
        dead = dead_sites(failures_in(con)) | (met.dead - dead_sites(failures_in(con, refused=True)))
        leads = leads_in(con)
    write_down(collection, met.assessment(question, dead=dead, leads=leads))


def _n_pages(con: duckdb.DuckDBPyConnection) -> int:
    ((found,),) = con.execute("SELECT count(*) FROM pages").fetchall()
    return int(found)


def write_down(collection: Collection, assessment: Assessment) -> None:
    """Put companies and evidence in place of the former ones."""
    collection.replace_companies(
        [
            CompanyRow(
                company=c.company,
                name=c.name,
                home_page=c.home_page,
                domains=c.domains,
                country=c.country,
                language=c.language,
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


def _write_verdicts(con: duckdb.DuckDBPyConnection, verdicts: Mapping[str, Verdict]) -> None:
    """Store with each host what its site is held to be, and why; also with hosts that have no page."""
    count_hosts(con)
    hosts = [host for (host,) in con.execute("SELECT host FROM hosts").fetchall()]
    found = [(host, verdicts.get(site_of(f"http://{host}/"))) for host in hosts]
    judged = [(host, verdict) for host, verdict in found if verdict is not None]
    table = pa.table(
        {
            "host": texts([host for host, _ in judged]),
            "verdict": texts([verdict.kind for _, verdict in judged]),
            "reasons": text_lists([verdict.reasons for _, verdict in judged]),
        }
    )
    con.register("judged", table)
    con.execute(
        "UPDATE hosts SET verdict = judged.verdict, verdict_reasons = judged.reasons "
        "FROM judged WHERE judged.host = hosts.host"
    )
    con.unregister("judged")


def failures_in(con: duckdb.DuckDBPyConnection, *, refused: bool = False) -> list[tuple[str, Reason]]:
    """URL and reason of each failed fetch that tells something about the site. A server that refuses us does
    answer, and most that refuse do so to every crawler, so refusals are left out; with `refused` only they
    are given.
    """
    rows = con.execute(
        "SELECT url, reason FROM decisions WHERE (reason = ? AND regexp_matches(detail, ?)) = ?",
        [Reason.HTTP_ERROR.value, REFUSED, refused],
    ).fetchall()
    return [(url, reason_in(reason, url)) for url, reason in rows]


def leads_in(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Targets of the URLs that redirect to a page already visited under another URL, by URL."""
    rows = con.execute(
        "SELECT url, detail FROM decisions WHERE reason = ?", [Reason.SEEN_AS_OTHER_URL.value]
    ).fetchall()
    # before the target stands the hop that led there, if there were several
    leads = {url: detail.rpartition(": ")[2] for url, detail in rows}
    return {url: target for url, target in leads.items() if target and target != url}
