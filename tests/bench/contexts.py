"""How fast contexts are found: pages a second on one core, against html5lib's own parsing in the same run.

    python tests/bench/contexts.py [--pages 250] [--peers PYTHON] [--stress] [--memory 100000]

Needs the saved pages of ../shared/corpora. All times are CPU times of this process, or of that of the peers:
PYTHON is an interpreter that has Scrapy and BeautifulSoup (with lxml), where the project's own has not.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import html5lib

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "conformance")]

from saved_pages import saved  # noqa: E402

from bizcrawl.page import TidiedPage  # noqa: E402
from contexts import links, tidy  # noqa: E402
from contexts.vectors import Query  # noqa: E402

CORPORA = ROOT.parent / "shared" / "corpora"
HERE = "http://www.example.com/a/b.html"
TURN = 10
"""Pages after which another way of tidying has its turn."""
QUERY = Query.from_text("business software services company news market")
STRESS = {
    "20,000 nested divs": "<div>" * 20_000 + "<a href=/x>x</a>",
    "20,000 attributes": "<a " + " ".join(f"a{i}=x" for i in range(20_000)) + " href=/x>x</a>",
    "1 MB of unclosed <b>": "<b>" * 333_333,
    "2 MB page": "<p>Some text about <a href=/x>pumps</a> and valves.</p>\n" * 36_000,
}


def page_with_scores(text: str, tidier: Literal["auto", "html5lib"] = "auto") -> None:
    """All that a crawl asks of a page."""
    tree = tidy(text, tidier)
    page = TidiedPage(HERE, HERE, links(tree, HERE), tree)
    page.similarity(QUERY)
    page.context_similarities(QUERY, "parent")
    page.context_similarities(QUERY, "block")


def html5lib_alone(text: str) -> None:
    html5lib.parse(text, namespaceHTMLElements=False)


PEERS = """
import json, sys, time

def scrapy():
    from scrapy.http import HtmlResponse
    from scrapy.linkextractors import LinkExtractor
    return lambda text: LinkExtractor().extract_links(HtmlResponse(HERE, body=text, encoding="utf-8"))

def soup():
    from bs4 import BeautifulSoup
    found = lambda text: BeautifulSoup(text, "lxml").find_all("a", href=True)
    return lambda text: [(a["href"], a.get_text()) for a in found(text)]

HERE, pages = json.load(sys.stdin)
for name, made in (("Scrapy LinkExtractor, links alone", scrapy), ("BeautifulSoup, links alone", soup)):
    try:
        work = made()
    except ImportError as error:
        print(json.dumps([name, error.name]))
        continue
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        for page in pages:
            work(page)
        best = min(best, time.process_time() - start)
    print(json.dumps([name, len(pages) / best]))
"""
"""What other projects' ways of finding links are asked to do, in an interpreter that has them."""


def peers(python: str, pages: Sequence[str]) -> list[tuple[str, float]]:
    """Name and pages a second of each peer that is installed."""
    run = subprocess.run(
        [python, "-c", PEERS], input=json.dumps([HERE, pages]), capture_output=True, text=True, check=True
    )
    found = []
    for name, speed in map(json.loads, run.stdout.splitlines()):
        if isinstance(speed, str):
            print(f"{name}: not installed ({speed})")
        else:
            found.append((name, speed))
    return found


Row = tuple[str, Callable[[str], None], Sequence[str], int]
"""What is measured, on which pages, how many times."""


def pages_per_second(rows: Sequence[Row]) -> list[tuple[str, float]]:
    """Of each row the mean of its rounds.

    The rows take turns, a few pages each, so that a time when the machine is busy falls on all alike.
    """
    used = [0.0] * len(rows)
    longest = max(len(pages) for _, _, pages, _ in rows)
    for first in range(0, longest, TURN):
        for i, (_, work, pages, rounds) in enumerate(rows):
            began = time.process_time()
            for _ in range(rounds):
                for page in pages[first : first + TURN]:
                    work(page)
            used[i] += time.process_time() - began
    return [
        (name, len(pages) * rounds / seconds)
        for (name, _, pages, rounds), seconds in zip(rows, used, strict=True)
    ]


def speeds(n_pages: int, python: str) -> None:
    pages = [text for corpus in sorted(CORPORA.glob("pages_*.tar.xz")) for _, text in saved(corpus)]
    random.Random(1).shuffle(pages)
    pages = pages[:n_pages]
    fast = [text for text in pages if tidy(text).road == "lexbor"]
    print(f"{len(pages)} saved pages, mean {sum(map(len, pages)) / len(pages):,.0f} characters; "
          f"{len(pages) - len(fast)} of them need html5lib")  # fmt: skip
    gc.collect()
    gc.freeze()
    (_, alone), *found = pages_per_second(
        [
            ("html5lib, parsing alone", html5lib_alone, pages, 1),
            ("all of it", page_with_scores, pages, 3),
            ("all of it, pages of the fast road", page_with_scores, fast, 3),
            ("all of it, html5lib road", lambda text: page_with_scores(text, "html5lib"), pages, 1),
        ]
    )
    found += peers(python, pages)
    print(f"{'html5lib, parsing alone':40s} {alone:8.1f} pages/s")
    for name, speed in found:
        print(f"{name:40s} {speed:8.1f} pages/s  {speed / alone:6.2f} x html5lib's parsing")


def stress() -> None:
    for name, page in STRESS.items():
        start = time.process_time()
        page_with_scores(page)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{name:40s} {time.process_time() - start:8.2f} s, peak of the process {peak:,.0f} MB")


def memory(n_pages: int) -> None:
    pages = [text for _, text in saved(CORPORA / "pages_readability_scrapinghub.tar.xz")][:200]
    pages = [page[:20_000] for page in pages]
    for done in range(n_pages):
        page_with_scores(pages[done % len(pages)].replace("e", f"e{done % 997}x", 50))
        if done % (n_pages // 10) == 0:
            resident = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20
            print(f"after {done:7,} pages: {resident:,.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=250)
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--stress", action="store_true")
    parser.add_argument("--memory", type=int, default=0, metavar="PAGES")
    options = parser.parse_args()
    if options.stress:
        stress()
    elif options.memory:
        memory(options.memory)
    elif CORPORA.is_dir():
        speeds(options.pages, options.peers)
    else:
        sys.exit(f"needs the saved pages in {CORPORA}")


if __name__ == "__main__":
    main()
