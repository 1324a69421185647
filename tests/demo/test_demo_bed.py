"""The demo web written down as a recorded web with topics: a small bed of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from bizcrawl.urls import host_of
from contexts.links import links
from contexts.tidy import tidy
from testbed.demo import build_world, demo_companies, demo_topics
from testbed.demo.bed import Bed, write_bed, write_warc
from testbed.topics import read_topics


@pytest.fixture(scope="module")
def bed(tmp_path_factory: pytest.TempPathFactory) -> Bed:
    return write_bed(tmp_path_factory.mktemp("bed"))


def records(path: Path) -> dict[str, tuple[int, bytes]]:
    with path.open("rb") as file:
        return {
            record.rec_headers.get_header("WARC-Target-URI"): (
                int(record.http_headers.get_statuscode()),
                record.content_stream().read(),
            )
            for record in ArchiveIterator(file, check_digests="raise")
        }


def test_another_reader_finds_every_page_as_it_stands(bed: Bed) -> None:
    world = build_world()
    found = records(bed.warc)
    assert set(world.answers) <= set(found)
    for url, (status, body) in found.items():
        answer = world.answer(url)
        assert (status, body) == (answer.status, answer.body), url


def test_links_are_recorded_unless_their_host_is_silent_or_the_calendar_ends(bed: Bed) -> None:
    world = build_world()
    found = records(bed.warc)
    for url, (status, body) in found.items():
        if status == 200 and "month=" in url:
            for link in links(tidy(body.decode()), url):
                silent = host_of(link.url) not in world.hosts
                assert link.url in found or silent or "month=20" in link.url
    months = [url.partition("month=")[2] for url in found if "month=" in url]
    assert max(months) == "2025-06"


def test_the_same_seed_gives_the_same_file(bed: Bed, tmp_path: Path) -> None:
    written = write_warc(tmp_path / "again.warc.gz")
    assert (tmp_path / "again.warc.gz").read_bytes() == bed.warc.read_bytes()
    assert written == len(records(bed.warc))


def test_plain_warc_holds_the_same_records(bed: Bed, tmp_path: Path) -> None:
    write_warc(tmp_path / "web.warc")
    assert records(tmp_path / "web.warc") == records(bed.warc)


def test_topics_come_back_as_they_were(bed: Bed) -> None:
    assert read_topics(bed.topics) == demo_topics()


def test_companies_file_says_what_the_truth_says(bed: Bed) -> None:
    lines = [json.loads(line) for line in bed.companies.read_text(encoding="utf-8").splitlines()]
    hosts = {host: line["company"] for line in lines for host in line["hosts"]}
    assert hosts == {host: company.company for host, company in demo_companies().items()}
    assert {line["business"] for line in lines} == {None, *(topic.name for topic in demo_topics())}
