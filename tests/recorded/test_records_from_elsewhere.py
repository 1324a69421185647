"""Recorded webs as people have them: packed by other programs, with other line ends, in many files, cut."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import resource
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from processor_time import within_cpu_s
from recording import Page, warc_bytes, write_warc

from bizcrawl.web.recorded import RecordedWeb
from bizcrawl.web.warc_parts import NotAWarcError
from bizcrawl.web.warc_scan import Fault

PAGES = [Page(f"http://a.example/{n}", b"<p>page %d" % n) for n in range(30)]
EVERYTHING = {page.url: page.body for page in PAGES}
FILEDESC = b"filedesc://x 0.0.0.0 19970101000000 text/plain 5\n1 0 X\n\n"


def read(path: Path) -> tuple[dict[str, bytes], RecordedWeb]:
    with RecordedWeb(path, cache=path.parent / "cache") as web:
        return {answer.url: answer.body for answer in web.iterate()}, web


def refusal(path: Path) -> str:
    with pytest.raises(NotAWarcError) as refused:
        read(path)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def arc_records(line_end: bytes = b"\n") -> list[bytes]:
    contents = [b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + page.body for page in PAGES]
    return [FILEDESC.replace(b"\n", line_end)] + [
        b"%b 10.1.2.3 19970102030405 text/html %d%b%b%b"
        % (page.url.encode(), len(content), line_end, content, line_end)
        for page, content in zip(PAGES, contents, strict=True)
    ]


class TestPackings:
    @pytest.mark.parametrize(
        ("packed", "unpack"),
        [
            (bz2.compress(b"WARC/1.0\r\n"), "bunzip2"),
            (lzma.compress(b"WARC/1.0\r\n"), "unxz"),
            (b"\x28\xb5\x2f\xfd\x24", "unzstd"),
            (b"\x5d\x2a\x4d\x18\x10", "unzstd"),  # with the dictionary that most .warc.zst begin with
            (b"\x04\x22\x4d\x18\x64", "unlz4"),
        ],
    )
    def test_what_is_packed_otherwise_than_with_gzip_is_to_be_unpacked(
        self, tmp_path: Path, packed: bytes, unpack: str
    ) -> None:
        """Records packed with zstd were indexed, and then no page of them could be read."""
        (tmp_path / "web.warc.zst").write_bytes(packed)
        assert unpack in refusal(tmp_path / "web.warc.zst")

    def test_an_arc_that_is_compressed_as_a_whole_is_to_be_unpacked(self, tmp_path: Path) -> None:
        (tmp_path / "old.arc.gz").write_bytes(gzip.compress(b"".join(arc_records())))
        assert "gunzip" in refusal(tmp_path / "old.arc.gz")

    def test_a_pipe_is_to_be_saved(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "web.warc")
        assert "save it first" in refusal(tmp_path / "web.warc")


class TestLineEnds:
    @pytest.mark.parametrize("is_gzip", [True, False])
    def test_a_warc_whose_lines_end_with_lf_alone_is_read(self, tmp_path: Path, is_gzip: bool) -> None:
        records = [
            b"WARC/1.0\nWARC-Type: response\nWARC-Target-URI: %b\nWARC-Date: 2020-01-01T00:00:00Z\n"
            b"Content-Type: application/http\nContent-Length: %d\n\n%b\n\n"
            % (page.url.encode(), len(http), http)
            for page in PAGES
            for http in [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page.body]
        ]
        (tmp_path / "web.warc").write_bytes(b"".join(map(gzip.compress, records) if is_gzip else records))
        pages, web = read(tmp_path / "web.warc")
        assert (pages, web.faults) == (EVERYTHING, {})
        if not is_gzip:  # bytes that are missing lose the pages there only, as where lines end with CRLF
            whole = b"".join(records)
            middle = whole.index(b"page 15")
            (tmp_path / "cut.warc").write_bytes(whole[:middle] + whole[middle + 40 :])
            pages, web = read(tmp_path / "cut.warc")
            assert len(PAGES) - 3 <= len(pages) < len(PAGES)
            assert all(EVERYTHING[url] == body for url, body in pages.items())
            assert web.faults[Fault.DAMAGED] == 1

    def test_an_arc_whose_lines_end_with_crlf_is_read(self, tmp_path: Path) -> None:
        (tmp_path / "old.arc").write_bytes(b"".join(arc_records(b"\r\n")))
        assert read(tmp_path / "old.arc")[0] == EVERYTHING


class TestDamagedArcs:
    @pytest.mark.parametrize("is_gzip", [True, False])
    def test_bytes_missing_in_the_middle_lose_the_pages_there_only(
        self, tmp_path: Path, is_gzip: bool
    ) -> None:
        whole = b"".join(map(gzip.compress, arc_records()) if is_gzip else arc_records())
        middle = len(whole) // 2
        (tmp_path / "old.arc").write_bytes(whole[:middle] + whole[middle + 40 :])
        pages, web = read(tmp_path / "old.arc")
        assert len(PAGES) - 2 <= len(pages) < len(PAGES)
        assert all(EVERYTHING[url] == body for url, body in pages.items())
        assert web.faults == {Fault.DAMAGED: 1}

    @pytest.mark.parametrize("is_gzip", [True, False])
    def test_foreign_bytes_between_records_are_skipped(self, tmp_path: Path, is_gzip: bool) -> None:
        records = list(map(gzip.compress, arc_records())) if is_gzip else arc_records()
        (tmp_path / "old.arc").write_bytes(b"".join([*records[:9], b"\0" * 500, *records[9:]]))
        pages, web = read(tmp_path / "old.arc")
        if is_gzip:
            assert pages == EVERYTHING
        else:  # the line that follows them stands on no line of its own
            assert pages == {url: body for url, body in EVERYTHING.items() if url != PAGES[8].url}
        assert web.faults == {Fault.DAMAGED: 1}

    def test_an_address_with_a_blank_is_one(self, tmp_path: Path) -> None:
        record = arc_records()[1].replace(b"http://a.example/0", b"http://a.example/a b")
        (tmp_path / "old.arc").write_bytes(FILEDESC + record)
        with RecordedWeb(tmp_path / "old.arc", cache=tmp_path / "cache") as web:
            assert list(web.urls()) == ["http://a.example/a b"]
            assert "http://a.example/a%20b" in web

    def test_the_rest_of_a_file_is_not_read_for_each_of_many_damaged_members(self, tmp_path: Path) -> None:
        liar = gzip.compress(arc_records()[1])[:-8]  # goes on into the next one, and is damaged there
        (tmp_path / "old.arc.gz").write_bytes(gzip.compress(FILEDESC) + liar * 100)
        assert "not a WARC" in refusal(tmp_path / "old.arc.gz")


def bundle(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    with zipfile.ZipFile(path, "w", method) as wacz:
        for name, content in members.items():
            wacz.writestr(name, content)
    return path.read_bytes()


class TestBundles:
    def test_names_in_capitals_are_names(self, tmp_path: Path) -> None:
        bundle(tmp_path / "WEB.WACZ", {"ARCHIVE/WEB.WARC.GZ": warc_bytes(PAGES)})
        assert read(tmp_path / "WEB.WACZ")[0] == EVERYTHING
        (tmp_path / "kept").mkdir()
        write_warc(tmp_path / "kept" / "WEB.WARC", PAGES)
        assert read(tmp_path / "kept")[0] == EVERYTHING

    def test_one_that_was_cut_short_is_called_so(self, tmp_path: Path) -> None:
        whole = bundle(tmp_path / "web.wacz", {"archive/web.warc.gz": warc_bytes(PAGES)})
        (tmp_path / "web.wacz").write_bytes(whole[:-30])
        assert "cut short" in refusal(tmp_path / "web.wacz")

    @pytest.mark.parametrize("offset", [7, 10_000_000, 2**32 - 1])
    def test_a_member_that_is_not_where_it_should_be_is_refused_in_one_line(
        self, tmp_path: Path, offset: int
    ) -> None:
        whole = bytearray(bundle(tmp_path / "web.wacz", {"archive/web.warc.gz": warc_bytes(PAGES)}))
        struct.pack_into("<I", whole, whole.rindex(b"PK\x01\x02") + 42, offset)
        (tmp_path / "web.wacz").write_bytes(whole)
        assert "damaged zip" in refusal(tmp_path / "web.wacz")

    def test_many_entries_for_the_same_bytes_are_refused(self, tmp_path: Path) -> None:
        with zipfile.ZipFile(tmp_path / "web.wacz", "w") as wacz:
            wacz.writestr("archive/0.warc.gz", warc_bytes(PAGES))
            first = wacz.infolist()[0]
            for number in range(1, 1_000):
                entry = zipfile.ZipInfo(f"archive/{number}.warc.gz")
                entry.header_offset, entry.CRC = first.header_offset, first.CRC
                entry.compress_size = entry.file_size = first.file_size
                wacz.filelist.append(entry)
            wacz._didModify = True
        assert "overlap" in refusal(tmp_path / "web.wacz")

    def test_many_entries_for_the_same_index_are_refused(self, tmp_path: Path) -> None:
        """Each was unpacked to a megabyte of lines: a WACZ of a megabyte took gigabytes."""
        with zipfile.ZipFile(tmp_path / "web.wacz", "w", zipfile.ZIP_DEFLATED) as wacz:
            wacz.writestr("archive/0.warc.gz", warc_bytes(PAGES))
            wacz.writestr("indexes/index.cdx", "\n" * 1_000_000)
            wacz.filelist += [wacz.filelist[-1]] * 1_000
        assert "overlap" in refusal(tmp_path / "web.wacz")

    def test_a_member_that_grows_out_of_proportion_is_not_unpacked(self, tmp_path: Path) -> None:
        bundle(tmp_path / "web.wacz", {"archive/web.warc": bytes(50_000_000)}, zipfile.ZIP_DEFLATED)
        assert "out of all proportion" in refusal(tmp_path / "web.wacz")
        assert not list((tmp_path / "cache").rglob("*.warc"))

    def test_nothing_is_left_in_the_cache_of_a_member_that_cannot_be_unpacked(self, tmp_path: Path) -> None:
        whole = bytearray(
            bundle(tmp_path / "web.wacz", {"archive/web.warc": warc_bytes(PAGES)}, zipfile.ZIP_DEFLATED)
        )
        whole[60:100] = b"\xff" * 40
        (tmp_path / "web.wacz").write_bytes(whole)
        assert "damaged zip" in refusal(tmp_path / "web.wacz")
        assert not list((tmp_path / "cache").iterdir())

    @pytest.mark.parametrize("number", ["Infinity", "1e999", "-1e999"])
    def test_a_line_with_an_endless_number_is_a_wrong_one(self, tmp_path: Path, number: str) -> None:
        warc = write_warc(tmp_path / "web.warc.gz", PAGES)
        fields = '"url": "http://a.example/0", "filename": "web.warc.gz", "length": 9'
        (tmp_path / "web.cdxj").write_text(f'- 20240513060000 {{{fields}, "offset": {number}}}\n')
        pages, web = read(warc)
        assert (pages, web.faults) == (EVERYTHING, {Fault.WRONG_INDEX: 1})


class TestFolders:
    def test_a_folder_within_that_is_called_like_a_file_is_passed_over(self, tmp_path: Path) -> None:
        (tmp_path / "kept" / "crawl.warc").mkdir(parents=True)
        write_warc(tmp_path / "kept" / "web.warc.gz", PAGES)
        assert read(tmp_path / "kept")[0] == EVERYTHING

    def test_more_files_than_a_process_may_open_are_read(self, tmp_path: Path) -> None:
        (tmp_path / "kept").mkdir()
        for number in range(300):
            (tmp_path / "kept" / f"{number}.warc").write_bytes(
                warc_bytes([Page(f"http://a.example/{number}")], gzip=False)
            )
        usual = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (280, usual[1]))
        try:
            pages, _ = read(tmp_path / "kept")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, usual)
        assert len(pages) == 300

    def test_a_kept_index_of_which_a_disk_lost_some_is_made_anew(self, tmp_path: Path) -> None:
        warc = write_warc(tmp_path / "web.warc.gz", PAGES)
        read(warc)
        (kept,) = (tmp_path / "cache").iterdir()
        for lost in (b"", b"!{", kept.read_bytes()[:-40], b"\0" * 500):
            kept.write_bytes(lost)
            assert read(warc)[0] == EVERYTHING


SECONDS_OF_HALF_A_MEGABYTE = 2.0


@pytest.mark.parametrize(
    "content",
    [
        lambda: b"WARC/1.0\r\n" * 50_000,  # 1 s for each 100 kB once
        lambda: b"".join(b"WARC/1.0\r\nX: %d\r\n" % i for i in range(25_000)),
        lambda: warc_bytes(PAGES[:1], gzip=False) + b"WARC/1.0\r\n\r\nWARC/1.0\r\n" * 20_000,
        lambda: b"\x1f\x8b\x08\0\0\0\0\0\0\x03" * 50_000,
        lambda: FILEDESC + b"http://a.example/ 1.1.1.1 1997 t 0\n" * 15_000,
        lambda: FILEDESC + b"http://a.example/ 1.1.1.1 1997 t 9999999\n" * 12_000,
        lambda: gzip.compress(FILEDESC) + b"\x1f\x8b\x08\0\0\0\0\0\0\x03" * 50_000,
    ],
    ids=["heads", "fields", "empty", "members", "arc", "arc that lies", "arc members"],
)
def test_places_where_a_record_only_seems_to_begin_take_no_time(
    tmp_path: Path, content: Callable[[], bytes]
) -> None:
    (tmp_path / "web.warc").write_bytes(content())
    (tmp_path / "cache").write_text("a file, so that nothing is kept from one try to the next")

    def work() -> None:
        with contextlib.suppress(NotAWarcError):
            RecordedWeb(tmp_path / "web.warc", cache=tmp_path / "cache").shut()

    within_cpu_s(SECONDS_OF_HALF_A_MEGABYTE, work)
