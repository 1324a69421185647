"""A verdict of the analyst on its way: found in the collection, written down, told to the crawl.

At rest it becomes the last call of the last crawl, and `resume` replays it in its place. While a crawl is
running it is told to that crawl, between two of its calls, by the process that writes the collection.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from contextlib import closing

import duckdb

from bizcrawl.collection.opinions import call_of
from bizcrawl.collection.resume import read_resumption
from bizcrawl.collection.writer import Collection
from bizcrawl.companies.named import Named
from bizcrawl.companies.opinions import Judgement, Opinion
from bizcrawl.companies.site_keys import site_meant
from bizcrawl.crawl import Crawl
from bizcrawl.errors import BizcrawlError, WrongUse

TELLING_S = 60.0
"""A crawl is busy for some seconds when it looks at how companies stand."""


def judge_at_rest(
    collection: Collection, judgement: Judgement, companies: Sequence[str], note: str = ""
) -> list[str]:
    """Write a judgement down as the last call of the last crawl; returns the keys of the companies.

    Raises `WrongUse` for a company that the collection does not know.
    """
    with closing(collection.cursor()) as con:
        opinions = opinions_on(con, judgement, companies, note)
        crawl = read_resumption(con)
    collection.add_calls(crawl.crawl, [call_of(opinion, crawl.elapsed_s) for opinion in opinions])
    return [opinion.company for opinion in opinions]


def heed_the_analyst(collection: Collection, crawl: Crawl) -> None:
    """From now on, tell a crawl what the analyst says in other processes. Called in the crawl's loop."""
    loop = asyncio.get_running_loop()

    def judge(judgement: Judgement, companies: Sequence[str], note: str) -> list[str]:
        with closing(collection.cursor()) as con:
            opinions = opinions_on(con, judgement, companies, note)
        given_up = threading.Event()

        async def tell() -> None:
            # what the analyst is to repeat must not count by then
            for opinion in opinions if not given_up.is_set() else ():
                crawl.judge(opinion)

        try:
            asyncio.run_coroutine_threadsafe(tell(), loop).result(TELLING_S)
        except (RuntimeError, TimeoutError) as error:
            given_up.set()
            raise BizcrawlError("the crawl has just ended or is very busy; repeat the command") from error
        return [opinion.company for opinion in opinions]

    collection.judge = judge


def opinions_on(
    con: duckdb.DuckDBPyConnection, judgement: Judgement, companies: Sequence[str], note: str = ""
) -> list[Opinion]:
    """The same judgement on several companies, as a user names them; each company once.

    Raises `WrongUse` for a company that is not known, and if nothing was said of one that could be withdrawn.
    """
    known = Named(lambda sql, parameters: con.execute(sql, parameters).fetchall())
    found: dict[str, Opinion] = {}
    for text in companies:
        key = _key_of(con, known, text)
        row = con.execute("SELECT domains, verdict FROM companies WHERE company = ?", [key]).fetchone()
        domains, verdict = row or ((), None)
        if judgement is Judgement.WITHDRAW and verdict is None:
            raise WrongUse(f"{text!r}: neither accepted nor rejected, so there is nothing to withdraw")
        others = [domain for domain in domains if domain != key]
        found.setdefault(key, Opinion(judgement, key, tuple(others), note))
    return list(found.values())


def _key_of(con: duckdb.DuckDBPyConnection, known: Named, text: str) -> str:
    """Key of a company, or of a site that was met but not assessed yet."""
    try:
        return known.key_of(text)
    except WrongUse:
        key = site_meant(text.strip())
        if key is None:
            raise
        domain = key.partition("/")[0]
        met = con.execute(
            "SELECT 1 FROM links WHERE domain = $1 OR host = $1 UNION ALL "
            "SELECT 1 FROM pages WHERE domain = $1 OR host = $1 LIMIT 1",
            [domain],
        ).fetchall()
        if not met:
            raise
        return key
