"""A source that would keep a parser busy for minutes, or take all memory, is cut; no page that is one."""

from __future__ import annotations

import re
import resource
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contexts.limits import DEFAULT, Limits
from contexts.links import links
from contexts.nesting import is_plain, without_abyss
from contexts.tidy import tidy

KINDS = "".join(f"<{name}>" * 3 for name in ("b", "big", "code", "em", "font", "i", "s", "small", "tt", "u"))
"""As much formatting as may be opened again in each block, without attributes."""
BOMBS = {
    "lists": "<ul><li>" * 125_000,
    "blocks": "<div>" * 200_000,
    "ends of what is not open": "<div></span></em>" * 60_000,
    "behind a comment that ends at once": "<!-->" + "<div>" * 200_000,
    "in the title of a drawing": "<svg><title>" + "<div>" * 200_000,
    "parentheses for readings that nothing is read": "x<rp>" * 120_000,
    "titles of drawings in each other": "<svg><title>" * 80_000,
    "formatting in each paragraph": f"<p>{KINDS}" + "<p>x" * 240_000,
    "formatting behind each paragraph": f"<p>{KINDS}" + "</p>x" * 190_000,
    "formatting that nothing closes": "</div><b><nobr>" * 70_000,
    "formatting with attributes": "".join(f"<em a={n}><p>" for n in range(60_000)),
}
PAGES = {
    "rows that are never closed": "<table>" + "<tr><td>cell" * 60_000,
    "items that are never closed": "<ul>" + "<li>item" * 60_000,
    "paragraphs and breaks": "<p>text<br><img src=x>" * 40_000,
    "a link in each": "<p><a href=/x>link</a>" * 40_000,
    "blocks one after the other": "<div><span>text</span></div>" * 30_000,
    "formatting that is closed": "<p><b><i>text</i></b>" * 40_000,
    "formatting that never is": "<font size=2>text<p>" * 10_000,
    "readings that are never closed": "<ruby>" + "漢<rp>(<rt>kan<rp>)" * 12_000,
    "formatting that is closed, between blocks": "<b>text</b> " * 10_000,
    "titles that hold tags": f"<title>{'<div>' * 9_000}</title><p>text",
    "styles that hold tags": f"<style>{'<div>' * 9_000}</style><p>text",
    "fields that hold tags": f"<textarea>{'<div>' * 9_000}</textarea><p>text",
    "examples that hold tags": f"<xmp>{'<div>' * 9_000}</xmp><p>text",
    "a script that writes tags": "<script>" + "'<div><ul>' + " * 20_000 + "</script><p>text",
    "a comment": "<!--" + "<div>" * 20_000 + "--><p>text",
    "a script without end": "<p>text<script>" + "<div>" * 20_000,
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_megabyte_that_would_take_minutes_or_gigabytes_is_cut_and_keeps_its_beginning(kind: str) -> None:
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start_s = time.process_time()
    tree = tidy("<p>pumps <a href=/first>first</a>" + BOMBS[kind])
    assert time.process_time() - start_s < 8
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 1_000_000
    assert "nodes" in tree.cuts
    assert [link.anchor for link in links(tree, "http://a.example/")] == ["first"]


DIVS = "<div>" * 40
HIDDEN = {
    "behind a name that only begins like one": [
        *(f"<{name}{DIVS}" for name in ("title-x>", "script.x>", "xmp_>")),
        *(f"<{name}>" * 40 for name in ("p_", "li.x", "br\u00e9", "a,")),
        "<lin\u212a>" * 40,  # of the sign of Kelvin parsers know no lower case
        "<ruby_x>" + "<rt>" * 40,
    ],
    "behind a comment that is none": [
        *(f"<{name}><!--</{name}>{DIVS}" for name in ("iframe", "noembed", "noframes", "textarea", "STYLE")),
        f"<title></title-><!--</title>{DIVS}",
        f"<script><!--<script></script><!--</script>--></script>{DIVS}",
        f"<p title='> <!--'>{DIVS}",
        f"<?x <!-- >{DIVS}",
        f"<!x <!-- >{DIVS}",
        f"</ <!-- >{DIVS}",
    ],
    "behind a text that is none": [
        f"<p title='><title>'>{DIVS}",
        f"<svg><title>{DIVS}",
        f"<svg/><title><!--</title>{DIVS}",
        f"<svg><p></p><title><!--</title>{DIVS}",
        f"<svg><desc><div></svg></div></desc><style>{DIVS}",
        f"<svg><![CDATA[ > <!-- ]]>{DIVS}",
        f"<math><title><g a='</title><!-- '>{DIVS}",
    ],
    "of elements that only some others close": [
        *("<optgroup>" * 40, "<rt>" * 40),
        "<option><b>" * 40,
        "<ruby>" + "<b><rt>" * 40,
        "<b><ruby></b>" + "<rt>" * 40,
        "<table><ruby><td>" + "<rt>" * 40,
        "<select></div><select>" + "<optgroup>" * 40,
        "<select><input>" + "<optgroup>" * 40,
        "<select><b><select>" + "<optgroup>" * 40,
        "<option></option><option><b>" * 40,
    ],
    "in svg, where anything nests": [
        *("<svg>" + f"<{name}>" * 40 for name in ("a", "source", "td", "g")),
        "<svg><desc>" + "<x-y/>" * 40,
        "<svg>" + "<g a=b/>" * 40,
        *("<svg><title></title>" + f"<g {rest}>" * 40 for rest in ("a=b/", "a='/>'", "a> x/", "> x/")),
        "<svg><title></title><desc>" + "<x-y/>" * 40,
    ],
    "behind end tags that close nothing": [
        *(
            f"<div><{name}></div></{name}>" * 40
            for name in ("object", "select", "table", "template", "marquee", "applet")
        ),
        "<div><svg><desc></div></desc></svg>" * 40,
        "<div><svg><title></div></title></svg>" * 40,
        "<svg><desc><x-y></desc></svg>" * 40,
        "<form><div></form>" * 40,
        "<form><x-y></form>" * 40,
        "<li><ul></li>" * 40,
        "<td><div></td>" * 40,
        "<span><p></span></p>" * 40,
        "<span><main></span></main>" * 40,
        "<noscript><div></noscript>" * 40,
        *(f"<{name}><x-y></{name}>" * 40 for name in ("basefont", "bgsound", "frame", "image", "keygen")),
        *(f"<x-y><{name}></x-y></{name}>" * 40 for name in ("marquee", "applet", "search")),
    ],
}


@pytest.mark.parametrize("source", [source for sources in HIDDEN.values() for source in sources])
def test_nothing_hides_how_many_elements_are_open(source: str) -> None:
    """Each opens dozens within each other in lexbor or html5lib; a megabyte of it takes minutes."""
    limits = Limits(max_open=20)
    assert not is_plain(source.encode(), limits)
    assert len(without_abyss(source, limits)) < len(source)


@pytest.mark.parametrize(
    ("formatting", "listed"),
    [
        ("<b><i>", 2),
        ("<B>" * 5, 3),
        ("<b>" * 5 + "</B>" * 3, 2),
        ("<b>" * 2 + "</b>" * 3 + "<i>" * 2, 2),
        ("<b a=1>x<b a=2>y<b a=1>z", 3),
        ("<b a='x'>1<b a='x'>2<b a='x'>3<b a='x'>4", 3),
        ("<b a='>1'><b a='>2'><b a='>3'><b a='>4'>", 4),
        ('<b a=">1"><b a=">2"><b a=">3"><b a=">4">', 4),
        ("".join(f'<b a=\'"\' b=">{n}">' for n in range(4)), 4),
        ("".join(f"<b a=\"'\" b='>{n}'>" for n in range(4)), 4),
        ("".join(f"<b {'x' * 195} {n}>" for n in range(4)), 4),
        ("".join(f"<b {'x' * 199} {n}>" for n in range(4)), 3),
    ],
)
def test_formatting_is_opened_again_in_each_block_of_those_alike_three(formatting: str, listed: int) -> None:
    """The standard's "Noah's Ark clause"; they are told apart by what follows their names, up to a point."""
    source = formatting + "<p>x<br>" * 50
    limits = Limits(max_reopened=60 * listed)
    assert not is_plain(source.encode(), limits)
    assert without_abyss(source, limits) == formatting + "<p>x<br>" * 30


@pytest.mark.parametrize(
    "source",
    [
        "<dl><dd></address><address><dt>",
        "<h2><span><h1></h2>",
        "<table><table></table><div></table>",
        "<p><span><div></div><x-y></span>",
    ],
)
def test_what_start_tags_may_have_closed_before_end_tags_closed_it_counts_as_open(source: str) -> None:
    """Each opens an element more within those before, of which the reckoning sees none."""
    limits = Limits(max_open=100, max_walked=2_000)
    assert not is_plain(source.encode() * 40, limits)
    assert len(without_abyss(source * 40, limits)) < len(source * 40)


@pytest.mark.parametrize("source", ["<a><b>", "</pre><b>", "</svg><img><b>", "</div><b><nobr>"])
def test_formatting_that_other_tags_may_have_closed_counts_as_open(source: str) -> None:
    """They have not: each opens one more within those before, and a megabyte took up to half a minute."""
    limits = Limits(max_walked=2_000)
    assert not is_plain(source.encode() * 60, limits)
    assert len(without_abyss(source * 60, limits)) < len(source * 60)


@pytest.mark.parametrize(
    "source",
    [
        "<div><span>x</span></div>" * 200,
        "<svg><title>x</title><path d=m /><g/></svg><script>'<div>' + '</div>'</script>" * 200,
        "<select><optgroup label=a><optgroup><option>a</option><option><option>b<optgroup><option>c</select>"
        * 200,
        "<select>" + "<option>a<br>" * 200,
        "<ruby>x<rp>(</rp><rt>y</rt><rp>)</rp></ruby>" * 200,
        "<table><tr><td><div>a</div><td>b<tr><td>c</table>" * 200,
        "<ul><li>a<li><p>b<p>c</ul>" * 200,
        "<ruby>" + "<rb>x<rtc>y<rp>(<rt>z<rp>)</rp>" * 200,
        "<table>" + "<thead><tr><th>a<tbody><tr><td>a<tfoot><caption>a<colgroup><col>" * 200,
        "<dl>" + "<dt>a<dd>b" * 200,
        "<frameset>" + "<frame><basefont><bgsound><image><keygen>" * 200,
        "<html><body><head><a href=/x>" * 200,
        "<svg><title>x</title><g/><path d='m 1 2' x=\"a>b\" hidden /></svg>" * 200,
        "<svg><br/><circle/><svg/><p>x</p></svg>" * 200,
        "<math><mi/><title>x</title></math>" * 200,
        "<option>a<option>b<option></option>" * 200,
        "<div><object><svg><desc></desc></svg></object></div><a href=/x><input>" * 200,
        "<math><mi>x</mi></math><tr><td><a href=/x><input>" * 200,
        "<section><div><p>a</div></section>" * 200,
        "<!-- <div> -->" * 200,
    ],
)
def test_a_page_that_is_not_deep_is_not_cut_however_long_it_is(source: str) -> None:
    assert without_abyss(source, Limits(max_open=20, max_walked=12_000)) == source


@pytest.mark.parametrize("kind", PAGES)
def test_a_long_page_that_is_not_deep_is_left_as_it_is(kind: str) -> None:
    assert without_abyss(PAGES[kind], DEFAULT) == PAGES[kind]


@pytest.mark.parametrize(
    "source",
    [
        "</i>" * 30 + "<b>" * 30,
        "<b></i>" * 30,
        "".join(f"<b a={n}></i>" for n in range(30)),
        "".join(f"<b a={n}><br>" for n in range(30)),
        "".join(f"<b a={n}>" for n in range(15)) + "</x>" + "".join(f"<i a={n}>" for n in range(15)),
    ],
)
def test_no_end_of_something_else_hides_how_much_formatting_is_open(source: str) -> None:
    """lexbor compares each with all that differ: 60,000 of them keep it busy for a minute."""
    limits = Limits(max_open=20)
    assert len(re.findall("<[bi][ >]", without_abyss(source, limits))) == 20


@pytest.mark.parametrize(
    "opening", ["<!--", "<script", "<title>", "<a<", "<div ", "<b a=", "</", "<svg><title><a"]
)
def test_what_has_no_end_takes_no_longer(opening: str) -> None:
    start_s = time.process_time()
    without_abyss(opening * 200_000, DEFAULT)
    assert time.process_time() - start_s < 4


TAGS = [
    "<div>",
    "</div>",
    "<B>",
    "<b/>",
    "</b>",
    "<font>",
    "<p>",
    "<i/>",
    "<em",
    "<s",
    "<",
    "x",
    "<!--",
    "-->",
    "<svg>",
    "<td>",
    "<title>",
    "<option>",
    "<b a='>",
    "'>",
]


@given(
    st.lists(st.sampled_from(TAGS), max_size=40).map("".join),
    st.integers(0, 6),
    st.integers(0, 20),
    st.integers(0, 60),
)
def test_a_plain_source_is_never_cut(
    source: str, most_open: int, most_reopened: int, most_walked: int
) -> None:
    limits = Limits(max_open=most_open, max_reopened=most_reopened, max_walked=most_walked)
    if is_plain(source.encode(), limits):
        assert without_abyss(source, limits) == source


def test_a_page_of_two_thousand_tags_is_plain() -> None:
    assert is_plain(b"<p><b>text</b><br><span>x</span>" * 280, DEFAULT)
    assert not is_plain(b"".join(b"<b a=%d><p>" % n for n in range(1_500)), DEFAULT)


def test_formatting_that_is_always_the_same_and_rows_by_the_thousand_are_plain() -> None:
    assert is_plain(b"<FONT size=2>text</FONT><p><b>x</b>" * 1_600, DEFAULT)
    assert is_plain(b"<tr><td><a href=/x>cell</a></td></tr>" * 5_000, DEFAULT)
    assert not is_plain(b"<div><td>" * 9_000, DEFAULT)
