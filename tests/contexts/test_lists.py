"""In which lists lists stand, and what of a table counts as its rows (M5)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from contexts import links, list_ids, tidy
from contexts.lists import MAX_NESTING, outer_lists
from contexts.tagtree import TagTree


def lists_of(html: str) -> tuple[TagTree, list[int], dict[int, int]]:
    """A page's tree, the list of each of its links, and the list around each list."""
    tree = tidy(html)
    found = links(tree, "http://h.example/")
    ids = list_ids(tree, found)
    return tree, ids.tolist(), outer_lists(tree, found, ids)


_PAIR = "<ul><li><a href=/1>x</a><li><a href=/2>y</a></ul>"


def test_lists_in_the_items_of_a_list_stand_in_that_list() -> None:
    tree, ids, outer = lists_of(f"<ul><li>a{_PAIR}<li>b{_PAIR}</ul><p><a href=/3>z</a>")
    outermost, first, second = tree.nodes_named("ul").tolist()
    assert ids == [first, first, second, second, -1]
    assert outer == {first: outermost, second: outermost, outermost: -1}


def test_lists_in_three_like_blocks_are_listed_together_as_links_would_be() -> None:
    tree, ids, outer = lists_of(f"<section>{f'<div>{_PAIR}</div>' * 3}</section>")
    (section,) = tree.nodes_named("section").tolist()
    lists = tree.nodes_named("ul").tolist()
    assert ids == [node for node in lists for _ in range(2)]
    assert outer == {**dict.fromkeys(lists, section), section: -1}
    _, _, outer = lists_of(f"<section>{f'<div>{_PAIR}</div>' * 2}</section>")
    assert set(outer.values()) == {-1}


def test_a_link_and_a_list_that_stand_in_like_blocks_are_listed_together() -> None:
    tree, ids, outer = lists_of(
        f"<section><div>{_PAIR}</div><div><a href=/3>x</a></div><div><a href=/4>x</a></div></section>"
    )
    (section,), (inner,) = tree.nodes_named("section").tolist(), tree.nodes_named("ul").tolist()
    assert ids == [inner, inner, section, section]
    assert outer == {inner: section, section: -1}


@pytest.mark.parametrize("part", ["thead", "tbody", "tfoot"])
def test_rows_and_the_lists_in_them_are_listed_in_their_table(part: str) -> None:
    rows = f"<tr><td>{_PAIR}<tr><td>{_PAIR}<tr><td><a href=/3>x</a>"
    tree, ids, outer = lists_of(f"<table><{part}>{rows}</{part}></table>")
    (table,) = tree.nodes_named("table").tolist()
    first, second = tree.nodes_named("ul").tolist()
    assert ids == [first, first, second, second, table]
    assert outer == {first: table, second: table, table: -1}


def test_the_cells_of_a_row_of_many_links_are_listed_in_their_table() -> None:
    cells = "".join(f"<td><a href=/{n}>x</a>" for n in range(4))
    tree, ids, outer = lists_of(f"<table><tr>{cells}</table>")
    (table,) = tree.nodes_named("table").tolist()
    assert ids == [table] * 4
    assert outer == {table: -1}


def test_a_list_of_many_links_in_a_row_counts_as_one_link_of_the_row() -> None:
    many = f"<ul>{''.join(f'<li><a href=/{n}>x</a>' for n in range(5))}</ul>"
    tree, ids, outer = lists_of(f"<p>x</p><table><tr><td>{many}<tr><td>{many}</table>")
    (table,) = tree.nodes_named("table").tolist()
    lists = tree.nodes_named("ul").tolist()
    assert ids == [node for node in lists for _ in range(5)]
    assert outer == {**dict.fromkeys(lists, table), table: -1}


@pytest.mark.parametrize(("page", "ids"), [("<ul><li>x<li>y</ul>", []), ("<p><a href=/1>x</a>", [-1])])
def test_a_page_without_lists_of_links_has_none(page: str, ids: list[int]) -> None:
    _, found, outer = lists_of(page)
    assert (found, outer) == (ids, {})


def test_lists_within_more_lists_than_are_looked_for_are_taken_for_outermost() -> None:
    tree, _, outer = lists_of("<ul><li>" * (MAX_NESTING + 8) + "<a href=/1>x</a>")
    nested = tree.nodes_named("ul").tolist()[::-1]
    assert outer == {
        **dict(pairwise(nested[: MAX_NESTING + 1])),
        nested[MAX_NESTING]: -1,
    }
    assert MAX_NESTING == 32
