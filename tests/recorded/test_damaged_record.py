"""What is left of a damaged record is used, and what is lost is counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recording import Page, warc_bytes

from bizcrawl.errors import BizcrawlError
from bizcrawl.web.recorded import RecordedWeb
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
