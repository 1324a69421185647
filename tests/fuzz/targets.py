"""What is fuzzed: functions of bytes that must not raise, whatever they are given, and what must hold of
their results.

Each target raises AssertionError for a broken property and lets any exception through that its subject does
not promise. Seeds are inputs to start from, words the pieces that a grammar would be made of.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from protego import Protego

from bizcrawl import plaintext
from bizcrawl.errors import BizcrawlError
from bizcrawl.robots import text as robots_text
from bizcrawl.urls import domain_of, host_of, key_of, parse
from bizcrawl.web.recorded import RecordedWeb
from contexts.decode import decode
from contexts.links import links
from contexts.stored import NotATagTree, from_bytes, to_bytes
from contexts.tagtree import TagTree
from contexts.tidy import tidy
from contexts.urls import Base, join
from testbed.odp.content import read_content
from testbed.odp.faults import DumpError
from testbed.odp.stream import chunks
from testbed.odp.structure import read_structure


@dataclass(frozen=True, slots=True)
class Target:
    """One thing that is fuzzed."""

    run: Callable[[bytes], None]
    seeds: tuple[bytes, ...]
    words: tuple[bytes, ...]


def fuzz_decode(data: bytes) -> None:
    """Content type in the first line, body after it."""
    header, _, body = data.partition(b"\n")
    found = decode(body, header.decode("latin-1"))
    found.text.encode("utf-8", "surrogatepass")
    assert found.charset
    assert found.source


def fuzz_tidy(data: bytes) -> None:
    """Both roads; the tree must be one, come back from its stored form, and give links that are URLs."""
    # bytes that are no UTF-8 become lone surrogates, which a page's text may hold too
    text = data.decode("utf-8", "surrogateescape")
    for tidier in ("auto", "html5lib"):
        tree = tidy(text, tidier)  # type: ignore[arg-type]
        _is_a_tree(tree)
        again = from_bytes(to_bytes(tree))
        assert np.array_equal(again.tokens, tree.tokens)
        assert again.text == tree.text
        assert dict(again.attributes) == {node: dict(values) for node, values in tree.attributes.items()}
        for link in links(tree, "https://one.example/a/b"):
            assert link.url.startswith(("http://", "https://"))
            assert 0 <= link.node < len(tree)


def _is_a_tree(tree: TagTree) -> None:
    n = len(tree)
    assert n > 0
    assert tree.parent[0] == -1
    nodes = np.arange(n)
    assert (tree.parent[1:] < nodes[1:]).all()
    assert (tree.parent[1:] >= 0).all()
    assert (tree.end > nodes).all()
    assert (tree.end <= tree.end[tree.parent][1:].max(initial=n)).all()
    assert (tree.end[1:] <= tree.end[tree.parent[1:]]).all(), "a subtree reaches out of its parent's"
    assert (np.diff(tree.first_token) >= 0).all()
    assert (np.diff(tree.first_char) >= 0).all()
    assert tree.first_token[-1] == len(tree.tokens)
    assert tree.first_char[-1] == len(tree.text)
    assert not len(tree.tokens) or tree.tokens.max() < len(tree.stems)


def fuzz_stored(data: bytes) -> None:
    """Damaged trees are refused, never misread beyond their arrays."""
    try:
        tree = from_bytes(data)
    except NotATagTree:
        return
    _is_a_tree(tree)


def fuzz_urls(data: bytes) -> None:
    """Link in the first line, base in the second."""
    first, _, second = data.decode("utf-8", "replace").partition("\n")
    base = parse(second) or "https://one.example/folder/page.html?x=1"
    joined = join(first, base)
    assert Base(base).join(first) == joined, "the short way of joining gives something else"
    assert Base(base).join_all([first])[first] == joined, "joined with others it gives something else"
    for url in (parse(first), joined):
        if url is None:
            continue
        assert parse(url) == url, "parsing a parsed URL changes it"
        assert host_of(url)
        assert domain_of(host_of(url))
        assert key_of(key_of(url)) == key_of(url)
        assert host_of(key_of(url)).removeprefix("www.") == host_of(url).removeprefix("www.")
    host_of(first)
    key_of(first)


def fuzz_robots(data: bytes) -> None:
    """A body and questions about it."""
    text = robots_text.plain_rules(robots_text.text_of(data), "bizcrawl")
    parser = Protego.parse(text)
    for url in ("https://one.example/", "https://one.example/a/b?c=d", "https://one.example/" + "a" * 100):
        parser.can_fetch(url, "bizcrawl")
    parser.crawl_delay("bizcrawl")
    parser.request_rate("bizcrawl")


def fuzz_warc(data: bytes) -> None:
    """A file that may be a recorded web: one line, or pages."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "x.warc.gz" if data[:2] == b"\x1f\x8b" else "x.warc")
        path.write_bytes(data)
        try:
            web = RecordedWeb(path, 10_000, cache=Path(directory, "cache"))
        except BizcrawlError as error:
            _is_one_line(error)
            return
        for url in list(web.urls()):
            web.lookup(url)


def fuzz_rdf(data: bytes) -> None:
    """A file that may be an ODP dump, content or structure: one line, or rows."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "x.rdf")
        path.write_bytes(data)
        try:
            for chunk in chunks(path, 4_096):
                read_content(chunk)
                read_structure(chunk)
        except DumpError as error:
            _is_one_line(error)


def _is_one_line(error: BizcrawlError) -> None:
    assert "\n" not in str(error)


def fuzz_plaintext(data: bytes) -> None:
    """Every way out of a stranger's text."""
    text = data.decode("utf-8", "surrogateescape")
    for way in (plaintext.terminal, plaintext.markdown):
        assert len(way(text).splitlines()) <= 1
    assert not plaintext.FORMULA.match(plaintext.spreadsheet(text))
    assert not plaintext.CONTROL.search(plaintext.visible(text))
    plaintext.href(text)


HTML_WORDS = (
    *(
        b"<a href=",
        b"x>",
        b"</a>",
        b"<table>",
        b"<tr>",
        b"<td>",
        b"</table>",
        b"<b>",
        b"</b>",
        b"<p>",
        b"<div>",
    ),
    *(
        b"</div>",
        b"<svg>",
        b"</svg>",
        b"<math>",
        b"<mi>",
        b"<select>",
        b"<option>",
        b"<template>",
        b"</template>",
    ),
    *(
        b"<script>",
        b"</script>",
        b"<style>",
        b"</style>",
        b"<!--",
        b"-->",
        b"<![CDATA[",
        b"]]>",
        b"<frameset>",
    ),
    *(b"<base href='/x/'>", b"<meta http-equiv=refresh content='0;url=/y'>", b"<form>", b"<ruby>", b"<rt>"),
    *(
        b"<plaintext>",
        b"<noscript>",
        b"<title>",
        b"</title>",
        b"&amp;",
        b"&#x0;",
        b"&#xD800;",
        b"\0",
        b"\xc3",
        b"'",
    ),
    *(
        b'"',
        b">",
        b"<",
        b"/",
        b" words of business ",
        b"<img alt=x>",
        b"<area href=y>",
        b"<iframe src=z>",
        b"<body>",
    ),
)

TARGETS: dict[str, Target] = {
    "decode": Target(
        fuzz_decode,
        (
            b"text/html; charset=utf-16\n\xff\xfea\0",
            b"text/html\n<meta charset=shift_jis>\x82\xa0",
            b"\n\xef\xbb\xbfx",
        ),
        (
            b"charset=",
            b"utf-7",
            b"iso-2022-jp",
            b"x-user-defined",
            b"<meta ",
            b"\x1b$B",
            b"\xff",
            b"\n",
            b"hz-gb-2312",
        ),
    ),
    "tidy": Target(fuzz_tidy, (b"<ul><li><a href=/x>one</a></ul>", b"<table><a href=x><td>y"), HTML_WORDS),
    "stored": Target(
        fuzz_stored,
        (to_bytes(tidy("<p>a<a href=x>b</a>")), to_bytes(tidy(""))),
        (b"BCT1", b"\0\0\0\0", b"\xff\xff\xff\xff"),
    ),
    "urls": Target(
        fuzz_urls,
        (
            b"../a/./b?c#d\nhttps://one.example/x/y/",
            b"//two.example:80\nhttp://one.example",
            b"HTTP://[::1]/\n",
        ),
        (
            *(
                b"http://",
                b"https:",
                b"//",
                b"/",
                b"..",
                b".",
                b"%2e",
                b"%",
                b"?",
                b"#",
                b"@",
                b":",
                b"\\",
                b"[::1]",
            ),
            *(
                b"xn--",
                b"\n",
                b" ",
                b"\t",
                b"\xc3\xbc",
                b"one.example",
                b"0x7f.1",
                b"www.",
                b"index.html",
                b"a=b&",
            ),
        ),
    ),
    "robots": Target(
        fuzz_robots,
        (
            b"User-agent: *\nDisallow: /a*b$\nAllow: /\nCrawl-delay: 2",
            b"\xef\xbb\xbfUser-agent: bizcrawl\nDisallow:",
        ),
        (
            *(
                b"User-agent:",
                b"Disallow:",
                b"Allow:",
                b"Crawl-delay:",
                b"Request-rate:",
                b"Visit-time:",
                b"Sitemap:",
            ),
            *(
                b"*",
                b"$",
                b"/",
                b"\n",
                b"\r",
                b" ",
                b"%",
                b"bizcrawl",
                b"1/5m 0900-1700",
                b"99999999999999999999",
            ),
        ),
    ),
    "warc": Target(
        fuzz_warc,
        (
            b"\r\n".join(
                (
                    *(b"WARC/1.0", b"WARC-Type: response", b"WARC-Target-URI: http://one.example/"),
                    *(b"WARC-Date: 2026-01-01T00:00:00Z", b"WARC-Record-ID: <urn:uuid:1>"),
                    *(b"Content-Type: application/http; msgtype=response", b"Content-Length: 49", b""),
                    *(b"HTTP/1.1 200 OK", b"Content-Type: text/html", b"", b"hello", b"", b""),
                )
            ),
        ),
        (
            *(
                b"WARC/1.0\r\n",
                b"WARC-Type: ",
                b"response",
                b"revisit",
                b"WARC-Target-URI: ",
                b"Content-Length: ",
            ),
            *(
                b"\r\n\r\n",
                b"HTTP/1.1 ",
                b"Transfer-Encoding: chunked\r\n",
                b"Content-Encoding: gzip\r\n",
                b"\x1f\x8b",
            ),
            *(b"-1", b"99999999999999999999", b"<", b">", b"http://", b"WARC-Date: "),
        ),
    ),
    "rdf": Target(
        fuzz_rdf,
        (
            b"".join(
                (
                    b'<?xml version="1.0"?><RDF xmlns:r="x" xmlns:d="y" xmlns="z">',
                    b'<Topic r:id="Top/Business"><catid>1</catid><link r:resource="http://a/"/></Topic>',
                    b'<ExternalPage about="http://a/"><d:Title>t</d:Title><topic>Top/Business</topic>',
                    b"</ExternalPage></RDF>",
                )
            ),
        ),
        (
            *(
                b"<Topic r:id=",
                b"</Topic>",
                b"<ExternalPage about=",
                b"</ExternalPage>",
                b"<d:Title>",
                b"</d:Title>",
            ),
            *(
                b"<RDF>",
                b"</RDF>",
                b"&",
                b"&lt;",
                b"<!DOCTYPE x [<!ENTITY a 'b'>]>",
                b"&a;",
                b'"',
                b"<",
                b">",
                b"\0",
            ),
            *(b"\xff", b"<link r:resource=", b"/>", b"<narrow r:resource=", b"<altlang", b"Top/", b"\n"),
        ),
    ),
    "plaintext": Target(
        fuzz_plaintext, (b"=1+1", b"\x1b]0;x\x07"), (b"=", b"\x1b", b"\xe2\x80\xae", b"<", b"|", b"\n")
    ),
}
