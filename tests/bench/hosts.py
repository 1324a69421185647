"""A thousand hosts with a second between two requests to each: pages/s, and whether any was asked early or
starved.

usage: python tests/bench/hosts.py [--hosts 1000] [--pages-per-host 20] [--delay 1.0] [--connections 256]

Every host is an address of its own in 127.0.0.0/8, served by a small server in another process that writes
down when each host was asked. Small pages; robots.txt is asked of each host too. The real frontier, gate,
robots reader and HTTP client are used; what is made of pages is measured elsewhere.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import multiprocessing
import random
import sys
import time
from collections import Counter
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from typing import ClassVar

import uvloop

sys.path.insert(0, str(Path(__file__).parents[2]))

from bizcrawl.download import Download, Rules, download
from bizcrawl.frontier import Frontier
from bizcrawl.netguard import AddressRules
from bizcrawl.politeness import Manners, Politeness
from bizcrawl.robots.rules import Robots
from bizcrawl.strategies import ScoredLink
from bizcrawl.urls import host_of
from bizcrawl.web.live import LiveOptions, LiveWeb
from bizcrawl.web.polite import PoliteWeb

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"


class Host(asyncio.Protocol):
    """Just enough of a web server, with the time of each request."""

    log: ClassVar[list[tuple[str, float]]] = []

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.transport = transport
        self.address = transport.get_extra_info("sockname")[0]

    def data_received(self, data: bytes) -> None:
        self.log.append((self.address, time.monotonic()))
        path = data.split(b" ", 2)[1]
        body = (
            b"User-agent: *\n"
            if path == b"/robots.txt"
            else b"<title>%s</title><p>page %s of a host" % (path, path)
        )
        self.transport.write(HEAD % len(body) + body)


def serve(pipe: Connection) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Host, "0.0.0.0", 0, backlog=4096)
        pipe.send(server.sockets[0].getsockname()[1])
        await loop.run_in_executor(None, pipe.recv)
        pipe.send(Host.log)

    uvloop.run(run())


async def crawl(urls: list[ScoredLink], delay_s: float, connections: int) -> tuple[int, float, Counter[str]]:
    live = LiveWeb(LiveOptions(connections=connections, addresses=AddressRules(allow_private=True)))
    gate = Politeness(Manners(delay_s=delay_s), time.monotonic, wall_clock=time.time)
    web = PoliteWeb(live, gate)
    rules = Rules(robots=Robots(web, time.monotonic, live.user_agent), politeness=gate)
    frontier = Frontier(max_urls=len(urls))
    for link in urls:
        frontier.push(link)
    pages, failures = 0, Counter[str]()
    running: set[asyncio.Task[None]] = set()
    ended = asyncio.Event()

    async def fetch(url: str) -> None:
        nonlocal pages
        got = await download(url, web, rules)
        gate.release(host_of(url))
        if isinstance(got, Download):
            pages += 1
        else:
            failures[got.reason] += 1
        ended.set()

    started_s = time.perf_counter()
    while len(frontier) or running:
        free = connections + gate.sleeping - len(running)
        links = frontier.pop(free, gate) if free > 0 else []
        for link in links:
            gate.lease(host_of(link.url))
            task = asyncio.create_task(fetch(link.url))
            running.add(task)
            task.add_done_callback(running.discard)
        ended.clear()
        nap_s = min(gate.soonest_s(), 0.05)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), nap_s)
    took_s = time.perf_counter() - started_s
    await web.close()
    return pages, took_s, failures


def main() -> None:
    parser = argparse.ArgumentParser(description="a thousand hosts, asked politely")
    parser.add_argument("--hosts", type=int, default=1_000)
    parser.add_argument("--pages-per-host", type=int, default=20)
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--connections", type=int, default=256)
    args = parser.parse_args()
    here, there = multiprocessing.get_context("spawn").Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    port = here.recv()
    rng = random.Random(7)
    hosts = [f"127.{1 + i // 250}.{i % 250}.1" for i in range(args.hosts)]
    urls = [
        ScoredLink(f"http://{host}:{port}/p/{n}", rng.random())
        for host in hosts
        for n in range(args.pages_per_host)
    ]
    cpu_s = time.process_time()
    pages, took_s, failures = uvloop.run(crawl(urls, args.delay, args.connections))
    cpu_s = time.process_time() - cpu_s
    here.send("stop")
    report(here.recv(), args.delay, pages, took_s, cpu_s, failures)
    server.join(5)


def report(
    log: list[tuple[str, float]],
    delay_s: float,
    pages: int,
    took_s: float,
    cpu_s: float,
    failures: Counter[str],
) -> None:
    times: dict[str, list[float]] = {}
    for host, at_s in log:
        times.setdefault(host, []).append(at_s)
    gaps = [after - before for asked in times.values() for before, after in pairwise(asked)]
    fewest = min(map(len, times.values()))
    print("| pages | requests | pages/s | CPU ms a page | shortest gap s | longest gap s | fewest a host |")
    print("|---|---|---|---|---|---|---|")
    figures = f"{pages / took_s:,.0f} | {cpu_s / pages * 1e3:.2f} | {min(gaps):.3f} | {max(gaps):.2f}"
    print(f"| {pages:,} | {len(log):,} | {figures} | {fewest} |")
    print(f"asked early: {sum(gap < delay_s for gap in gaps)}; failures: {dict(failures)}")


if __name__ == "__main__":
    main()
