"""R136: on a recorded web a crawl with 75 connections finds what one with a single connection finds."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from crawling_samples import CommandLine
from scipy.stats import ttest_rel

from bizcrawl.urls import host_of
from testbed.demo import demo_topics
from testbed.topics import BedTopic

PAGES = 400
"""About half of the web. 75 links are taken before the first of them is read, so that short crawls differ."""


def recall(bizcrawl: CommandLine, topic: BedTopic, connections: int, path: Path) -> float:
    """Share of the targets' hosts that a crawl has visited."""
    asked = ("crawl", *topic.topic.seeds, "--keywords", topic.topic.keywords, "--web", "demo", "--to", path)
    done = bizcrawl(*asked, "--connections", str(connections), "--pages", str(PAGES), "--quiet")
    assert done.returncode == 0, done.stderr
    with duckdb.connect(str(path), read_only=True) as con:
        visited = {host for (host,) in con.execute("SELECT DISTINCT host FROM pages").fetchall()}
    targets = {host_of(url) for url in topic.targets}
    return len(targets & visited) / len(targets)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_many_connections_find_what_one_finds(bizcrawl: CommandLine, tmp_path: Path) -> None:
    one, many = (
        [recall(bizcrawl, topic, n, tmp_path / f"{n}-{i}.duckdb") for i, topic in enumerate(demo_topics())]
        for n in (1, 75)
    )
    assert min(one) > 0.5
    assert abs(sum(one) - sum(many)) / len(one) < 0.03
    assert one == many or ttest_rel(one, many).pvalue > 0.05
