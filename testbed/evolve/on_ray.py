"""Work for tasks on a Ray cluster: for searches that one machine is too small for.

Ray is no dependency: who has a cluster has it installed. Every worker opens the recorded web for itself, so
that must lie at the same path on all machines, and bizcrawl be installed there. A task's chance comes from
its own name, so a cluster gives the numbers that one process gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from bizcrawl.errors import WrongUse


class NoRay(WrongUse):
    """Ray is not installed, or no cluster answers; the message says so in one line."""


class Places(Protocol):
    """What a worker keeps: the scenario of each topic."""

    def scenario(self, topic: int, /) -> Any:
        """The scenario of a topic by its number."""
        ...


class Worker:
    """What lives in one process of the cluster."""

    def __init__(self, make: Callable[[], Places]) -> None:
        self._places = make()

    def work(self, work: Callable[[Any, Any], Any], task: Any) -> Any:
        """The result of the work for a task."""
        return work(self._places.scenario(task.topic), task)


@contextmanager
def on_ray(
    make: Callable[[], Places], address: str, workers: int = 0
) -> Iterator[Callable[[Callable[[Any, Any], Any], Sequence[Any]], Iterator[Any]]]:
    """A function that does work for tasks on a cluster, in order.

    `address` is ``HOST:PORT``, ``auto`` for the cluster of this machine, or ``local`` for one started for
    this. Each of the `workers` takes a processor of the cluster; 0 for one each. Raises NoRay.
    """
    ray = _connected(address)
    try:
        processors = max(1, int(ray.cluster_resources().get("CPU", 1)))
        # an actor that no processor is left for would never begin, and its tasks never end
        number = min(workers or processors, processors)
        actors = [ray.remote(num_cpus=1)(Worker).remote(make) for _ in range(number)]
        pool = ray.util.ActorPool(actors)

        def spread(work: Callable[[Any, Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
            found: Iterator[Any] = pool.map(lambda actor, task: actor.work.remote(work, task), tasks)
            return found

        yield spread
    finally:
        ray.shutdown()


def _connected(address: str) -> Any:
    try:
        import ray
        import ray.util
    except ImportError:
        raise NoRay(f"--ray {address}: Ray is not installed; get it with 'pip install ray'") from None
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, ValueError, RuntimeError) as problem:
        raise NoRay(f"--ray {address}: no cluster answers: {str(problem).splitlines()[0]}") from None
    return ray
