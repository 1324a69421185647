"""The adaptive context, threshold by threshold (docs/contexts.md)."""

from __future__ import annotations

import pytest

from contexts import context, links, tidy

WORDS_OF_ANY_LINK = """
    home homepage page pages click read next previous prev back top index link links site website websites web
    view details detail learn continue return main menu full see go follow visit http https www com html
    htm info information contact 7 2026
"""


def adaptive_contexts(html: str) -> list[str]:
    tree = tidy(html)
    return [context(tree, link, "adaptive") for link in links(tree, "http://h.example/")]


@pytest.mark.parametrize("word", WORDS_OF_ANY_LINK.split())
def test_words_with_which_any_page_links_to_any_other_say_nothing(word: str) -> None:
    assert adaptive_contexts(f"<p><a href=/1>{word} pumps valves</a> brewery") == [
        f"{word} pumps valves brewery"
    ]


def test_three_words_that_say_something_are_enough_and_two_are_not() -> None:
    assert adaptive_contexts("<p><a href=/1>pumps valves</a> brewery") == ["pumps valves brewery"]
    assert adaptive_contexts("<p><a href=/1>pumps valves kegs</a> brewery") == ["pumps valves kegs"]


def test_where_nothing_is_said_the_page_is_the_context() -> None:
    assert adaptive_contexts("<title>Home</title><p><a href=/1>next</a> page") == ["Home next page"]
    assert adaptive_contexts("<p><a href=/1><img src=x></a>") == [""]


def test_beside_a_crowd_a_context_grows_until_it_says_a_word() -> None:
    crowd = "".join(f"<a href=/{n}>next</a> " for n in range(9))
    found = adaptive_contexts(f"<div><p><a href=/x>next</a></p>{crowd}brewery</div>")
    assert found[0] == "next" + " next" * 9 + " brewery"


def test_a_long_text_is_taken_in_where_nothing_was_said() -> None:
    text = " ".join(f"ale{n}x" for n in range(201))
    assert adaptive_contexts(f"<div><p><a href=/1>next</a></p>{text}</div>") == [f"next {text}"]


def test_what_stands_before_an_element_makes_it_neither_long_nor_crowded() -> None:
    text = " ".join(f"ale{n}x" for n in range(201))
    crowd = "".join(f"<li><a href=/{n}>wine{n}x cider{n}x rum{n}x</a>" for n in range(9))
    found = adaptive_contexts(
        f"<p>{text}</p><ul>{crowd}</ul><div><p><a href=/x>pump</a></p>valves kegs</div>"
    )
    assert found[-1] == "pump valves kegs"


@pytest.mark.parametrize(
    ("others", "behind", "is_crowd"),
    [
        ("".join(f"<a href=/{n}>next</a>" for n in range(8)), "", True),
        ("".join(f"<a href=/{n}>next</a>" for n in range(7)), "<a href=/8>next</a>", False),
        ("".join(f"<a href=/{n}>next</a>" for n in range(7)) + "<a href=/8></a>", "", True),
        ("<a href=/1>next</a>" * 20, "", False),
        ("<a href=/1>next</a><a href=/2>next</a>" * 4, "", True),
    ],
    ids=["a crowd", "the last stands behind", "the last is empty", "all to one place", "to two in turn"],
)
def test_a_crowd_are_links_that_stand_in_the_element_to_places_of_their_own(
    others: str, behind: str, is_crowd: bool
) -> None:
    found = adaptive_contexts(f"<div>valves kegs <p><a href=/x>pump</a></p>{others}</div>{behind}")
    assert (found[0] == "pump") is is_crowd
