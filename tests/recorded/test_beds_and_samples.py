"""On the beds and on other people's archives, RecordedWeb reads what warcio reads."""

from __future__ import annotations

import random
import tarfile
import time
from pathlib import Path

import pytest
from recording import SHARED
from warcio.archiveiterator import ArchiveIterator

from bizcrawl.reasons import Reason
from bizcrawl.web import Failure, Response
from bizcrawl.web.recorded import RecordedWeb

BEDS = SHARED / "beds"
SAMPLES = SHARED / "corpora" / "warc_samples.tar"
needs_beds = pytest.mark.skipif(not BEDS.is_dir(), reason=f"no recorded beds at {BEDS}")
needs_samples = pytest.mark.skipif(not SAMPLES.is_file(), reason=f"no WARC samples at {SAMPLES}")


def by_warcio(warc: Path, wanted: set[str] | None = None) -> dict[str, tuple[str, bytes]]:
    """Status and decoded body of every response, latest capture last, by warcio."""
    found: dict[str, tuple[str, bytes]] = {}
    with warc.open("rb") as file:
        for record in ArchiveIterator(file, arc2warc=True):
            url = record.rec_headers.get_header("WARC-Target-URI") or ""
            if record.rec_type != "response" or not url.startswith("http") or (wanted and url not in wanted):
                continue
            found[url] = (record.http_headers.get_statuscode(), record.content_stream().read())
    return found


@needs_beds
@pytest.mark.parametrize("bed", ["webkb", "bizweb"])
def test_a_sample_of_a_bed_reads_as_warcio_reads_it(bed: str):
    with RecordedWeb(BEDS / bed / "web.warc.gz") as web:
        wanted = set(random.Random(4).sample(list(web.urls()), 1500))
        theirs = by_warcio(BEDS / bed / "web.warc.gz", wanted)
        assert theirs.keys() == wanted
        for url, (status, body) in theirs.items():
            ours = web.lookup(url)
            assert isinstance(ours, Response)
            assert (str(ours.status), ours.body) == (status, body), url
        assert not web.faults


@needs_beds
def test_hosts_and_schemes_of_bizweb_stay_apart():
    with RecordedWeb(BEDS / "bizweb" / "web.warc.gz") as web:
        bare = web.lookup("http://01communiquelaboratory.example/")
        secure = web.lookup("https://www.01communiquelaboratory.example/")
        assert isinstance(bare, Response)
        assert isinstance(secure, Response)
        assert (bare.status, secure.status) == (301, 200)
        missing = web.lookup("https://01communiquelaboratory.example/nowhere")
        assert missing == Failure("https://01communiquelaboratory.example/nowhere", Reason.NOT_RECORDED)


@needs_beds
def test_a_bed_opens_in_a_second_and_answers_thousands_of_lookups_a_second():
    opening_s, a_lookup_s = [], []
    for _ in range(2):  # a second try for a machine that was busy
        began = time.process_time()
        with RecordedWeb(BEDS / "bizweb" / "web.warc.gz", page_cap_bytes=10_000) as web:
            opened = time.process_time()
            urls = random.Random(4).sample(list(web.urls()), 3000)
            for url in urls:
                web.lookup(url)
            answered = time.process_time()
        opening_s.append(opened - began)
        a_lookup_s.append((answered - opened) / len(urls))
    assert min(opening_s) < 1.0
    assert min(a_lookup_s) < 1 / 2000


@needs_samples
@pytest.mark.parametrize(
    "name",
    [
        "example.warc.gz",
        "example.arc.gz",
        "example.pdf.warc.gz",
        "example.docs.warc.gz",
        "issue-493.warc",
        "issue-514.warc",
    ],
)
def test_other_peoples_archives_read_as_warcio_reads_them(tmp_path: Path, name: str):
    with tarfile.open(SAMPLES) as samples:
        samples.extract(f"warc/{name}", tmp_path, filter="data")
    warc = tmp_path / "warc" / name
    theirs = by_warcio(warc)
    with RecordedWeb(warc, cache=tmp_path / "cache") as web:
        assert set(web.urls()) >= theirs.keys()
        for url, (status, body) in theirs.items():
            ours = web.lookup(url)
            assert isinstance(ours, Response), url
            assert (str(ours.status), ours.body) == (status, body), url
        assert not web.faults
