"""A web server with one handler for each way in which servers misbehave, and what the crawler must make of
it.

Handlers write raw bytes, so nothing stands between them and the client. `MISBEHAVIOURS` is the written-out
table.
"""

from __future__ import annotations

import asyncio
import codecs
import gzip
import socket
import struct
import threading
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache

import brotli
import zstandard

from bizcrawl.reasons import Reason

PAGE = b"<!doctype html><title>Brindle Pumps</title><p>Diaphragm pumps for <a href=/beer>breweries</a>.</p>"
MEGABYTE = 1 << 20
BOMB_BYTES = 128 * MEGABYTE
"""Twice what the process may grow by."""


@dataclass(frozen=True)
class Exchange:
    """What a handler is given."""

    path: str
    headers: dict[str, str]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    origin: str

    async def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.writer.write(piece)
        await self.writer.drain()

    async def answer(self, body: bytes = PAGE, status: str = "200 OK", **fields: str) -> None:
        given = {name.replace("_", "-").lower(): value for name, value in fields.items()}
        given.setdefault("content-type", "text/html")
        if "transfer-encoding" not in given:
            given.setdefault("content-length", str(len(body)))
        lines = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
        await self.send(f"HTTP/1.1 {status}\r\n{lines}\r\n".encode("latin-1") + body)

    async def redirect(self, target: str, **fields: str) -> None:
        await self.answer(b"", "302 Found", location=target, **fields)

    async def never(self) -> None:
        await asyncio.sleep(3600)


Handler = Callable[[Exchange], Awaitable[None]]


@dataclass(frozen=True)
class Misbehaviour:
    """One handler and its one outcome."""

    name: str
    handler: Handler
    outcome: Reason | None
    """None: a good page."""
    truncated: bool = False


MISBEHAVIOURS: dict[str, Misbehaviour] = {}


def ends_in(outcome: Reason | None, *, truncated: bool = False) -> Callable[[Handler], Handler]:
    def enter(handler: Handler) -> Handler:
        name = handler.__name__
        MISBEHAVIOURS[name] = Misbehaviour(name, handler, outcome, truncated)
        return handler

    return enter


def zeros(count: int) -> bytes:
    return b"\0" * count


def packed(pack: Callable[[bytes], bytes], finish: Callable[[], bytes]) -> bytes:
    """Spaces in a few bytes, made without ever holding them."""
    block = b" " * MEGABYTE
    return b"".join([*(pack(block) for _ in range(BOMB_BYTES // MEGABYTE)), finish()])


@cache
def gzip_bomb() -> bytes:
    coder = zlib.compressobj(9, wbits=31)
    return packed(coder.compress, coder.flush)


@cache
def deflate_bomb() -> bytes:
    coder = zlib.compressobj(9)
    return packed(coder.compress, coder.flush)


@cache
def brotli_bomb() -> bytes:
    coder = brotli.Compressor(quality=5)
    return packed(coder.process, coder.finish)


@cache
def zstd_bomb() -> bytes:
    coder = zstandard.ZstdCompressor(level=3).compressobj()
    return packed(coder.compress, coder.flush)


# --- connections ----------------------------------------------------------------------------------


@ends_in(Reason.TIMEOUT)
async def accepts_and_says_nothing(x: Exchange) -> None:
    await x.never()


@ends_in(Reason.CONNECTION)
async def closes_at_once(x: Exchange) -> None:
    pass


@ends_in(Reason.CONNECTION)
async def resets(x: Exchange) -> None:
    sock = x.writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    x.writer.transport.abort()


@ends_in(Reason.BAD_HEADERS)
async def speaks_another_protocol(x: Exchange) -> None:
    await x.send(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
    await x.never()


@ends_in(Reason.BAD_HEADERS)
async def speaks_http_2_unasked(x: Exchange) -> None:
    await x.send(b"\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80\0\x04\0\x01\0\0\0\x05\0\xff\xff\xff" * 4)


@ends_in(Reason.BAD_HEADERS)
async def sends_a_body_without_any_head(x: Exchange) -> None:
    await x.send(PAGE)


# --- status lines ---------------------------------------------------------------------------------


@ends_in(Reason.BAD_HEADERS)
async def has_no_number_for_a_status(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 OK\r\n\r\n")


@ends_in(Reason.HTTP_ERROR)
async def invents_a_status(x: Exchange) -> None:
    await x.answer(PAGE, "999 Request denied")


@ends_in(Reason.BAD_HEADERS)
async def has_a_status_line_of_ten_megabytes(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 ", *(b"x" * MEGABYTE for _ in range(10)), b"\r\n\r\n")


@ends_in(Reason.TIMEOUT)
async def says_continue_for_ever(x: Exchange) -> None:
    while True:
        await x.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        await asyncio.sleep(0.001)


@ends_in(None)
async def sends_early_hints(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n")
    await x.answer()


@ends_in(Reason.HTTP_ERROR)
async def switches_protocols_unasked(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
    await x.never()


@ends_in(Reason.HTTP_ERROR)
async def says_not_modified_unasked(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 304 Not Modified\r\n\r\n")


@ends_in(Reason.EMPTY)
async def says_no_content(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 204 No Content\r\n\r\n")


@ends_in(Reason.HTTP_ERROR)
async def asks_for_a_password(x: Exchange) -> None:
    await x.answer(PAGE, "401 Unauthorized", www_authenticate="Basic realm=x")


@ends_in(Reason.HTTP_ERROR)
async def plays_the_proxy(x: Exchange) -> None:
    await x.answer(PAGE, "407 Proxy Authentication Required", proxy_authenticate="Basic realm=x")


@ends_in(Reason.RATE_LIMITED)
async def asks_to_slow_down(x: Exchange) -> None:
    await x.answer(PAGE, "429 Too Many Requests", retry_after="3")


@ends_in(Reason.RATE_LIMITED)
async def asks_to_come_back_in_a_century(x: Exchange) -> None:
    await x.answer(PAGE, "503 Service Unavailable", retry_after="Wed, 21 Oct 2099 07:28:00 GMT")


# --- headers --------------------------------------------------------------------------------------


@ends_in(Reason.BAD_HEADERS)
async def has_a_header_of_ten_megabytes(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nX-Long: ", *(b"x" * MEGABYTE for _ in range(10)), b"\r\n\r\n", PAGE)


@ends_in(None)
async def has_a_policy_of_forty_kilobytes(x: Exchange) -> None:
    await x.answer(content_security_policy="https://cdn.example " * 2_000)


@ends_in(Reason.BAD_HEADERS)
async def has_headers_without_end(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        await x.send(b"X-Line: and another one\r\n" * 100)
        await asyncio.sleep(0)


@ends_in(Reason.BAD_HEADERS)
async def has_too_many_bytes_of_headers(x: Exchange) -> None:
    lines = b"".join(b"X-%d: %s\r\n" % (i, b"x" * 8_000) for i in range(12))
    await x.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", lines, b"\r\n", PAGE)


@ends_in(Reason.BAD_HEADERS)
async def has_a_header_without_colon(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nthis is no header\r\n\r\n", PAGE)


@ends_in(Reason.BAD_HEADERS)
async def has_a_nul_in_a_header(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nX-Nul: a\0b\r\nContent-Length: 0\r\n\r\n")


@ends_in(None)
async def has_latin_1_in_a_header(x: Exchange) -> None:
    await x.answer(PAGE, x_city="M\xfcnchen")


@ends_in(Reason.TIMEOUT)
async def trickles_its_headers(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        await x.send(b"X")
        await asyncio.sleep(0.05)


@ends_in(Reason.BAD_HEADERS)
async def has_a_negative_length(x: Exchange) -> None:
    await x.answer(PAGE, content_length="-1")


@ends_in(Reason.BAD_HEADERS)
async def has_two_lengths(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\n", PAGE)


@ends_in(None)
async def has_a_thousand_cookies(x: Exchange) -> None:
    cookies = b"".join(b"Set-Cookie: c%d=%s; Domain=.com\r\n" % (i, b"v" * 100) for i in range(200))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n" % len(PAGE)
    await x.send(head, cookies, b"\r\n", PAGE)


# --- framing --------------------------------------------------------------------------------------


@ends_in(Reason.TIMEOUT)
async def hangs_after_its_headers(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n")
    await x.never()


@ends_in(Reason.TOO_SLOW)
async def drips_its_body(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n")
    while True:
        await x.send(b"x")
        await asyncio.sleep(0.02)


@ends_in(None, truncated=True)
async def has_a_body_without_end(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", PAGE)
    while True:
        await x.send(b"<p>more</p>" * 1000)


@ends_in(None, truncated=True)
async def has_chunks_without_end(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        await x.send(b"2000\r\n" + PAGE.ljust(0x2000) + b"\r\n")


@ends_in(None, truncated=True)
async def promises_more_than_it_sends(x: Exchange) -> None:
    await x.answer(PAGE, content_length="50000")


@ends_in(None)
async def sends_more_than_it_promises(x: Exchange) -> None:
    await x.answer(PAGE + b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad", content_length=str(len(PAGE)))


@ends_in(None, truncated=True)
async def breaks_off_its_chunks(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
    await x.send(b"%x\r\n" % len(PAGE), PAGE, b"\r\n")


@ends_in(None, truncated=True)
async def has_a_chunk_size_that_is_no_number(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
    await x.send(b"%x\r\n" % len(PAGE), PAGE, b"\r\n")
    await asyncio.sleep(0.05)
    await x.send(b"zz\r\nxx\r\n")


@ends_in(Reason.BAD_FRAMING)
async def begins_with_a_bad_chunk(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
    await asyncio.sleep(0.05)
    await x.send(b"zz\r\nxx\r\n")


@ends_in(Reason.TIMEOUT)
async def has_a_chunk_extension_without_end(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5;")
    while True:
        await x.send(b"x" * 10_000)
        await asyncio.sleep(0)


@ends_in(None, truncated=True)
async def has_trailers_without_end(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
    await x.send(b"%x\r\n" % len(PAGE), PAGE, b"\r\n")
    await asyncio.sleep(0.05)
    await x.send(b"0\r\n")
    while True:
        await x.send(b"X-Trailer: one more\r\n" * 100)
        await asyncio.sleep(0)


@ends_in(Reason.BAD_HEADERS)
async def has_both_length_and_chunks(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n")
    await x.send(b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(PAGE), PAGE, b"\r\n0\r\n\r\n")


# --- codings --------------------------------------------------------------------------------------


@ends_in(Reason.BOMB)
async def sends_a_gzip_bomb(x: Exchange) -> None:
    await x.answer(gzip_bomb(), content_encoding="gzip")


@ends_in(Reason.BOMB)
async def sends_a_deflate_bomb(x: Exchange) -> None:
    await x.answer(deflate_bomb(), content_encoding="deflate")


@ends_in(Reason.BOMB)
async def sends_a_brotli_bomb(x: Exchange) -> None:
    await x.answer(brotli_bomb(), content_encoding="br")


@ends_in(Reason.BOMB)
async def sends_a_zstd_bomb(x: Exchange) -> None:
    await x.answer(zstd_bomb(), content_encoding="zstd")


@ends_in(Reason.BOMB)
async def sends_a_bomb_in_a_bomb(x: Exchange) -> None:
    await x.answer(gzip.compress(gzip_bomb()), content_encoding="gzip, gzip")


@ends_in(Reason.BOMB)
async def nests_codings_three_times(x: Exchange) -> None:
    await x.answer(gzip.compress(gzip.compress(gzip.compress(PAGE))), content_encoding="gzip, gzip, gzip")


@ends_in(None)
async def nests_codings_twice(x: Exchange) -> None:
    await x.answer(brotli.compress(gzip.compress(PAGE)), content_encoding="gzip, br")


@ends_in(Reason.BAD_ENCODING)
async def uses_an_unknown_coding(x: Exchange) -> None:
    await x.answer(codecs.encode(PAGE.decode(), "rot13").encode()[1:], content_encoding="x-rot13")


@ends_in(None)
async def names_its_charset_as_a_coding(x: Exchange) -> None:
    await x.answer(PAGE, content_encoding="iso-8859-1")


@ends_in(None)
async def says_gzip_of_a_plain_body(x: Exchange) -> None:
    await x.answer(PAGE, content_encoding="gzip")


@ends_in(None)
async def says_brotli_of_a_plain_body(x: Exchange) -> None:
    await x.answer(PAGE, content_encoding="br")


@ends_in(Reason.BAD_ENCODING)
async def says_brotli_of_what_is_neither_that_nor_markup(x: Exchange) -> None:
    await x.answer(b"plain words without any markup", content_encoding="br")


@ends_in(None)
async def packs_a_page_twice_and_says_once(x: Exchange) -> None:
    await x.answer(gzip.compress(gzip.compress(PAGE)), content_encoding="gzip")


@ends_in(None)
async def packs_a_page_once_and_says_twice(x: Exchange) -> None:
    await x.answer(gzip.compress(PAGE), content_encoding="gzip, gzip")


@ends_in(None)
async def packs_a_page_and_says_nothing(x: Exchange) -> None:
    await x.answer(gzip.compress(PAGE))


@ends_in(None)
async def sends_deflate_without_its_header(x: Exchange) -> None:
    coder = zlib.compressobj(wbits=-15)
    await x.answer(coder.compress(PAGE) + coder.flush(), content_encoding="deflate")


@ends_in(None)
async def sends_gzip_in_two_members(x: Exchange) -> None:
    await x.answer(gzip.compress(PAGE[:40]) + gzip.compress(PAGE[40:]), content_encoding="gzip")


@ends_in(None)
async def pads_its_gzip(x: Exchange) -> None:
    await x.answer(gzip.compress(PAGE) + b"\0\0\0\0", content_encoding="gzip")


@ends_in(None, truncated=True)
async def tears_its_gzip(x: Exchange) -> None:
    await x.answer(gzip.compress(PAGE * 50)[:-20], content_encoding="gzip")


@ends_in(None, truncated=True)
async def has_a_fault_in_its_gzip(x: Exchange) -> None:
    whole = bytearray(gzip.compress(bytes((i * i * 7) % 251 for i in range(200_000)), 1))
    whole[len(whole) // 2 : len(whole) // 2 + 40] = zeros(40)
    head = gzip.compress(PAGE.ljust(70_000))
    await x.answer(head + bytes(whole), content_encoding="gzip")


# --- redirects ------------------------------------------------------------------------------------


@ends_in(Reason.REDIRECT_LOOP)
async def redirects_to_itself(x: Exchange) -> None:
    await x.redirect(x.path)


@ends_in(Reason.REDIRECT_LOOP)
async def redirects_to_and_fro(x: Exchange) -> None:
    await x.redirect("/redirects_to_and_fro?back" if "?" not in x.path else "/redirects_to_and_fro")


@ends_in(Reason.REDIRECT_LOOP)
async def redirects_to_itself_with_a_new_cookie_each_time(x: Exchange) -> None:
    await x.redirect(x.path, set_cookie="again=yes")


@ends_in(Reason.TOO_MANY_REDIRECTS)
async def redirects_to_ever_new_places(x: Exchange) -> None:
    await x.redirect(x.path + ("&" if "?" in x.path else "?") + f"n{len(x.path)}")


@ends_in(None)
async def redirects_five_times(x: Exchange) -> None:
    left = int(x.path.partition("?")[2] or 5)
    await (x.redirect(f"/redirects_five_times?{left - 1}") if left else x.answer())


@ends_in(Reason.TOO_MANY_REDIRECTS)
async def redirects_six_times(x: Exchange) -> None:
    left = int(x.path.partition("?")[2] or 6)
    await (x.redirect(f"/redirects_six_times?{left - 1}") if left else x.answer())


@ends_in(Reason.BAD_REDIRECT)
async def redirects_nowhere(x: Exchange) -> None:
    await x.answer(b"", "302 Found")


@ends_in(Reason.BAD_REDIRECT)
async def redirects_to_a_file(x: Exchange) -> None:
    await x.redirect("file:///etc/passwd")


@ends_in(Reason.BAD_REDIRECT)
async def redirects_to_a_script(x: Exchange) -> None:
    await x.redirect("javascript:alert(1)")


@ends_in(Reason.BAD_REDIRECT)
async def redirects_to_ten_thousand_characters(x: Exchange) -> None:
    await x.redirect("/" + "x" * 7_000)


@ends_in(Reason.FORBIDDEN_ADDRESS)
async def redirects_to_the_metadata_service(x: Exchange) -> None:
    await x.redirect("http://169.254.169.254/latest/meta-data/")


@ends_in(None)
async def redirects_with_blanks_and_umlauts(x: Exchange) -> None:
    if "?" in x.path:
        await x.answer()
    else:
        await x.redirect(" /redirects_with_blanks_and_umlauts?q=a b\xfc ")


@ends_in(None)
async def redirects_with_less_than_it_promises(x: Exchange) -> None:
    await (x.answer() if "?" in x.path else x.redirect(x.path + "?x", content_length="500"))


@ends_in(None)
async def redirects_and_then_hangs(x: Exchange) -> None:
    if "?" in x.path:
        await x.answer()
    else:
        await x.redirect(x.path + "?x", content_length="500")
        await x.never()


@ends_in(None)
async def redirects_in_an_unknown_coding(x: Exchange) -> None:
    if "?" in x.path:
        await x.answer()
    else:
        await x.answer(b"elsewhere", "302 Found", location=x.path + "?x", content_encoding="x-rot13")


@ends_in(None)
async def redirects_in_spoiled_gzip(x: Exchange) -> None:
    if "?" in x.path:
        await x.answer()
    else:
        body = b"\x1f\x8b\x08\xff\xff"
        await x.answer(body, "302 Found", location=x.path + "?x", content_encoding="gzip")


@ends_in(Reason.HTTP_ERROR)
async def is_not_there_with_less_than_it_promises(x: Exchange) -> None:
    await x.answer(PAGE[:10], "404 Not Found", content_length="500")


@ends_in(None)
async def redirects_in_latin_1(x: Exchange) -> None:
    if x.path.endswith("?caf%E9"):
        await x.answer()
    elif "?" in x.path:
        await x.answer(status="404 Not Found")
    else:
        await x.redirect(x.path + "?caf\xe9")


@ends_in(None)
async def redirects_in_two_fields_to_one_place(x: Exchange) -> None:
    if x.path.endswith("?there"):
        await x.answer()
    else:
        there = x.path.encode() + b"?there"
        await x.send(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n", b"Location: %s\r\n" % there * 2, b"\r\n")


@ends_in(None)
async def wants_its_cookie_back(x: Exchange) -> None:
    if "seen=1" in x.headers.get("cookie", ""):
        await x.answer()
    else:
        await x.redirect(x.path, set_cookie="seen=1; Path=/")


@ends_in(Reason.REDIRECT_LOOP)
async def refreshes_to_and_fro(x: Exchange) -> None:
    there = "/refreshes_to_and_fro?2" if "?" not in x.path else "/refreshes_to_and_fro"
    await x.answer(b"<html><meta http-equiv=refresh content='0; url=%s'></html>" % there.encode())


# --- content --------------------------------------------------------------------------------------


@ends_in(None)
async def sends_html_as_octets(x: Exchange) -> None:
    await x.answer(PAGE, content_type="application/octet-stream")


@ends_in(None)
async def sends_html_without_a_type(x: Exchange) -> None:
    await x.answer(PAGE, content_type="")


@ends_in(Reason.NOT_HTML)
async def sends_a_zip_as_html(x: Exchange) -> None:
    await x.answer(b"PK\x03\x04\x14\0\x06\0\x08\0" + zeros(500))


@ends_in(Reason.NOT_HTML)
async def sends_a_pdf_without_end(x: Exchange) -> None:
    await x.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.7")
    while True:
        await x.send(zeros(65_536))


@ends_in(Reason.EMPTY)
async def sends_an_empty_page(x: Exchange) -> None:
    await x.answer(b"")


@ends_in(Reason.EMPTY)
async def sends_nothing_but_blanks(x: Exchange) -> None:
    await x.answer(b" \r\n" * 1000)


@ends_in(None)
async def calls_a_missing_page_found(x: Exchange) -> None:
    await x.answer(b"<html><title>Error</title><h1>Page not found</h1><p>Sorry.</html>")


class HostileServer:
    """The server, in a thread with a loop of its own."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.robots = ""
        """The misbehaviour that answers for /robots.txt."""
        self._exchanges: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.wait()
        for bomb in (gzip_bomb, deflate_bomb, brotli_bomb, zstd_bomb):
            bomb()  # made before the clock runs

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._start())
        self._loop.run_forever()

    async def _start(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self._ready.set()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._exchanges[self._loop.create_task(self._serve(reader, writer))] = writer

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").split("\r\n")
            path = first.split(" ")[1]
            self.requests.append(path)
            headers = {
                name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
            }
            name = self.robots if path == "/robots.txt" else path.lstrip("/").partition("?")[0]
            exchange = Exchange(path, headers, reader, writer, self.origin)
            await MISBEHAVIOURS[name].handler(exchange)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def close(self) -> None:
        async def stop() -> None:
            self._server.close()
            for exchange in self._exchanges:
                exchange.cancel()
            await asyncio.gather(*self._exchanges, return_exceptions=True)
            for writer in self._exchanges.values():
                writer.transport.abort()  # one that never began is not closed, nor what nobody reads
            await asyncio.sleep(0)

        asyncio.run_coroutine_threadsafe(stop(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()
