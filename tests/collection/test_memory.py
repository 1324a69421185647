"""What a long crawl holds in memory."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from bizcrawl.garbage import LARGE_BYTES, give_back_free_memory

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only the GNU C library can")


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * 4096


def test_what_pages_left_free_between_others_is_given_back() -> None:
    pages = [bytes(60_000) for _ in range(2_000)]  # too small for a mapping of its own
    del pages[::2]
    before = resident_bytes()
    give_back_free_memory()
    assert before - resident_bytes() > 30_000_000
    assert len(pages) == 1_000


GIVING_BACK = """
from bizcrawl.garbage import LARGE_BYTES, keep_large_blocks_apart
from test_memory import resident_bytes
first = bytearray(b"x") * 30_000_000  # after which the C library would keep such blocks in its heap
del first
keep_large_blocks_apart()
large, small = [], []
for _ in range(100):
    large.append(bytearray(b"x") * (2 * LARGE_BYTES))
    small.append(bytearray(2_000))
before = resident_bytes()
large.clear()
print(before - resident_bytes())
"""


def test_large_blocks_are_given_back_at_once_though_small_ones_between_them_stay() -> None:
    # in a process of its own: what other tests have left free in the heap would be used first
    paths = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[2])])
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-c", GIVING_BACK], capture_output=True, text=True, check=True, env=environment
    )
    assert int(done.stdout) > 90 * 2 * LARGE_BYTES
