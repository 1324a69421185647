"""What the test beds cost: reading dumps, tidying a web, running an experiment. Prints the table of the
targets.

    python tests/bench/testbeds.py [--megabytes 2000] [--shared ../shared] [--only odp,tidy,run,equal]

Times are wall clock and processor seconds side by side, because cores may be shared; ratios are taken
within one run.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))  # before this folder, which has a contexts.py of its own

from lxml import etree

if TYPE_CHECKING:
    from testbed.single_run import RecordedBed

# what is measured is imported where it is used: the reader's own processes load this file too, and their
# memory is one of the figures

TITLE, DESCRIPTION = ("{http://purl.org/dc/elements/1.0/}" + name for name in ("Title", "Description"))
PAGE, TOPIC, CATEGORY = ("{http://dmoz.org/rdf/}" + name for name in ("ExternalPage", "Topic", "topic"))
RESOURCE, ID = ("{http://www.w3.org/TR/RDF/}" + name for name in ("resource", "id"))


@dataclass(slots=True)
class Clock:
    """Wall and processor seconds of a piece of work, child processes included, and the most memory it had."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0


@contextmanager
def timed() -> Iterator[Clock]:
    clock, stop = Clock(), threading.Event()

    def watch() -> None:
        while not stop.wait(0.2):
            clock.peak_mb = max(clock.peak_mb, _memory_mb())

    watcher = threading.Thread(target=watch)
    watcher.start()
    begin, before = time.perf_counter(), os.times()
    try:
        yield clock
    finally:
        after = os.times()
        clock.wall_s = time.perf_counter() - begin
        clock.cpu_s = sum(after[:4]) - sum(before[:4])
        stop.set()
        watcher.join()


def _memory_mb() -> float:
    """Proportional memory of this process and its children: pages they share count once."""
    total = 0
    for pid in [os.getpid(), *_children(os.getpid())]:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1000


def _children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [child for one in map(int, text.split()) for child in (one, *_children(one))]


def iterparse(path: Path) -> int:
    """The yardstick: an lxml loop that only reads the same fields."""
    pages = 0
    for _, element in etree.iterparse(str(path), events=("end",), tag=(PAGE, TOPIC)):
        if element.tag == PAGE:
            values = {child.tag: child.text for child in element}
            if element.get("about") and (values.get(TITLE), values.get(DESCRIPTION), values.get(CATEGORY)):
                pages += 1
        else:
            element.get(ID)
            for child in element:
                child.get(RESOURCE)
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]
    return pages


def yardstick(path: Path) -> tuple[int, Clock]:
    with timed() as clock:
        pages = iterparse(path)
    return pages, clock


def bench_odp(scratch: Path, megabytes: float) -> None:
    from odp_dump import write

    from testbed.odp.load import connect, load_dumps
    from testbed.recipes import business

    dump = scratch / "content.rdf.u8"
    size_mb = write(dump, megabytes) / 1e6
    # in a process of its own: what it leaves behind is not the reader's memory
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
        pages, yard = other.submit(yardstick, dump).result()
    with connect(scratch / "odp.duckdb") as con:
        with timed() as ours:
            found = load_dumps(con, [dump])
        assert found.listings == pages, (found, pages)
        # the recipe works on the tables: the dump is read once
        with timed() as recipe:
            topics = business(con, 1)
    row(
        "lxml iterparse, the same fields",
        f"{size_mb / yard.wall_s:.0f} MB/s wall, {size_mb / yard.cpu_s:.0f} per CPU s",
    )
    row(
        f"ODP reader into DuckDB, {size_mb:,.0f} MB, {pages:,} listings",
        _speed(size_mb, ours),
        f"{yard.wall_s / ours.wall_s:.2f} × wall, {yard.cpu_s / ours.cpu_s:.2f} × CPU (≥ 0.5, aim 1)",
    )
    row("memory of all its processes", f"{ours.peak_mb:.0f} MB", "(< 400)")
    what = f"business recipe on the tables, {len(topics):,} topics"
    row(what, f"{recipe.wall_s:.1f} s", "(no second reading)")


def _speed(size_mb: float, clock: Clock) -> str:
    return f"{size_mb / clock.wall_s:.0f} MB/s wall, {size_mb / clock.cpu_s:.0f} per CPU s"


def bench_tidying(scratch: Path, warc: Path) -> None:
    from testbed.pagegraph_folder import open_graph

    with timed() as clock:
        graph = open_graph(warc, 10_000, cache=scratch / "graphs")
    figure = f"{len(graph) / clock.wall_s:.0f} pages/s wall, {len(graph) / clock.cpu_s:.0f} per CPU s"
    row("tidying bizweb into the page graph", figure, "(≥ 300)")


def bench_experiment(scratch: Path, bed: RecordedBed, topics: Path) -> None:
    import duckdb

    from testbed.experiment import run_experiment
    from testbed.single_run import graph_of
    from testbed.topics import read_topics

    graph_of(bed)
    made = read_topics(topics)
    names = ("hub-seeking", "dom", "best-first", "breadth-first")
    with timed() as clock, duckdb.connect(str(scratch / "bed.duckdb")) as con:
        runs = run_experiment(con, bed, made, names, pages=3_000, repeats=1)
    row(
        f"{len(made)} topics × 4 strategies, random and oracle × 3,000 pages ({runs} runs)",
        f"{clock.wall_s:.0f} s wall, {clock.cpu_s:.0f} s CPU",
        "(< 300 s on two cores)",
    )


def bench_equality(bed: RecordedBed, topics: Path) -> None:
    from testbed.single_run import Task, make_run
    from testbed.topics import read_topics

    made = read_topics(topics)
    names = ("best-first", "dom:aggregation=page", "dom:alpha=1")
    equal = 0
    for topic in made:
        runs = [make_run(Task(bed, topic, name, 0, 0, 1_000)).pages.tolist() for name in names]
        equal += runs[0] == runs[1] == runs[2]
    what = "DOM with root aggregation, or α = 1, visits what Naive Best-First visits"
    row(what, f"{equal} of {len(made)} topics", "(all)")


def row(what: str, figure: str, target: str = "") -> None:
    print(f"| {what} | {figure} | {target} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=2_000)
    parser.add_argument("--shared", type=Path, default=Path(__file__).parents[3] / "shared")
    parser.add_argument("--only", default="odp,tidy,run,equal")
    options = parser.parse_args()
    bizweb = options.shared / "beds" / "bizweb"
    only = options.only.split(",")
    print("| what | measured | |\n|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="bizcrawl-bench-") as folder:
        scratch = Path(folder)
        if "odp" in only:
            bench_odp(scratch, options.megabytes)
            only.remove("odp")
        if not only:
            return
        from testbed.single_run import RecordedBed

        bed = RecordedBed(bizweb / "web.warc.gz", 10_000, scratch / "graphs")
        work: dict[str, Callable[[], None]] = {
            "tidy": lambda: bench_tidying(scratch, bed.warc),
            "run": lambda: bench_experiment(scratch, bed, bizweb / "topics.jsonl"),
            "equal": lambda: bench_equality(bed, bizweb / "topics.jsonl"),
        }
        for name, make in work.items():
            if name in only:
                make()


if __name__ == "__main__":
    main()
