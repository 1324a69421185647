"""Codings undone piece by piece, and what kind of thing comes out."""

from __future__ import annotations

import contextlib
import gzip
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.web.content import Kind, kind_of, may_be_html, media_type
from bizcrawl.web.decoding import Body, BombError, DecodingError, codings

CAP = 1 << 20


def raw_deflate(data: bytes) -> bytes:
    coder = zlib.compressobj(wbits=-15)
    return coder.compress(data) + coder.flush()


PACK = {
    "": lambda data: data,
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": raw_deflate,
    "br": brotli.compress,
    "zstd": zstandard.compress,
    "gzip, br": lambda data: brotli.compress(gzip.compress(data)),
    "deflate, zstd": lambda data: zstandard.compress(zlib.compress(data)),
    "identity": lambda data: data,
}


def fed(encoding: str, data: bytes, piece: int, cap: int = CAP) -> Body:
    body = Body(encoding, cap)
    for start in range(0, len(data), piece):
        body.feed(data[start : start + piece])
    return body


@given(st.sampled_from(sorted(PACK)), st.binary(max_size=3_000), st.integers(1, 700))
def test_what_was_packed_comes_out_however_it_is_cut(encoding: str, data: bytes, piece: int) -> None:
    body = fed(encoding, PACK[encoding](data), piece)
    assert body.content == data
    assert not body.torn


@given(st.sampled_from(sorted(PACK)), st.binary(max_size=300), st.integers(1, 50))
def test_no_bytes_make_it_raise_anything_but_its_own_errors(encoding: str, data: bytes, piece: int) -> None:
    with contextlib.suppress(DecodingError, BombError):
        assert len(fed(encoding, data, piece).content) <= CAP


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, br"])
def test_the_cap_ends_it(encoding: str) -> None:
    body = fed(encoding, PACK[encoding](b"0123456789" * 1_000), 100, cap=500)
    assert body.full
    assert body.content == b"0123456789" * 50
    assert not body.torn


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, gzip"])
def test_what_grows_out_of_proportion_is_a_bomb(encoding: str) -> None:
    pack = PACK.get(encoding) or (lambda data: gzip.compress(gzip.compress(data)))
    with pytest.raises(BombError):
        fed(encoding, pack(bytes(30 << 20)), 65_536, cap=50 << 20)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_a_torn_body_gives_what_there_is(encoding: str) -> None:
    data = b"".join(b"%d bottles of beer, " % i for i in range(2_000))
    packed = PACK[encoding](data)
    body = fed(encoding, packed[: len(packed) // 2], 64)
    assert body.torn
    assert data.startswith(body.content)
    assert body.content


def test_a_plain_body_under_a_gzip_label_is_taken_as_it_is_and_marked() -> None:
    body = fed("gzip", b"<html>plain", 4)
    assert body.content == b"<html>plain"
    assert body.mislabelled


def test_three_codings_within_each_other_are_a_bomb_and_unknown_ones_a_fault() -> None:
    with pytest.raises(BombError):
        fed("gzip, gzip, gzip", gzip.compress(b"x"), 10)
    with pytest.raises(DecodingError):
        fed("rot13", b"x", 10)


def test_names_of_codings() -> None:
    assert codings(" GZIP ,x-gzip, identity,, br") == ["gzip", "gzip", "br"]


HTML = b"<!doctype html><a href=/x>x</a>"


@pytest.mark.parametrize(
    ("label", "body", "kind"),
    [
        ("text/html", HTML, "html"),
        ("", HTML, "html"),
        ("", b"\xef\xbb\xbf  <HTML>", "html"),
        ("", b"<!-- comment --><p>", "html"),
        ("", b"<?xml version='1.0'?><html xmlns='x'>", "html"),
        ("", b"<?xml version='1.0'?><rss>", "xml"),
        ("", b"plain words < 3", "text"),
        ("html", HTML, "html"),
        ("text/plain", HTML, "html"),
        ("text/plain", b"words about <b>", "text"),
        ("application/octet-stream", b"%PDF-1.5 ...", "pdf"),
        ("text/html", b"%PDF-1.5 ...", "pdf"),
        ("text/html", bytes.fromhex("504b0304140006000800"), "archive"),
        ("text/html", b"\x89PNG\r\n\x1a\n" + bytes(20), "image"),
        ("text/html", b"some \0 bytes", "binary"),
        ("text/html", "<p>über".encode("utf-16"), "html"),
        ("text/html", "<html><p>latin text in sixteen bits".encode("utf-16-le"), "html"),
        ("text/html", b"BM is a car maker too", "html"),
        ("image/svg+xml", b"<svg>", "image"),
        ("application/json", b"{}", "json"),
        ("application/rss+xml", b"<rss>", "xml"),
        ("text/css", b"p {}", "text"),
        ("application/javascript", b"x()", "script"),
        ("video/mp4", b"x", "media"),
        ("application/zip", b"x", "archive"),
        ("application/x-thing", b"x", "binary"),
        ("text/html", b"", "empty"),
        ("text/html", b" \r\n\t", "empty"),
    ],
)
def test_kinds(label: str, body: bytes, kind: Kind) -> None:
    assert kind_of(label, body) == kind


@given(st.text(max_size=60), st.binary(max_size=200))
def test_every_label_and_body_has_a_kind(label: str, body: bytes) -> None:
    assert kind_of(label, body)
    assert may_be_html(label) in {True, False}


def test_types_are_read_in_spite_of_their_parameters() -> None:
    assert media_type(' Text/HTML ;; Charset="utf-8"') == "text/html"
    assert media_type("text/html, text/html") == "text/html"


@pytest.mark.parametrize(
    "label", ["text/html", "", "text/plain", "application/octet-stream", "application/xml", "html"]
)
def test_bodies_that_may_be_pages_are_read(label: str) -> None:
    assert may_be_html(label)


@pytest.mark.parametrize(
    "label", ["application/pdf", "image/png", "video/mp4", "application/zip", "text/javascript"]
)
def test_bodies_that_cannot_be_pages_are_left_where_they_are(label: str) -> None:
    assert not may_be_html(label)
