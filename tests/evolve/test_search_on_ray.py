"""Searches on a Ray cluster: a real one where Ray is installed, else a stand-in that speaks its interface."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from testbed.demo.bed import Bed as DemoBed
from testbed.evolve.evaluation import Bed, evaluator
from testbed.evolve.genetic import Breeding
from testbed.evolve.on_ray import NoRay, Worker, on_ray
from testbed.evolve.search import Search, State, evolve, new_state
from testbed.topics import BedTopic

SEARCH = Search(pages=60, simulations=2, generations=1, breeding=Breeding(population=4), random_seed=11)
pytestmark = [
    pytest.mark.timeout(300),  # a cluster of its own takes half a minute to begin
    pytest.mark.filterwarnings("default"),
]


class StandIn(ModuleType):
    """As much of Ray as is used, in this process."""

    def __init__(self, processors: int) -> None:
        super().__init__("ray")
        self.processors = processors
        self.actors = 0
        self.connected = ""
        self.util = SimpleNamespace(ActorPool=Pool)

    def init(self, address: str, **_: object) -> None:
        if address == "nowhere:1":
            raise ConnectionError("Could not find any running Ray instance.\nPlease specify …")
        self.connected = address

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.processors), "memory": 1e9}

    def remote(self, **resources: object) -> Callable[[type[Worker]], Any]:
        assert resources == {"num_cpus": 1}
        return lambda kind: SimpleNamespace(remote=lambda make: self._actor(kind(make)))

    def _actor(self, worker: Worker) -> Any:
        self.actors += 1
        return SimpleNamespace(work=SimpleNamespace(remote=worker.work))

    def shutdown(self) -> None:
        self.connected = ""


class Pool:
    """Ray's ActorPool: work in turn, results in order."""

    def __init__(self, actors: Sequence[Any]) -> None:
        self._actors = actors

    def map(self, work: Callable[[Any, Any], Any], values: Sequence[Any]) -> Iterator[Any]:
        for number, value in enumerate(values):
            yield work(self._actors[number % len(self._actors)], value)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    made = StandIn(processors=2)
    monkeypatch.setitem(sys.modules, "ray", made)
    monkeypatch.setitem(sys.modules, "ray.util", made.util)
    return made


@pytest.fixture(scope="module")
def small(bed: DemoBed, topics: list[BedTopic]) -> Bed:
    return Bed(bed.warc, tuple(topics[:2]), 10_000)


@pytest.fixture(scope="module")
def here(small: Bed) -> State:
    return _searched(small, "")


def _searched(bed: Bed, ray: str) -> State:
    state = new_state(SEARCH, {"bed": "demo"})
    with evaluator(bed, 1, ray) as evaluating:
        evolve(state, evaluating, 2)
    return state


def test_a_search_on_a_cluster_gives_the_weights_of_one_process(
    small: Bed, here: State, stand_in: StandIn
) -> None:
    there = _searched(small, "head:6379")
    assert there.population == here.population
    assert there.weights.by_score == here.weights.by_score
    assert stand_in.connected == ""  # let go of when the search is done


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
def test_so_it_does_on_a_real_one(small: Bed, here: State) -> None:
    assert _searched(small, "local").population == here.population


@pytest.mark.parametrize(("asked", "actors"), [(0, 2), (1, 1), (9, 2)])
def test_no_more_workers_are_asked_for_than_the_cluster_has_processors(
    stand_in: StandIn, asked: int, actors: int
) -> None:
    places = SimpleNamespace(scenario=lambda topic: topic)
    with on_ray(lambda: places, "auto", asked) as spread:
        tasks = [SimpleNamespace(topic=number) for number in range(5)]
        assert list(spread(lambda scenario, task: scenario * 2, tasks)) == [0, 2, 4, 6, 8]
    assert stand_in.actors == actors


def test_no_cluster_gets_one_line(stand_in: StandIn, small: Bed) -> None:
    with (
        pytest.raises(NoRay, match=r"^--ray nowhere:1: no cluster answers: Could not find .* instance\.$"),
        evaluator(small, 1, "nowhere:1"),
    ):
        pass


def test_without_ray_the_way_to_it_is_said(monkeypatch: pytest.MonkeyPatch, small: Bed) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(NoRay, match="pip install ray"), evaluator(replace(small), 1, "auto"):
        pass
