"""Links of a page (cases a01–a03, a09, a13–a18; b06, b08, b11, b13)."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from processor_time import within_cpu_s

from contexts.links import Link, links
from contexts.tidy import Tidier, tidy
from contexts.urls import Base, join

HERE = "http://h.example/c/"


def found(html: str, page_url: str = HERE) -> list[Link]:
    return links(tidy(html), page_url)


def urls(html: str, page_url: str = HERE) -> list[str]:
    return [link.url for link in found(html, page_url)]


def test_white_space_around_and_line_ends_within_an_address_go() -> None:
    assert urls('<a href="\n\t  http://partner.example/x \n">Partner</a>') == ["http://partner.example/x"]
    assert urls('<a href="http://part\nner.example/\tx">Partner</a>') == ["http://partner.example/x"]


def test_base_counts_wherever_it_stands_but_not_in_a_comment() -> None:
    head = f"<head><!--{'x' * 5000}--><base href='http://two.example/root/'></head>"
    assert urls(head + "<a href=t.html>t</a>") == ["http://two.example/root/t.html"]
    assert urls("<head><!-- <base href='http://old.example/'> --></head><a href=k>k</a>") == [HERE + "k"]
    first = "<base target=x><base href=/one/><base href=/two/>"
    assert urls(first + "<a href=k>k</a>") == ["http://h.example/one/k"]
    assert urls("<base href='javascript:x'><a href=k>k</a>") == [HERE + "k"]


def test_a_base_that_is_no_element_of_the_page_does_not_count() -> None:
    for elsewhere in (
        "<template><base href='http://other.example/'></template>",
        "<svg><base href='http://other.example/'></base></svg>",
        "<script>document.write('<base href=http://other.example/>')</script>",
        "<textarea><base href='http://other.example/'></textarea>",
    ):
        assert urls(f"{elsewhere}<a href=k>k</a>") == [HERE + "k"]
        assert urls(f"{elsewhere}<base href=/one/><a href=k>k</a>") == ["http://h.example/one/k"]


def test_what_is_not_http_is_no_link() -> None:
    page = """<a href="mailto:info@h.example">m</a><a href="tel:+15550100">t</a>
    <a href=" JavaScript:void(0)">j</a>
    <a href="data:text/html,x">d</a><a href="real">r</a><a name=n>n</a><a href="file:///x">f</a>"""
    assert urls(page) == [HERE + "real"]


def test_one_bad_address_costs_only_itself() -> None:
    bad = '<a href="http://[oops">x</a><a href="http://h.example:99999999/">y</a>'
    page = f'<a href="/ok1">1</a>{bad}<a href="/ok2">2</a>'
    assert [(link.url, link.position) for link in found(page)] == [
        ("http://h.example/ok1", 0),
        ("http://h.example/ok2", 1),
    ]


def test_what_should_be_an_address_but_is_none_is_told() -> None:
    long = "/" + "x" * 2048
    nowhere = ["http://", "https://[::1/", "http://a b.example/", "//h.example:99999/", "http://./", long]
    others = [
        "mailto:a@b.example",
        "tel:+1",
        "javascript:void(0)",
        "ftp://h.example/",
        "android-app://x/y",
        "#",
    ]
    spoilt: list[str] = []
    tree = tidy("".join(f'<a href="{text}">x</a>' for text in (*nowhere, *others, "/fine")))
    assert [link.url for link in links(tree, HERE, spoilt)] == [HERE, "http://h.example/fine"]
    assert spoilt == nowhere


@pytest.mark.parametrize(
    ("script", "url"),
    [
        ("javascript:openWin('member.php?id=7','m',400,300)", HERE + "member.php?id=7"),
        (" JavaScript:void(window.open(&quot;https://k.example/x&quot;))", "https://k.example/x"),
        ("javascript:popup(%27/firms/acorn%27)", "http://h.example/firms/acorn"),
        ("javascript:show('name', '../a/b.html#top')", "http://h.example/a/b.html"),
    ],
)
def test_a_script_that_opens_an_address_leads_there(script: str, url: str) -> None:
    assert [(link.url, link.kind) for link in links(tidy(f'<a href="{script}">Acorn</a>'), HERE)] == [
        (url, "script")
    ]


@pytest.mark.parametrize(
    "script",
    [
        "javascript:void(0)",
        "javascript:history.go(-1)",
        "javascript:__doPostBack('ctl00$grid','Page$2')",
        "javascript:sort('m/d/yyyy', 'Name', '//')",
        "javascript:mail('info', 'acorn.example')",
        "mailto:'a.html'",
    ],
)
def test_a_script_without_an_address_leads_nowhere(script: str) -> None:
    assert urls(f'<a href="{script}">Acorn</a>') == []


def test_character_references_are_read_as_in_attributes() -> None:
    page = """<a href="/s?q=foo&amp;lang=en">1</a><a href="/x?lang=en&copy=2&reg=1">2</a>
    <a href="/y?a=1&copy">3</a>"""
    assert urls(page) == [
        "http://h.example/s?q=foo&lang=en",
        "http://h.example/x?lang=en&copy=2&reg=1",
        "http://h.example/y?a=1%C2%A9",
    ]


def test_nul_in_an_address_becomes_a_replacement_character() -> None:
    assert urls('<a href="/a\0b">k</a>') == ["http://h.example/a%EF%BF%BDb"]


def test_areas_and_frames_lead_on() -> None:
    area = found('<map><area href="menu.html" alt="Menu"></map>')
    assert [(link.url, link.anchor, link.kind) for link in area] == [(HERE + "menu.html", "Menu", "area")]
    frames = found('<frameset cols="20%,80%"><frame src="nav.html"><frame src="main.html"></frameset>')
    assert [(link.url, link.kind) for link in frames] == [
        (HERE + "nav.html", "frame"),
        (HERE + "main.html", "frame"),
    ]
    assert [link.kind for link in found("<iframe src=x></iframe>")] == ["iframe"]


@pytest.mark.parametrize("road", ["auto", "html5lib"])
def test_links_in_svg_are_links(road: str) -> None:
    page = '<svg><a xlink:href="/north"><text>North</text></a><a href="/south"><text>South</text></a></svg>'
    assert [(link.url, link.anchor, link.kind) for link in links(tidy(page, road), HERE)] == [
        ("http://h.example/north", "North", "svg"),
        ("http://h.example/south", "South", "svg"),
    ]


@pytest.mark.parametrize(
    ("meta", "target"),
    [
        (
            '<meta http-equiv="refresh" content="0; URL=\n   http://new.example/start">',
            "http://new.example/start",
        ),
        (
            "<meta http-equiv=refresh content=\"0;url='http://new.example/start'\">",
            "http://new.example/start",
        ),
        ("<meta content='5;URL=\"/start\"' http-equiv='Refresh'>", "http://h.example/start"),
        ("<meta http-equiv=refresh content='3; next.html'>", HERE + "next.html"),
        ("<meta http-equiv=refresh content='.5 , url = next.html'>", HERE + "next.html"),
    ],
)
def test_a_refresh_is_a_link(meta: str, target: str) -> None:
    assert [(link.url, link.kind) for link in found(meta)] == [(target, "refresh")]


@pytest.mark.parametrize("content", ["30", "", ";url=/x", " url=/x", "0url=/x", " 0url=/x", "now;url=/x"])
def test_a_refresh_without_target_or_time_is_none(content: str) -> None:
    """A browser stays where it is, too."""
    assert found(f"<meta http-equiv=refresh content='{content}'><meta name=refresh content='0;url=/x'>") == []


def test_canonical_next_and_alternate_are_links_and_stylesheets_are_not() -> None:
    page = """<link rel=canonical href=/c><link rel="Next Prefetch" href=/n><link rel=stylesheet href=/s>
    <link rel=alternate hreflang=de href=/de>"""
    assert [(link.kind, link.rel) for link in found(page)] == [
        ("canonical", "canonical"), ("next", "next prefetch"), ("alternate", "alternate"),
    ]  # fmt: skip


def test_alt_texts_of_images_are_anchor_text_where_the_images_stand() -> None:
    page = '<a href=/x>See <img alt="Big  pump" src=p> and <b><img alt=valves></b> here</a><img alt=outside>'
    assert found(page)[0].anchor == "See Big pump and valves here"


def test_every_occurrence_is_kept_with_its_place_and_rel() -> None:
    page = "<p><a href=/x rel='NoFollow  UGC'>one</a><p><a href=/x#part>two</a>"
    assert [(link.url, link.anchor, link.rel, link.position) for link in found(page)] == [
        ("http://h.example/x", "one", "nofollow ugc", 0),
        ("http://h.example/x", "two", "", 1),
    ]


@pytest.mark.parametrize(
    ("head_link", "is_link"),
    [
        ("<link rel=alternate type=application/rss+xml href=/x>", False),
        ("<link rel=alternate type='application/json+oembed' href=/x>", False),
        ("<link rel='alternate stylesheet' href=/x>", False),
        ("<link rel='alternate icon' href=/x>", False),
        ("<link rel=alternate type='Text/HTML; charset=utf-8' hreflang=de href=/x>", True),
        ("<link rel=alternate type='' media=handheld href=/x>", True),
        ("<link rel=canonical type=application/xhtml+xml href=/x>", True),
    ],
)
def test_what_the_head_says_to_be_no_page_is_no_link(head_link: str, is_link: bool) -> None:
    """Real pages have two feeds or data each, in a context that has the page's title: they came first."""
    assert (len(found(head_link)) == 1) is is_link


def test_a_template_holds_no_links_and_noscript_does() -> None:
    assert urls("<template><a href=/t>t</a></template><noscript><a href=/n>n</a></noscript>") == [
        "http://h.example/n"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://h.example?x=1", "http://h.example/?x=1"),
        ("HTTP://H.Example:80", "http://h.example/"),
        ("https://h.example:443/", "https://h.example/"),
        ("http://h.example:443/", "http://h.example:443/"),
        ("http://192.0.2.7:8080/x", "http://192.0.2.7:8080/x"),
        ("http://192.0.2.07:80/x", "http://192.0.2.7/x"),
        ("http://192.0.2/x", "http://192.0.0.2/x"),
        ("https://[2001:DB8:0:0::3B6]:8080/x", "https://[2001:db8::3b6]:8080/x"),
        ("http://faß.de/", "http://xn--fa-hia.de/"),
        ("https://h%2Eexample/", "https://h.example/"),
        ("//other.example/a/../b#c", "http://other.example/b"),
        ("#top", HERE),
        ("", HERE),
    ],
)
def test_addresses_are_joined_as_whatwg_joins_them(text: str, expected: str) -> None:
    assert Base(HERE).join(text) == join(text, HERE) == expected


_URL_PIECES = """http:// https:// HTTP:// a.example b.c.d xn-- 1.2 0x7f.1
/ // . .. %2e %2E : ? # a B é \\ @ - _
' < | ^
80 :80 :0080 :443 :8099 :65535 :65536 :123456 1.2.3.4 255.255.255.255 256.1.1.1 01.2.3.4 1.2.3.4.5
mailto: 1 [ ] { % %zz = & ; com g.com/ ! $ ~ " """


@settings(max_examples=1000)
@given(
    st.lists(st.sampled_from([*_URL_PIECES.split(), " ", "\t", "\n"]), max_size=9).map("".join),
    st.sampled_from(
        ["http://a.example/", "https://a.b.example/x/y.html?q#f", "http://a.example:8080/x/y",
         "http://1.2.3.4/", "http://127.0.0.1:8099/a/b", "https://h.example:80/", "http://www.g.com", "http://h.com/a/./b/../c?x",
         "http://h.com?x/y"]
    ),
)  # fmt: skip
def test_plain_addresses_are_joined_as_the_parser_would(text: str, base: str) -> None:
    assert Base(base).join(text) == join(text, base)
    texts = {text, "/x", "pumps.html", "#x"}
    assert Base(base).join_all(texts) == {text: join(text, base) for text in texts}


def test_a_template_on_a_deep_page_costs_no_climb_for_each_link() -> None:
    tree = tidy("<template><a href=/no>x</a></template>" + "<i>" * 800 + "<a href=/x>x</a>" * 20_000)
    found = within_cpu_s(1.5, lambda: links(tree, "http://a.example/"))
    assert {link.url for link in found} == {"http://a.example/x"}


@pytest.mark.parametrize("tidier", ["auto", "html5lib"])
@pytest.mark.parametrize(
    ("page", "url"),
    [
        ("<table><tr onclick=\"location.href='/firms/7'\"><td>Acorn</table>", "http://h.example/firms/7"),
        (
            "<div onClick='window.location = \"m.php?id=7\"; return false'><b>Acorn</b></div>",
            HERE + "m.php?id=7",
        ),
        ("<li onclick=\"document.location.assign('../acorn/')\">Acorn</li>", "http://h.example/acorn/"),
        (
            "<button onclick=\"window.open('http://acorn.example/','_blank')\">Acorn</button>",
            "http://acorn.example/",
        ),
        ("<p oNcLiCk=\"location='/7'\">Acorn</p>", "http://h.example/7"),
        ("<a href=# onclick=\"location='/7'\">Acorn</a>", "http://h.example/7"),
        ("<a onclick=\"location.replace('/7')\">Acorn</a>", "http://h.example/7"),
        ("<a href='javascript:void(0)' onclick=\"location='/7'\">Acorn</a>", "http://h.example/7"),
    ],
)
def test_what_is_no_link_leads_where_a_click_on_it_leads(page: str, url: str, tidier: Tidier) -> None:
    found = links(tidy(page, tidier), HERE)
    assert [(link.url, link.anchor, link.kind) for link in found] == [(url, "Acorn", "script")]


@pytest.mark.parametrize("tidier", ["auto", "html5lib"])
@pytest.mark.parametrize(
    "page",
    [
        "<div onclick=\"open('/firms/7')\">x</div>",
        "<div onclick=\"window.open('/share?u=' + location.href)\">x</div>",
        '<div onclick="location.href = this.value">x</div>',
        "<div onclick=\"location.href='mailto:a@b.example'\">x</div>",
        "<div onclick=\"mylocation='/firms/7'\">x</div>",
        '<div onclick="location.reload()">x</div>',
        "<template><div onclick=\"location='/firms/7'\">x</div></template>",
    ],
)
def test_a_click_that_leads_to_no_address_of_its_own_is_no_link(page: str, tidier: Tidier) -> None:
    assert links(tidy(page, tidier), HERE) == []


def test_a_link_leads_where_it_says_whatever_a_click_does_besides() -> None:
    assert urls("<a href=/7 onclick=\"location='/8'\">Acorn</a>") == ["http://h.example/7"]


def test_a_link_into_its_own_page_stays_one_where_a_click_leads_nowhere() -> None:
    assert urls("<a href=#top onclick=\"show('x')\">Top</a>") == [HERE]


def test_urls_for_which_a_page_has_no_room_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["contexts.links"], "MAX_URLS_CHARS", 45)
    tree = tidy("<a href=/one>1</a><a href=/a-longer-one>2</a><a href=/two>3</a><a href=mailto:a@b.c>4</a>")
    spoilt: list[str] = []
    found = [link.url for link in links(tree, "http://h.example/", spoilt)]
    assert found == ["http://h.example/one", "http://h.example/two"]
    assert spoilt == ["/a-longer-one"]
