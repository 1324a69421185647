"""Contexts at each aggregation (R23–R28), blocks (A12) and what is listed together (M5)."""

from __future__ import annotations

import random
from importlib.metadata import EntryPoint

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from processor_time import within_cpu_s

from contexts import context, links, list_ids, tidy
from contexts.aggregation import AGGREGATIONS, Spans, UnknownAggregationError, _parsed, check, spans
from contexts.slice_lengths import slice_lengths
from contexts.stored import NotATagTree, from_bytes, to_bytes
from contexts.tagtree import TagTree
from contexts.vectors import Query, page_cosine, query_weights, slice_cosines

HERE = "http://h.example/"


def contexts_of(html: str, aggregation: str) -> list[str]:
    tree = tidy(html)
    return [context(tree, link, aggregation) for link in links(tree, HERE)]


def test_the_papers_example_has_the_paragraph_for_its_parent() -> None:
    """R28: the context of the link to exelixis.com is all text below <p>."""
    page = """<html><head><title>Projects</title></head><body><h4>Biotech</h4>
    <p>Genetic research at <a href="http://www.exelixis.com">Exelixis</a> and elsewhere</p></body></html>"""
    assert contexts_of(page, "parent") == ["Genetic research at Exelixis and elsewhere"]
    assert contexts_of(page, "anchor") == ["Exelixis"]
    assert contexts_of(page, "ancestor:2") == ["Biotech Genetic research at Exelixis and elsewhere"]
    assert contexts_of(page, "page") == ["Projects Biotech Genetic research at Exelixis and elsewhere"]
    assert contexts_of(page, "window:1") == ["research exelixi elsewher"]
    assert contexts_of(page, "window:9") == ["project biotech genet research exelixi elsewher"]


def test_a_link_that_is_nearly_too_long_has_its_context_and_one_of_another_page_has_none() -> None:
    page = f"<p>pumps <a href='{'a/' * 1_000}'>and valves</a></p>"
    assert contexts_of(page, "parent") == ["pumps and valves"]
    (link,) = links(tidy(page), HERE)
    with pytest.raises(ValueError, match="not in list"):
        context(tidy("<p>beer"), link)


def test_with_the_root_as_aggregation_node_every_context_scores_as_the_page() -> None:
    """R27: then the DOM crawler is Naive Best-First."""
    tree = tidy("<ul><li><a href=/1>pump</a> valve<li><a href=/2>beer</a></ul>")
    query = Query.from_text("pump beer")
    found = spans(tree, links(tree, HERE), "page")
    weights = query_weights(tree.stems, query)
    assert weights is not None
    scores = slice_cosines(tree.tokens, weights, query.norm, found.starts, found.ends)
    assert scores == pytest.approx([page_cosine(tree, query)] * 2)
    assert spans(tree, links(tree, HERE), "ancestor:99").nodes.tolist() == [0, 0]


_CELLS = "".join(f"<td><a href=/{n}>pump{n}</a>" for n in range(4))
_PAIRS = "<dt><a href=/1>pump</a><dd>ale<dd>beer<dt><a href=/2>valve</a><dd>wine"
_TERMS = "<dt><a href=/1>pump</a><dt>ale<dd>beer<dt><a href=/2>valve</a><dd>wine"
_BOOKMARKS = "<dt><a href=/1>pump</a><dt><a href=/2>valve</a><dd>ale<dt>beer<dt><a href=/3>wine</a><dd>rum"
_ROWS = "<tr><td><a href=/1>pump</a><td>ale<tr><td><a href=/2>valve</a><td>beer"
_LINES = "<a href=/1>pump</a> ale<br><b><a href=/2>valve</a></b> beer<br>wine"
_CARDS = (
    "<div><h3><a href=/1>pump</a></h3>ale</div><div><a href=/2>valve</a></div><div><a href=/3>x1</a></div>"
)


@pytest.mark.parametrize(
    ("page", "blocks"),
    [
        ("<ul><li><a href=/1>pump</a> ale<li><b><a href=/2>valve</a></b>", ["pump ale", "valve"]),
        (f"<dl>{_PAIRS}</dl>", ["pump al beer", "valv wine"]),
        (f"<dl>{_TERMS}</dl>", ["pump al beer", "valv wine"]),
        (f"<dl>{_BOOKMARKS}</dl>", ["pump", "valv al", "beer wine rum"]),
        ("<dl><dt>pump<dd><a href=/1>ale</a><dt>valve<dd><a href=/2>beer</a></dl>", ["pump al", "valv beer"]),
        (f"<table>{_ROWS}</table>", ["pump ale", "valve beer"]),
        (f"<div>{_LINES}</div><p>rum", ["pump al", "valv beer"]),
        (_CARDS, ["pump ale", "valve", "x1"]),
        ("<p>ale <i><a href=/1>pump</a></i> beer<p>wine", ["ale pump beer"]),
        (f"<table><tr>{_CELLS}</table>", ["pump0", "pump1", "pump2", "pump3"]),
        ("<title>rum</title><a href=/1>pump</a> ale", ["pump ale"]),
    ],
    ids=[
        *("items", "pairs", "pairs of several terms", "terms with links", "links in what is said of terms"),
        *("rows", "lines", "cards", "paragraph", "cells", "bare"),
    ],
)
def test_a_block_is_the_smallest_thing_around_a_link(page: str, blocks: list[str]) -> None:
    assert contexts_of(page, "block") == blocks


def test_adaptive_climbs_until_three_words_say_something() -> None:
    page = (
        "<div>brewery pumps for ale <p><span><a href=/1>more</a></span></p></div><div>"
        + "wine " * 9
        + "</div>"
    )
    assert contexts_of(page, "adaptive") == ["brewery pumps for ale more"]
    assert contexts_of("<div>other words here <p><a href=/1>big brewery pumps</a></p></div>", "adaptive") == [
        "big brewery pumps"
    ]


@pytest.mark.parametrize(("others", "grows"), [(7, True), (8, False)])
def test_adaptive_takes_more_than_eight_links_for_a_crowd(others: int, grows: bool) -> None:
    """docs/contexts.md: beside a crowd one word that says something is enough."""
    links_beside = "".join(f"<a href=/{n}>brewery{n}</a> " for n in range(others))
    found = contexts_of(f"<div><p><a href=/x>pump</a></p>{links_beside}</div>", "adaptive")
    assert (found[0] == "pump") is not grows


@pytest.mark.parametrize(("words", "grows"), [(199, True), (200, False)])
def test_adaptive_grows_to_two_hundred_terms_unless_nothing_was_said(words: int, grows: bool) -> None:
    text = " ".join(f"ale{n}x" for n in range(words))
    assert (contexts_of(f"<div><p><a href=/x>pump</a></p>{text}</div>", "adaptive") == ["pump"]) is not grows
    (said,) = contexts_of(f"<div><p><a href=/x>more</a></p>{text}</div>", "adaptive")
    assert said.startswith("more ale0x")


def test_adaptive_stops_before_it_takes_in_a_crowd() -> None:
    page = "<ul>" + "".join(f"<li><a href=/{n}>pump{n}</a>" for n in range(12)) + "</ul>"
    assert contexts_of(page, "adaptive") == [f"pump{n}" for n in range(12)]


def test_links_are_listed_with_those_of_the_same_list_table_or_run() -> None:
    tree = tidy(
        """<ul><li><a href=/1>a</a> <a href=/1m>m</a><li><p><a href=/2>b</a></ul>
        <table><tr><td><a href=/3>c</a><td>x<tr><td><a href=/4>d</a><td>y</table>
        <div><div><a href=/5>e</a> text</div><div><a href=/6>f</a></div><div><a href=/7>g</a></div></div>
        <p>alone <a href=/8>h</a></p><div><a href=/9>i</a> | <a href=/10>j</a> | <a href=/11>k</a></div>
        <section>x <a href=/12>l</a><br><a href=/13>m</a><br>n</section>"""
    )
    found = links(tree, HERE)
    ids = dict(
        zip([link.url.removeprefix(HERE) for link in found], list_ids(tree, found).tolist(), strict=True)
    )
    assert {tree.tag(ids[name]) for name in ("1", "1m", "2")} == {"ul"}
    assert {tree.tag(ids[name]) for name in ("3", "4")} == {"table"}
    assert ids["5"] == ids["6"] == ids["7"] >= 0
    assert ids["8"] == -1
    assert ids["9"] == ids["10"] == ids["11"] not in {-1, ids["5"]}
    assert tree.tag(ids["12"]) == "section"
    assert ids["12"] == ids["13"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("grandparent", "no aggregation is called 'grandparent'; there are page, parent, "),
        ("", "no aggregation is called ''"),
        ("parent:2", "parent takes nothing behind a colon"),
        ("ancestor:x", "ancestor takes a whole number behind a colon"),
        ("window:-1", "window takes a whole number behind a colon"),
        ("ancestor:", "ancestor takes a whole number behind a colon"),
        ("window:1000000", "the number has over 6 digits"),
    ],
)
def test_a_name_that_is_not_in_the_table_is_refused(name: str, why: str) -> None:
    with pytest.raises(UnknownAggregationError, match=why):
        spans(tidy("<a href=/>x</a>"), [], name)


@pytest.mark.parametrize(("name", "in_full"), [("ancestor", "parent"), ("window", "window:10")])
def test_a_name_without_a_number_has_the_usual_one(name: str, in_full: str) -> None:
    page = f"<p>rum <b>wine <i><a href=/1>pump</a></i></b>{' beer' * 20}"
    assert contexts_of(page, name) == contexts_of(page, in_full)


def test_an_aggregation_of_another_package_is_given_the_number_behind_the_colon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = EntryPoint("upwards", "contexts.aggregation.ancestors:ancestor", "contexts.aggregations")
    monkeypatch.setattr("contexts.aggregation.entry_points", lambda group, name: [found])
    page = "<div>rum <p>wine <a href=/1>pump</a>"
    assert contexts_of(page, "upwards:2") == contexts_of(page, "ancestor:2") == ["rum wine pump"]


NAMES = [*AGGREGATIONS, "ancestor:3", "window:2"]
_PIECES = """<p> </p> <ul> <li> </ul> <dl> <dt> <dd> </dl> <table> <tr> <td> </table> <div> </div> <br> <b>
</b>
<a|href=/1> <a|href=/2> <a|href=/3> </a> pump ale beer home"""
PIECES = _PIECES.split()
SOUP = st.lists(st.sampled_from(PIECES), max_size=60).map(lambda pieces: " ".join(pieces).replace("|", " "))


@settings(max_examples=300)
@given(SOUP)
def test_every_context_is_a_slice_of_the_page_that_holds_its_link(page: str) -> None:
    tree = tidy(page)
    found = links(tree, HERE)
    for name in NAMES:
        contexts = spans(tree, found, name)
        assert len(contexts.nodes) == len(contexts.starts) == len(contexts.ends) == len(found)
        for link, node, start, end in zip(found, contexts.nodes, contexts.starts, contexts.ends, strict=True):
            assert 0 <= start <= tree.first_token[link.node]
            assert tree.first_token[tree.end[link.node]] <= end <= len(tree.tokens)
            if node >= 0:
                assert (start, end) == (tree.first_token[node], tree.first_token[tree.end[node]])
    ids = list_ids(tree, found)
    assert all(
        node == -1 or node <= link.node < tree.end[node] for link, node in zip(found, ids, strict=True)
    )


@given(SOUP)
def test_a_stored_tree_comes_back_as_it_was(page: str) -> None:
    tree = tidy(page + '<script type="application/ld+json">{"a": "é\\u2028"}</script>')
    again = from_bytes(to_bytes(tree))
    for name in TagTree.__slots__:
        before, after = getattr(tree, name), getattr(again, name)
        assert np.array_equal(before, after) if isinstance(before, np.ndarray) else before == after, name


@given(st.binary(max_size=200), st.integers(0, 10_000))
def test_other_bytes_are_no_stored_tree(noise: bytes, place: int) -> None:
    stored = to_bytes(tidy("<p>pump</p>"))
    for data in (noise, b"BCT1" + noise, stored[: place % len(stored)]):
        with pytest.raises(NotATagTree):
            from_bytes(data)


NESTED_LINES = "".join(f"<div><br><br><a href=/{i}>pump</a><a href=/y{i}>b</a>" for i in range(3_000))
NESTED_PAIRS = "".join(f"<dl><dt><a href=/{i}>pump</a><dd>" for i in range(1_300))
MANY_WORDS = " ".join(f"w{i:x}" for i in range(100_000))
LONG_LIST = "".join(f"<li><a href=/{i}>pump</a> valve" for i in range(20_000))


@pytest.mark.parametrize(
    "html",
    [
        NESTED_LINES + "<i>x</i> <b>y</b> " * 25_000,
        NESTED_PAIRS + "<i>x</i> <b>y</b> " * 40_000,
        f"<p>{MANY_WORDS}<ul>{LONG_LIST}</ul>",
    ],
    ids=["lines within lines", "pairs within pairs", "a long list on a page of many words"],
)
def test_block_contexts_take_time_by_their_own_size(html: str) -> None:
    """Nesting, or the words of the rest of the page, would else make a megabyte take many seconds."""
    tree = tidy(html)
    found = links(tree, "http://hub.example/")
    query = Query.from_text("pump")
    weights = query_weights(tree.stems, query)
    assert weights is not None

    def scored() -> npt.NDArray[np.float64]:
        around = spans(tree, found, "block")
        return slice_cosines(tree.tokens, weights, query.norm, around.starts, around.ends)

    scores = within_cpu_s(1.5, scored)
    assert np.count_nonzero(scores) >= len(found) // 2


def test_an_aggregation_of_another_package_that_fails_to_load_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = EntryPoint("broken", "no_such_package:around", "contexts.aggregations")
    monkeypatch.setattr("contexts.aggregation.entry_points", lambda group, name: [broken])
    with pytest.raises(UnknownAggregationError, match="aggregation 'broken' can't be loaded"):
        check("broken:2")


@pytest.mark.parametrize(
    ("gave", "told"),
    [
        ([(0, 1), (1, 2)], "gave list instead of Spans"),
        (Spans(np.array([-1]), np.array([0]), np.array([1])), "gave 1 contexts for 2 links"),
        (Spans(np.array([-1, 99]), np.array([0, 0]), np.array([1, 1])), "gave a node that the page has not"),
        (Spans(np.array([-1, -1]), np.array([0, 0]), np.array([1, 99])), "no slice of the page's tokens"),
        (Spans(np.array([-1, -1]), np.array([0, 2]), np.array([1, 1])), "no slice of the page's tokens"),
    ],
)
def test_contexts_of_another_package_that_are_none_are_told(
    monkeypatch: pytest.MonkeyPatch, gave: object, told: str
) -> None:
    found = EntryPoint("odd", "somewhere:odd", "contexts.aggregations")
    monkeypatch.setattr(EntryPoint, "load", lambda self: lambda tree, links, number: gave)
    monkeypatch.setattr("contexts.aggregation.entry_points", lambda group, name: [found])
    _parsed.cache_clear()
    with pytest.raises((TypeError, ValueError), match=f"'odd' {told}|'odd' gave a context that is {told}"):
        contexts_of("<a href=/1>pump</a> rum <a href=/2>ale</a>", "odd")


def test_a_climb_ends_at_the_root_however_high_it_was_to_be() -> None:
    tree = tidy("<p><a href=/x>pump</a>")
    assert spans(tree, links(tree, "http://a.example/"), "ancestor:999999").nodes.tolist() == [0]


def test_long_slices_that_stand_in_each_other_have_the_lengths_that_each_has_by_itself() -> None:
    draw = random.Random(3)
    tokens = np.array([int(draw.paretovariate(0.4)) % 900 for _ in range(30_000)], np.int32)
    nested = [(place * 9, len(tokens) - place * 7) for place in range(900)]
    ends = [sorted(draw.sample(range(len(tokens)), 2)) for _ in range(200)]
    anywhere = [(first, last) for first, last in ends]
    slices = [*nested, *anywhere, *nested]
    found = slice_lengths(tokens, 900, slices)
    for first, last in slices:
        frequencies = np.bincount(tokens[first:last])
        assert found[first, last] == np.sqrt(float(frequencies @ frequencies))


@pytest.mark.parametrize("height", [0, 1, 99, 100, 101, 163, 164, 230, 1_000])
def test_an_ancestor_is_the_same_however_far_up_it_stands(height: int) -> None:
    tree = tidy("<div>" * 400 + "<a href=/x>pump</a>")
    (link,) = links(tree, "http://a.example/")
    node = link.node
    for _ in range(height):
        node = max(int(tree.parent[node]), 0)
    assert spans(tree, [link], f"ancestor:{height}").nodes.tolist() == [node]


def test_lists_are_found_however_deep_their_links_stand() -> None:
    """What is around them all is found in leaps, once it is clear that they are deep."""
    listed = "".join(f"<li>{'<span>' * 150}<a href=/{i}>x</a>{'</span>' * 150}" for i in range(3))
    tree = tidy(f"<ul>{listed}</ul><p><a href=/alone>x</a>")
    ids = list_ids(tree, links(tree, "http://a.example/"))
    assert [tree.tag(node) for node in ids.tolist()[:3]] == ["ul"] * 3
    assert ids.tolist()[3] == -1
