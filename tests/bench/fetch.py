"""What the rules of the live Web cost: `LiveWeb` and `download` against plain aiohttp, fetching only.

usage: python tests/bench/fetch.py [--rounds 3] [--connections 16,64]

Each round fetches all 2,000 pages with each client in turn, so that a noisy machine disturbs all alike.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import aiohttp
import uvloop

sys.path.insert(0, str(Path(__file__).parents[2]))

from local_site import served

from bizcrawl.download import Download, Rules, download
from bizcrawl.netguard import AddressRules
from bizcrawl.politeness import Manners, Politeness
from bizcrawl.robots.rules import Robots
from bizcrawl.traps import Sightings
from bizcrawl.web import Request, Response
from bizcrawl.web.live import LiveOptions, LiveWeb
from bizcrawl.web.polite import PoliteWeb

Client = Callable[[list[str], int], Awaitable[int]]


async def in_parallel(urls: list[str], connections: int, get: Callable[[str], Awaitable[int]]) -> int:
    left, total = iter(urls), 0

    async def worker() -> None:
        nonlocal total
        for url in left:
            size = await get(url)
            total += size

    await asyncio.gather(*(worker() for _ in range(connections)))
    return total


async def plain_aiohttp(urls: list[str], connections: int) -> int:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=connections)) as session:

        async def get(url: str) -> int:
            async with session.get(url) as answer:
                return len(await answer.read())

        return await in_parallel(urls, connections, get)


def live_web(connections: int) -> LiveWeb:
    return LiveWeb(LiveOptions(connections=connections, addresses=AddressRules(allow_private=True)))


async def live(urls: list[str], connections: int) -> int:
    web = live_web(connections)

    async def get(url: str) -> int:
        answer = await web.fetch(Request(url))
        assert isinstance(answer, Response), answer
        return len(answer.body)

    try:
        return await in_parallel(urls, connections, get)
    finally:
        await web.close()


async def all_rules(urls: list[str], connections: int) -> int:
    live = live_web(connections)
    politeness = Politeness(Manners(0.0, connections), time.monotonic, wall_clock=time.time)
    web = PoliteWeb(live, politeness)
    robots = Robots(web, time.monotonic, live.user_agent)
    rules = Rules(robots=robots, politeness=politeness, sightings=Sightings(2026), follow_refresh=True)

    async def get(url: str) -> int:
        got = await download(url, web, rules)
        assert isinstance(got, Download), got
        return len(got.response.body)

    try:
        return await in_parallel(urls, connections, get)
    finally:
        await web.close()


CLIENTS: dict[str, Client] = {"aiohttp": plain_aiohttp, "LiveWeb": live, "download, all rules": all_rules}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", default="16,64")
    args = parser.parse_args()
    with served() as origin:
        urls = [f"{origin}/p/{i}.html" for i in range(2_000)]
        print("| client | connections | pages/s | CPU ms a page |\n|---|---|---|---|")
        for connections in map(int, args.connections.split(",")):
            measured: dict[str, list[tuple[float, float]]] = {name: [] for name in CLIENTS}
            for _ in range(args.rounds):
                for name, client in CLIENTS.items():
                    measured[name].append(timed(client, urls, connections))
            for name, figures in measured.items():
                seconds, cpu_s = min(figures)
                print(
                    f"| {name} | {connections} | {len(urls) / seconds:,.0f} | {cpu_s / len(urls) * 1e3:.2f} |"
                )


def timed(client: Client, urls: list[str], connections: int) -> tuple[float, float]:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        wall, cpu = time.perf_counter(), time.process_time()
        assert runner.run(client(urls, connections)) > 100_000_000
        return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    main()
