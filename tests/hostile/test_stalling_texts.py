"""Texts on which a pattern would look from each of its beginnings to the end: all take linear time.

They are as long as a server can make them. Quadratic patterns took from two seconds to minutes for each, most
of them in the process of the crawl, where nothing else can happen meanwhile.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import pytest
from processor_time import within_cpu_s

from bizcrawl.companies.evidence import as_read
from bizcrawl.companies.facts import MAX_ANCHOR_CHARS, facts_of
from bizcrawl.companies.indirect import _led_to
from bizcrawl.companies.link_text import name_in
from bizcrawl.companies.listing_names import without_share_class
from bizcrawl.companies.names import title_parts
from bizcrawl.download import refresh_of
from bizcrawl.page import TidiedPage
from bizcrawl.page.soft404 import MAX_TEXT_CHARS, says_missing
from bizcrawl.robots.tags import robots_tags
from bizcrawl.robots.text import plain_rules, text_of
from bizcrawl.strategies.apprenticeship.cues import anchor_signs
from bizcrawl.web import Response
from bizcrawl.web.arc import arc_records
from bizcrawl.web.content import kind_of, media_type
from bizcrawl.web.needs_script import script_sign
from contexts import tidy
from contexts.decode import decode
from contexts.limits import Limits
from contexts.links import links, refresh_target
from contexts.markup import are_balanced
from contexts.nesting import without_abyss
from contexts.scripted_links import address_in_script, address_of_click
from contexts.vectors import Query

MAX_CPU_S = 1.5
"""The slowest takes a third of that, and nearly all a hundredth."""
HEADER = 65_536
PAGE = 1 << 20
SOFT_404_UNITS = (
    *(" ", "page ", "page a ", "\n", "404 ", "error  ", "not\n"),
    *("страницы ", "страницы а ", "الصفحة a ", "הדף a ", "页面", "找不到"),
)
PUMP = Query.from_text("pump")
ROBOTS_UNITS = ("user-agent a\n", "user-agent: *\ncrawl-delay: 1\n", "disallow: /*", ":", " ")


def filled(beginning: str, unit: str, length: int, end: str = "") -> str:
    return beginning + unit * (length // len(unit)) + end


def page(body: str, refresh: str = "") -> Response:
    headers = {"refresh": refresh} if refresh else {}
    return Response("http://a.example/", 200, headers, body.encode(), datetime(2026, 11, 28, tzinfo=UTC))


def follow(body: str, refresh: str = "") -> object:
    return refresh_of(page(body, refresh), "http://a.example/")


def read_contexts(html: str) -> object:
    """All that a crawl asks of the links of a page, in its own process."""
    tree = tidy(html)
    page = TidiedPage("http://a.example/", "http://a.example/", links(tree, "http://a.example/"), tree)
    for aggregation in ("parent", "ancestor:100000", "block", "adaptive", "window"):
        page.context_similarities(PUMP, aggregation)
    return facts_of(page.url, page.final_url, tree, page.links)


def read_arc(text: str) -> object:
    with mmap.mmap(-1, len(text)) as view:
        view.write(text.encode())
        return list(arc_records(view, 0, len(text)))


CASES: dict[str, tuple[Callable[[str], object], list[str]]] = {
    "meta refresh": (
        follow,
        [
            filled("", "<meta http-equiv=refresh ", PAGE),
            filled("", "<meta http-equiv=refresh content=", PAGE, ">"),
            filled('<meta http-equiv=refresh content="0;url=x', " ", HEADER, 'y">'),
        ],
    ),
    "Refresh": (
        lambda text: follow("", text),
        [filled("0;url=x", " ", HEADER, "y"), filled("", "1", HEADER), filled("0;", '"', HEADER)],
    ),
    "Content-Type": (
        lambda text: (decode(b"x", text), media_type(text)),
        [filled("text/html; charset", " ", HEADER), filled("text/html; charset=", " ", HEADER)],
    ),
    "X-Robots-Tag": (
        lambda text: robots_tags({"x-robots-tag": text}, "bizcrawl"),
        [filled("", unit, HEADER) for unit in ("a:", ",", "unavailable_after:", "unavailable_after: a ")],
    ),
    "robots.txt": (
        lambda text: plain_rules(text_of(text.encode()), "bizcrawl"),
        [filled("", unit, 512 * 1024) for unit in ROBOTS_UNITS]
        + ["".join(f"user-agent: a{n}\ncrawl-delay: 1\n" for n in range(15_000))],
    ),
    "soft 404": (
        lambda text: says_missing(text, text, text),
        [filled("", unit, MAX_TEXT_CHARS) for unit in SOFT_404_UNITS],
    ),
    "kind of content": (
        lambda text: kind_of("", text.encode()),
        [filled("", unit, PAGE) for unit in ("<", "<!--", " ", "<!doctype ")],
    ),
    "charset of a page": (
        lambda text: decode(text.encode() + b"\xff"),
        [filled("", unit, PAGE) for unit in ("charset=", "charset= ", "<meta ")],
    ),
    "letters of a page": (
        lambda text: decode(text.encode("windows-1251")),
        [filled("", unit, PAGE) for unit in ("ж", "ж ", "жж", "жжж ", "жa")],
    ),
    "tags in what may be text": (
        lambda text: without_abyss(text, Limits(max_open=10**9, max_walked=10**18)),
        [
            filled("<svg><title></title>", unit, PAGE // 4)
            for unit in ("<a", "<a b='", "<a b=' <c d=' e='", "<a " + "b " * 499 + "/>")
        ],
    ),
    "templates": (
        lambda text: are_balanced(text, "template"),
        [
            filled("<template>", unit, PAGE)
            for unit in ("<a", "<!--", "<script", '<a b="', "<a b='", "</a", "<a x ", '"')
        ]
        + [
            filled(f"<template>{beginning}", unit, PAGE)
            for beginning, unit in (
                ("", "<a b="),
                ("", "<a ="),
                ("", "</"),
                ("", "<script a='"),
                ("", "<script><!--"),
                ("", "<script><!--<script>"),
                ("<script><!--", "<script></script"),
                ("<svg>", "<![CDATA["),
                ("<svg>", "<style><b>"),
            )
        ],
    ),
    "quoted words": (as_read, [filled("", unit, PAGE) for unit in (" ", " ,", ", ", " , ")]),
    "meta refresh as a link": (
        lambda text: refresh_target({"http-equiv": "refresh", "content": text}),
        [filled("0", " ", PAGE, "x"), filled("", "1", PAGE), filled("0;url=", "'", PAGE)],
    ),
    "javascript link": (
        lambda text: address_in_script(f"javascript:{text}"),
        [filled("", unit, PAGE) for unit in ("'", "' ", "'a", "%27", "'a.", "'a/", "a/.")],
    ),
    "click": (
        lambda text: address_of_click({"onclick": text}),
        [
            filled("", unit, PAGE)
            for unit in (
                "location",
                "location ",
                "location = '",
                "location='a'",
                "window.open(",
                "window.open( ",
            )
        ],
    ),
    "anchor": (anchor_signs, [filled("", unit, PAGE) for unit in ("1", "1 ", "> ", "top 1 ")]),
    "title": (
        title_parts,
        [
            filled("a", " ", 200_000, "b"),
            *(filled("", unit, 200_000) for unit in ("- ", "|", "«", "»", "水-", "【 ")),
        ],
    ),
    "page": (
        tidy,
        [
            filled("", unit, 400_000)
            for unit in (
                "<",
                "</body><!x>",
                "</body a='",
                "&amp",
                "<a href=x>",
                "<!--",
                "<template>",
                "<a",
                "\0",
                "<a b ",
                '<a b="',
                "<a/b=<c",
                "<p onclick=location>",
            )
        ],
    ),
    "whether it needs scripts": (
        lambda text: script_sign(text.encode()),
        [
            filled("<body><script src=x></script>" + beginning, unit, 400_000)
            for beginning, unit in (
                ("", "<noscript"),
                ("", "<noscript>"),
                ("", "<noscript>java</noscript>"),
                ("<noscript>" + "<div>" * 4_000, "x<br>"),
                ("<noscript>" + "<div id=root>" * 4_000, "x<br>"),
                ("<select>", "<option>x"),
                ("<table>", "x<!---->"),
            )
        ]
        + ["<body><script src=x></script><p " + " ".join(f"a{i}" for i in range(40_000)) + ">"],
    ),
    "what the exact road copies": (
        tidy,
        [
            filled("<svg><title>" + beginning, unit, 1_000_000)
            for beginning, unit in (
                ("<!--", "-x"),
                ("<!--", "--x"),
                ("<!--", "\0"),
                ("<a b='", "& "),
                ("<a b=", '"'),
                ("<a ", '"'),
                ("<", "a\0"),
                ("", "& " + 30 * "x"),
                ("", "\0" + 30 * "x"),
            )
        ],
    ),
    "records of an ARC": (
        read_arc,
        [
            filled(beginning, unit, PAGE // 4, end)
            for beginning, unit in (
                ("http://a.example/", "x"),
                ("http://a.example/", " 1.1.1.1 1997"),
                ("", "\nhttp://a.example/"),
                ("", "\nhttp://a 1 1997 "),
                ("", "http://a 1 1997 9\n"),
                ("http://a 1 1997 9\n", "http://a 1 1997 x 9999999\n"),
            )
            for end in ("", " 5", "x5")
        ],
    ),
    "contexts of links": (
        read_contexts,
        [
            "".join(f"<div><a href=/{i}>pump</a>" for i in range(4_000))
            + filled("", "pump word ", PAGE // 2),
            "<div>" * 4_000 + "".join(f"<a href=/{i}>x</a>" for i in range(25_000)),
        ],
    ),
    "an address in that of a link": (
        lambda text: _led_to(text, {}),
        [
            filled("http://a.example/", unit, HEADER)
            for unit in ("?a", "&a", "?", "/http:/", "?www.", "http%3a")
        ],
    ),
    "name in a list": (
        lambda text: without_share_class(name_in(text)),
        [
            filled("Acorn ord", unit, MAX_ANCHOR_CHARS, " x!")
            for unit in (" sh", " s", " shares", " regd", " /")
        ]
        + [filled("Acorn ", unit, 10 * MAX_ANCHOR_CHARS) for unit in ("./", "(", " -", ".", "/ ")],
    ),
    "texts in pieces": (
        tidy,
        [
            filled("", "x" * n_chars + between, 3 * PAGE)
            for n_chars, between in ((33, "<wbr>"), (13, "<!---->"))
        ],
    ),
    "texts of drawings": (
        tidy,
        [
            filled(f"<{root}>", unit, 400_000)
            for root in ("svg", "math")
            for unit in ("<title><!--", "<mi><!-- x ")
        ],
    ),
}


@pytest.mark.parametrize(("read", "texts"), CASES.values(), ids=CASES)
def test_no_text_stalls_what_reads_it(read: Callable[[str], object], texts: list[str]) -> None:
    for text in texts:
        within_cpu_s(MAX_CPU_S, partial(read, text))
