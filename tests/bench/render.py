"""Pages a second that need scripts, on one browser: ``python tests/bench/render.py [PAGES]``.

A page fetches JSON from its server and builds 200 links of it, as in the first measurements. The pages come
from a server in another process on loopback, through `RenderingWeb` in ``auto`` with the filtering proxy in
between.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import sys
import time
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[2])  # a bench of this folder is named like a package

from aiohttp import web as server  # noqa: E402

from bizcrawl.netguard import AddressRules  # noqa: E402
from bizcrawl.web import Request, Response  # noqa: E402
from bizcrawl.web.browser import BrowserOptions  # noqa: E402
from bizcrawl.web.chromium import find_chromium  # noqa: E402
from bizcrawl.web.live import LiveOptions, LiveWeb  # noqa: E402
from bizcrawl.web.rendering import RenderingWeb  # noqa: E402

LINKS = 200
PAGE = """<!DOCTYPE html><html><head><title>Shop {n}</title><link rel=stylesheet href=/style.css></head>
<body><div id="root"></div><script src="/app.js"></script></body></html>"""
SCRIPT = """fetch("/data" + location.pathname).then(answer => answer.json()).then(items => {
  const root = document.getElementById("root");
  for (const item of items) {
    const row = document.createElement("div"), link = document.createElement("a");
    link.href = item.href; link.textContent = item.text; row.append(link, " ", item.about); root.append(row);
  }
});"""


def serve(told: Connection) -> None:
    """The site, until the process is ended."""

    async def page(request: server.Request) -> server.Response:
        return server.Response(text=PAGE.format(n=request.match_info["n"]), content_type="text/html")

    async def data(request: server.Request) -> server.Response:
        n = request.match_info["n"]
        items = [
            {"href": f"/p/{n}/{i}", "text": f"machine {i}", "about": "words " * 12} for i in range(LINKS)
        ]
        return server.Response(text=json.dumps(items), content_type="application/json")

    async def script(_: server.Request) -> server.Response:
        return server.Response(
            text=SCRIPT, content_type="text/javascript", headers={"Cache-Control": "max-age=600"}
        )

    async def style(_: server.Request) -> server.Response:
        return server.Response(text="a { color: red }", content_type="text/css")

    async def main() -> None:
        site = server.Application()
        site.add_routes(
            [
                server.get("/p/{n}", page),
                server.get("/data/p/{n}", data),
                server.get("/app.js", script),
                server.get("/style.css", style),
            ]
        )
        runner = server.AppRunner(site, access_log=None)
        await runner.setup()
        listening = server.TCPSite(runner, "127.0.0.1", 0)
        await listening.start()
        told.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(main())


async def measure(port: int, pages: int, tabs: int) -> tuple[float, float, float]:
    """Pages a second by the wall clock, CPU seconds a page of all processes but the server, and their memory
    in MB (sum of proportional shares).
    """
    rules = AddressRules(allow_private=True)
    web = RenderingWeb(
        LiveWeb(LiveOptions(addresses=rules)), "auto", rules=rules, options=BrowserOptions(tabs=tabs)
    )
    urls = [f"http://127.0.0.1:{port}/p/{n}" for n in range(pages)]
    await web.fetch(Request(urls[0]))  # starts the browser
    began, cpu_began_s = time.perf_counter(), cpu_s()
    answers = await asyncio.gather(*(web.fetch(Request(url)) for url in urls))
    took_s = time.perf_counter() - began
    cpu_page_s = (cpu_s() - cpu_began_s) / pages
    memory_mb = browser_memory_mb()
    await web.close()
    for answer in answers:
        assert isinstance(answer, Response), answer
        assert answer.rendered
        assert answer.body.count(b"<a href=") == LINKS
    return pages / took_s, cpu_page_s, memory_mb


def own_processes() -> list[Path]:
    """This process and those below it, but for the site's server."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if (
                folder.name.isdigit()
                and _is_below(int(folder.name))
                and b"multiprocessing" not in (folder / "cmdline").read_bytes()
            ):
                found.append(folder)
        except OSError:
            continue
    return found


def cpu_s() -> float:
    """CPU seconds so far, ended children included."""
    ticks = 0
    for folder in own_processes():
        try:
            ticks += sum(int(n) for n in (folder / "stat").read_text().rpartition(")")[2].split()[11:15])
        except OSError:
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def browser_memory_mb() -> float:
    """Proportional memory of the processes."""
    total_kb = 0
    for folder in own_processes():
        try:
            rollup = (folder / "smaps_rollup").read_text()
            total_kb += int(next(line for line in rollup.splitlines() if line.startswith("Pss:")).split()[1])
        except (OSError, StopIteration):
            continue
    return total_kb / 1024


def _is_below(pid: int) -> bool:
    while pid > 1 and pid != os.getpid():
        pid = int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
    return pid == os.getpid()


def main() -> None:
    """Print a table."""
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    mine, theirs = multiprocessing.Pipe()
    site = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    site.start()
    port = mine.recv()
    print(f"{find_chromium()}, {pages} pages of {LINKS} links each, {datetime.now(UTC):%Y-%m-%d}")
    print("tabs  pages/s  CPU ms/page  MB in all")
    for tabs in (1, 2, 4, 6, 8):
        rate, cpu_page_s, memory_mb = asyncio.run(measure(port, pages, tabs))
        print(f"{tabs:4}  {rate:7.1f}  {cpu_page_s * 1000:11.0f}  {memory_mb:9.0f}", flush=True)
    site.terminate()


if __name__ == "__main__":
    main()
