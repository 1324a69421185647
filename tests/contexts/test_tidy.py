"""The tag tree: html5lib's, whatever the markup (R16, R17, A12, A13; cases a08, a10, a11, h09)."""

from __future__ import annotations

import time

import pytest
from html5lib import constants
from hypothesis import given, settings
from hypothesis import strategies as st
from processor_time import within_cpu_s

from contexts.differences import difference
from contexts.limits import MAX_TAG_CHARS, Limits
from contexts.links import links
from contexts.markup import FORMATTING, HTML_WITHIN, RAW, SPECIAL, VOID
from contexts.tagtree import TagTree
from contexts.text import stems
from contexts.tidy import tidy

ROADS = ("auto", "html5lib")


def paths(tree: TagTree) -> list[str]:
    return [tree.path(node) for node in range(len(tree))]


def test_kinds_of_elements_are_those_of_html5lib() -> None:
    """Formatting, elements without content, those whose content is text, and those of svg and MathML that
    hold HTML, in lower case; a title is text alone in HTML. Without scripts a noscript holds elements.
    """
    named = {name.lower() for _, name in constants.htmlIntegrationPointElements}
    named |= {name for _, name in constants.mathmlTextIntegrationPointElements}
    assert {name for _, name in constants.formattingElements} == FORMATTING
    assert constants.voidElements - {"command", "event-source"} | {"wbr"} == VOID
    texts = constants.rcdataElements | constants.cdataElements | {"plaintext"}
    assert texts - {"noscript"} == RAW
    assert named - {"title"} == HTML_WITHIN


@pytest.mark.parametrize(
    "page",
    [
        "<select><TITLE><option>",
        "<select><script>'</b>'</script><b>",
        "<select><textarea></p></textarea>",
        "<select><title></select><math>",
        "<select><svg><script>'</b>'</script>",
        "<select><svg a=b><select></select></br>",
        "<select><math><select><mi/>",
        "<dialog></dialog><textarea></dialog>",
        "<dialog></dialog><xmp></dialog>",
        *(f"<{name}><hgroup></{name}>" for name in ("big", "font", "i", "s", "strong", "tt", "u")),
        "<nobr><hgroup><nobr/>",
    ],
)
def test_what_cannot_be_said_otherwise_has_html5lib_s_tree_all_the_same(page: str) -> None:
    assert difference(tidy(page), tidy(page, "html5lib")) == ""


def test_elements_that_end_tags_stop_at_are_those_of_html5lib() -> None:
    assert {name for _, name in constants.specialElements} == SPECIAL


@pytest.mark.parametrize("road", ROADS)
def test_missing_tags_are_put_in_and_text_stands_in_leaves(road: str) -> None:
    tree = tidy("<title>T</title><table><tr><td>x", road)
    assert paths(tree) == [
        "html", "html/head", "html/head/title", "html/head/title/#text", "html/body", "html/body/table",
        "html/body/table/tbody", "html/body/table/tbody/tr", "html/body/table/tbody/tr/td",
        "html/body/table/tbody/tr/td/#text",
    ]  # fmt: skip


@pytest.mark.parametrize("road", ROADS)
def test_text_in_a_table_but_outside_a_cell_moves_out_of_it(road: str) -> None:
    tree = tidy("<table><a href=x>link</a><tr><td>cell</table>", road)
    assert tree.text == "link cell "
    assert "html/body/a" in paths(tree)


@pytest.mark.parametrize("road", ROADS)
def test_scripts_styles_noscript_and_templates_are_not_read(road: str) -> None:
    tree = tidy(
        "<title>read</title><script>no</script><style>no</style>"
        "<body><noscript><p>no</p></noscript><template><p>no</p></template><iframe>no</iframe><svg><style>no</style><title>too</title></svg>",
        road,
    )
    assert tree.text == "read too "


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("rest", ["<script>no</script>", "<noscript>no</div></noscript>"])
def test_a_page_that_stands_in_a_noscript_whose_end_tag_is_not_heeded_is_read(road: str, rest: str) -> None:
    """As of a national park: a wrapper for those without scripts, and the whole page in it."""
    tree = tidy(
        f"<body><noscript><div></noscript><p>read <a href=/1>too</a>{rest}<noscript>no</noscript>", road
    )
    assert (tree.text, len(links(tree, "http://page.example/"))) == ("read too ", 1)


@pytest.mark.parametrize("road", ROADS)
def test_words_of_neighbours_stay_apart_and_words_that_inline_tags_split_stay_whole(road: str) -> None:
    tree = tidy(
        "<h3>Pumps<br/>Valves</h3><table><tr><td>Beer</td><td>Wine</td></tr></table><p><strong>M</strong>obile</p>"
        "<p>hy<wbr>draulic</p><p><b>Red</b> <i>Ale</i><p><a href=1>One</a><a href=2>Two</a>",
        road,
    )
    assert tree.text.lower().split() == [
        "pumps", "valves", "beer", "wine", "mobile", "hydraulic", "red", "ale", "one", "two",
    ]  # fmt: skip


@pytest.mark.parametrize("road", ROADS)
def test_comments_end_where_browsers_end_them(road: str) -> None:
    assert tidy("<p>one<!-->two", road).text == "onetwo "
    assert tidy("<p>one<!-- x --!>two", road).text == "onetwo "
    assert tidy("<p>one<!-- open <b>two", road).text == "one "
    assert tidy("<p>one <!-- --> <!-- -->two<!-- --> <b>three", road).text == "one two three "
    assert tidy("<p>one<?a?>\n<?b?>two<?c?>", road).text == "one two "
    assert tidy("<p>o<i>ne<?b?>\n<!x>two", road).text == "one two "
    assert tidy("<p>one</p>two<!-- -->three", road).text == "one twothree "
    assert tidy("<p>one<br>two<!-- -->three", road).text == "one twothree "
    assert tidy("<p>on<b>e, t<!-- -->wo<i> <u>three", road).text == "one, two three "


@pytest.mark.parametrize("road", ROADS)
def test_nul_is_nothing_in_text(road: str) -> None:
    assert tidy("<p>he\0llo</p>", road).text == "hello "


@pytest.mark.parametrize("road", ROADS)
def test_json_ld_is_kept_as_it_stands(road: str) -> None:
    tree = tidy(
        '<script type="application/ld+json">{"@type": "Organization"}</script><script>x</script>', road
    )
    assert tree.json_ld == ('{"@type": "Organization"}',)


def test_constructs_on_which_the_tidiers_differ_take_the_exact_road() -> None:
    for markup in (
        "<table><image src=x>",
        "<svg></p>",
        "<svg><!--</svg>--></p>",
        "<svg><svg></svg></p></svg>",
        "<math></br>",
        "<label><template/><html lang=x>",
        "<table><dt><dd>",
        "<table><option><option>",
        "<table><option></option>x",
        "<table><select><col>",
        "</br><frameset>",
        "<select><option><title>x</title></select>",
        "<select><b>x</b><html lang=x>",
        "<select><b>x</b><plaintext>",
        "<select><b>x</b><caption><select><i>",
        "<table><td><select><b>x</b><col></select>",
        "<dialog><div></dialog>x",
        "<div><dialog></div></dialog>x",
        "<search>\ue000<p></search>",
        "<select><b>x</b></select><search>y</search>",
        "<template><div><b></div></template>",
        "<template><search><foo></template>",
        "<q><template><form><g></form><q></template>",
        "<p><template><div>x</div></template>",
        "<table><tr><td><p><a href=x>a</p> <p>b",
        "<div><b></div></body> ",
        "<frameset><frame src=x></frameset>",
        "<app-page><main></app-page>x",
        "<b><main></b>",
        "<a href=x><summary><a href=x>",
        "<form><code><figcaption></form></code>",
        "<q><noscript><hgroup></noscript>x",
        "<hgroup/><label><hgroup></label></hgroup><label>",
        "<dd><summary><dd>",
        "<li><div><main><p><li>",
        "<b><q><q><q><q><p></b></p>x",
        "<b><q><q><q><nobr><li></b><nobr>",
        "<ul><em></ul><pre></tt>\n",
        "<b id=x><b><b><b><b></b></b></b></b><u>x",
        "<q><form><main></form></q><form>",
        "<nobr><tt><main><nobr></nobr></main>",
        "<select><body onclick=\"location='/x'\">",
        "<b><a href=x></b><template></template>",
        "<svg><sup>",
        "<!-- --!><svg></p>",
        "<!---><math></br>",
        "<svg width=1/></p>",
        "<math><mi><span></math><span>",
        "<rp><math><mo></rp></mo><rp>",
        "<form><select></form></select><form>",
        "<table><dt><dt></dt><del>",
        "<table><q><button><button>",
        "<table><q><select><colgroup>",
        "<code><pre><table><pre></table></code>",
        "<small><section><table><math></table></small>",
        "<table>a</x>\n<!DocType>b",
        "<dt><strike><strong></strike></body>\n<track></dt><desc>",
        "<small><dfn><small><small><small></dfn></small></p>",
        "<b><dt><b><b><b><dt></dt></b><map>",
        "<dt><i><b></i></BODY>\n<track><dd>x",
    ):
        assert tidy(markup).road == "html5lib", markup
    for markup in (
        "<select><option>x</select>",
        "<div><template><p>x</p></template></div>",
        "<svg><a>x</a></svg>",
        "<svg><image /></svg><table><tr><td><img>",
        "<p><svg><g/></svg></p><br>",
        "<figure><a href=x><img></a><figcaption><a href=x>x</a></figcaption></figure>",
        "<a><figcaption><b>x</b></figcaption></a>",
        "<app-page><main><p>x</p></main></app-page>",
        "<b>x</b><main><b>y</b></main>",
        "<li><figure><figcaption><ul><li>x</ul></figcaption></figure><li>y",
        "<a href=x><i><i><i><i>1</i></i></i></i></a><div><a href=x>2</a></div>",
        "<b>x</b><template></template>",
        "<div>x</div><b> </b></body> ",
        "<b> x</b><p>y</p></body>\n</html>\n",
        "<svg><title>x<!-- y --></title></svg><svg><title/></svg>",
        "<form><select><option>1</select></form>",
        "<body onclick=\"location='/x'\"><select><option>1</select></form>",
        "<button>1</button><button>2</button><table><tr><td><button>3</button></table>",
        "<b><table><tr><td>x</table></b>",
        "<!-- --><!doctype html><body>x<table><tr><td>y</table>",
    ):
        assert tidy(markup).road == "lexbor", markup


@pytest.mark.parametrize(
    "markup",
    [
        "<select><option><b>x</b> y<!-- <i> --></select><b>z</b>",
        "<select><optgroup><option>1 <span title='</select>'>Person</span><hr><option>2</select><p>x",
        "<p>a<search>b</p>c</search>d <a href=x>e</a>",
        "<b>a<p>b</b><search>c</search></p>",
        "<p>a<dialog>b<p>c</p></dialog>d",
        "<p><b>x</p><dialog></dialog>y",
        "<ruby>a<rb>b<rt>c<rtc>d</ruby>",
        "<script>'<search>'</script><title><search></title><img alt='<search>'><search>x</search>",
        "<div><template><div><custom-part></div></template>x</div>",
        "<table><tr><td><b> a</b><b> b</b> <a href=x> c</a><!-- <b> --></table>",
        "<b>a</b><template onclick=\"location='/7'\"></template>",
        "<math><a onclick=\"location='/7'\">",
        "<svg><template onclick=\"location='/7'\">",
        "<svg><foreignObject><a onclick=\"location='/7'\" href=/8>x</a><b onclick=\"location='/9'\">",
    ],
)
def test_what_is_younger_than_html5lib_takes_the_fast_road_to_the_same_tree(markup: str) -> None:
    fast = tidy(markup)
    assert fast.road == "lexbor"
    assert difference(fast, tidy(markup, "html5lib")) == ""


def test_what_is_no_element_keeps_its_text_as_it_stands() -> None:
    tree = tidy("<search><img alt='<search>'><script type=application/ld+json>{'<search>'}</script></search>")
    assert [attributes["alt"] for attributes in tree.attributes.values() if "alt" in attributes] == [
        "<search>"
    ]
    assert tree.json_ld == ("{'<search>'}",)
    assert "search" in tree.tag_names


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize(
    ("page", "text", "urls"),
    [
        ("<p>see <a href=/1>x</a> and <a href=/2", "see x and ", "1"),
        ("<p>see <a href=/1>x</a> and <a href=/2>half a na", "see x and half a na ", "1"),
        ("<a href=/1>x</a> <a name=top><p>all the rest", "x all the rest ", "1"),
        ("<a href=/1>x</a><!-- <a href=/2> --><p>rest", "x rest ", "1"),
        ("<a href=/1>x</a><!-- <a href=/2> -->", "x ", "1"),
        ("<a href=/1>x</a><!-- <a href=/2>", "x ", "1"),
        ("<a href=/1>x<!-- </a> -->", "x ", ""),
        ("<a href=/1>x<!-- </a>", "x ", ""),
        ("<a href=/1>x</a><script>'<a href=/2>'</script><p>rest", "x rest ", "1"),
        ("<a href=/1>x<script>'</a>'</script>", "x ", ""),
        ("<article><a href=/1>x</A\n>&nbsp;</article></art", "x ", "1"),
        ("<a href=/1>x</abbr>", "x ", ""),
        ("<a href=/1>x</a", "x ", ""),
        ("<table><tr><td><a href=/1>x<td>closed by its cell", "x closed by its cell ", "1"),
        ("<svg><a href=/1>x", "x ", ""),
        ("<a href=/1 onclick=\"location='/2'\">x", "x ", ""),
        ("<svg><a xlink:href=/1>x", "x ", ""),
        ("<a href=/1>x<img src=y>", "x ", ""),
        ("<a href=/1>x<style>'</a>'</style>", "x ", ""),
        ("<a href=/1>x<SCRIPT>'</A>'</SCRIPT>", "x ", ""),
        ("<a href=/1>x</a><!--\n<a href=/2>\n-->", "x ", "1"),
        ("<p><a href=/1>x</a> <a href=/2>y</a></p></p", "x y ", "12"),
    ],
)
def test_an_anchor_that_a_cut_left_open_is_no_link_but_its_text_stays(
    road: str, page: str, text: str, urls: str
) -> None:
    cut = tidy(page, road, truncated=True)
    assert cut.cuts == ("bytes",)
    assert cut.text == text
    assert "".join(link.url[-1] for link in links(cut, "http://page.example/")) == urls


@pytest.mark.parametrize("road", ROADS)
def test_an_anchor_that_is_never_closed_is_a_link_unless_the_page_was_cut_for_its_depth(road: str) -> None:
    few = Limits(max_open=20)
    whole, deep = (tidy("<a href=/1>x" + "<div>" * n_open, road, few) for n_open in (10, 50))
    assert (whole.cuts, deep.cuts) == ((), ("nodes",))
    assert (len(links(whole, "http://page.example/")), links(deep, "http://page.example/")) == (1, [])


@pytest.mark.parametrize("road", ROADS)
def test_limits_cut_and_say_so(road: str) -> None:
    page = "<div><p>a <a href=x class=y>b</a></div>" * 40
    assert tidy(page, road, Limits(max_chars=200)).cuts == ("bytes",)
    nodes = tidy(page, road, Limits(max_nodes=50))
    assert (len(nodes), nodes.cuts) == (50, ("nodes",))
    deep = tidy("<div>" * 30 + "x", road, Limits(max_depth=20))
    assert (deep.cuts, max(path.count("/") for path in paths(deep))) == (("depth",), 19)
    few = tidy(page, road, Limits(max_attributes=10))
    assert (few.cuts, len(few.attributes)) == (("attributes",), 5)


@pytest.mark.parametrize(("n_comments", "cuts"), [(8, ()), (30, ("nodes",))])
def test_comments_are_no_nodes_but_the_fast_road_meets_no_more_of_them_than_nodes(
    n_comments: int, cuts: tuple[str, ...]
) -> None:
    tree = tidy("<p>a" + "<!-- -->" * n_comments + "b", limits=Limits(max_nodes=10))
    assert (tree.road, tree.cuts, tree.text) == ("lexbor", cuts, "a " if cuts else "ab ")


def test_the_exact_road_stops_when_its_time_is_up() -> None:
    start = time.monotonic()
    tree = tidy("<p>word <b>bold</b>\n" * 50_000, "html5lib", Limits(max_seconds=0.3))
    assert tree.cuts == ("time",)
    assert time.monotonic() - start < 10
    assert len(tree) > 100


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 20_000 + "<a href=x>deep</a>",
        "<a " + " ".join(f"a{i}=x" for i in range(5_000)) + " href=x>x</a>",
        "<b>" * 333_333,
        "<p><b>x" * 100_000,
        "<p>Some text about <a href=/x>pumps</a> and valves.</p>\n" * 36_000,
        "<dl>" + "<dt><a href=x>y</a><dd>z" * 10_000,
        "<table><tr><td>" + "".join(f"<a href=/{i}> <q>x</q></a>" for i in range(20_000)),
        "<isindex>" + "<article><area>" * 10_000,
        "<main>" + "<div>" * 3_000 + "<li>x" * 20_000,
        "<b>" + "<div>" * 3_000 + "<template></template>" * 8_000,
        "<template>" * 4_000,
    ],
    ids=[
        "nested",
        "attributes",
        "unclosed",
        "reopened",
        "two_megabytes",
        "pairs",
        "a_cell_of_links",
        "exact",
        "items",
        "templates",
        "nested_templates",
    ],
)
def test_no_page_can_stall_the_process(page: str) -> None:
    assert len(within_cpu_s(3, lambda: tidy(page))) > 1


def test_three_thousand_nested_elements_are_all_there() -> None:
    tree = tidy("<div>" * 3_000 + "<a href=/deep>d</a>")
    assert tree.path(len(tree) - 1).count("div") == 3_000


_PIECES = """
    <p> </p> <b> </b> <i> <a|href=x> </a> <table><tr><td> </table> <ul> <li> </ul> <div> </div>
    <select> <option> </select> <template> </template> <script> </script> <title> <br> <hr>
    <!-- --> <h1> </h1> <form> <button> <noscript> </noscript> <dl> <dt> <dd> <textarea> </textarea> <body>
    pump valve &amp; Café 水泵 ’s é 12 \x00 \x01 <font> </font> <nobr> <iframe> </iframe> <style> </style>
    <span> </span> <center> <frameset> <ruby> <rt> <search> <?pi?> <!x> <image>
    <label> </br> <col> <optgroup> <template/> <html|lang=x> <nobr/>
    </select> </option> </search> <dialog> </dialog> <rb> <td> </td>
    <main> </main> <summary> <figcaption> <hgroup> </noscript> </form> </button> <q> <pre> <sup>
    <!----!> </p|x=y/>
"""
PIECES = [piece.replace("|", " ") for piece in _PIECES.split()] + [" ", "\n", "\t"]
MARKUP = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
FOREIGN = st.sampled_from(
    ["<svg>", "</svg>", "<math>", "<mi>", "<title>", "</p>", "<foreignObject>", "<![CDATA[", "]]>"]
)


FEW = st.lists(st.sampled_from(PIECES), min_size=2, max_size=7, unique=True).flatmap(
    lambda few: st.lists(st.sampled_from([*few, "<svg>", "</svg>", "<math>", "</p>"]), max_size=12).map(
        "".join
    )
)
"""Soups of few ingredients, so that the same tags meet."""


@settings(max_examples=600)
@given(MARKUP | FEW, st.booleans())
def test_the_roads_meet_on_any_soup_of_tags(page: str, truncated: bool) -> None:
    fast, exact = tidy(page, truncated=truncated), tidy(page, "html5lib", truncated=truncated)
    if fast.road == "lexbor":
        assert not difference(fast, exact)


@settings(max_examples=300)
@given(MARKUP | FEW, st.integers(0, 400), st.sampled_from(ROADS))
def test_a_cut_page_keeps_all_its_text(page: str, at: int, road: str) -> None:
    """No more is lost than the tag that the cut left unfinished, which no tidier reads."""
    assert tidy(page[:at], road, truncated=True).text == tidy(page[:at], road).text


@pytest.mark.parametrize("road", ROADS)
def test_a_page_on_which_html5lib_fails_has_the_other_tidier_s_tree(road: str) -> None:
    tree = tidy("<p>pumps<svg><select><title><select><select>valves", road)
    assert (tree.road, tree.text, tree.cuts) == ("lexbor", "pumps valves ", ("exact",))


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize(
    "value", ["", "=1", '=">"'], ids=["without_values", "with_values", "with_ends_in_them"]
)
def test_attributes_behind_the_first_two_thousand_of_a_tag_are_left_out(road: str, value: str) -> None:
    crowd = " ".join(f"attribute{i}{value}" for i in range(60_000))
    start_s = time.process_time()
    tree = tidy(f"<p>a<a href=/x {crowd} rel=y>pumps</a> <a href=/z>valves</a>", road)
    assert time.process_time() - start_s < 8
    first, second = (tree.attributes[node] for node in tree.nodes_named("a").tolist())
    assert (len(first), first["href"], second) == (2_000, "/x", {"href": "/z"})
    assert tree.text == "a pumps valves "
    assert tree.cuts == ("attributes",)


def test_a_page_on_which_html5lib_would_look_through_too_much_takes_the_fast_road_all_of_it() -> None:
    page = "<isindex>" + "<article>" * 1_200 + "</article>" * 1_200 + "<p><a href=x>pumps</a>"
    tree = tidy(page)
    assert (tree.road, tree.text, tree.cuts) == ("lexbor", "pumps ", ("exact",))
    assert tidy(page, limits=Limits(max_scanned=2_000_000)).road == "html5lib"
    forced = tidy(page, "html5lib")
    assert (forced.road, forced.cuts) == ("html5lib", ())


@pytest.mark.parametrize("page", ["<!--" + "-x" * 10_000, "<p>" + "&amp;x" * 10_000])
def test_a_page_on_which_html5lib_would_copy_too_much_takes_the_fast_road(page: str) -> None:
    page = f"<isindex><svg><title>pumps{page}"
    few = Limits(max_copied=1_000_000)
    assert (tidy(page).road, tidy(page).cuts) == ("html5lib", ())
    assert (tidy(page, limits=few).road, tidy(page, limits=few).cuts) == ("lexbor", ("exact",))
    assert tidy(page, "html5lib", few).road == "html5lib"


def test_the_time_limit_is_kept_within_a_comment() -> None:
    start_s = time.process_time()
    tree = tidy("<p>pumps<!--" + "-x" * 1_000_000, "html5lib", Limits(max_seconds=0.2))
    assert time.process_time() - start_s < 2
    assert (tree.text, tree.cuts) == ("pumps ", ("time",))


@settings(max_examples=300)
@given(
    st.one_of(MARKUP, st.lists(MARKUP | FOREIGN).map("".join), st.text(st.characters())),
    st.sampled_from(ROADS),
)
def test_any_page_has_a_sound_tree(page: str, road: str) -> None:
    tree = tidy(page, road)
    n = len(tree)
    assert tree.tag(0) == "html"
    assert tree.parent[0] == -1
    assert tree.first_token[n] == len(tree.tokens)
    assert tree.first_char[n] == len(tree.text)
    for node in range(n):
        assert node < tree.end[node] <= n
        if node:
            above = int(tree.parent[node])
            assert above < node
            assert tree.end[node] <= tree.end[above]
        # the terms of a node are the words of its text
        assert [tree.stems[i] for i in tree.tokens_below(node)] == stems(tree.text_below(node))
        # children's slices tile their parent's
        if tree.tag(node) != "#text":
            place, at = int(tree.first_token[node]), node + 1
            while at < tree.end[node]:
                assert tree.first_token[at] == place
                at = int(tree.end[at])
                place = int(tree.first_token[at])
            assert place == tree.first_token[tree.end[node]]


def test_both_roads_cut_long_names_of_tags_and_leave_those_of_attributes() -> None:
    markup = f"<a href=/x {'long' * 50}=1>x</a><{'x' * 200} {'y' * 200}=2>x<svg><{'z' * 200}>"
    tree = tidy(markup)
    assert tree.road == "lexbor"
    assert difference(tree, tidy(markup, "html5lib")) == ""
    assert max(map(len, tree.tag_names)) == MAX_TAG_CHARS
    assert max(len(name) for values in tree.attributes.values() for name in values) == 200
