"""The CDXJ beside a WARC is used where it fits the file and nowhere else."""

from __future__ import annotations

import gzip
import io
import json
import os
import tracemalloc
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from recording import Page, write_warc
from warcio.archiveiterator import ArchiveIterator

from bizcrawl.web import Response
from bizcrawl.web.recorded import RecordedWeb
from bizcrawl.web.warc_parts import NotAWarcError
from bizcrawl.web.warc_scan import Fault

PAGES = [Page(f"http://a.example/{n}", f"page {n}".encode()) for n in range(20)]


def cdxj(warc: Path) -> list[str]:
    """A CDXJ by warcio's view of the file."""
    lines = []
    with warc.open("rb") as file:
        records = ArchiveIterator(file)
        for record in records:
            url = record.rec_headers.get_header("WARC-Target-URI")
            if record.rec_type != "response":
                continue
            record.content_stream().read()
            fields = {
                "url": url,
                "mime": "text/html",
                "status": "200",
                "digest": record.rec_headers.get_header("WARC-Payload-Digest"),
                "offset": str(records.get_record_offset()),
                "length": str(records.get_record_length()),
                "filename": warc.name,
            }
            lines.append(f"example,a)/{url} 20240513060000 {json.dumps(fields)}\n")
    return lines


def read(path: Path) -> tuple[dict[str, bytes], RecordedWeb]:
    with RecordedWeb(path, cache=path.parent / "cache") as web:
        return {answer.url: answer.body for answer in web.iterate()}, web


EVERYTHING = {page.url: page.body for page in PAGES}


def recorded(tmp_path: Path, lines: Sequence[str], pages: Sequence[Page] = PAGES) -> Path:
    warc = write_warc(tmp_path / "web.warc.gz", pages)
    (tmp_path / "web.cdxj").write_text("".join(lines))
    return warc


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    return cdxj(write_warc(tmp_path / "web.warc.gz", PAGES))


def test_a_fitting_cdxj_spares_the_pass(tmp_path: Path, lines: list[str]):
    pages, web = read(recorded(tmp_path, ["!meta {}\n", *sorted(lines)]))
    assert pages == EVERYTHING
    assert not web.faults
    assert not (tmp_path / "cache").exists()


def test_records_after_the_last_indexed_one_are_found(tmp_path: Path, lines: list[str]):
    pages, web = read(recorded(tmp_path, lines[:12]))
    assert pages == EVERYTHING
    assert not web.faults


def test_lines_that_are_no_cdxj_are_counted(tmp_path: Path, lines: list[str]):
    broken = [*lines, "example)/ 20240513060000 {not json\n", "short\n", 'x 2024 {"url": 1}\n', "x 2024 []\n"]
    pages, web = read(recorded(tmp_path, broken))
    assert pages == EVERYTHING
    assert web.faults == {Fault.WRONG_INDEX: 4}


def test_pages_of_lines_that_cannot_be_read_are_found_all_the_same(tmp_path: Path, lines: list[str]):
    pages, web = read(recorded(tmp_path, [*lines[:7], lines[7][:40] + "\n", *lines[9:]]))
    assert pages == EVERYTHING
    assert web.faults == {Fault.WRONG_INDEX: 1}


SPOILED = [
    {"offset": "-5"},
    {"length": "-7"},
    {"length": "0"},
    {"length": "10"},
    {"offset": None},
    {"url": 5},
    {"url": None},
    {"digest": [1]},
    {"digest": None},
    {"filename": 3},
    {"mime": {}},
]


@pytest.mark.parametrize("spoiled", SPOILED, ids=str)
@pytest.mark.parametrize("number", [0, 7])
def test_a_spoiled_line_costs_no_page_and_never_raises(
    tmp_path: Path, lines: list[str], spoiled: dict[str, object], number: int
):
    key, time, fields = lines[number].split(" ", 2)
    lines[number] = f"{key} {time} {json.dumps({**json.loads(fields), **spoiled})}\n"
    assert read(recorded(tmp_path, lines))[0] == EVERYTHING


@pytest.mark.parametrize("nested", ["[" * 100_000, '{"a":' * 100_000])
def test_a_line_nested_without_end_is_a_wrong_one(tmp_path: Path, nested: str):
    pages, web = read(recorded(tmp_path, [f"k 20240513060000 {nested}\n"]))
    assert pages == EVERYTHING
    assert web.faults == {Fault.WRONG_INDEX: 1}


def test_answers_to_forms_are_no_pages(tmp_path: Path, lines: list[str]):
    posted = lines[3].replace('{"url"', '{"method": "POST", "url"')
    pages, web = read(recorded(tmp_path, [*lines[:3], posted, *lines[4:]]))
    assert pages == {url: body for url, body in EVERYTHING.items() if url != "http://a.example/3"}
    assert not web.faults


def test_a_cdxj_of_another_file_is_put_aside(tmp_path: Path, lines: list[str]):
    others = [Page(f"http://b.example/{n}", f"other {n}".encode() * 9) for n in range(20)]
    pages, web = read(recorded(tmp_path, lines, others))
    assert pages == {page.url: page.body for page in others}
    assert web.faults == {Fault.WRONG_INDEX: 1}


def test_a_line_that_points_to_another_page_is_found_out_when_it_is_used(tmp_path: Path, lines: list[str]):
    swapped = [
        *lines[:5],
        lines[5].replace("a.example/5", "a.example/6"),
        lines[6].replace("a.example/6", "a.example/5"),
    ]
    pages, web = read(recorded(tmp_path, [*swapped, *lines[7:]]))
    assert pages == EVERYTHING
    assert web.faults[Fault.WRONG_INDEX] == 1


def test_an_index_is_made_anew_when_the_file_changes(tmp_path: Path):
    warc = write_warc(tmp_path / "web.warc.gz", PAGES[:5])
    assert len(read(warc)[0]) == 5
    write_warc(warc, PAGES[5:])
    os.utime(warc, ns=(1, 1))
    assert read(warc)[0] == {page.url: page.body for page in PAGES[5:]}
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path):
    warc = write_warc(tmp_path / "web.warc.gz", PAGES)
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert read(warc)[0] == EVERYTHING


@pytest.mark.parametrize("with_index", [True, False])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wacz_is_read_where_it_stands(tmp_path: Path, lines: list[str], with_index: bool, method: int):
    first, second = tmp_path / "web.warc.gz", tmp_path / "more.warc.gz"
    write_warc(second, [Page("http://b.example/", b"second member")])
    bundle = tmp_path / "web.wacz"
    with zipfile.ZipFile(bundle, "w") as wacz:
        wacz.writestr("datapackage.json", "{}")
        wacz.write(first, "archive/web.warc.gz", method)
        wacz.write(second, "archive/more.warc.gz", method)
        if with_index:
            wacz.writestr("indexes/index.cdx", "".join(lines), zipfile.ZIP_DEFLATED)
    first.unlink()
    pages, web = read(bundle)
    assert pages == EVERYTHING | {"http://b.example/": b"second member"}
    assert not web.faults


def index_that_bursts() -> bytes:
    return gzip.compress(b"\n" * 50_000_000)


@pytest.mark.parametrize(
    "index",
    [
        b"not gzip",
        gzip.compress(b"x" * 5_000)[:-9],
        gzip.compress(b"x y z\n")[:-8] + b"\0" * 8,
        index_that_bursts(),
    ],
    ids=["no_gzip", "torn", "bad_sum", "bomb"],
)
def test_a_wacz_whose_index_cannot_be_unpacked_is_read_without_it(tmp_path: Path, index: bytes):
    wacz = tmp_path / "web.wacz"
    with zipfile.ZipFile(wacz, "w") as bundle:
        bundle.writestr("archive/web.warc.gz", write_warc(tmp_path / "web.warc.gz", PAGES).read_bytes())
        bundle.writestr("indexes/index.cdx.gz", index)
    tracemalloc.start()
    pages, web = read(wacz)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert pages == EVERYTHING
    assert web.faults == {Fault.WRONG_INDEX: 1}
    assert peak_bytes < 20_000_000


@pytest.mark.parametrize("member", ["archive/web.warc.gz", "indexes/index.cdx"])
def test_a_wacz_with_spoiled_bytes_is_read_or_refused_in_one_line(
    tmp_path: Path, lines: list[str], member: str
):
    wacz = tmp_path / "web.wacz"
    with zipfile.ZipFile(wacz, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.write(tmp_path / "web.warc.gz", "archive/web.warc.gz")
        bundle.writestr("indexes/index.cdx", "".join(lines))
        at = bundle.getinfo(member).header_offset + 60
    spoiled = bytearray(wacz.read_bytes())
    spoiled[at : at + 100] = b"\xff" * 100
    wacz.write_bytes(spoiled)
    if member.startswith("archive"):
        with pytest.raises(NotAWarcError, match=r"web\.wacz: a damaged zip: [^\n]+$"):
            read(wacz)
    else:
        pages, web = read(wacz)
        assert pages == EVERYTHING
        assert web.faults == {Fault.WRONG_INDEX: 1}


def test_a_warc_that_ends_with_a_recorded_zip_is_none_itself(tmp_path: Path):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as inner:
        inner.writestr("archive/x.warc", "not meant")
    zipped = Page("http://a.example/x.zip", held.getvalue(), headers=[("Content-Type", "application/zip")])
    warc = write_warc(tmp_path / "web.warc", [*PAGES, zipped])
    assert read(warc)[0] == EVERYTHING | {zipped.url: zipped.body}


def test_an_arc_is_read_like_a_warc(tmp_path: Path):
    http = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>old page"
    head = b"filedesc://old.arc 0.0.0.0 19970101000000 text/plain 5\n1 0 X\n"
    record = b"http://old.example/ 10.1.2.3 19970102030405 text/html %d\n%b\n" % (len(http), http)
    dns = b"dns:old.example 10.1.2.3 19970102030405 text/dns 3\nabc\n"
    (tmp_path / "old.arc").write_bytes(
        head + dns + record + b"http://torn.example/ 1.1.1.1 1997 text/html 99\nHTTP"
    )
    with RecordedWeb(tmp_path / "old.arc", cache=tmp_path / "cache") as web:
        answer = web.lookup("http://old.example/")
        assert isinstance(answer, Response)
        assert (answer.status, answer.body, answer.address) == (200, b"<p>old page", "10.1.2.3")
        assert answer.fetched_at.isoformat() == "1997-01-02T03:04:05+00:00"
        assert web.faults == {Fault.TORN_RECORD: 1}
