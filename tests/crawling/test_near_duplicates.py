"""Texts that are nearly the same have sketches that are nearly the same; others have not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.collection.views import MAX_BITS
from bizcrawl.page.near_duplicates import sketch_of

NUMBERS = 14560732136812580058
WORDS = [f"{stem}{end}" for stem in ("pump", "valve", "brew", "roast", "filter") for end in range(60)]


def text(words: int, seed: int = 0) -> list[str]:
    return random.Random(seed).choices(WORDS, k=words)


def bits_between(one: str, other: str) -> int:
    a, b = sketch_of(one), sketch_of(other)
    assert a is not None
    assert b is not None
    return (a ^ b).bit_count()


@pytest.mark.parametrize("words", [200, 1_000, 20_000])
def test_a_copy_with_another_date_is_nearly_the_same(words: int) -> None:
    page = text(words)
    assert bits_between(" ".join(["27 November", *page]), " ".join(["28 November", *page])) <= MAX_BITS


@pytest.mark.parametrize("words", [60, 200, 1_000])
def test_other_words_and_the_same_in_another_order_are_another_text(words: int) -> None:
    page = text(words)
    assert bits_between(" ".join(page), " ".join(text(words, seed=1))) > 3 * MAX_BITS
    assert bits_between(" ".join(page), " ".join(reversed(page))) > 3 * MAX_BITS


def test_what_is_said_again_and_again_does_not_drown_the_rest() -> None:
    page = " ".join(text(200))
    assert bits_between(page + " Add to basket" * 50, page + " Add to basket" * 90) <= MAX_BITS


def test_scripts_without_spaces_have_sketches_too() -> None:
    pumps = "".join(chr(0x4E00 + n) for n in random.Random(0).choices(range(2_000), k=300))
    assert bits_between(f"2026{pumps}", f"2027{pumps}") <= MAX_BITS
    assert bits_between(pumps, pumps[::-1]) > 3 * MAX_BITS


@pytest.mark.parametrize("short", ["", " ", "Pumps", "Add to basket " * 500, "x" * 5_000])
def test_a_text_that_says_little_has_none(short: str) -> None:
    assert sketch_of(short) is None


def test_it_is_the_same_on_every_machine() -> None:
    assert sketch_of(" ".join(map(str, range(100)))) == NUMBERS


@given(st.text(st.characters(), max_size=400))
def test_no_text_makes_it_raise(anything: str) -> None:
    found = sketch_of(anything)
    assert found is None or 0 <= found < 2**64
