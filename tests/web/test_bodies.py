"""Codings undone piece by piece, and what kind of thing comes out."""

from __future__ import annotations

import contextlib
import gzip
import random
import time
import zlib
from collections.abc import Callable
from itertools import pairwise

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from bizcrawl.web.codings import BombError, DecodingError, codings
from bizcrawl.web.content import Kind, kind_of, may_be_html, media_type
from bizcrawl.web.decoding import Body

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


def members(data: bytes) -> bytes:
    """gzip in several members, each of a part of the data; one is empty."""
    third = len(data) // 3
    return b"".join(
        gzip.compress(part, mtime=0)
        for part in (data[:third], b"", data[third : 2 * third], data[2 * third :])
    )


def mixed(length: int, seed: int) -> bytes:
    """Data of which a few coded bytes become many and others stay as many as they are."""
    rng = random.Random(seed)
    data = bytearray()
    while len(data) < length:
        data += rng.choice([bytes([rng.randrange(256)]) * rng.randrange(40_000), rng.randbytes(300)])
    return bytes(data[:length])


LENGTHS = st.integers(0, 300_000) | st.sampled_from([65_535, 65_536, 65_537, 131_072, 131_317, 196_618])


@settings(max_examples=40)
@pytest.mark.parametrize("pack", [members, *map(PACK.get, ("deflate", "Deflate", "br", "zstd", "gzip, br"))])
@given(LENGTHS, st.integers(0, 2**32), st.lists(st.floats(0, 1), max_size=8), st.data())
def test_every_split_of_a_long_body_gives_the_same_bytes(
    pack: Callable[[bytes], bytes], length: int, seed: int, cuts: list[float], drawn: st.DataObject
) -> None:
    encoding = next((name for name, packer in PACK.items() if packer is pack), "gzip")
    data = mixed(length, seed)
    packed = pack(data)
    places = sorted({0, *(int(cut * len(packed)) for cut in cuts), len(packed)})
    body = Body(encoding, CAP, max_ratio=10**9)
    for start, end in pairwise(places):
        body.feed(packed[start:end])
    assert body.content == data
    assert not body.torn
    assert body.wire_bytes == len(packed)
    cap = drawn.draw(st.integers(1, length + 1))
    capped = fed(encoding, packed, 1_000, cap)
    assert capped.content == data[:cap]
    assert capped.full == (length >= cap)


@pytest.mark.parametrize("piece", range(1, 60))
def test_members_of_gzip_are_all_read_wherever_a_piece_ends(piece: int) -> None:
    packed = gzip.compress(b"FIRST") + gzip.compress(b"SECOND")
    body = fed("gzip", packed, piece)
    assert body.content == b"FIRSTSECOND"
    assert not body.torn


@pytest.mark.parametrize("padding", [b"\x1f", b"\0", b"\r\n\r\n", b"\x1fx" + gzip.compress(b"more", mtime=0)])
@pytest.mark.parametrize("piece", [1, 2, 3, 25, 1_000])
def test_padding_after_the_end_of_gzip_is_left_out_wherever_a_piece_ends(padding: bytes, piece: int) -> None:
    body = fed("gzip", gzip.compress(b"FIRST") + padding, piece)
    assert body.content == b"FIRST"
    assert not body.torn


@pytest.mark.parametrize("length", [65_536, 65_750, 131_317, 196_618])
def test_raw_deflate_that_fills_a_piece_with_its_last_bytes_is_read_to_its_end(length: int) -> None:
    body = Body("deflate", CAP, max_ratio=10**9)
    body.feed(raw_deflate(b"a" * length))
    assert body.content == b"a" * length
    assert not body.torn


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "Deflate", "br", "zstd"])
def test_the_cap_of_proportion_holds_in_one_piece_too(encoding: str) -> None:
    body = Body(encoding, 50 << 20)
    with pytest.raises(BombError):
        body.feed(PACK[encoding](bytes(30 << 20)))
    assert len(body.content) < 4 << 20


@given(st.sampled_from(sorted(PACK)), st.binary(max_size=300), st.integers(1, 50))
def test_no_bytes_make_it_raise_anything_but_its_own_errors(encoding: str, data: bytes, piece: int) -> None:
    with contextlib.suppress(DecodingError, BombError):
        body = fed(encoding, data, piece)
        body.close()
        assert len(body.content) <= CAP


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, br"])
def test_the_cap_ends_it(encoding: str) -> None:
    body = fed(encoding, PACK[encoding](b"0123456789" * 1_000), 100, cap=500)
    assert body.full
    assert body.content == b"0123456789" * 50
    assert not body.torn


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "Deflate", "br", "zstd", "gzip, gzip"])
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


@pytest.mark.parametrize(
    ("encoding", "plain"), [("gzip", b"<html>plain"), ("gzip", b"\x1f."), ("zstd", b"(\xb5/text")]
)
@pytest.mark.parametrize("piece", [1, 2, 4, 100])
def test_a_plain_body_under_a_label_is_taken_as_it_is(encoding: str, plain: bytes, piece: int) -> None:
    body = fed(encoding, plain, piece)
    assert body.content == plain
    assert not body.torn


PAGE = b"<!doctype html><title>Brindle Pumps</title><p>" + b"Diaphragm pumps for breweries. " * 50


@pytest.mark.parametrize("encoding", ["deflate", "br", "gzip, br", "gzip, gzip"])
@pytest.mark.parametrize("piece", [1, 7, 10_000])
def test_a_page_that_was_never_coded_is_taken_as_it_is_whatever_its_label(encoding: str, piece: int) -> None:
    body = fed(encoding, PAGE, piece)
    body.close()
    assert (body.content, body.torn) == (PAGE, False)


@pytest.mark.parametrize(
    ("encoding", "sent"),
    [
        ("gzip, gzip", gzip.compress(PAGE)),
        ("gzip", gzip.compress(gzip.compress(PAGE))),
        ("", gzip.compress(PAGE)),
        ("br", gzip.compress(PAGE)),
        ("br", brotli.compress(gzip.compress(PAGE))),
    ],
)
@pytest.mark.parametrize("piece", [64, 10_000])
def test_gzip_is_undone_as_often_as_it_was_done(encoding: str, sent: bytes, piece: int) -> None:
    body = fed(encoding, sent, piece)
    body.close()
    assert (body.content, body.torn) == (PAGE, False)


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "gzip, gzip"])
def test_damaged_gzip_is_a_fault_whatever_its_label(encoding: str) -> None:
    damaged = gzip.compress(PAGE)[:10] + b"\xff" * 200
    with pytest.raises(DecodingError):
        fed(encoding, damaged, 10_000)


def test_gzip_that_nothing_announces_is_torn_where_it_ends_and_a_bomb_where_it_bursts() -> None:
    body = fed("", gzip.compress(random.Random(5).randbytes(9_000))[:-2_000], 500)
    body.close()
    assert body.torn
    assert len(body.content) > 5_000
    with pytest.raises(BombError):
        fed("", gzip.compress(bytes(200 << 20)), 65_536, cap=50 << 20).close()
    damaged = fed("", b"\x1f\x8b\x08 is how it begins", 10)
    damaged.close()
    assert (damaged.content, damaged.torn) == (b"\x1f\x8b\x08 is how it begins", False)


@pytest.mark.parametrize(
    ("encoding", "plain"),
    [("gzip", b"h"), ("zstd", b"hi"), ("gzip, rot13", PAGE), ("utf8", b"\xef\xbb\xbf " + PAGE)],
)
def test_a_short_body_or_a_page_under_a_name_that_is_no_coding_is_whole(encoding: str, plain: bytes) -> None:
    body = fed(encoding, plain, 10_000)
    assert (body.content, body.torn, body.wire_bytes) == (plain, False, len(plain))


def test_an_empty_piece_says_nothing_of_what_follows() -> None:
    body = Body("br", CAP)
    for piece in (b"", PAGE, b""):
        body.feed(piece)
    assert (body.content, body.torn) == (PAGE, False)


@pytest.mark.parametrize("encoding", ["", "gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize(("cap", "full"), [(999, True), (1_000, True), (1_001, False)])
def test_the_cap_is_of_all_pieces_together(encoding: str, cap: int, full: bool) -> None:
    data = random.Random(3).randbytes(1_000)
    body = fed(encoding, PACK[encoding](data), 70, cap)
    assert (body.content, body.full, body.torn) == (data[:cap], full, False)
    if full:
        body.feed(b"more")
        assert body.content == data[:cap]


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "Deflate", "br", "zstd"])
def test_a_hundred_bytes_for_one_are_a_page_and_more_a_bomb_beyond_the_first_mebibyte(encoding: str) -> None:
    def growing(times: int, length: int) -> bytes:
        """Data of which the last packed byte makes about so many times as many as were sent."""
        return random.Random(3).randbytes(length // times) + bytes(length - length // times)

    pack = PACK[encoding] if encoding != "br" else lambda data: brotli.compress(data, quality=3)
    for data in (bytes(1 << 20), growing(80, 3 << 20)):
        assert fed(encoding, pack(data), 70_000, 4 << 20).content == data
    for data in (bytes((1 << 20) + 1), growing(140, 3 << 20)):
        with pytest.raises(BombError):
            fed(encoding, pack(data), 70_000, 4 << 20)


@pytest.mark.parametrize("piece", [1, 3, 10_000])
def test_frames_of_zstd_are_all_read_wherever_a_piece_ends(piece: int) -> None:
    """RFC 8878 3.1: a body may be several frames, and frames that hold nothing to show."""
    unseen = b"\x50\x2a\x4d\x18\4\0\0\0note"
    body = fed("zstd", zstandard.compress(b"FIRST") + unseen + zstandard.compress(b"SECOND"), piece)
    assert (body.content, body.torn) == (b"FIRSTSECOND", False)


@pytest.mark.parametrize(("window_log", "reads"), [(23, True), (24, False)])
def test_a_window_of_zstd_is_at_most_eight_mebibytes(window_log: int, reads: bool) -> None:
    """RFC 9659: no more memory is given to a stranger's page."""
    parameters = zstandard.ZstdCompressionParameters.from_level(1, window_log=window_log)
    coder = zstandard.ZstdCompressor(compression_params=parameters).compressobj()  # which tells no length
    sent = coder.compress(PAGE) + coder.flush()
    if reads:
        assert fed("zstd", sent, 10_000).content == PAGE
    else:
        with pytest.raises(DecodingError):
            fed("zstd", sent, 10_000)


def test_damage_after_a_good_beginning_is_a_fault_and_the_beginning_stands_once() -> None:
    body = Body("gzip", CAP, max_ratio=10**6)
    with pytest.raises(DecodingError):
        body.feed(gzip.compress(bytes(200_000))[:-8] + bytes(8))  # its sum is wrong
    assert set(body.content) == {0}
    assert 65_536 <= len(body.content) <= 200_000


def test_gzip_that_nothing_announces_and_that_is_damaged_further_on_is_torn_there() -> None:
    data = b"".join(b"%d bottles of beer, " % i for i in range(9_000))
    body = fed("", gzip.compress(data)[:-8] + bytes(8), 10_000)
    body.close()
    assert body.torn
    assert len(body.content) >= 65_536
    assert data.startswith(body.content)


@pytest.mark.parametrize(
    ("encoding", "sent", "cap", "content", "torn"),
    [
        ("gzip", gzip.compress(gzip.compress(PAGE))[:-8], CAP, PAGE, True),  # the outer one has no end
        ("gzip", gzip.compress(gzip.compress(PAGE)[:-8]), CAP, PAGE, True),  # the inner one
        ("", gzip.compress(PAGE)[:-8], CAP, PAGE, True),
        ("", gzip.compress(bytes(5_000)), 1_000, bytes(1_000), False),  # full, as whoever asked wanted
        ("", gzip.compress(b"a" * 10) + gzip.compress(b"b" * 9_000), 30, b"a" * 10, True),  # cut by the cap
    ],
)
def test_what_is_undone_once_more_is_torn_where_any_of_it_is(
    encoding: str, sent: bytes, cap: int, content: bytes, torn: bool
) -> None:
    body = fed(encoding, sent, 10_000, cap)
    body.close()
    assert (body.content, body.torn) == (content, torn)


@pytest.mark.parametrize("cut", [1, 8, 12, 18])
def test_a_member_of_gzip_without_its_end_is_torn_though_the_one_before_has_one(cut: int) -> None:
    body = fed("gzip", gzip.compress(b"FIRST") + gzip.compress(b"SECOND")[:-cut], 10_000)
    assert body.content.startswith(b"FIRST")
    assert body.torn


def test_a_body_too_short_to_tell_its_coding_is_torn() -> None:
    body = fed("zstd", zstandard.compress(b"x")[:3], 1)
    assert body.torn
    assert body.content == b""
    assert body.wire_bytes == 3


def test_three_codings_within_each_other_are_a_bomb_and_unknown_ones_a_fault() -> None:
    with pytest.raises(BombError):
        fed("gzip, gzip, gzip", gzip.compress(b"x"), 10)
    with pytest.raises(DecodingError):
        fed("rot13", b"x", 10)


def test_names_of_codings() -> None:
    assert codings(" GZIP ,x-gzip, identity,, br") == ["gzip", "gzip", "br"]
    assert codings("x-deflate, none, UTF-8, chunked") == ["deflate"]
    assert codings("") == []


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
        ("", b"<?xml version='1.0'?><!-- c --><!DOCTYPE html PUBLIC 'x'><html>", "html"),
        ("", b"<?xml version='1.0'?><rss><![CDATA[<html>]]></rss>", "xml"),
        ("application/xml", b"<?xml version='1.0'?>\n<html xmlns='x'>", "html"),
        ("text/xml", b"<?xml version='1.0'?><feed><html xmlns='x'/></feed>", "xml"),
        ("text/html charset=utf-8", HTML, "html"),
        ("text/html:charset=utf-8", HTML, "html"),
        ("text / html", HTML, "html"),
        ("text/html charset=utf-8", b"%PDF-1.5 ...", "pdf"),
        ("binary/octet-stream", HTML, "html"),
        ("binary/octet-stream", b"\x89PNG\r\n\x1a\n" + bytes(20), "image"),
        ("text/html", b"\r\n%PDF-1.5 ...", "pdf"),
        ("text/html", b"\xef\xbb\xbf%PDF-1.5 ...", "pdf"),
        ("text/html", b"some \0 bytes", "binary"),
        ("text/html", b"<!doctype html><p>he\0llo, whoever reads this", "html"),
        ("", b"\0\n<html>" + 100 * b"words ", "html"),
        ("text/html", b"<html>" + 100 * b"\0\0\0w", "binary"),
        ("text/html", b"II*\0" + bytes(range(100)), "binary"),
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
    "label",
    [
        "text/html",
        "",
        "text/plain",
        "application/octet-stream",
        "application/xml",
        "html",
        "text/html charset=utf-8",
        "binary/octet-stream",
    ],
)
def test_bodies_that_may_be_pages_are_read(label: str) -> None:
    assert may_be_html(label)


@pytest.mark.parametrize(
    "label", ["application/pdf", "image/png", "video/mp4", "application/zip", "text/javascript"]
)
def test_bodies_that_cannot_be_pages_are_left_where_they_are(label: str) -> None:
    assert not may_be_html(label)


def test_a_body_that_never_gives_anything_out_costs_as_much_as_its_bytes() -> None:
    body = Body("gzip", cap=1 << 20)
    started_s = time.process_time()
    body.feed(b"\x1f\x8b\x08\x08" + bytes(6))  # the name of a file follows, which never ends
    for _ in range(256):
        body.feed(b"x" * 65_536)
    assert time.process_time() - started_s < 2.0
    assert body.content == b""
    assert body.torn
