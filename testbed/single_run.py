"""One run of an experiment: one strategy on one topic of a recorded web, with one random seed."""

from __future__ import annotations

import hashlib
import random
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from bizcrawl.errors import WrongUse
from bizcrawl.strategies import ScoredLink, Strategy
from bizcrawl.strategies.options import file_options
from bizcrawl.strategies.table import STRATEGIES, all_strategies, make_strategy
from testbed.claims import claimed_strategies
from testbed.oracle import Ways, oracle
from testbed.pagegraph import PageGraph, SimulatedPage
from testbed.pagegraph_folder import PAPER_PAGE_CAP_BYTES, open_graph
from testbed.simulate import simulate
from testbed.strategy_time import TimedStrategy
from testbed.topics import BedTopic

ORACLE = "oracle"
"""The name of the crawl that knows the graph; it is no strategy."""
DIGEST_DIGITS = 8
"""Of the SHA-256 of a file that a strategy is given, in its name."""


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
    """(v,) seconds of processor time that the strategy itself had used before each visit (R57)."""
    turned_away: dict[str, int] = field(default_factory=dict)
    random: bool = True
    """Whether the strategy drew random numbers: if not, all its repeats are the same run."""


@lru_cache(maxsize=2)
def graph_of(bed: RecordedBed) -> PageGraph:
    """The page graph of a bed, opened once in each process."""
    return open_graph(bed.warc, bed.page_cap_bytes, bed.cache)


def make_run(task: Task) -> Run:
    """Make one run, here and now. What a strategy of another package raises says where it did."""
    try:
        return _run(task)
    except Exception as error:
        where = f"strategy {task.strategy}, topic {task.topic.name}, random seed {task.random_seed}"
        error.add_note(f"{where}, web {task.bed.name}; finished runs are kept")
        raise


def _run(task: Task) -> Run:
    graph = graph_of(task.bed)
    if task.strategy == ORACLE:
        visited = oracle(Ways(graph, task.topic.excluded), task.topic, len(graph), task.pages)
        found = np.array(visited, dtype=np.int32)
        return Run(task, found, [None] * len(found), np.zeros(len(found), np.float32), random=False)
    rng = _Watched(task.random_seed)
    timed = TimedStrategy(_strategy(task.strategy, rng))
    cpu_s: list[float] = []

    def observe(_link: ScoredLink, _page: SimulatedPage) -> None:
        cpu_s.append(timed.used_s)

    visits = simulate(graph, task.topic.topic, timed, task.pages, task.topic.excluded, observe)
    asked = [a if a != f else None for a, f in zip(visits.urls, visits.final_urls, strict=True)]
    return Run(
        task,
        np.array(visits.pages, dtype=np.int32),
        asked,
        np.array(cpu_s, dtype=np.float32),
        {reason.value: times for reason, times in visits.turned_away.items()},
        rng.drawn,
    )


def strategy_names(text: str, kind: str = "plain") -> tuple[str, ...]:
    """Strategies from a comma-separated list; ``all`` for every strategy of the table, ``claims`` for all
    that the papers' claims about beds of a kind compare.

    Options are joined by ``+``: ``best-first:n=256+max_frontier=256``; what names a file gets a digest of its
    contents, ``evolved:weights=rank.json@1a2b3c4d``. Raises WrongUse for one that does not exist.
    """
    groups = {"all": tuple(STRATEGIES), "claims": claimed_strategies(kind)}
    names: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        names += groups.get(part, (part,))
    if not names:
        raise WrongUse(f"--strategies {text!r}: names none; give names with commas between, all or claims")
    for name in names:
        if name != ORACLE:
            _strategy(name, random.Random(0))
    return tuple(dict.fromkeys(map(_with_digests, names)))


def _strategy(text: str, rng: random.Random) -> Strategy:
    name, options = _parsed(text)
    parameters: dict[str, Any] = options
    for key in _files(name).intersection(parameters):
        path, _, digest = options[key].rpartition("@")
        if path and re.fullmatch(f"[0-9a-f]{{{DIGEST_DIGITS}}}", digest):
            if _digest(Path(path)) != digest:
                raise WrongUse(f"{path}: has changed since the runs with {options[key]}")
            parameters[key] = path
    return make_strategy(name, rng, **parameters)


def _with_digests(text: str) -> str:
    """A strategy named with what the files among its options hold: they may be written anew."""
    name, options = _parsed(text)
    for key in _files(name).intersection(options):
        if (path := Path(options[key])).is_file():
            options[key] += f"@{_digest(path)}"
    return ":".join(filter(None, (name, "+".join(f"{key}={value}" for key, value in options.items()))))


def _parsed(text: str) -> tuple[str, dict[str, str]]:
    name, _, options = text.partition(":")
    pairs = [option.partition("=") for option in options.split("+") if option]
    if bad := [key for key, equals, value in pairs if not (key and equals and value)]:
        raise WrongUse(f"{text}: options are written name:option=value+option=value, not {bad[0]!r}")
    return name, {key: value for key, _, value in pairs}


def _files(strategy: str) -> frozenset[str]:
    entry = STRATEGIES.get(strategy) or all_strategies().get(strategy)
    return file_options(entry.options) if entry else frozenset()


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:DIGEST_DIGITS] if file.is_file() else ""


class _Watched(random.Random):
    """A generator that knows whether it was drawn from."""

    drawn = False

    def random(self) -> float:
        self.drawn = True
        return super().random()

    def getrandbits(self, k: int, /) -> int:
        self.drawn = True
        return super().getrandbits(k)
