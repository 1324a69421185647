"""Write docs/first-run.md: what the product's main commands print on real input, run as a person runs them.

usage: python tests/bench/first_run.py

Three topics of the recorded business web, one of the recorded university web, and a live crawl over loopback
HTTP of a site of 2,000 real pages. Needs ../shared, and nginx for the last.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from local_site import ROOT, SHARED, served

TOPICS = (
    ("bizweb", "Top/Business/Materials/Metals_and_Mining/Gold/Companies"),
    ("bizweb", "Top/Business/Travel_and_Leisure/Hospitality/Hotels/Companies"),
    ("bizweb", "Top/Business/Industrials/Machinery/Pumps_and_Valves/Manufacturers"),
    ("webkb", "class/project@cornell"),
)
HEAD = """# First run

What `bizcrawl` printed on real input, including standard error, run by `python tests/bench/first_run.py`.
Recorded webs are crawled with one connection, so that the order can be repeated; pages that hold the answer
are excluded. The university web names people, so addresses and rows of its run are left out here.

Lines of progress give the good pages so far, the speed, the hubs met and the sites listed on them, the URLs
in waiting, and the longest time that the crawl can still take. [Companies](companies.md) explains the table.
Below it stand the sites that were met but not ranked, by what they are held to be; why the crawl ended; and
how many URLs brought no page, by [reason](collection.md).
"""


def main() -> None:
    """Run everything and write the page."""
    parts = [HEAD]
    with tempfile.TemporaryDirectory() as folder:
        for bed, name in TOPICS:
            parts.append(recorded(bed, name, Path(folder)))
        with served() as origin:
            parts.append(live(origin, Path(folder)))
    (ROOT / "docs" / "first-run.md").write_text("\n".join(parts))


def recorded(bed: str, name: str, folder: Path) -> str:
    """One topic of a bed: 1,000 pages, the first ten companies."""
    topic = topic_of(bed, name)
    excluded = folder / "excluded.txt"
    excluded.write_text("\n".join(topic["excluded"]))
    command = [
        "bizcrawl", "discover", "competitors", *topic["seeds"], "--keywords", topic["keywords"],
        "--web", f"../shared/beds/{bed}/web.warc.gz", "--exclude", f"@{excluded}",
        "--pages", "1000", "--top", "10", "--format", "table", "--to", str(folder / f"{len(name)}.duckdb"),
    ]  # fmt: skip
    text = section(f"{bed}: {topic['keywords']}", command, folder)
    return text if bed == "bizweb" else without_people(text, topic["seeds"])


def without_people(text: str, seeds: Sequence[str]) -> str:
    """The section without the seeds and the rows of the table."""
    text = text.replace(shlex.join(seeds), "SEED...")
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not re.match(r" +(?!#)|\d{1,2}  ", line))


def live(origin: str, folder: Path) -> str:
    """A live crawl with a predicate over loopback."""
    command = [
        "bizcrawl", "crawl", f"{origin}/p/0.html", "--keywords", "finance company equipment",
        "--predicate", "text ILIKE '%company%'", "--allow-private", "--scope", "host",
        "--delay", "0", "--per-host", "32", "--pages", "2000", "--to", str(folder / "live.duckdb"),
    ]  # fmt: skip
    return section("A live crawl over loopback", command, folder)


def topic_of(bed: str, name: str) -> dict[str, Any]:
    """A topic of a bed by its name; the first of the bed if there is none of that name."""
    lines = (SHARED / "beds" / bed / "topics.jsonl").read_text("utf-8").splitlines()
    topics = [json.loads(line) for line in lines]
    return next((topic for topic in topics if topic["topic"] == name), topics[0])


def section(title: str, command: list[str], folder: Path) -> str:
    """Run a command; its heading, itself and what it printed."""
    environment = {"PATH": "/usr/bin:/bin", "COLUMNS": "110", "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{title}: {done.stdout}")
    shown = shlex.join(command).replace(str(folder), "/tmp")
    printed = done.stdout.replace(str(folder), "/tmp").rstrip()
    return f"## {title}\n\n```\n$ {shown}\n{printed}\n```\n"


if __name__ == "__main__":
    main()
