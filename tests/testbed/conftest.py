"""A small recorded web, tidied once for all tests of the test bed."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_web import write_web

from testbed.pagegraph import PageGraph
from testbed.single_run import RecordedBed, graph_of


@pytest.fixture(scope="session")
def small_bed(tmp_path_factory: pytest.TempPathFactory) -> RecordedBed:
    folder = tmp_path_factory.mktemp("small")
    return RecordedBed(write_web(folder / "web.warc"), page_cap_bytes=10_000, cache=folder)


@pytest.fixture(scope="session")
def small_graph(small_bed: RecordedBed) -> PageGraph:
    return graph_of(small_bed)


@pytest.fixture(scope="session")
def small_warc(small_bed: RecordedBed) -> Path:
    return small_bed.warc
