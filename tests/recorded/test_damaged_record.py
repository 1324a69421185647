"""What is left of a damaged record is used, and what is lost is counted."""

from __future__ import annotations

import gzip
import re
import tracemalloc
import zlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recording import Page, warc_bytes

from bizcrawl.errors import BizcrawlError
from bizcrawl.web import Response
from bizcrawl.web.recorded import RecordedWeb
from bizcrawl.web.recorded_response import MAX_RECORD_BYTES
from bizcrawl.web.warc_scan import Fault

PAGES = [
    Page(f"http://a.example/{n}", (f"<p>page {n} " + "text " * (n % 7) * 40).encode()) for n in range(30)
]


@pytest.fixture(params=[True, False], ids=["gzip", "plain"])
def packed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def read(content: bytes, folder: Path, packed: bool) -> tuple[dict[str, bytes], RecordedWeb]:
    file = folder / ("torn.warc.gz" if packed else "torn.warc")
    file.write_bytes(content)
    with RecordedWeb(file, cache=folder / "cache") as web:
        return {answer.url: answer.body for answer in web.iterate()}, web


def test_a_record_torn_at_its_end_loses_its_last_page_only(tmp_path: Path, packed: bool):
    whole = warc_bytes(PAGES, gzip=packed)
    pages, web = read(whole[:-60], tmp_path, packed)
    assert pages == {page.url: page.body for page in PAGES[:-1]}
    assert web.faults == {Fault.TORN_RECORD: 1}


def test_bytes_missing_in_the_middle_lose_the_pages_there_only(tmp_path: Path, packed: bool):
    whole = warc_bytes(PAGES, gzip=packed)
    middle = len(whole) // 2
    pages, web = read(whole[:middle] + whole[middle + 40 :], tmp_path, packed)
    assert len(PAGES) - 3 <= len(pages) < len(PAGES)
    assert all(pages[url] == page.body for page in PAGES if (url := page.url) in pages)
    assert web.faults[Fault.DAMAGED] == 1


def test_foreign_bytes_between_records_are_skipped(tmp_path: Path, packed: bool):
    ends = [len(warc_bytes(PAGES[:n], gzip=False)) for n in range(len(PAGES) + 1)]
    if packed:
        content = warc_bytes(PAGES[:10]) + b"\0" * 500 + warc_bytes(PAGES[10:])
    else:
        whole = warc_bytes(PAGES, gzip=False)
        content = whole[: ends[10]] + b"\0" * 500 + whole[ends[10] :]
    pages, web = read(content, tmp_path, packed)
    assert set(pages) == {page.url for page in PAGES}
    assert web.faults == {Fault.DAMAGED: 1}


def longer_than_its_file(page: Page, packed: bool) -> bytes:
    """The record of a page, which says to be longer than the rest of any file here."""
    plain = warc_bytes([page], gzip=False)
    record = plain[plain.index(b"WARC/1", 1) :]
    record = re.sub(rb"Content-Length: \d+", b"Content-Length: 10000000", record, count=1)
    return gzip.compress(record) if packed else record


def test_a_record_that_says_to_be_longer_than_the_file_loses_its_own_page_only(tmp_path: Path, packed: bool):
    before, after = warc_bytes(PAGES[:10], gzip=packed), warc_bytes(PAGES[11:], gzip=packed)
    pages, web = read(before + longer_than_its_file(PAGES[10], packed) + after, tmp_path, packed)
    assert set(pages) == {page.url for page in PAGES} - {PAGES[10].url}
    assert web.faults == {Fault.TORN_RECORD: 1}


def test_the_rest_of_a_file_is_not_read_again_for_each_of_many_such_records(tmp_path: Path, packed: bool):
    liars = [longer_than_its_file(page, packed) for page in PAGES] * 10
    pages, web = read(warc_bytes(PAGES, gzip=packed) + b"".join(liars), tmp_path, packed)
    assert set(pages) == {page.url for page in PAGES}
    assert 1 < web.faults[Fault.TORN_RECORD] <= 20


def test_faults_are_remembered_with_the_kept_index(tmp_path: Path):
    content = warc_bytes(PAGES)[:-60]
    first, web = read(content, tmp_path, packed=True)
    assert list((tmp_path / "cache").glob("*.cdxj"))
    file = tmp_path / "torn.warc.gz"
    with RecordedWeb(file, cache=tmp_path / "cache") as again:
        assert {answer.url: answer.body for answer in again.iterate()} == first
        assert again.faults == web.faults


@settings(max_examples=60)
@given(data=st.data(), packed=st.booleans())
def test_any_flip_or_cut_ends_in_pages_or_in_one_clear_line(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, packed: bool
):
    content = bytearray(warc_bytes(PAGES[:6], gzip=packed))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    try:
        pages, _ = read(bytes(content[:cut]), tmp_path_factory.mktemp("flip"), packed)
    except BizcrawlError as error:
        line = str(error)
    else:
        line = f"{len(pages)} pages"
        assert len(pages) <= 6
    assert "\n" not in line


def test_a_record_without_an_http_answer_is_a_failure_of_its_own(tmp_path: Path):
    content = warc_bytes(PAGES[:3], gzip=False).replace(b"HTTP/1.1 200 OK", b"XTTP/1.1 200 OK", 1)
    pages, web = read(content, tmp_path, packed=False)
    assert list(pages) == [page.url for page in PAGES[1:3]]
    assert web.faults == {Fault.UNREADABLE_RECORD: 1}


@pytest.mark.parametrize(
    ("date", "year"),
    [
        ("9999-12-31T23:59:59-12:00", 1970),
        ("0001-01-01T00:00:00+14:00", 1970),
        ("1999-12-31T23:00:00-02:00", 2000),
    ],
)
def test_a_record_is_of_a_time_that_there_is_in_utc(tmp_path: Path, date: str, year: int):
    """At one that there is not, a crawl ended in a traceback when it stored the page."""
    content = warc_bytes([Page("http://a.example/", date=date)])
    (tmp_path / "web.warc.gz").write_bytes(content)
    with RecordedWeb(tmp_path / "web.warc.gz", cache=tmp_path) as web:
        page = web.lookup("http://a.example/")
    assert isinstance(page, Response)
    assert page.fetched_at.utcoffset() == timedelta(0)
    assert page.fetched_at.year == year


def bomb(folder: Path) -> Path:
    """An ARC with a record of some kilobytes that becomes 256 MB."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    line = b"http://a.example/ 10.1.2.3 19970102030405 text/html %d\n" % (len(http) + (256 << 20))
    pieces = [packer.compress(piece) for piece in (line, http, *[bytes(1 << 20)] * 256)]
    file = folder / "bomb.arc.gz"
    file.write_bytes(gzip.compress(b"filedesc://x 0.0.0.0 19970101000000 text/plain 0\n") + b"".join(pieces))
    with file.open("ab") as more:
        more.write(packer.flush())
    return file


def film(folder: Path) -> Path:
    """A WARC with a record of 400 MB, not compressed."""
    whole = warc_bytes([Page("http://a.example/")], gzip=False)
    http = whole[whole.rindex(b"HTTP/1.1") : -4]
    file = folder / "film.warc"
    length = len(http) + (400 << 20)
    with file.open("wb") as sink:
        sink.write(
            whole.replace(b"Content-Length: %d\r\n" % len(http), b"Content-Length: %d\r\n" % length)[:-4]
        )
        sink.seek(400 << 20, 1)
        sink.write(b"\r\n\r\n")
    return file


@pytest.mark.parametrize("record", [bomb, film])
def test_a_record_of_any_length_is_read_as_far_as_its_page_may_go(
    tmp_path: Path, record: Callable[[Path], Path]
):
    with RecordedWeb(record(tmp_path), 10_000, cache=tmp_path / "cache") as web:
        tracemalloc.start()
        try:
            answer = web.lookup("http://a.example/")
            _, most_bytes = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert isinstance(answer, Response)
    assert answer.truncated
    assert len(answer.body) == 10_000
    assert most_bytes < 5 * MAX_RECORD_BYTES
