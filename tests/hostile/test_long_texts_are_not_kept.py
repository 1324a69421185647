"""What remembers texts of strangers keeps none that is as long as a page.

A page may hold one text of a megabyte, and the next page another: what remembered 65,536 of them would take
all the memory that there is.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable

import pytest

from bizcrawl.strategies.apprenticeship.cues import anchor_signs
from bizcrawl.strategies.apprenticeship.keepers import keeping
from contexts import links, tidy

PAGES = 20
TEXT_CHARS = 500_000
HERE = "http://a.example/"


def links_of(html: str) -> object:
    return links(tidy(html), HERE)


CASES: dict[str, Callable[[str], object]] = {
    "anchor": anchor_signs,
    "division": lambda text: keeping("a.example", "Acorn", [text]),
    "host": lambda text: links_of(f"<a href='http://{text}/'>x</a>"),
    "rel": lambda text: links_of(f"<a rel='{text}' href=/>x</a>"),
}


@pytest.mark.parametrize("read", CASES.values(), ids=CASES)
def test_no_long_text_is_kept(read: Callable[[str], object]) -> None:
    read("x" * TEXT_CHARS)
    tracemalloc.start()
    try:
        for number in range(PAGES):
            read(f"{number}{'x' * TEXT_CHARS}")
        gc.collect()
        kept_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept_bytes < 2 * TEXT_CHARS
