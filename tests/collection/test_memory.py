"""What a long crawl holds in memory."""

from __future__ import annotations

import platform

import pytest

from bizcrawl.garbage import give_back_free_memory


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * 4096


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only the GNU C library can")
def test_what_pages_left_free_between_others_is_given_back() -> None:
    pages = [bytes(60_000) for _ in range(2_000)]  # too small for a mapping of its own
    del pages[::2]
    before = resident_bytes()
    give_back_free_memory()
    assert before - resident_bytes() > 30_000_000
    assert len(pages) == 1_000
