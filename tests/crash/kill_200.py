"""200 kills at random moments over all strategies and the main job.

usage: python tests/crash/kill_200.py [--kills 200] [--pages 150] [NAME...]

Prints one line a strategy and ends with 1 if a page was lost or doubled, or a finished crawl differs from one
that was left alone.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from killing import DISCOVER, contents, first_command, look, sit, torture

from bizcrawl.strategies.table import all_strategies

KILLS_IN_A_ROW = 5
"""A crawl is killed so many times before it is left to end."""


def main(kills: int, pages: int, names: Sequence[str]) -> int:
    """Run, print, and return the exit code."""
    rng = random.Random(20261128)
    share = -(-kills // len(names))
    total = faults = 0
    print(f"{'strategy':20} {'kills':>5} {'lost':>5} {'doubled':>7} {'torn':>5}  equal")
    for name in names:
        with tempfile.TemporaryDirectory() as directory:
            alone = Path(directory, "alone.duckdb")
            whole = sit(first_command(alone, name, pages))
            if whole.exit_code:
                print(f"{name:20} does not run by itself (exit code {whole.exit_code}): left out")
                continue
            expected = look(alone, contents)
            done = lost = doubled = torn = 0
            equal = True
            for n in itertools.count():
                if done >= share:
                    break
                path = Path(directory, f"killed{n}.duckdb")
                result = torture(path, first_command(path, name, pages), KILLS_IN_A_ROW, whole.seconds, rng)
                done += result.kills
                lost += len(result.lost)
                doubled += len(result.doubled)
                torn += len(result.torn)
                equal = equal and result.pages == expected
                for line in result.torn[:3]:
                    print("   ", line)
            print(f"{name:20} {done:5} {lost:5} {doubled:7} {torn:5}  {'yes' if equal else 'NO'}", flush=True)
            total += done
            faults += lost + doubled + torn + (not equal)
    verdict = f"{faults} faults" if faults else "nothing lost, nothing doubled, all equal"
    print(f"{'all':20} {total:5}  {verdict}")
    return 1 if faults else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--pages", type=int, default=150)
    parser.add_argument("names", nargs="*", default=[*all_strategies(), DISCOVER])
    asked = parser.parse_args()
    sys.exit(main(asked.kills, asked.pages, asked.names))
