"""A long crawl over loopback: does memory stay flat, do pages cost the same, does the file grow in step?

usage: python tests/bench/soak.py [--pages 100000] [--hosts 200] [--windows 10]

A server in a process of its own answers at as many addresses of 127.0.0.0/8 as there are hosts. Every page
has a hundred links to pages of its own host and of others, without end, so the frontier is full all the time.
The crawl is the real command over real HTTP. Twice a second it is read what the crawl and its workers hold
and how much processor time they have used. What they hold is their proportional set size without the pages
of programs and libraries: the system loads and drops those as it likes (20 MB came back between two windows).
Memory rises and falls by a fifth with every checkpoint of the database, so single readings say little: a line
gives mean and peak of a window of pages. Ends with 1 if the mean of any window is 5 % or more above that of
the windows that make up the second tenth of the crawl.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).parents[2]))

from bizcrawl.collection.reader import Reader
from bizcrawl.errors import BizcrawlError

ROOT = Path(__file__).parents[2]
LINKS = 100
WORDS = ("pump", "valve", "seal", "filter", "brewery", "dairy", "supplier", "directory", "member", "contact")
HEAD = b"HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n"


class Host(asyncio.Protocol):
    """Just enough of a web server: robots.txt is missing, every other path is a page."""

    hosts = 1
    port = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember who was called."""
        self.transport = transport
        self.address = transport.get_extra_info("sockname")[0]

    def data_received(self, data: bytes) -> None:
        """Answer each request, one after the other."""
        for request in data.split(b"\r\n\r\n")[:-1]:
            path = request.split(b" ", 2)[1].decode("ascii")
            missing = path == "/robots.txt"
            body = b"" if missing else self.page(path)
            head = HEAD % (b"404 Not Found" if missing else b"200 OK", len(body))
            self.transport.write(head + body)  # type: ignore[attr-defined]

    def page(self, path: str) -> bytes:
        """A page made from its address alone."""
        rng = random.Random(self.address + path)
        items = []
        for n in range(LINKS):
            own = n % 4
            address = self.address if own else f"127.0.0.{rng.randrange(self.hosts) + 2}"
            target = f"http://{address}:{self.port}/p/{rng.randrange(1_000_000)}"
            items.append(
                f'<li><a href="{target}">{rng.choice(WORDS)} {n}</a> {" ".join(rng.choices(WORDS, k=6))}</li>'
            )
        text = " ".join(rng.choices(WORDS, k=300))
        return f"<title>Page {path}</title><h1>{path}</h1><p>{text}</p><ul>{''.join(items)}</ul>".encode()


def serve(pipe: Connection, hosts: int) -> None:
    """Serve until told to stop."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Host, "0.0.0.0", 0, backlog=1024)
        Host.hosts, Host.port = hosts, server.sockets[0].getsockname()[1]
        pipe.send(Host.port)
        await loop.run_in_executor(None, pipe.recv)

    asyncio.run(run())


@dataclass(frozen=True)
class Reading:
    """The state of the crawl at one moment."""

    at_s: float
    pages: int
    memory_bytes: int
    cpu_s: float
    """Used since the start, by processes that have made way for others too."""
    file_bytes: int


@contextlib.contextmanager
def serving(hosts: int) -> Iterator[int]:
    """A server on a port of its own."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs, hosts), daemon=True)
    server.start()
    yield ours.recv()
    ours.send(None)
    server.join()


def crawling(seeds: list[str], pages: int, path: Path) -> subprocess.Popen[bytes]:
    """The command, on its way."""
    options = {
        "--web": "live",
        "--delay": "0",
        "--pages": str(pages),
        "--pages-per-host": "1000000",
        "--connections": "32",
        "--strategy": "best-first",
        "--keywords": "pump valve brewery",
        "--to": str(path),
    }
    flat = [word for option in options.items() for word in option]
    command = [sys.executable, "-m", "bizcrawl", "crawl", *seeds, *flat, "--allow-private", "--quiet"]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)


def readings(crawl: subprocess.Popen[bytes], path: Path, every_s: float = 0.5) -> Iterator[Reading]:
    """Read the crawl until it ends."""
    began_s = time.monotonic()
    while crawl.poll() is None:
        time.sleep(every_s)
        try:
            # a number that DuckDB knows: one that it had to read would fill its cache, up to its limit
            ((found,),) = Reader(path).rows("SELECT count(*) FROM pages")
        except BizcrawlError:
            continue  # not yet there, or there no longer
        tree = family(crawl.pid)
        size = sum(file.stat().st_size for file in (path, Path(f"{path}.wal")) if file.exists())
        elapsed_s = time.monotonic() - began_s
        memory, cpu_s = sum(map(memory_bytes, tree)), sum(map(used_s, tree))
        if memory:
            yield Reading(elapsed_s, int(str(found)), memory, cpu_s, size)


def family(pid: int) -> list[int]:
    """A process and all below it."""
    found = [pid]
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                found += family(int(child))
    return found


def memory_bytes(pid: int) -> int:
    """Proportional set size of a process, without what is mapped from files."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss_Anon:"):
                return int(line.split()[1]) * 1024
    return 0


def used_s(pid: int) -> float:
    """Processor time of a process and of those below it that have ended."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def line(window: list[Reading], before: Reading) -> str:
    """What happened from the reading before a window to its last one."""
    last, memory = window[-1], [reading.memory_bytes / 2**20 for reading in window]
    pages = max(1, last.pages - before.pages)
    return (
        f"{last.pages:8,} {last.at_s:8,.0f} {pages / (last.at_s - before.at_s):8,.0f}"
        f" {(last.cpu_s - before.cpu_s) / pages * 1e3:12.2f} {fmean(memory):8,.0f} {max(memory):8,.0f}"
        f" {last.file_bytes / 2**20:8,.0f} {last.file_bytes / last.pages:10,.0f}"
    )


def main() -> int:
    """Crawl, watch, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--windows", type=int, default=10, help="lines of the table")
    asked = parser.parse_args()
    length = max(1, asked.pages // asked.windows)
    windows: dict[int, list[Reading]] = {}
    before = last = Reading(0.0, 0, 0, 0.0, 0)
    print("   pages  seconds  pages/s  CPU ms/page  mean MB  peak MB  file MB bytes/page")
    with serving(asked.hosts) as port, tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "soak.duckdb")
        crawl = crawling(
            [f"http://127.0.0.{n + 2}:{port}/p/0" for n in range(asked.hosts)], asked.pages, path
        )
        for reading in readings(crawl, path):
            if reading.pages // length != last.pages // length and last.pages:
                print(line(windows[last.pages // length], before), flush=True)
                before = last
            windows.setdefault(reading.pages // length, []).append(reading)
            last = reading
        if crawl.returncode or len(windows) < asked.windows:
            print(f"the crawl ended with {crawl.returncode} after {last.pages} pages")
            return 1
        print(f"file: {path.stat().st_size / asked.pages:,.0f} bytes a page")
    return judged(windows, asked.windows)


def judged(windows: dict[int, list[Reading]], number: int) -> int:
    """Compare the windows that follow the first tenth."""
    means = {at: fmean(reading.memory_bytes for reading in found) for at, found in windows.items()}
    tenth = max(1, number // 10)
    early = fmean(means[at] for at in range(tenth, 2 * tenth))
    late = {at: mean / early - 1 for at, mean in means.items() if 2 * tenth <= at < number}
    print(f"memory against the second tenth: last {late[max(late)]:+.1%}, highest {max(late.values()):+.1%}")
    return int(max(late.values()) >= 0.05)


if __name__ == "__main__":
    sys.exit(main())
