"""What `--warc` writes is sound WARC, survives a crash, and answers as the Web did."""

from __future__ import annotations

import errno
import io
import itertools
import json
import multiprocessing
import os
import signal
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from bizcrawl.errors import BizcrawlError
from bizcrawl.reasons import Reason
from bizcrawl.web import Failure, Request, Response
from bizcrawl.web.recorded import RecordedWeb
from bizcrawl.web.recording import RecordingWeb
from bizcrawl.web.surt import surt_key
from bizcrawl.web.warc_writer import WarcWriter

NOW = datetime(2026, 5, 4, 3, 2, 1, 123456, tzinfo=UTC)


def response(url: str, body: bytes = b"<p>hello", status: int = 200, **headers: str) -> Response:
    return Response(url, status, {"content-type": "text/html", **headers}, body, NOW, wire_bytes=len(body))


def writer(folder: Path, **options: object) -> WarcWriter:
    numbers = itertools.count()
    settings = {"software": "bizcrawl 1", "user_agent": "bizcrawl/1", "now": lambda: NOW, **options}
    return WarcWriter(folder, new_id=lambda: UUID(int=next(numbers)), **settings)  # type: ignore[arg-type]


def warcs(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.warc.gz"))


def checked_by_warcio(warc: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The verdict of `warcio check`: digests of all blocks and payloads."""

    class Command:
        inputs = (str(warc),)
        verbose = True

    checker = Checker(Command)
    checker.process_all()
    told = capsys.readouterr().out
    assert checker.exit_value == 0, told
    return told


class TestSoundness:
    def test_an_independent_checker_finds_no_fault(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
        keep = writer(tmp_path)
        for n in range(20):
            keep.write(Request(f"http://a.example/{n}"), response(f"http://a.example/{n}", b"x" * n))
        keep.close()
        told = checked_by_warcio(warcs(tmp_path)[0], capsys)
        assert told.count("digest pass") == 1 + 2 * 20
        assert "fail" not in told

    def test_records_are_warcinfo_then_pairs_of_response_and_request(self, tmp_path: Path):
        keep = writer(tmp_path, info={"operator": "me@example.org"})
        keep.write(
            Request("http://a.example/x?q", {"if-none-match": "tag"}), response("http://a.example/x?q")
        )
        keep.close()
        with warcs(tmp_path)[0].open("rb") as file:
            records = [
                (r.rec_type, r.rec_headers, r.content_stream().read(), r.http_headers)
                for r in ArchiveIterator(file)
            ]
        (_, info, fields, _), (_, answer, _, _), (_, question, _, http) = records
        assert [kind for kind, *_ in records] == ["warcinfo", "response", "request"]
        assert b"software: bizcrawl 1\r\n" in fields
        assert b"operator: me@example.org\r\n" in fields
        assert answer.get_header("WARC-Date") == "2026-05-04T03:02:01.123456Z"
        assert answer.get_header("WARC-Warcinfo-ID") == info.get_header("WARC-Record-ID")
        assert question.get_header("WARC-Concurrent-To") == answer.get_header("WARC-Record-ID")
        assert (http.statusline, http.protocol) == ("/x?q HTTP/1.1", "GET")
        assert http.get_header("host") == "a.example"
        assert http.get_header("if-none-match") == "tag"

    def test_the_index_is_sorted_and_names_every_answer(self, tmp_path: Path):
        keep = writer(tmp_path)
        urls = [f"http://{host}.example/{n}" for n in range(9) for host in "cab"]
        for url in urls:
            keep.write(Request(url), response(url, status=404))
        keep.close()
        lines = next(tmp_path.glob("*.cdxj")).read_text().splitlines()
        assert lines == sorted(lines)
        entries = [json.loads(line.split(" ", 2)[2]) for line in lines]
        assert sorted(entry["url"] for entry in entries) == sorted(urls)
        assert {(entry["status"], entry["mime"]) for entry in entries} == {("404", "text/html")}

    def test_the_answer_unchanged_is_a_revisit_of_the_page(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ):
        url, later = "http://a.example/", NOW.replace(month=6)
        for answer in (response(url, b"<p>page"), replace(response(url, b"", 304), fetched_at=later)):
            keep = writer(tmp_path)
            keep.write(Request(url, {"If-None-Match": '"1"'}), answer)
            keep.close()
        (warc,) = warcs(tmp_path)
        checked_by_warcio(warc, capsys)
        with warc.open("rb") as file:
            revisits = [r.rec_headers for r in ArchiveIterator(file) if r.rec_type == "revisit"]
        assert [r.get_header("WARC-Profile").rpartition("/")[2] for r in revisits] == ["server-not-modified"]
        index = next(tmp_path.glob("*.cdxj")).read_text()
        assert '"mime": "warc/revisit", "status": "304"' in index, "also when the file was gone on with"
        with RecordedWeb(tmp_path) as web:
            again = web.lookup(url)
        assert isinstance(again, Response)
        assert (again.status, again.body, again.fetched_at) == (200, b"<p>page", later.replace(microsecond=0))

    def test_a_full_file_is_followed_by_a_new_one(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
        keep = writer(tmp_path, max_file_bytes=3000)
        for n in range(40):
            keep.write(Request(f"http://a.example/{n}"), response(f"http://a.example/{n}", os.urandom(200)))
        keep.close()
        assert len(warcs(tmp_path)) > 3
        assert len(list(tmp_path.glob("*.cdxj"))) == len(warcs(tmp_path))
        for warc in warcs(tmp_path):
            checked_by_warcio(warc, capsys)
        with RecordedWeb(tmp_path) as web:
            assert len(web) == 40
            assert not web.faults


class TestRoundTrip:
    @settings(max_examples=80)
    @given(
        body=st.binary(max_size=2000),
        status=st.integers(200, 599).filter(lambda status: status != 304),
        headers=st.dictionaries(
            st.sampled_from(["server", "location", "x-robots-tag", "link", "content-language"]),
            st.text(st.characters(exclude_categories=["C"]), max_size=40).map(str.strip),
        ),
        address=st.sampled_from(["", "192.0.2.7", "2001:db8::1"]),
        truncated=st.booleans(),
        rendered=st.booleans(),
    )
    def test_a_record_answers_as_the_web_did(
        self,
        tmp_path_factory: pytest.TempPathFactory,
        body: bytes,
        status: int,
        headers: dict[str, str],
        address: str,
        truncated: bool,
        rendered: bool,
    ):
        folder = tmp_path_factory.mktemp("warc")
        sent = Response(
            "http://a.example/", status, headers, body, NOW, 0.5, len(body), truncated, address, rendered
        )
        keep = writer(folder)
        keep.write(Request(sent.url), sent)
        keep.close()
        with RecordedWeb(folder) as web:
            got = web.lookup(sent.url)
        assert isinstance(got, Response)
        assert {name: got.headers[name] for name in headers} == headers
        assert (got.status, got.body, got.fetched_at) == (status, body, NOW)
        assert (got.truncated, got.address, got.rendered) == (truncated, address, rendered)

    def test_codings_that_were_undone_are_not_undone_again(self, tmp_path: Path):
        sent = response(
            "http://a.example/", b"plain text", **{"content-encoding": "gzip", "transfer-encoding": "chunked"}
        )
        keep = writer(tmp_path)
        keep.write(Request(sent.url), sent)
        keep.close()
        with RecordedWeb(tmp_path) as web:
            got = web.lookup(sent.url)
        assert isinstance(got, Response)
        assert (got.body, got.truncated) == (b"plain text", False)
        assert got.headers["x-archive-orig-content-encoding"] == "gzip"

    def test_line_ends_in_a_header_cannot_forge_another(self, tmp_path: Path):
        keep = writer(tmp_path)
        keep.write(Request("http://a.example/"), response("http://a.example/", server="x\r\nset-cookie: y"))
        keep.close()
        with RecordedWeb(tmp_path) as web:
            got = web.lookup("http://a.example/")
        assert isinstance(got, Response)
        assert "set-cookie" not in got.headers


class Scripted:
    """A Web with two pages."""

    closed = False

    async def fetch(self, request: Request) -> Response | Failure:
        if request.url.endswith("/gone"):
            return Failure(request.url, Reason.CONNECTION)
        return response(request.url)

    async def close(self) -> None:
        self.closed = True


class TestRecordingWeb:
    async def test_answers_pass_through_and_are_kept_failures_are_not(self, tmp_path: Path):
        inner = Scripted()
        web = RecordingWeb(inner, writer(tmp_path))
        urls = ["http://a.example/robots.txt", "http://a.example/", "http://a.example/gone"]
        answers = [await web.fetch(Request(url)) for url in urls]
        await web.close()
        assert [type(answer) for answer in answers] == [Response, Response, Failure]
        assert inner.closed
        with RecordedWeb(tmp_path) as again:
            assert list(again.urls()) == urls[:2]


class TestCrash:
    def fill(self, folder: Path, first: int, count: int) -> None:
        keep = writer(folder)
        for n in range(first, first + count):
            keep.write(Request(f"http://a.example/{n}"), response(f"http://a.example/{n}"))
        keep.close()

    @pytest.mark.parametrize("lost_bytes", [1, 7, 8, 9, 100, 500])
    def test_a_torn_last_record_is_cut_off_before_more_is_written(
        self, tmp_path: Path, lost_bytes: int, capsys: pytest.CaptureFixture[str]
    ):
        self.fill(tmp_path, 0, 5)
        torn = warcs(tmp_path)[0]
        torn.write_bytes(torn.read_bytes()[:-lost_bytes])
        for index in tmp_path.glob("*.cdxj"):
            index.unlink()
        self.fill(tmp_path, 5, 5)
        assert warcs(tmp_path) == [torn]
        checked_by_warcio(torn, capsys)
        with RecordedWeb(tmp_path) as web:
            assert {f"http://a.example/{n}" for n in (0, 1, 2, 3, 5, 6, 7, 8, 9)} <= set(web.urls())
            assert not web.faults

    def test_the_last_file_is_gone_on_with_though_the_clock_was_set_back_before_it(self, tmp_path: Path):
        files = []
        for now, answers in ((NOW, 3), (NOW.replace(year=2001), 1), (NOW.replace(year=2030), 1)):
            keep = writer(tmp_path, max_file_bytes=2500, now=lambda now=now: now)
            for n in range(answers):
                keep.write(
                    Request(f"http://a.example/{n}"), response(f"http://a.example/{n}", os.urandom(300))
                )
            keep.close()
            files.append(len(warcs(tmp_path)))
        assert files == [1, 2, 2], "the first is full, and the second was begun after it"

    def test_a_file_with_damage_inside_is_left_alone(self, tmp_path: Path):
        self.fill(tmp_path, 0, 9)
        damaged = warcs(tmp_path)[0]
        content = bytearray(damaged.read_bytes())
        content[len(content) // 2] ^= 0xFF
        damaged.write_bytes(content)
        self.fill(tmp_path, 9, 2)
        assert damaged.read_bytes() == content
        assert len(warcs(tmp_path)) == 2

    def test_a_killed_writer_loses_at_most_the_record_in_hand(self, tmp_path: Path):
        gate, told = multiprocessing.Pipe()
        process = multiprocessing.get_context("fork").Process(target=_write_for_ever, args=(tmp_path, told))
        process.start()
        told.close()
        written = 0
        while written < 300:
            written = gate.recv()
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        while gate.poll():
            try:
                written = gate.recv()
            except EOFError:
                break
        self.fill(tmp_path, 10**6, 1)
        with RecordedWeb(tmp_path) as web:
            assert all(f"http://a.example/{n}" in web for n in range(written))
            assert "http://a.example/1000000" in web
            assert not web.faults


def _write_for_ever(folder: Path, told: multiprocessing.connection.Connection) -> None:
    keep = writer(folder)
    for n in itertools.count():
        keep.write(Request(f"http://a.example/{n}"), response(f"http://a.example/{n}"))
        told.send(n + 1)


class TestOneClearLine:
    def test_when_another_crawl_writes_there(self, tmp_path: Path):
        first = writer(tmp_path)
        with pytest.raises(BizcrawlError, match="another crawl is writing"):
            writer(tmp_path)
        first.close()

    def test_when_the_folder_cannot_be_made(self, tmp_path: Path):
        (tmp_path / "file").write_text("")
        with pytest.raises(BizcrawlError, match="cannot be written"):
            writer(tmp_path / "file" / "folder")

    def test_when_the_disk_is_full_and_nothing_half_written_stays(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        keep = writer(tmp_path)
        keep.write(Request("http://a.example/"), response("http://a.example/"))
        sound = warcs(tmp_path)[0].stat().st_size
        file = keep._file

        class Full(io.RawIOBase):
            def write(self, data: bytes) -> int:  # type: ignore[override]
                return os.write(raw.fileno(), data[:10])

            def truncate(self, size: int | None = None) -> int:
                return raw.truncate(size)

        raw = file._file
        monkeypatch.setattr(file, "_file", Full())
        with pytest.raises(BizcrawlError, match="no space left"):
            keep.write(Request("http://a.example/2"), response("http://a.example/2"))
        assert warcs(tmp_path)[0].stat().st_size == sound
        raw.close()

    def test_when_there_is_no_room_for_the_index_and_the_records_are_read_without_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        keep = writer(tmp_path)
        keep.write(Request("http://a.example/"), response("http://a.example/"))

        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(Path, "replace", full)
        with pytest.raises(BizcrawlError, match="cdxj: cannot be written: No space left"):
            keep.close()
        monkeypatch.undo()
        assert [file.suffix for file in tmp_path.iterdir()] == [".gz"]
        with RecordedWeb(tmp_path, cache=tmp_path / "cache") as web:
            assert "http://a.example/" in web
        writer(tmp_path).close()  # nothing holds the file any more

    def test_when_there_is_no_room_for_the_next_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        keep = writer(tmp_path, max_file_bytes=1)

        def full(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(Path, "open", full)
        with pytest.raises(BizcrawlError, match="cannot be written: No space left"):
            keep.write(Request("http://a.example/"), response("http://a.example/"))
        monkeypatch.undo()
        keep.close()


@pytest.mark.parametrize("policy_bytes", [0, 40_000])
def test_a_head_as_long_as_live_servers_may_send_is_read_from_the_record_but_for_its_longest_fields(
    tmp_path: Path, policy_bytes: int
):
    fields = {f"x-{n}": "y" * 500 for n in range(100 if not policy_bytes else 20)}
    told = {"content-security-policy": "p" * policy_bytes, **fields, "x-robots-tag": "nofollow"}
    page = response("http://a.example/", b"<p>hello" * 1_000, **told)
    other = response("http://a.example/other")
    record = writer(tmp_path / "kept")
    record.write(Request(page.url), page)
    record.close()
    record = writer(tmp_path / "kept")  # which indexes anew what is there
    record.write(Request(other.url), other)
    record.close()
    with RecordedWeb(tmp_path / "kept", cache=tmp_path / "cache") as web:
        read = web.lookup(page.url)
        assert isinstance(web.lookup(other.url), Response)
    assert isinstance(read, Response)
    assert (read.status, read.body, read.truncated) == (200, page.body, False)
    assert read.headers["content-type"] == "text/html"
    assert read.headers["x-robots-tag"] == "nofollow"
    assert not web.faults


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.Example.com/Path?b=2&a=1", "com,example)/path?a=1&b=2"),
        ("https://example.com:8080/", "com,example:8080)/"),
        ("http://192.0.2.1/x", "192.0.2.1)/x"),
        ("http://[2001:db8::1]/", "[2001:db8::1])/"),
        ("no url", "no url"),
    ],
)
def test_sort_keys_turn_the_host_round(url: str, key: str):
    assert surt_key(url) == key
