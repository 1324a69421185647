"""What the collection costs.

usage: python tests/bench/collection.py [write] [query] [size]

write   pages a second that one writer takes, each with 120 links and its tag tree, checkpoints included
query   how much a crawl at full speed is slowed by another process that keeps asking
size    bytes of file per page of a real crawl, table by table (the recorded webkb bed, if ../shared is there)

CPU time and ratios within one run are what to trust on a shared machine; wall-clock rates stand beside them.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from bizcrawl.collection import wire
from bizcrawl.collection.link_columns import pack
from bizcrawl.collection.reader import Reader
from bizcrawl.collection.rows import Batch, CallRow, CrawlRow, PageLinks, PageRow, StoredPage
from bizcrawl.collection.writer import Collection
from bizcrawl.topic import Topic
from contexts.links import Link

ROOT = Path(__file__).parents[2]
WEBKB = ROOT.parent / "shared" / "beds" / "webkb" / "web.warc.gz"
LINKS = 120
BATCH_PAGES = 32
NOON = datetime(2026, 11, 28, 12, 0, 0)  # noqa: DTZ001 - stored without zone


def made_up_page(n: int, rng: random.Random, words: list[str]) -> StoredPage:
    """A page of 800 words and 120 links: two thirds within the site, one third to 3,000 other hosts."""
    host = f"www.company{n % 3_000}.example"

    def text(count: int) -> str:
        return " ".join(rng.choices(words, k=count))

    contexts = [text(40) for _ in range(LINKS // 6)]
    found = [
        Link(
            f"https://{host}/{words[(n + k) % len(words)]}/{k}.html"
            if k % 3
            else f"https://www.company{rng.randrange(3_000)}.example/{text(1)}",
            k * 4,
            k,
            text(3),
            "a",
            "",
        )
        for k in range(LINKS)
    ]
    links = PageLinks(
        pack(
            found,
            [contexts[k // 6] for k in range(LINKS)],
            [k * 4 - 2 for k in range(LINKS)],
            ["html/body/div/div/ul/li/a"] * LINKS,
        ),
        scores=[rng.random() for _ in range(LINKS)],
        parts=[{"page": rng.random(), "context": rng.random()} for _ in range(LINKS)],
        fates=["queued"] * LINKS,
    )
    row = PageRow(
        f"https://{host}/{n}",
        f"https://{host}/{n}",
        NOON,
        title=text(6),
        text=text(800),
        similarity=rng.random(),
    )
    return StoredPage(row, links, rng.randbytes(6_000))


def write_rate(pages: int = 6_000) -> None:
    """Print what writing costs."""
    rng = random.Random(1)
    words = [f"word{n}" for n in range(5_000)]
    made = [made_up_page(n, rng, words) for n in range(pages)]
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "bench.duckdb")
        collection = Collection.create(path)
        collection.begin_crawl(CrawlRow("bench", Topic("t", (), "x"), "breadth-first"))
        began_s, cpu_s = time.perf_counter(), time.process_time()
        with heartbeat() as gaps_s:
            futures: list[Future[object]] = []
            for at in range(0, pages, BATCH_PAGES):
                part = made[at : at + BATCH_PAGES]
                calls = [CallRow("visit", page.row.url) for page in part]
                futures.append(collection.submit(Batch(part, calls)))
            for future in futures:
                future.result()
            collection.close()
        wall_s, cpu_s = time.perf_counter() - began_s, time.process_time() - cpu_s
        gaps_s.sort()
        print(
            f"write: {pages:,} pages with {LINKS} links each, tag tree and text, the last checkpoint included"
        )
        print(f"  {pages / wall_s:8,.0f} pages/s wall clock ({pages * LINKS / wall_s:,.0f} links/s)")
        print(f"  {pages / cpu_s:8,.0f} pages/s of CPU time ({1_000 * cpu_s / pages:.2f} ms a page)")
        print(f"  {path.stat().st_size / pages:8,.0f} bytes of file a page")
        print(
            f"  {gaps_s[-1] * 1_000:8,.0f} ms: the longest that another thread had to wait for its turn "
            f"(99 % within {gaps_s[len(gaps_s) * 99 // 100] * 1_000:.0f} ms), writing at full speed"
        )


@contextlib.contextmanager
def heartbeat(every_s: float = 0.005) -> Iterator[list[float]]:
    """How late a thread that wants to run every few milliseconds gets to, while something else goes on."""
    over = threading.Event()
    gaps_s: list[float] = []

    def beat() -> None:
        while not over.is_set():
            began_s = time.perf_counter()
            time.sleep(every_s)
            gaps_s.append(time.perf_counter() - began_s - every_s)

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        yield gaps_s
    finally:
        over.set()
        thread.join()


ASKED = (
    "SELECT count(*), avg(similarity) FROM pages",
    "SELECT domain, count(*) FROM links GROUP BY domain ORDER BY 2 DESC LIMIT 20",
    "FROM progress ORDER BY page DESC LIMIT 1",
    "SELECT url, title FROM pages WHERE text ILIKE '%research%' LIMIT 50",
)


def crawl_once(path: Path, pages: int) -> tuple[float, float]:
    """Wall-clock and CPU seconds of a crawl over the recorded web."""
    before = os.times()
    began_s = time.perf_counter()
    # many topics' seeds, so that a small record gives a crawl that is long enough
    topics = [json.loads(line) for line in WEBKB.with_name("topics.jsonl").read_text().splitlines()]
    seeds = list(dict.fromkeys(seed for topic in topics[:20] for seed in topic["seeds"][:5]))
    subprocess.run(
        [
            *(sys.executable, "-m", "bizcrawl", "crawl", *seeds, "--keywords", "research projects students"),
            *(
                "--web",
                str(WEBKB),
                "--strategy",
                "best-first",
                "--pages",
                str(pages),
                "--to",
                str(path),
                "--quiet",
            ),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    after = os.times()
    cpu_s = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - began_s, cpu_s


@contextlib.contextmanager
def asking(path: Path, pause_s: float, answers: list[float]) -> Iterator[None]:
    """Ask a collection that is being written, again and again, from this process."""
    over = threading.Event()

    def ask() -> None:
        n = 0
        while not over.wait(pause_s):
            began_s = time.perf_counter()
            with contextlib.suppress(Exception):
                if wire.sockets_found(path):  # at rest it would be locked when the crawl wants to open it
                    Reader(path).rows(ASKED[n % len(ASKED)])
                    answers.append(time.perf_counter() - began_s)
            n += 1

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def query_cost(pages: int = 2_500, rounds: int = 3) -> None:
    """Print how much questions from another process slow a crawl, alternating with and without."""
    if not WEBKB.exists():
        print("query: left out, ../shared/beds is not here")
        return
    print(f"query: a crawl of {pages:,} pages of the webkb bed while another process asks")
    for pause_s in (1.0, 0.1):
        alone: list[tuple[float, float]] = []
        asked: list[tuple[float, float]] = []
        answers: list[float] = []
        with tempfile.TemporaryDirectory() as directory:
            for n in range(rounds):
                alone.append(crawl_once(Path(directory, f"alone{n}.duckdb"), pages))
                path = Path(directory, f"asked{n}.duckdb")
                with asking(path, pause_s, answers):
                    asked.append(crawl_once(path, pages))
        walls = min(w for w, _ in asked) / min(w for w, _ in alone) - 1
        cpus = min(c for _, c in asked) / min(c for _, c in alone) - 1
        answers.sort()
        print(
            f"  a question every {pause_s + answers[len(answers) // 2]:.2f} s: {len(answers)} answered, "
            f"median {answers[len(answers) // 2] * 1_000:.0f} ms, worst {answers[-1] * 1_000:.0f} ms; "
            f"crawl slower by {walls:+.1%} wall clock, {cpus:+.1%} CPU (best of {rounds})"
        )


def size(pages: int = 4_000) -> None:
    """Print where the bytes of a real crawl's file go."""
    if not WEBKB.exists():
        print("size: left out, ../shared/beds is not here")
        return
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "webkb.duckdb")
        crawl_once(path, pages)
        reader = Reader(path)
        ((stored, links, body),) = reader.rows(
            "SELECT count(*), (SELECT count(*) FROM links), avg(body_bytes) FROM pages"
        )
        count = int(str(stored))
        print(
            f"size: {count:,} pages of the webkb bed, {float(str(body)):,.0f} bytes of body and "
            f"{int(str(links)) / count:.0f} links each"
        )
        print(f"  {path.stat().st_size / count:8,.0f} bytes of file a page")
        for table in ("pages", "links", "trees", "calls"):
            blocks = reader.rows(
                f"SELECT count(DISTINCT block_id) FROM pragma_storage_info('{table}') WHERE persistent"
            )
            print(f"  {int(str(blocks[0][0])) * 262_144 / count:8,.0f} {table}")


if __name__ == "__main__":
    parts = {"write": write_rate, "query": query_cost, "size": size}
    for name in sys.argv[1:] or parts:
        parts[name]()
