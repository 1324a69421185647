"""A recorded web answers as the record says, however the record is packed."""

from __future__ import annotations

import gzip
import zlib
from datetime import UTC, datetime
from pathlib import Path

import brotli
import pytest
import zstandard
from recording import Page, warc_bytes, write_warc

from bizcrawl.errors import BizcrawlError
from bizcrawl.reasons import Reason
from bizcrawl.web import Failure, Request, Response
from bizcrawl.web.recorded import RecordedWeb
from bizcrawl.web.warc_parts import NotAWarcError


def opened(path: Path, **options: int | None) -> RecordedWeb:
    return RecordedWeb(path, cache=path.parent / "cache", **options)


def body(web: RecordedWeb, url: str) -> bytes:
    answer = web.lookup(url)
    assert isinstance(answer, Response)
    return answer.body


class TestLookup:
    @pytest.fixture(params=["web.warc", "web.warc.gz"])
    def web(self, request: pytest.FixtureRequest, tmp_path: Path):
        pages = [
            Page("http://one.example/", b"plain"),
            Page("https://one.example/", b"secure"),
            Page("http://www.one.example/", b"www"),
            Page("http://one.example/gone", b"", "404 Not Found"),
            Page("http://one.example/away", b"", "301 Moved", [("Location", "/there")]),
            Page("http://two.example/Fünf Wege", b"odd"),
        ]
        with opened(write_warc(tmp_path / request.param, pages)) as web:
            yield web

    def test_scheme_and_www_make_different_pages(self, web: RecordedWeb):
        assert body(web, "http://one.example/") == b"plain"
        assert body(web, "https://one.example/") == b"secure"
        assert body(web, "http://www.one.example/") == b"www"

    @pytest.mark.parametrize(
        "url", ["HTTP://ONE.example:80", "http://one.example/#part", "http://one.example/a/.."]
    )
    def test_whatwg_spellings_of_a_recorded_url_are_that_url(self, web: RecordedWeb, url: str):
        answer = web.lookup(url)
        assert isinstance(answer, Response)
        assert (answer.url, answer.body) == (url, b"plain")

    def test_a_url_that_the_record_spells_oddly_is_found_by_its_whatwg_form(self, web: RecordedWeb):
        assert body(web, "http://two.example/F%C3%BCnf%20Wege") == b"odd"
        assert body(web, "http://two.example/Fünf Wege") == b"odd"

    @pytest.mark.parametrize(
        "url", ["http://three.example/", "https://www.one.example/", "mailto:x@y", "", "http://["]
    )
    def test_what_is_not_in_the_record_is_not_recorded(self, web: RecordedWeb, url: str):
        assert web.lookup(url) == Failure(url, Reason.NOT_RECORDED)

    def test_status_and_headers_are_the_recorded_ones(self, web: RecordedWeb):
        gone, away = web.lookup("http://one.example/gone"), web.lookup("http://one.example/away")
        assert isinstance(gone, Response)
        assert isinstance(away, Response)
        assert gone.status == 404
        assert (away.status, away.headers["location"]) == (301, "/there")
        assert away.fetched_at == datetime(2024, 5, 13, 6, tzinfo=UTC)

    async def test_fetch_is_lookup(self, web: RecordedWeb):
        assert await web.fetch(Request("http://one.example/")) == web.lookup("http://one.example/")
        await web.close()

    def test_iterate_gives_every_page_once_in_the_order_of_the_record(self, web: RecordedWeb):
        assert [answer.url for answer in web.iterate()] == list(web.urls())
        assert len(list(web.iterate())) == len(web) == 6


class TestBodies:
    TEXT = b"<p>" + b"link context " * 500

    @pytest.mark.parametrize(
        ("encoding", "sent"),
        [
            ("gzip", gzip.compress(TEXT, mtime=0)),
            ("deflate", zlib.compress(TEXT)),
            ("deflate", zlib.compress(TEXT)[2:-4]),
            ("br", brotli.compress(TEXT)),
            ("zstd", zstandard.compress(TEXT)),
            ("gzip", TEXT),  # recorders that undo the encoding and keep the header
        ],
    )
    def test_content_encodings_are_undone(self, tmp_path: Path, encoding: str, sent: bytes):
        page = Page("http://a.example/", sent, headers=[("Content-Encoding", encoding)])
        with opened(write_warc(tmp_path / "w.warc.gz", [page])) as web:
            answer = web.lookup("http://a.example/")
        assert isinstance(answer, Response)
        assert (answer.body, answer.wire_bytes, answer.truncated) == (self.TEXT, len(sent), False)

    def test_chunks_are_joined_and_missing_chunks_cut_the_page(self, tmp_path: Path):
        chunked = [("Transfer-Encoding", "chunked")]
        pages = [
            Page("http://a.example/whole", b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", headers=chunked),
            Page("http://a.example/cut", b"5\r\nhello\r\n60\r\n wor", headers=chunked),
            Page("http://a.example/none", b"hello world", headers=chunked),
        ]
        with opened(write_warc(tmp_path / "w.warc.gz", pages)) as web:
            whole, cut, none = (web.lookup(page.url) for page in pages)
        assert isinstance(whole, Response)
        assert (whole.body, whole.truncated) == (b"hello world", False)
        assert isinstance(cut, Response)
        assert (cut.body[:5], cut.truncated) == (b"hello", True)
        assert isinstance(none, Response)
        assert (none.body, none.truncated) == (b"hello world", False)

    def test_the_page_cap_cuts_the_decoded_body(self, tmp_path: Path):
        page = Page("http://a.example/", gzip.compress(self.TEXT), headers=[("Content-Encoding", "gzip")])
        with opened(write_warc(tmp_path / "w.warc.gz", [page]), page_cap_bytes=1000) as web:
            cut = web.lookup("http://a.example/")
            whole = web.lookup("http://a.example/", max_body_bytes=100_000)
        assert isinstance(cut, Response)
        assert (cut.body, cut.truncated) == (self.TEXT[:1000], True)
        assert isinstance(whole, Response)
        assert (whole.body, whole.truncated) == (self.TEXT, False)

    def test_a_bomb_in_a_record_is_not_inflated_beyond_the_cap(self, tmp_path: Path):
        bomb = gzip.compress(bytes(200 * 2**20))
        page = Page("http://a.example/", bomb, headers=[("Content-Encoding", "gzip")])
        with opened(write_warc(tmp_path / "w.warc.gz", [page]), page_cap_bytes=10_000) as web:
            answer = web.lookup("http://a.example/")
        assert isinstance(answer, Response)
        assert (len(answer.body), answer.truncated) == (10_000, True)

    def test_a_bomb_is_refused_when_no_cap_cuts_it(self, tmp_path: Path):
        bomb = gzip.compress(bytes(200 * 2**20))
        page = Page("http://a.example/", bomb, headers=[("Content-Encoding", "gzip")])
        with opened(write_warc(tmp_path / "w.warc.gz", [page])) as web:
            answer = web.lookup("http://a.example/")
        assert isinstance(answer, Failure)
        assert answer.reason == Reason.BOMB

    def test_an_answer_may_have_no_fields(self, tmp_path: Path):
        with opened(
            write_warc(tmp_path / "w.warc.gz", [Page("http://a.example/", b"bare", headers=[])])
        ) as web:
            assert body(web, "http://a.example/") == b"bare"

    def test_repeated_headers_are_joined(self, tmp_path: Path):
        page = Page("http://a.example/", headers=[("X-Robots-Tag", "noindex"), ("x-robots-tag", "nofollow")])
        with opened(write_warc(tmp_path / "w.warc.gz", [page])) as web:
            answer = web.lookup("http://a.example/")
        assert isinstance(answer, Response)
        assert answer.headers["x-robots-tag"] == "noindex, nofollow"


class TestSeveralCaptures:
    def test_the_latest_capture_counts(self, tmp_path: Path):
        pages = [
            Page("http://a.example/", b"second", date="2024-05-13T07:00:00Z"),
            Page("http://a.example/", b"first", date="2024-05-13T06:00:00Z"),
        ]
        with opened(write_warc(tmp_path / "w.warc.gz", pages)) as web:
            assert body(web, "http://a.example/") == b"second"
            assert len(web) == 1

    def test_a_revisit_shows_the_page_it_refers_to(self, tmp_path: Path):
        digest = {"WARC-Payload-Digest": "sha1:AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHH"}
        pages = [
            Page("http://a.example/", b"the page", warc_headers=digest),
            Page("http://b.example/", b"", kind="revisit", warc_headers=digest, date="2025-01-02T03:04:05Z"),
            Page(
                "http://c.example/", b"", kind="revisit", warc_headers={"WARC-Payload-Digest": "sha1:UNKNOWN"}
            ),
        ]
        with opened(write_warc(tmp_path / "w.warc.gz", pages)) as web:
            again, lost = web.lookup("http://b.example/"), web.lookup("http://c.example/")
        assert isinstance(again, Response)
        assert (again.body, again.fetched_at) == (b"the page", datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC))
        assert isinstance(lost, Failure)
        assert lost.reason == Reason.NOT_RECORDED

    def test_a_revisit_has_the_status_and_the_target_that_it_says_itself(self, tmp_path: Path):
        empty = {"WARC-Payload-Digest": "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"}
        pages = [
            Page("http://a.example/", b"", "301 Moved", [("Location", "/a")], warc_headers=empty),
            Page(
                "http://b.example/",
                b"",
                "301 Moved",
                [("Location", "/b")],
                warc_headers=empty,
                kind="revisit",
            ),
            Page("http://c.example/", b"", "404 Not Found", [], warc_headers=empty, kind="revisit"),
            Page("http://d.example/", b"", "304 Not Modified", [], warc_headers=empty, kind="revisit"),
        ]
        lost = Page(
            "http://e.example/",
            b"",
            "302 Found",
            [("Location", "/e")],
            warc_headers={"WARC-Payload-Digest": "sha1:UNKNOWN"},
            kind="revisit",
        )
        said = []
        with opened(write_warc(tmp_path / "w.warc.gz", [*pages, lost])) as web:
            for page in [*pages, lost]:
                answer = web.lookup(page.url)
                assert isinstance(answer, Response)
                said.append((answer.status, answer.headers.get("location")))
        assert said == [(301, "/a"), (301, "/b"), (404, None), (301, "/a"), (302, "/e")]

    def test_a_page_in_several_segments_is_marked_as_cut(self, tmp_path: Path):
        first = Page("http://a.example/", b"<p>the beginning", warc_headers={"WARC-Segment-Number": "1"})
        with opened(write_warc(tmp_path / "w.warc.gz", [first])) as web:
            answer = web.lookup("http://a.example/")
        assert isinstance(answer, Response)
        assert (answer.body, answer.truncated) == (b"<p>the beginning", True)

    def test_a_folder_of_warcs_is_one_web(self, tmp_path: Path):
        write_warc(
            tmp_path / "0.warc.gz", [Page("http://a.example/", b"a"), Page("http://b.example/", b"old")]
        )
        write_warc(tmp_path / "1.warc", [Page("http://b.example/", b"new")])
        with opened(tmp_path) as web:
            assert {url: body(web, url) for url in web.urls()} == {
                "http://a.example/": b"a",
                "http://b.example/": b"new",
            }


class TestOneClearLine:
    @pytest.mark.parametrize(
        ("name", "content", "says"),
        [
            ("empty.warc.gz", b"", "empty"),
            ("page.html", b"<html>hello</html>", "not a WARC"),
            ("page.html.gz", gzip.compress(b"<html>hello</html>" * 99, mtime=0), "not a WARC"),
            ("only-info.warc", warc_bytes([], gzip=False), "not a WARC with responses"),
            ("broken.wacz", b"PK\x03\x04" + bytes(50), "not a WARC"),
        ],
    )
    def test_for_what_is_no_recorded_web(self, tmp_path: Path, name: str, content: bytes, says: str):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BizcrawlError, match=says) as caught:
            opened(tmp_path / name)
        assert "\n" not in str(caught.value)
        assert name in str(caught.value)

    def test_for_a_file_that_is_not_there_and_an_empty_folder(self, tmp_path: Path):
        with pytest.raises(NotAWarcError, match="no such file"):
            opened(tmp_path / "no.warc.gz")
        (tmp_path / "folder").mkdir()
        with pytest.raises(NotAWarcError, match=r"holds no \.warc"):
            opened(tmp_path / "folder")

    def test_for_a_warc_that_is_compressed_as_a_whole(self, tmp_path: Path):
        pages = [Page(f"http://a.example/{n}", b"x" * 5000) for n in range(50)]
        (tmp_path / "whole.warc.gz").write_bytes(gzip.compress(warc_bytes(pages, gzip=False)))
        with pytest.raises(NotAWarcError, match="gunzip"):
            opened(tmp_path / "whole.warc.gz")
