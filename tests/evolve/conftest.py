"""A small recorded web with topics on which searches run in seconds: the demo web."""

from __future__ import annotations

import pytest

from testbed.demo.bed import Bed, write_bed
from testbed.evolve.features import GraphFeatures
from testbed.evolve.scenario import Scenario, make_scenario
from testbed.pagegraph import PageGraph
from testbed.pagegraph_folder import open_graph
from testbed.topics import BedTopic, read_topics


@pytest.fixture(scope="session")
def bed(tmp_path_factory: pytest.TempPathFactory) -> Bed:
    return write_bed(tmp_path_factory.mktemp("bed"))


@pytest.fixture(scope="session")
def topics(bed: Bed) -> list[BedTopic]:
    return read_topics(bed.topics)


@pytest.fixture(scope="session")
def graph(bed: Bed) -> PageGraph:
    return open_graph(bed.warc)


@pytest.fixture(scope="session")
def features(graph: PageGraph) -> GraphFeatures:
    return GraphFeatures(graph)


@pytest.fixture(scope="session")
def scenario(features: GraphFeatures, topics: list[BedTopic]) -> Scenario:
    return make_scenario(features, topics[0])
