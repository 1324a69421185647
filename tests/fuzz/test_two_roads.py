"""The search for pages on which the two roads part finds none in a short while, and would find one."""

from __future__ import annotations

import random

from two_roads import shrunk, slips_through, soup, spoiled

SOUPS = 400


def test_the_roads_meet_on_soups_of_all_tags() -> None:
    draw = random.Random(2024)
    pages = ["".join(soup(draw)) for _ in range(SOUPS)]
    assert [page for page in pages if slips_through(page)] == []


def test_what_is_found_is_shrunk_to_what_it_fails_for() -> None:
    pieces = ["<p>", "x", "<b>", "</p>", "<i>", "y", "</b>", "</i>"]
    assert shrunk(pieces, lambda page: "<b>" in page and "</b>" in page) == "<b></b>"


def test_a_spoiled_page_is_made_of_pieces_of_the_page() -> None:
    page = "<ul><li>pumps<li>valves</ul><p>end" * 30
    pieces = spoiled(page, random.Random(3))
    assert pieces
    assert all(piece in page for piece in pieces)
