"""Topics × strategies × repeats on a recorded web, over processes, resumable, every visit kept.

Runs (`testbed.single_run`) that are in the database already are not made again, so an experiment that was
interrupted goes on where it stopped, and one that is extended makes only what is new.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence

import duckdb
import numpy as np

from bizcrawl.errors import BizcrawlError
from bizcrawl.reasons import Reason
from bizcrawl.workers import usable_processors
from testbed.facts_of_web import store_topics, store_web
from testbed.pagegraph import PageGraph
from testbed.parallel import mapping
from testbed.runs import TABLES, store_run
from testbed.single_run import ORACLE, RecordedBed, Task, graph_of, make_run
from testbed.topics import BedTopic

BOUNDS = ("random", "breadth-first", ORACLE)
"""Run beside everything else: the floor, the baseline, the ceiling."""


class ExperimentError(BizcrawlError):
    """An experiment that cannot be run or read as asked."""


def run_experiment(
    con: duckdb.DuckDBPyConnection,
    bed: RecordedBed,
    topics: Sequence[BedTopic],
    strategies: Iterable[str],
    *,
    pages: int,
    repeats: int = 1,
    random_seed: int = 0,
    processes: int = 0,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> int:
    """Make all runs that the database lacks; their number.

    `progress` is told of runs done and runs in all. Each run is committed as it ends.
    """
    con.execute(TABLES)
    graph = graph_of(bed)
    starts = (url for topic in topics for url in (*topic.topic.hubs, *topic.topic.seeds))
    if topics and all(isinstance(graph.outcome(url), Reason) for url in starts):
        raise ExperimentError(f"{bed.warc}: no seed of any topic is a page of it; name the web of this bed")
    prepare(con, bed, graph, topics)
    names = tuple(dict.fromkeys((*strategies, *BOUNDS)))
    tasks = _tasks(con, bed, topics, names, pages, repeats, random_seed)
    processes = processes or usable_processors()
    done = told = 0
    with mapping(processes if len(tasks) > 8 else 1) as spread:
        # first repeats first: strategies that draw no random numbers need no others
        for repeat in range(repeats):
            certain = _certain(con, bed, pages)
            tasks = [
                task for task in tasks if not task.repeat or (task.topic.name, task.strategy) not in certain
            ]
            for run in spread(make_run, [task for task in tasks if task.repeat == repeat]):
                store_run(con, run)
                done, told = done + 1, len(tasks)
                progress(done, told)
    if told > done:
        progress(done, done)  # no other repeat was needed
    return done


def prepare(
    con: duckdb.DuckDBPyConnection, bed: RecordedBed, graph: PageGraph, topics: Sequence[BedTopic]
) -> None:
    """Store the facts of the web and of the topics in the database, unless they are there already."""
    digest = digest_of(graph)
    known = con.execute("SELECT digest FROM webs WHERE web = ?", [bed.name]).fetchone()
    if known and known[0] != digest:
        raise ExperimentError(
            f"{bed.warc}: is not the web that the runs in this file were made on; use a new file"
        )
    con.execute("BEGIN")
    if not known:
        store_web(con, bed.name, digest, graph)
    rows = con.execute("SELECT DISTINCT topic FROM targets WHERE web = ?", [bed.name]).fetchall()
    stored = {name for (name,) in rows}
    store_topics(con, bed.name, graph, [topic for topic in topics if topic.name not in stored])
    con.execute("COMMIT")


def digest_of(graph: PageGraph) -> str:
    """Tells webs apart: of all URLs, what became of them, and all tokens."""
    a = graph.arrays
    digest = hashlib.sha256()
    for array in (a.url_text, a.page_at, a.moved_to, a.tokens, a.words, a.stem_text, a.link_url):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _tasks(
    con: duckdb.DuckDBPyConnection,
    bed: RecordedBed,
    topics: Sequence[BedTopic],
    strategies: Sequence[str],
    pages: int,
    repeats: int,
    random_seed: int,
) -> list[Task]:
    """Runs that are not in the database. Those of a topic come together, because they share what is known of
    its pages.
    """
    query = (
        "SELECT topic, strategy, CASE WHEN random THEN random_seed END FROM runs WHERE web = ? AND pages = ?"
    )
    done = set(con.execute(query, [bed.name, pages]).fetchall())
    return [
        Task(bed, topic, strategy, repeat, random_seed + repeat, pages)
        for topic in topics
        for strategy in strategies
        for repeat in range(1 if strategy == ORACLE else repeats)
        # one that drew nothing is the same with every seed
        if done.isdisjoint((topic.name, strategy, seed) for seed in (random_seed + repeat, None))
    ]


def _certain(con: duckdb.DuckDBPyConnection, bed: RecordedBed, pages: int) -> set[tuple[str, str]]:
    """Topics and strategies whose runs of at least so many pages drew no random number. A shorter run says
    nothing about a longer one.
    """
    query = "SELECT DISTINCT topic, strategy FROM runs WHERE web = ? AND NOT random AND pages >= ?"
    return set(con.execute(query, [bed.name, pages]).fetchall())
