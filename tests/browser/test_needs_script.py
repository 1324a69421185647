"""Which pages say nothing before their scripts have run."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.web.needs_script import Sign, script_sign

TEXT = b"<p>" + b"We make gaming tables. " * 20
LINKS = b"".join(b"<a href=/%d>page</a>" % n for n in range(4))
APP = b"<script src=/app.js></script>"


@pytest.mark.parametrize(
    ("body", "sign"),
    [
        (b"<!doctype html><div id=root></div>" + APP, Sign.EMPTY_MOUNT),
        (b"<body><app-root></app-root>" + APP, Sign.EMPTY_MOUNT),
        (b"<div id='__next'><noscript>x</noscript></div>" + APP, Sign.EMPTY_MOUNT),
        (b"<body><noscript>You need to enable JavaScript</noscript>" + APP, Sign.ASKS_FOR_SCRIPT),
        (
            b"<body><noscript>Sorry<NOSCRIPT lang=en>Java Script, please</noscript>" + APP,
            Sign.ASKS_FOR_SCRIPT,
        ),
        (b"<body><p>Loading...</p><SCRIPT>boot()</SCRIPT>", Sign.LITTLE_TEXT),
        (b"<body><noscript>Sorry</noscript>" + b"<p>JavaScript</p>" + APP, Sign.LITTLE_TEXT),
        (
            b"<body>" + TEXT + b"<a href='#top'>up</a><a href='javascript:go(1)'>Products</a>" + APP,
            Sign.NO_LINKS,
        ),
    ],
)
def test_pages_that_need_a_browser(body: bytes, sign: Sign):
    assert script_sign(body) is sign


@pytest.mark.parametrize(
    "body",
    [
        b"<body><p>Loading...</p>",  # nothing to run
        b"<body><p>Hello</p><script type='application/ld+json'>{}</script>",
        b"<body>" + TEXT + LINKS + APP,
        b"<body>" + LINKS + APP,  # a navigation page
        b"<body><div id=app></div>" + TEXT + LINKS + APP,  # the mount is a detail
        b"<frameset><frame src=menu.html><frame src=main.html></frameset>" + APP,
        b"<html><head><title>Just a title</title></head><body></body></html>",
        b"",
    ],
)
def test_pages_that_need_none(body: bytes):
    assert script_sign(body) is None


def test_text_that_no_reader_sees_counts_as_none():
    hidden = b"<style>" + b"x " * 500 + b"</style><template>" + TEXT + LINKS + b"</template>"
    assert script_sign(b"<body>" + hidden + APP) is Sign.LITTLE_TEXT


@given(st.binary(max_size=400), st.binary(max_size=200))
def test_never_raises(before: bytes, after: bytes):
    script_sign(before + b"<script>x</script>" + after)


def test_a_noscript_that_never_ends_is_judged_at_once():
    assert script_sign(b"<script>x</script>" + b"<noscript>" * 20_000) is Sign.LITTLE_TEXT


@pytest.mark.parametrize(
    "bomb",
    [b"<div>" * 200_000, b"".join(b"<em a=%d><p>" % n for n in range(60_000))],
    ids=["blocks", "formatting"],
)
def test_no_page_takes_minutes_or_all_memory_to_be_looked_at(bomb: bytes) -> None:
    start_s = time.process_time()
    assert script_sign(APP + bomb) is not None
    assert time.process_time() - start_s < 5
