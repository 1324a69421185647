"""Topics × strategies × repeats on a recorded web, over processes, resumable, every visit kept.

A run is one strategy on one topic with one random seed. Runs that are in the database already are not made
again, so an experiment that was interrupted goes on where it stopped, and one that is extended makes only
what is new.
"""

from __future__ import annotations

import hashlib
import os
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from bizcrawl.errors import BizcrawlError, WrongUse
from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import Gate, ScoredLink, Strategy
from bizcrawl.strategies.table import STRATEGIES, make_strategy
from bizcrawl.topic import Topic
from testbed.facts_of_web import store_topics, store_web
from testbed.oracle import Ways, oracle
from testbed.pagegraph import PageGraph, SimulatedPage
from testbed.pagegraph_build import PAPER_PAGE_CAP_BYTES, open_graph
from testbed.parallel import mapping
from testbed.runs import TABLES
from testbed.simulate import simulate
from testbed.topics import BedTopic

ORACLE = "oracle"
BOUNDS = ("random", "breadth-first", ORACLE)
"""Run beside everything else: the floor, the baseline, the ceiling."""


class ExperimentError(BizcrawlError):
    """An experiment that cannot be run or read as asked."""


@dataclass(frozen=True, slots=True)
class RecordedBed:
    """A recorded web that experiments run on."""

    warc: Path
    page_cap_bytes: int | None = PAPER_PAGE_CAP_BYTES
    cache: Path | None = None

    @property
    def name(self) -> str:
        """What tells this web from others in a database: its folder and file, and the page cap."""
        return f"{self.warc.resolve().parent.name}/{self.warc.name}@{self.page_cap_bytes or 'whole'}"


@dataclass(frozen=True, slots=True)
class Task:
    """One run that is to be made."""

    bed: RecordedBed
    topic: BedTopic
    strategy: str
    """Name, and options after a colon: ``best-first:n=256+max_frontier=256``."""
    repeat: int
    random_seed: int
    pages: int


@dataclass(frozen=True, slots=True)
class Run:
    """What a run brought."""

    task: Task
    pages: np.ndarray
    """(v,) pages in order of visit."""
    asked: list[str | None]
    """URL asked for, where it is not the page's own."""
    cpu_s: np.ndarray
    """(v,) seconds of processor time that the strategy had used before each visit, fetching left out (R57).
    """
    turned_away: dict[str, int] = field(default_factory=dict)
    random: bool = True
    """Whether the strategy drew random numbers: if not, all its repeats are the same run."""


def strategy_names(text: str) -> tuple[str, ...]:
    """Strategies from a comma-separated list; ``all`` for every strategy of the table.

    Options are joined by ``+``: ``best-first:n=256+max_frontier=256``. Raises WrongUse for one that does
    not exist.
    """
    names: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        names += STRATEGIES if part == "all" else [part]
    if not names:
        raise WrongUse(f"--strategies {text!r}: names none; give names with commas between, or all")
    for name in names:
        if name != ORACLE:
            _strategy(name, random.Random(0))
    return tuple(dict.fromkeys(names))


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
    prepare(con, bed, graph, topics)
    names = tuple(dict.fromkeys((*strategies, *BOUNDS)))
    tasks = _tasks(con, bed, topics, names, pages, repeats, random_seed)
    processes = processes or os.cpu_count() or 1
    done = 0
    with mapping(processes if len(tasks) > 8 else 1) as spread:
        # first repeats first: strategies that draw no random numbers need no others
        for repeat in range(repeats):
            certain = _certain(con, bed, pages)
            todo = [task for task in tasks if task.repeat == repeat]
            todo = [task for task in todo if not repeat or (task.topic.name, task.strategy) not in certain]
            for run in spread(make_run, todo):
                _store(con, run)
                done += 1
                progress(done, len(tasks))
    return done


def prepare(
    con: duckdb.DuckDBPyConnection, bed: RecordedBed, graph: PageGraph, topics: Sequence[BedTopic]
) -> None:
    """Have the facts of the web and of the topics in the database; nothing is done that stands there
    already.
    """
    con.execute(TABLES)
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


@lru_cache(maxsize=2)
def graph_of(bed: RecordedBed) -> PageGraph:
    """The page graph of a bed, opened once in each process."""
    return open_graph(bed.warc, bed.page_cap_bytes, bed.cache)


def make_run(task: Task) -> Run:
    """Make one run, here and now."""
    graph = graph_of(task.bed)
    if task.strategy == ORACLE:
        visited = oracle(Ways(graph, task.topic.excluded), task.topic, len(graph), task.pages)
        found = np.array(visited, dtype=np.int32)
        return Run(task, found, [None] * len(found), np.zeros(len(found), np.float32), random=False)
    rng = _Watched(task.random_seed)
    timed = _Timed(_strategy(task.strategy, rng))
    cpu_s: list[float] = []

    def observe(_link: ScoredLink, _page: SimulatedPage) -> None:
        cpu_s.append(timed.cpu_s)

    visits = simulate(graph, task.topic.topic, timed, task.pages, task.topic.excluded, observe)
    asked = [a if a != f else None for a, f in zip(visits.urls, visits.final_urls, strict=True)]
    if dropped := getattr(timed.strategy, "dropped", 0):
        visits.turned_away[Reason.FRONTIER_FULL] = dropped
    return Run(
        task,
        np.array(visits.pages, dtype=np.int32),
        asked,
        np.array(cpu_s, dtype=np.float32),
        {reason.value: times for reason, times in visits.turned_away.items()},
        rng.drawn,
    )


def _strategy(text: str, rng: random.Random) -> Strategy:
    name, _, options = text.partition(":")
    pairs = [option.partition("=") for option in options.split("+") if option]
    if bad := [key for key, equals, value in pairs if not (key and equals and value)]:
        raise WrongUse(f"{text}: options are written name:option=value+option=value, not {bad[0]!r}")
    parameters: dict[str, Any] = {key: value for key, _, value in pairs}
    return make_strategy(name, rng, **parameters)


def _tasks(
    con: duckdb.DuckDBPyConnection,
    bed: RecordedBed,
    topics: Sequence[BedTopic],
    strategies: Sequence[str],
    pages: int,
    repeats: int,
    random_seed: int,
) -> list[Task]:
    """Runs that are not in the database, those of a topic together: they share what is known of its pages."""
    rows = con.execute(
        "SELECT topic, strategy, repeat FROM runs WHERE web = ? AND pages = ? AND random_seed = ? + repeat",
        [bed.name, pages, random_seed],
    ).fetchall()
    done = set(rows)
    return [
        Task(bed, topic, strategy, repeat, random_seed + repeat, pages)
        for topic in topics
        for strategy in strategies
        for repeat in range(1 if strategy == ORACLE else repeats)
        if (topic.name, strategy, repeat) not in done
    ]


def _certain(con: duckdb.DuckDBPyConnection, bed: RecordedBed, pages: int) -> set[tuple[str, str]]:
    """Topics and strategies that drew nothing: in a shorter crawl that says nothing of a longer one."""
    query = "SELECT DISTINCT topic, strategy FROM runs WHERE web = ? AND NOT random AND pages >= ?"
    return set(con.execute(query, [bed.name, pages]).fetchall())


def _store(con: duckdb.DuckDBPyConnection, run: Run) -> None:
    task = run.task
    chosen = len(run.pages) + sum(
        n for reason, n in run.turned_away.items() if reason != Reason.FRONTIER_FULL
    )
    missing = run.turned_away.get(Reason.NOT_RECORDED, 0)
    con.execute("BEGIN")
    number = (con.execute("SELECT coalesce(max(run), 0) + 1 FROM runs").fetchone() or (1,))[0]
    con.execute(
        "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            number,
            task.bed.name,
            task.topic.name,
            task.strategy,
            task.repeat,
            task.random_seed,
            task.pages,
            len(run.pages),
            chosen,
            missing,
            float(run.cpu_s[-1]) if len(run.cpu_s) else 0.0,
            run.random,
        ],
    )
    visits = pa.table(
        {
            "run": np.full(len(run.pages), number, np.int32),
            "n": np.arange(1, len(run.pages) + 1, dtype=np.int32),
            "page": run.pages,
            "asked": pa.array(run.asked, pa.string()),
            "cpu_s": run.cpu_s,
        }
    )
    con.register("incoming", visits)
    con.execute("INSERT INTO visits BY NAME SELECT * FROM incoming")
    con.unregister("incoming")
    if run.turned_away:
        rows = [(number, reason, times) for reason, times in run.turned_away.items()]
        con.executemany("INSERT INTO turned_away VALUES (?, ?, ?)", rows)
    con.execute("COMMIT")


class _Watched(random.Random):
    """A generator that knows whether it was drawn from."""

    drawn = False

    def random(self) -> float:
        self.drawn = True
        return super().random()

    def getrandbits(self, k: int, /) -> int:
        self.drawn = True
        return super().getrandbits(k)


class _Timed:
    """A strategy that knows how much processor time it has used (R57)."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy
        self.cpu_s = 0.0

    def start(self, topic: Topic) -> None:
        begin = time.thread_time()
        self.strategy.start(topic)
        self.cpu_s += time.thread_time() - begin

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        begin = time.thread_time()
        links = self.strategy.next(n, gate)
        self.cpu_s += time.thread_time() - begin
        return links

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        begin = time.thread_time()
        links = self.strategy.visit(page)
        self.cpu_s += time.thread_time() - begin
        return links

    def fail(self, url: str, reason: Reason) -> None:
        begin = time.thread_time()
        self.strategy.fail(url, reason)
        self.cpu_s += time.thread_time() - begin

    def __len__(self) -> int:
        return len(self.strategy)
