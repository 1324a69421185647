"""Facts of the stored pages of a collection, made anew from their tag trees.

For thousands of pages that takes longer than to rank them, and each page is by itself: other processes make
them while this one reads on. Where there are few, it would take longer to start the processes.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import duckdb

from bizcrawl.collection.stored_values import tree_in
from bizcrawl.companies.facts import PageFacts, facts_of
from bizcrawl.workers import NoWorkerError, WorkerDied, Workers, usual_count
from contexts.links import links

PAGES_PER_CALL = 64
FEW_PAGES = 1_500
"""Fewer take about as long as it takes to start the processes."""

Stored = tuple[str, str, bytes]
"""URL, final URL and tag tree of a page."""


def stored_facts(con: duckdb.DuckDBPyConnection) -> Iterator[PageFacts]:
    """Facts of all pages of a collection, in the order in which they were visited: a merge may have put an
    older run behind a newer one.
    """
    ((n_pages,),) = con.execute("SELECT count(*) FROM trees").fetchall()
    with closing(con.cursor()) as cursor:
        cursor.execute(
            "SELECT p.url, p.final_url, t.tree FROM pages p JOIN trees t USING (page) "
            "JOIN crawls c ON c.crawl = p.crawl ORDER BY c.started_at, p.page"
        )
        parts = iter(lambda: cursor.fetchmany(PAGES_PER_CALL), [])
        workers = usual_count()
        if n_pages < FEW_PAGES or workers < 2:
            for part in parts:
                yield from _facts(part)
        else:
            yield from asyncio.run(_made_elsewhere(parts, workers))


def _facts(pages: Sequence[Stored]) -> list[PageFacts]:
    trees = ((url, final_url, tree_in(stored, final_url)) for url, final_url, stored in pages)
    return [facts_of(url, final_url, tree, links(tree, final_url)) for url, final_url, tree in trees]


async def _made_elsewhere(parts: Iterator[Sequence[Stored]], count: int) -> list[PageFacts]:
    """Facts of pages made in `count` processes, in order; no more pages are read than these have in hand."""
    made: list[PageFacts] = []
    workers = Workers(count, _facts, (__name__,))
    waiting: deque[asyncio.Task[list[PageFacts]]] = deque()
    try:
        for part in parts:
            waiting.append(asyncio.create_task(_part(workers, part)))
            if len(waiting) > 3 * count:
                made += await waiting.popleft()
        for task in waiting:
            made += await task
    finally:
        workers.close()
    return made


async def _part(workers: Workers, pages: Sequence[Stored]) -> list[PageFacts]:
    try:
        made: list[PageFacts] = await workers.call(pages)
    except (WorkerDied, NoWorkerError):  # as when the system is short of memory
        made = _facts(pages)
    # what comes from another process shares no text with what is here
    return [replace(facts, stems=tuple(map(sys.intern, facts.stems))) for facts in made]
