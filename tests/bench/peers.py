"""bizcrawl, Scrapy and Crawlee on one site of 2,000 real pages, in one run, interleaved.

usage: python tests/bench/peers.py [--rounds 3] [--pages 2000] [--only bizcrawl,scrapy,crawlee]

bizcrawl runs whole: robots.txt, politeness, link contexts, scores, everything into DuckDB. The peers are run
by the scripts of ../shared/bench, which score and store nothing. They live in build/peers, made at the first
run. Memory is the peak of all processes of a crawler together, sampled.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from local_site import ROOT, SHARED, served

PEERS = ROOT / "build" / "peers"
KEYWORDS = "pumps brewery finance company equipment"


@dataclass(frozen=True)
class Run:
    """One crawl: what it fetched and what it took."""

    pages: int
    seconds: float
    """Of crawling, as the crawler itself says: starting the interpreter is not counted for anyone."""
    cpu_s: float
    peak_bytes: int

    @property
    def rate(self) -> float:
        return self.pages / self.seconds


def bizcrawl(origin: str, pages: int, folder: str, workers: int | None) -> list[str]:
    options = [
        "--allow-private",
        "--scope",
        "host",
        "--delay",
        "0",
        "--per-host",
        "32",
        "--connections",
        "32",
    ]
    if workers is not None:
        options += ["--workers", str(workers)]
    start = [sys.executable, "-c", "from bizcrawl.cli import main; main()", "crawl", f"{origin}/p/0.html"]
    return [*start, "--keywords", KEYWORDS, "--pages", str(pages), "--to", f"{folder}/c.duckdb", *options]


def peer(name: str) -> list[str]:
    python = PEERS / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", PEERS], check=True)
        packages = ["scrapy", "uvloop", "crawlee[parsel]"]
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
    return [os.fspath(python), os.fspath(SHARED / "bench" / f"{name}_crawl.py"), "32"]


SAID = re.compile(r"(?P<pages>[\d,]+) pages(?:, (?P<rate>[\d,.]+) pages/s| in (?P<seconds>[\d,.]+) s)")


def timed(command: list[str], folder: str) -> Run:
    """Run one crawler in a session of its own, and add up what its processes used."""
    out = Path(folder) / "out"
    environment = {**os.environ, "CRAWLEE_STORAGE_DIR": folder, "PYTHONPATH": os.fspath(ROOT)}
    with out.open("w") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, cwd=folder, env=environment, start_new_session=True
        )
    watch = Watch(process.pid)
    process.wait(timeout=900)
    watch.stop()
    said = list(SAID.finditer(out.read_text()))
    if not said:
        sys.exit(f"{command[:3]} said no figures:\n{out.read_text()[-2000:]}")
    last = said[-1]
    pages = int(last["pages"].replace(",", ""))
    if last["seconds"]:
        seconds = float(last["seconds"].replace(",", ""))
    else:
        seconds = pages / float(last["rate"].replace(",", ""))
    return Run(pages, seconds, watch.cpu_s, watch.peak_bytes)


class Watch:
    """CPU time and memory of all processes of a session, read from /proc."""

    def __init__(self, session: int) -> None:
        self._session = session
        self._cpu_s: dict[int, float] = {}
        self.peak_bytes = 0
        self._going = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    @property
    def cpu_s(self) -> float:
        return sum(self._cpu_s.values())

    def stop(self) -> None:
        self._going.set()
        self._thread.join()

    def _run(self) -> None:
        tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
        while not self._going.wait(0.1):
            resident = 0
            for entry in Path("/proc").iterdir():
                if not entry.name.isdigit():
                    continue
                try:
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                    if int(fields[3]) != self._session:
                        continue
                    shared = int((entry / "statm").read_text().split()[2])
                except (OSError, IndexError):
                    continue
                self._cpu_s[int(entry.name)] = (int(fields[11]) + int(fields[12])) / tick
                resident += (int(fields[21]) - shared) * page
            self.peak_bytes = max(self.peak_bytes, resident)


def main() -> None:
    parser = argparse.ArgumentParser(description="bizcrawl, Scrapy and Crawlee on one site")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--only", default="bizcrawl,scrapy,crawlee", help="bizcrawl:N for N worker processes")
    args = parser.parse_args()
    names = args.only.split(",")
    runs: dict[str, list[Run]] = {name: [] for name in names}
    with served(args.pages) as origin:
        for _ in range(args.rounds):
            for name in names:
                with tempfile.TemporaryDirectory() as folder:
                    base, _, workers = name.partition(":")
                    if base == "bizcrawl":
                        command = bizcrawl(origin, args.pages, folder, int(workers) if workers else None)
                    else:
                        command = peer(base)
                    runs[name].append(timed(command, folder))
                time.sleep(1)
    print(
        "| crawler | pages | pages/s: median (all) | CPU s | peak MB, all processes |\n|---|---|---|---|---|"
    )
    for name, got in runs.items():
        rates = ", ".join(f"{run.rate:.0f}" for run in got)
        median, cpu_s = (
            statistics.median(run.rate for run in got),
            statistics.median(run.cpu_s for run in got),
        )
        peak = max(run.peak_bytes for run in got) / 1e6
        print(f"| {name} | {got[0].pages:,} | {median:.0f} ({rates}) | {cpu_s:.1f} | {peak:.0f} |")
    first = names[0]
    for name in names[1:]:
        ratios = [ours.rate / theirs.rate for ours, theirs in zip(runs[first], runs[name], strict=True)]
        print(f"{first} / {name}: {statistics.median(ratios):.2f} x")


if __name__ == "__main__":
    main()
