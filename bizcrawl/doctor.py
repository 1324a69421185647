"""What this machine lacks for crawling, and the command that gets it.

Each check is a small function whose view of the machine is an argument. A check finds what stands in the way
of every crawl (`State.MISSING`), what limits some (`State.LIMITED`), or that all is well. Checks never raise.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import resource
import shutil
import ssl
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from bizcrawl.web import Response
from bizcrawl.web.chromium import HOW_TO_GET_IT, find_chromium
from bizcrawl.web.warc_index import user_cache
from bizcrawl.workers import usable_processors

CRAWL_MB = 600
"""What a crawl of the default size uses at most, all processes together."""
BROWSER_MB = 900
"""What a browser with four tabs and its driver add."""
OPEN_FILES = 1024
FREE_DISK_MB = 1000


class State(StrEnum):
    """How grave a finding is."""

    OK = "ok"
    LIMITED = "limited"
    """Crawls run; what the finding names does not, or not well."""
    MISSING = "missing"
    """No crawl runs."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at."""

    subject: str
    state: State
    detail: str
    remedy: str = ""
    """The command or deed that mends it; empty if nothing need be done."""


def examine() -> Iterator[Finding]:
    """All checks on this machine, one after the other; the browser last, for it takes a second."""
    yield python(sys.version_info[:3])
    yield from (library(name, works) for name, works in LIBRARIES.items())
    yield memory(_text("/proc/meminfo"), _text("/sys/fs/cgroup/memory.max"))
    yield processors(usable_processors())
    yield open_files(*resource.getrlimit(resource.RLIMIT_NOFILE))
    yield disk(Path())
    yield cache(user_cache())
    yield certificates(ssl.create_default_context().cert_store_stats())
    yield browser(find_chromium(), os.geteuid() == 0, render_once)


def exit_code(findings: Iterable[Finding]) -> int:
    """1 if something is missing without which no crawl runs, else 0."""
    return int(any(finding.state == State.MISSING for finding in findings))


def python(version: tuple[int, int, int]) -> Finding:
    """Python 3.11 or later."""
    named = ".".join(map(str, version))
    if version >= (3, 11, 0):
        return Finding("Python", State.OK, named)
    return Finding("Python", State.MISSING, f"{named} is too old", "install Python 3.11 or later")


def _html5lib_works() -> bool:
    from contexts.tidy import tidy

    return "pumps" in tidy("<p><b>pumps</p>", tidier="html5lib").text


def _lexbor_works() -> bool:
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser("<p>pumps").body is not None


def _stemmer_works() -> bool:
    import Stemmer

    return str(Stemmer.Stemmer("porter").stemWord("gambling")) == "gambl"


def _duckdb_works() -> bool:
    import duckdb

    with duckdb.connect(":memory:") as connection:
        return connection.execute("SELECT 1").fetchone() == (1,)


def _warc_works() -> bool:
    return hasattr(importlib.import_module("fastwarc.warc"), "ArchiveIterator")


LIBRARIES: Mapping[str, Callable[[], bool]] = {
    "tidier html5lib": _html5lib_works,
    "tidier lexbor": _lexbor_works,
    "Porter stemmer": _stemmer_works,
    "DuckDB": _duckdb_works,
    "WARC reader": _warc_works,
}
"""What every crawl stands on, and a try of each."""


def library(name: str, works: Callable[[], bool]) -> Finding:
    """A library that does what it is for."""
    remedy = "python -m pip install --force-reinstall bizcrawl"
    try:
        if works():
            return Finding(name, State.OK, "works")
    except Exception as error:  # a broken installation can fail in any way
        return Finding(name, State.MISSING, " ".join(f"{type(error).__name__}: {error}".split()), remedy)
    return Finding(name, State.MISSING, "gives wrong results", remedy)


def memory(meminfo: str, cgroup_max: str) -> Finding:
    """Memory that is free now, within the limit of the container if there is one."""
    fields = dict(line.split(":", 1) for line in meminfo.splitlines() if ":" in line)
    if "MemAvailable" not in fields:
        return Finding("memory", State.OK, "not known on this system")
    free_mb = int(fields["MemAvailable"].split()[0]) // 1024
    if cgroup_max.strip().isdigit():
        free_mb = min(free_mb, int(cgroup_max) // 2**20)
    if free_mb < CRAWL_MB:
        return Finding(
            "memory",
            State.LIMITED,
            f"{free_mb} MB free, a crawl may use {CRAWL_MB}",
            "--connections 8 --workers 0",
        )
    if free_mb < CRAWL_MB + BROWSER_MB:
        return Finding("memory", State.LIMITED, f"{free_mb} MB free: too little for --render", "free memory")
    return Finding("memory", State.OK, f"{free_mb:,} MB free")


def processors(count: int) -> Finding:
    """Pages are tidied beside fetching only where there is more than one processor."""
    if count > 1:
        return Finding("processors", State.OK, f"{count}")
    return Finding("processors", State.LIMITED, "1: pages are tidied between fetches, not beside them")


def open_files(soft: int, hard: int) -> Finding:
    """Sockets count as open files."""
    if soft == resource.RLIM_INFINITY or soft >= OPEN_FILES:
        return Finding("open files", State.OK, "no limit" if soft == resource.RLIM_INFINITY else f"{soft:,}")
    can = hard == resource.RLIM_INFINITY or hard >= OPEN_FILES
    remedy = (
        f"ulimit -n {OPEN_FILES}" if can else f"raise nofile to {OPEN_FILES} in /etc/security/limits.conf"
    )
    return Finding("open files", State.LIMITED, f"{soft}: too few for many hosts at once", remedy)


def disk(folder: Path) -> Finding:
    """Space where the collection will stand."""
    try:
        folder = folder.resolve()
        free_mb = shutil.disk_usage(folder).free // 2**20
    except OSError as error:
        why = f"this folder can't be looked at: {error.strerror}"
        return Finding("disk", State.LIMITED, why, "change to another folder")
    if free_mb < FREE_DISK_MB:
        return Finding(
            "disk",
            State.LIMITED,
            f"{free_mb} MB free in {folder}",
            "free space, or write elsewhere with --to",
        )
    return Finding("disk", State.OK, f"{free_mb:,} MB free in {folder}")


def cache(folder: Path) -> Finding:
    """The folder for indexes and page graphs that are made once."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if writable:
        return Finding("cache folder", State.OK, str(folder))
    detail = f"{folder} cannot be written: indexes are made anew at every run"
    return Finding("cache folder", State.LIMITED, detail, "export XDG_CACHE_HOME=<a folder of yours>")


def certificates(store: Mapping[str, int]) -> Finding:
    """The authorities by which https sites are known."""
    known = store.get("x509_ca", 0)
    if known:
        return Finding("certificates", State.OK, f"{known} authorities")
    return Finding(
        "certificates",
        State.LIMITED,
        "none: every https site will be refused",
        "apt-get install ca-certificates",
    )


def browser(program: Path | None, is_root: bool, try_it: Callable[[], float]) -> Finding:
    """Chromium for ``--render``; `try_it` renders a page and gives the seconds it took."""
    if program is None:
        return Finding("browser", State.LIMITED, "none: --render is not possible", HOW_TO_GET_IT)
    from bizcrawl.web.browser import BrowserUnavailableError, RenderingError  # a tenth of a second

    try:
        took_s = try_it()
    except (BrowserUnavailableError, RenderingError) as error:
        remedy = "apt-get install --reinstall chromium-headless-shell, or set BIZCRAWL_CHROMIUM"
        return Finding("browser", State.LIMITED, f"{program} fails: {error}", remedy)
    detail = f"{program} renders a page in {took_s:.1f} s"
    if is_root:
        return Finding(
            "browser", State.LIMITED, f"{detail}, without its sandbox", "run as another user than root"
        )
    return Finding("browser", State.OK, detail)


def render_once() -> float:
    """Start the browser, render one page, end it; the seconds it took. Needs no network."""
    from bizcrawl.web.browser import Browser, BrowserOptions, RenderingError

    async def render() -> None:
        page = b"<p>" + b"text " * 60 + b"<script>document.body.append('made')</script>"
        chromium = Browser("127.0.0.1:9", BrowserOptions(tabs=1, deadline_s=30))
        try:
            response = Response(
                "http://doctor.example/", 200, {"content-type": "text/html"}, page, datetime.now(UTC)
            )
            rendered = await chromium.render(response)
        finally:
            await chromium.close()
        if "made</body>" not in rendered.html:
            raise RenderingError("scripts do not run")

    began = time.monotonic()
    asyncio.run(render())
    return time.monotonic() - began


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
