"""A long crawl over loopback: does memory stay flat, does the file grow in step, is the writer kept up with?

usage: python tests/bench/soak.py [--pages 100000] [--hosts 200] [--every 5000]

A server in a process of its own answers at as many addresses of 127.0.0.0/8 as there are hosts. Every page
has a hundred links to pages of its own host and of others, without end, so the frontier is full all the time.
The crawl is the real command over real HTTP; memory is what it and its workers hold (proportional set size),
read while it runs. Ends with 1 if memory grew by 5 % or more after the first tenth.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import multiprocessing
import random
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

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


def memory_bytes(pid: int) -> int:
    """Proportional set size of a process and all below it."""
    total = 0
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
        for thread in Path(f"/proc/{pid}/task").iterdir():
            total += sum(memory_bytes(int(child)) for child in (thread / "children").read_text().split())
    return total


def main() -> int:
    """Crawl, watch, print, judge."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--every", type=int, default=5_000)
    asked = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=serve, args=(theirs, asked.hosts), daemon=True
    )
    server.start()
    port = ours.recv()
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "soak.duckdb")
        seeds = [f"http://127.0.0.{n + 2}:{port}/p/0" for n in range(asked.hosts)]
        began_s = time.monotonic()
        crawl = subprocess.Popen(
            [
                *(
                    sys.executable,
                    "-m",
                    "bizcrawl",
                    "crawl",
                    *seeds,
                    "--web",
                    "live",
                    "--allow-private",
                    "--delay",
                    "0",
                ),
                *(
                    "--pages",
                    str(asked.pages),
                    "--strategy",
                    "best-first",
                    "--keywords",
                    "pump valve brewery",
                ),
                *("--pages-per-host", "1000000", "--connections", "32", "--to", str(path), "--quiet"),
            ],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
        )
        print(
            f"{'pages':>8} {'seconds':>8} {'pages/s':>8} {'memory MB':>10} {'file MB':>8} {'bytes/page':>10}"
        )
        samples: list[tuple[int, int]] = []
        while crawl.poll() is None:
            time.sleep(2)
            try:
                ((found,),) = Reader(path).rows("SELECT coalesce(max(page), 0) FROM pages")
            except BizcrawlError:
                continue
            pages = int(str(found))
            if pages // asked.every > (samples[-1][0] // asked.every if samples else 0):
                elapsed_s, memory = time.monotonic() - began_s, memory_bytes(crawl.pid)
                if not memory:
                    break
                samples.append((pages, memory))
                size = sum(p.stat().st_size for p in (path, Path(f"{path}.wal")) if p.exists())
                print(
                    f"{pages:8,} {elapsed_s:8,.0f} {pages / elapsed_s:8,.0f} {memory / 2**20:10,.1f} "
                    f"{size / 2**20:8,.0f} {size / pages:10,.0f}",
                    flush=True,
                )
        crawl.wait()
        ours.send(None)
        server.join()
        if crawl.returncode or len(samples) < 3:
            print(f"the crawl ended with {crawl.returncode} after {samples[-1][0] if samples else 0} pages")
            return 1
        late = [memory for pages, memory in samples if pages >= asked.pages / 10]
        growth = max(late) / late[0] - 1
        print(f"memory grew by {growth:+.1%} after the first {asked.pages // 10:,} pages")
        print(f"file: {path.stat().st_size / asked.pages:,.0f} bytes a page")
    return int(growth >= 0.05)


if __name__ == "__main__":
    sys.exit(main())
