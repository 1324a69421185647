"""Crawls in real processes that are killed without warning, resumed, and compared with one that was left
alone.

The process that starts them has imported everything and opens no collection itself: each crawl, and each look
into a file, is a fork of it. A crawl tells through a pipe which pages it was told are safe on disk; what
stands in the pipe survives the kill.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bizcrawl.cli as command_line
from bizcrawl.collection import writer
from bizcrawl.collection.rows import Batch

# the commands are imported now, so that the forks need not
command_line.build_app()

SEEDS = ("https://roastwell.example/", "https://emberdrum.example/")
DISCOVER = "discover"
KEYWORDS = "coffee roasting equipment manufacturers"


@dataclass(slots=True)
class Sitting:
    """One process of a crawl, from its start to its end or to the kill."""

    exit_code: int
    """Negative: the number of the signal that ended it."""
    acknowledged: list[str]
    """URLs of pages whose batches were acknowledged, in order."""
    seconds: float


@dataclass(slots=True)
class Tortured:
    """A crawl that was killed some times and then left to end."""

    kills: int = 0
    lost: list[str] = field(default_factory=list)
    """Acknowledged pages that were not in the file afterwards."""
    doubled: list[str] = field(default_factory=list)
    """URLs stored more than once."""
    torn: list[str] = field(default_factory=list)
    """What did not fit together in the file after a kill."""
    pages: list[tuple[Any, ...]] = field(default_factory=list)
    """The finished crawl's pages, as they can be compared."""


def first_command(path: Path, strategy: str, pages: int, web: str = "demo") -> list[str]:
    """The command that begins a crawl; `discover` instead of a strategy's name for the main job."""
    seeds = SEEDS if web == "demo" else ()
    job = ("discover", "competitors") if strategy == DISCOVER else ("crawl",)
    chosen = () if strategy == DISCOVER else ("--strategy", strategy)
    return [
        *(*job, *seeds, "--keywords", KEYWORDS, "--web", web, *chosen),
        *("--pages", str(pages), "--connections", "1", "--random-seed", "3", "--to", str(path), "--quiet"),
    ]


def sit(
    arguments: Sequence[str],
    kill_after_s: float | None = None,
    *,
    signals: Sequence[int] = (),
    after_pages: int = 1,
) -> Sitting:
    """Run a command in a process of its own; kill it after some time, if it is still running then.

    Or send it `signals`, one right after the other, once so many pages have been acknowledged.
    """
    reading, writing = os.pipe()
    began_s = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _become_crawl(arguments, writing)
    os.close(writing)
    heard = b""
    todo = list(signals)
    while True:
        wait_s = None if kill_after_s is None else max(0.0, began_s + kill_after_s - time.monotonic())
        readable, _, _ = select.select([reading], [], [], wait_s)
        if not readable:
            os.kill(child, signal.SIGKILL)
            kill_after_s = None
            continue
        piece = os.read(reading, 65_536)
        if not piece:
            break
        heard += piece
        while todo and heard.count(b"\n") >= after_pages:
            os.kill(child, todo.pop(0))
            # two signals that wait together would be taken as one
            time.sleep(0.05 if todo else 0.0)
    os.close(reading)
    _, status = os.waitpid(child, 0)
    # the last line may be torn by the kill: it was not acknowledged then
    lines = heard.decode().split("\n")[:-1]
    return Sitting(os.waitstatus_to_exitcode(status), lines, time.monotonic() - began_s)


def _become_crawl(arguments: Sequence[str], acknowledgements: int) -> None:
    """Be the command line from here on; never returns."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    submit = writer.Collection.submit

    def telling(self: writer.Collection, batch: Batch) -> Any:
        future = submit(self, batch)
        urls = "".join(f"{page.row.url}\n" for page in batch.pages).encode()
        future.add_done_callback(lambda f: f.exception() is None and os.write(acknowledgements, urls))
        return future

    writer.Collection.submit = telling  # type: ignore[method-assign]
    code = 1
    try:
        sys.argv = ["bizcrawl", *arguments]
        command_line.main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    finally:
        os._exit(code)


def look(path: Path, question: Callable[[Path], Any]) -> Any:
    """The answer to a question about a file, asked by a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = json.dumps(question(path)).encode()
        except BaseException as error:
            answer = json.dumps({"failed": repr(error)}).encode()
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(answer)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    found = json.loads(answer)
    if isinstance(found, dict) and "failed" in found:
        raise AssertionError(f"{path}: {found['failed']}")
    return found


PAGES = (
    "SELECT p.url, p.final_url, p.depth, p.parent, p.score, p.similarity, p.title, hex(p.body_hash), "
    "(SELECT count(*) FROM links l WHERE l.page = p.page), "
    "(SELECT sum(l.score) FROM links l WHERE l.page = p.page), "
    "(SELECT md5(t.tree::VARCHAR) FROM trees t WHERE t.page = p.page) FROM pages p ORDER BY p.page"
)
CALLS = "SELECT kind, url, reason FROM calls WHERE kind IN ('visit', 'fail') ORDER BY call"


def contents(path: Path) -> Any:
    """Pages and the calls that ended a URL, in order, without what depends on time."""
    from bizcrawl.collection.reader import Reader

    reader = Reader(path)
    return {"pages": reader.rows(PAGES), "calls": reader.rows(CALLS)}


CONSISTENT = {
    "pages without their visit": (
        "FROM pages SELECT url WHERE url NOT IN (SELECT url FROM calls WHERE kind = 'visit')"
    ),
    "visits without their page": "FROM calls ANTI JOIN pages USING (url) SELECT url WHERE kind = 'visit'",
    "pages without their tree": "FROM pages ANTI JOIN trees USING (page) SELECT page",
    "trees without a page": "FROM trees ANTI JOIN pages USING (page) SELECT page",
    "links without a page": "FROM links ANTI JOIN pages USING (page) SELECT page",
    "holes in the order of calls": (
        "FROM (SELECT call, row_number() OVER (ORDER BY call) AS n FROM calls) SELECT call WHERE call <> n"
    ),
    "holes in the order of pages": (
        "FROM (SELECT page, row_number() OVER (ORDER BY page) AS n FROM pages) SELECT page WHERE page <> n"
    ),
    "pages out of the order of their visits": (
        "WITH v AS (SELECT url, row_number() OVER (ORDER BY call) AS n FROM calls WHERE kind = 'visit') "
        "SELECT page FROM pages JOIN v USING (url) WHERE page <> n"
    ),
}


def state(path: Path) -> Any:
    """The URLs in a file, and what does not fit together in it."""
    from bizcrawl.collection.reader import Reader

    reader = Reader(path)
    torn = [f"{what}: {found[:3]}" for what, query in CONSISTENT.items() if (found := reader.rows(query))]
    return {"urls": [url for (url,) in reader.rows("SELECT url FROM pages ORDER BY page")], "torn": torn}


def torture(
    path: Path,
    begin: Sequence[str],
    kills: int,
    length_s: float,
    rng: random.Random,
    resume: Sequence[str] = (),
) -> Tortured:
    """Kill a crawl at random moments, resume it each time, and let it end after the last kill.

    `length_s` is how long the crawl takes when it is left alone; `resume` the command, if not the plain one.
    """
    result = Tortured()
    acknowledged: dict[str, None] = {}
    for attempt in range(kills + 1):
        resuming = path.exists()
        arguments = [*(resume or ("resume", str(path), "--quiet"))] if resuming else list(begin)
        if resuming and not look(path, _has_crawl):
            # killed before the crawl was written down: nothing had been acknowledged, so it begins again
            path.unlink()
            Path(f"{path}.wal").unlink(missing_ok=True)
            arguments = list(begin)
        last = attempt == kills
        sitting = sit(arguments, None if last else rng.uniform(0.0, length_s))
        acknowledged.update(dict.fromkeys(sitting.acknowledged))
        result.kills += sitting.exit_code == -signal.SIGKILL
        if path.exists():
            after = look(path, state)
            urls = after["urls"]
            result.torn += after["torn"]
            result.lost += [url for url in acknowledged if url not in set(urls)]
            result.doubled += sorted({url for url in urls if urls.count(url) > 1})
        if sitting.exit_code not in {0, -signal.SIGKILL}:
            result.torn.append(f"{' '.join(arguments)} ended with {sitting.exit_code}")
        if sitting.exit_code != -signal.SIGKILL:
            break
    result.pages = look(path, contents)
    return result


def _has_crawl(path: Path) -> Any:
    from bizcrawl.collection.reader import Reader

    return bool(Reader(path).rows("SELECT 1 FROM crawls"))
