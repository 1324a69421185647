"""Where two trees part is told in words a person can look up."""

from __future__ import annotations

from contexts.differences import difference
from contexts.tidy import tidy


def test_the_same_page_by_both_roads_does_not_differ() -> None:
    page = "<p>Brewery <a href=/x>pumps</a></p>"
    assert difference(tidy(page), tidy(page, "html5lib")) == ""


def test_a_difference_names_what_differs_and_where() -> None:
    assert (
        difference(tidy("<p><b>x</b>"), tidy("<p><i>x</i>")) == "tag_names at html/body/p/b / html/body/p/i"
    )
    assert difference(tidy("<p>x"), tidy("<p>x<p>y")).endswith("at the end")
    assert "text" in difference(tidy("<p>xx<b>y"), tidy("<p>x<b>y"))
