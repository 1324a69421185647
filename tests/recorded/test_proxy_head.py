"""Heads of requests to our proxies: read by RFC 9112, and never more than refused."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.web.proxy_head import MAX_HEAD_BYTES, BadHeadError, Head, place_of, read_head


def read(sent: bytes) -> Head | None:
    async def feed() -> Head | None:
        reader = asyncio.StreamReader(limit=MAX_HEAD_BYTES)
        reader.feed_data(sent)
        reader.feed_eof()
        return await read_head(reader)

    return asyncio.run(feed())


def test_a_request_is_read_whole():
    head = read(
        b"GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nX-Twice: 1\r\nx-twice:  2 \r\n\r\nbody"
    )
    assert head is not None
    assert (head.method, head.target) == ("GET", "http://a.example/")
    assert head.field("x-twice") == "2"
    assert head.keeps_alive
    assert head.body_bytes == 0


@pytest.mark.parametrize(
    ("fields", "keeps_alive", "body_bytes"),
    [
        ("Connection: close\r\n", False, 0),
        ("Proxy-Connection: Close\r\n", False, 0),
        ("Content-Length: 12\r\n", True, 12),
        ("Transfer-Encoding: chunked\r\n", True, -1),
    ],
)
def test_fields_say_what_follows(fields: str, keeps_alive: bool, body_bytes: int):
    head = read(f"POST / HTTP/1.1\r\n{fields}\r\n".encode())
    assert head is not None
    assert (head.keeps_alive, head.body_bytes) == (keeps_alive, body_bytes)


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_a_client_that_leaves_has_asked_nothing(sent: bytes):
    assert read(sent) is None


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /\r\n\r\n",
        b"GET / HTTP/2\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\n folded: line\r\n\r\n",
        b"GET / HTTP/1.1\r\nname : space before the colon\r\n\r\n",
        b"GET /" + b"x" * MAX_HEAD_BYTES + b" HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused(sent: bytes):
    with pytest.raises(BadHeadError):
        read(sent)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(sent: bytes):
    try:
        head = read(sent + b"\r\n\r\n")
    except BadHeadError:
        return
    assert head is not None
    assert head.method.count(" ") == 0


@pytest.mark.parametrize(
    ("authority", "place"),
    [("a.example:443", ("a.example", 443)), ("[2001:db8::1]:8443", ("2001:db8::1", 8443))],
)
def test_tunnels_have_a_host_and_a_port(authority: str, place: tuple[str, int]):
    assert place_of(authority) == place


@given(st.text(max_size=30))
def test_any_other_target_of_a_tunnel_is_refused(text: str):
    try:
        host, port = place_of(text)
    except BadHeadError:
        return
    assert host
    assert 0 < port < 65536
