"""Every comparative claim of the papers against the recorded beds: makes `docs/reproduction.md` anew.

    python tests/bench/reproduction.py FOLDER [--shared ../shared] [--processes 2] [--to docs/reproduction.md]

FOLDER keeps the beds and their runs. What is there already is not made again, so the command goes on where it
was interrupted. It takes about an hour on two cores; how long each step took is printed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = 1_000
"""As TOIT's crawls of §3. Those of BI and EvE are longer, here as long as webs of this size bear."""
LONGER = {"bizweb": 3_000, "webkb": 2_000}
BUSINESS = "hub-seeking,dom,best-first,breadth-first"
TASKS = {"examples": 40, "neighbours": 40}
"""Topics of EvE's recipes, which are made of a directory; webkb has none."""
EXPLORING_PAGES = 2_000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--processes", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=1, help="runs of strategies that draw random numbers")
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "reproduction.md")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    beds = [bed for name in LONGER for bed in _runs_of(name, args)]
    also = [part for bed in beds[1:] for part in ("--also", bed)]
    _bizcrawl("report", beds[0], "--reproduction", *also, "--to", args.to)


def _runs_of(name: str, args: argparse.Namespace) -> list[Path]:
    """Make the beds of a web and run on them what the claims compare."""
    shared = args.shared / "beds" / name
    web = shared / "web.warc.gz"
    plain, augmented = args.folder / f"{name}.duckdb", args.folder / f"{name}-augmented.duckdb"
    _made(plain, "build", shared / "topics.jsonl")
    _made(augmented, "augment", plain, "--backlinks", web)
    runs = [(plain, "claims", PAGES), (plain, BUSINESS, LONGER[name]), (augmented, "claims", LONGER[name])]
    for kind, count in TASKS.items() if (dump := shared / "content.rdf.u8.gz").exists() else ():
        bed = args.folder / f"{name}-{kind}.duckdb"
        backlinks = ("--backlinks", web) if kind == "neighbours" else ()
        structure = ("--structure", shared / "structure.rdf.u8.gz")
        _made(bed, "build", dump, *structure, "--recipe", kind, "--count", count, *backlinks)
        runs.append((bed, "claims", EXPLORING_PAGES))
    for bed, strategies, pages in runs:
        options = ("--pages", pages, "--repeats", args.repeats, "--processes", args.processes)
        _bizcrawl("run", bed, "--web", web, "--strategies", strategies, *options)
    return list(dict.fromkeys(bed for bed, _, _ in runs))


def _made(bed: Path, command: str, *arguments: object) -> None:
    if not bed.exists():
        _bizcrawl(command, *arguments, "--to", bed)


def _bizcrawl(command: str, *arguments: object) -> None:
    began = time.perf_counter()
    words = [sys.executable, "-m", "bizcrawl", "testbed", command, *map(str, arguments)]
    subprocess.run(words, check=True, cwd=ROOT)
    print(f"{time.perf_counter() - began:,.0f} s: testbed {' '.join(words[4:])}", flush=True)


if __name__ == "__main__":
    main()
