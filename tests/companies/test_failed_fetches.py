"""What fetches that brought no page say of companies."""

from __future__ import annotations

import asyncio
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bizcrawl import journal, so_far
from bizcrawl.assessing import assess_again
from bizcrawl.collection.writer import Collection
from bizcrawl.plan import Plan
from bizcrawl.reasons import Reason
from bizcrawl.run import crawl_row, run
from bizcrawl.tally import Budget
from bizcrawl.topic import Topic
from bizcrawl.web import Failure, Request, Response

LISTED = ("acorn", "birch", "cedar", "former", "refusing", "broken")
PAGES = {
    "http://hub.test/": "<title>Pump directory</title><a href='/add'>Add company</a><ul>"
    + "".join(f"<li><a href='http://{name}.test/'>{name.title()} Pumps</a> pumps" for name in LISTED),
    **{
        f"http://{name}.test/": f"<title>{name.title()} Pumps</title><p>Pumps. <a href='http://hub.test/'>Hub</a>"
        for name in ("acorn", "birch", "cedar")
    },
}
MOVED = {"http://former.test/": "http://www.former.test/", "http://www.former.test/": "http://cedar.test/"}
LAST_PAGE = "http://hub.test/more"
COLUMNS = (
    "company", "name", "home_page", "domains", "country", "language", "description", "kind", "is_seed",
    "rank", "score", "why",
)  # fmt: skip
STATUS = {"http://refusing.test/": 403, "http://broken.test/": 404}


class SmallWeb:
    """A directory, three companies, a domain that moved in two steps, one that refuses us, a dead one."""

    async def fetch(self, request: Request) -> Response | Failure:
        """See `Web`."""
        url = request.url
        if url in MOVED:
            return self._answer(url, 301, "", {"location": MOVED[url]})
        if url in PAGES or url in STATUS:
            return self._answer(url, STATUS.get(url, 200), PAGES.get(url, "Denied"))
        if url.endswith("/robots.txt"):
            return self._answer(url, 404, "")
        return Failure(url, Reason.DNS, "no address")

    def _answer(self, url: str, status: int, body: str, more: dict[str, str] | None = None) -> Response:
        headers = {"content-type": "text/html", **(more or {})}
        return Response(url, status, headers, body.encode(), datetime(2024, 1, 1, tzinfo=UTC))

    async def close(self) -> None:
        """See `Web`."""


class WebWhoseLastPageWaits(SmallWeb):
    """Gives out the last page when all fetches before that brought none are written down."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    async def fetch(self, request: Request) -> Response | Failure:
        """See `Web`."""
        while request.url == LAST_PAGE and self._n_written() < 3:
            await asyncio.sleep(0.01)
        return await super().fetch(request)

    def _n_written(self) -> int:
        """Of the site that refuses us, the dead one, and the second of the two that have one page."""
        known = [f"http://{name}.test/" for name in ("refusing", "broken", "former", "cedar")]
        with closing(self._collection.cursor()) as con:
            found = con.execute("SELECT count(*) FROM decisions WHERE url IN ?", [known]).fetchone()
        return found[0] if found else 0


def test_a_domain_that_moved_is_its_company_and_a_server_that_refuses_us_is_not_dead(tmp_path: Path) -> None:
    topic = Topic("pumps", ("http://acorn.test/", "http://birch.test/"), "pumps")
    plan = Plan(
        "discover competitors", topic, Budget(50), web="small", strategy="breadth-first", connections=1
    )
    with Collection.create(tmp_path / "c.duckdb") as collection:
        collection.begin_crawl(crawl_row(plan))
        collection.end_crawl(asyncio.run(run(plan, collection, SmallWeb())).stop)
        collection.transact(lambda con: con.execute("DELETE FROM hosts"))  # as if it had been killed
        found = assess_again(collection)
        with closing(collection.cursor()) as con:
            details = dict(con.execute("SELECT url, detail FROM decisions").fetchall())
            hosts = con.execute("SELECT host, verdict, verdict_reasons FROM hosts").fetchall()
            companies = con.execute(f"SELECT {', '.join(COLUMNS)} FROM companies").fetchall()
            evidence = con.execute("SELECT * FROM evidence").fetchall()
    judged = [(host, verdict.kind, list(verdict.reasons)) for host, verdict in found.verdicts.items()]
    assert sorted(hosts) == sorted([*judged, ("former.test", None, None)])
    said = [tuple(getattr(company, name) for name in COLUMNS) for company in found.companies]
    assert {(*row[:3], tuple(row[3]), *row[4:]) for row in companies} == set(said)
    told = [(e.company, e.kind, e.weight, e.page, e.link, e.snippet) for e in found.evidence]
    assert sorted(evidence) == sorted(told) != []
    assert details["http://former.test/"] == "http://www.former.test/: http://cedar.test/"
    domains = {company.company: company.domains for company in found.ranked}
    assert domains == {
        "cedar.test": ("cedar.test", "former.test"),
        "refusing.test": ("refusing.test",),
    }
    assert found.verdicts["refusing.test"].kind == "unseen"
    assert found.verdicts["broken.test"].kind == "dead"


def test_while_the_crawl_runs_they_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that refused us was held to be dead, and a redirect to a page seen before to be no move."""
    monkeypatch.setitem(
        PAGES, "http://hub.test/", PAGES["http://hub.test/"] + "</ul><a href='/more'>More</a>"
    )
    monkeypatch.setitem(PAGES, LAST_PAGE, "<title>No more</title>")
    monkeypatch.setattr(so_far, "FIRST_AFTER_PAGES", 5)  # the known companies, the directory, cedar, the last
    monkeypatch.setattr(journal, "FLUSH_EVENTS", 1)
    topic = Topic("pumps", ("http://acorn.test/", "http://birch.test/"), "pumps")
    plan = Plan(
        "discover competitors", topic, Budget(50), web="small", strategy="breadth-first",
        connections=1, verify_share=0.5,
    )  # fmt: skip
    ranked = "SELECT company, domains FROM companies WHERE rank IS NOT NULL ORDER BY company"
    with Collection.create(tmp_path / "c.duckdb") as collection:
        collection.begin_crawl(crawl_row(plan))
        web = WebWhoseLastPageWaits(collection)
        collection.end_crawl(asyncio.run(run(plan, collection, web)).stop)
        with closing(collection.cursor()) as con:
            while_it_ran = con.execute(ranked).fetchall()
            assess_again(collection)
            assert while_it_ran == con.execute(ranked).fetchall()
    assert ("cedar.test", ["cedar.test", "former.test"]) in while_it_ran
    assert ("refusing.test", ["refusing.test"]) in while_it_ran
