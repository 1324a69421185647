"""Floors for quality: a change that makes a strategy worse on a known bed fails (as a test would for
correctness).

The floors of a bed stand in a JSON file together with a digest of the bed, so that they are never compared
with figures from another one. New floors can be pinned; lowering one has to be asked for.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import duckdb

from bizcrawl.collection.replacing import write_text
from bizcrawl.errors import BizcrawlError
from bizcrawl.text_files import json_in, number_in
from testbed.experiment import run_experiment
from testbed.measures.table import measure_named
from testbed.measuring import measure_runs
from testbed.results import per_topic
from testbed.single_run import RecordedBed
from testbed.topics import read_topics

SLACK = 1e-6
"""Sums of floating-point numbers may differ by this between machines."""


class GateError(BizcrawlError):
    """A floor is not reached, or the floors do not belong to this bed."""


@dataclass(frozen=True, slots=True)
class Floors:
    """What the strategies must reach on a bed."""

    bed: str
    digest: str
    """`digest_of_bed`."""
    checkpoints: tuple[int, ...]
    measures: tuple[str, ...]
    floors: Mapping[str, Mapping[str, float]]
    """By strategy, then by ``measure@N``: the mean over topics."""

    @classmethod
    def read(cls, path: Path) -> Floors:
        """Read a floors file. Raises GateError if it is none."""
        try:
            values = json_in(path.read_bytes())
            checkpoints = tuple(int(n) for n in values["checkpoints"])
            measures = tuple(measure_named(name).name for name in values["measures"])
            floors = {
                strategy: {name: number_in(value) for name, value in by_measure.items()}
                for strategy, by_measure in values["floors"].items()
            }
            return cls(**values | {"checkpoints": checkpoints, "measures": measures, "floors": floors})
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
            raise GateError(f"{path}: cannot be read as floors: {problem}") from None

    def write(self, path: Path) -> None:
        """Write the file that `read` reads."""
        write_text(path, json.dumps(asdict(self), indent=2, sort_keys=True) + "\n")


def digest_of_bed(web: Path, topics: Path) -> str:
    """SHA-256 of what a recorded web and its topics hold, however it is compressed.

    Raises GateError for a web that can't be read to its end.
    """
    digest = hashlib.sha256()
    for path in (web, topics):
        try:
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except (EOFError, gzip.BadGzipFile, zlib.error) as fault:
            raise GateError(f"{path}: is damaged ({fault}); floors are for a bed that is whole") from None
    return digest.hexdigest()


def measured(
    bed: RecordedBed,
    topics: Path,
    strategies: Sequence[str],
    measures: Sequence[str],
    checkpoints: Sequence[int],
    processes: int = 1,
) -> dict[str, dict[str, float]]:
    """What strategies reach now: by strategy, then by ``measure@N``, the mean over topics."""
    found: dict[str, dict[str, float]] = {strategy: {} for strategy in strategies}
    with duckdb.connect(":memory:") as con:
        run_experiment(con, bed, read_topics(topics), strategies, pages=max(checkpoints), processes=processes)
        measure_runs(con, bed.name, [measure_named(name) for name in measures], checkpoints)
        for measure in measures:
            for n in checkpoints:
                for strategy, values in per_topic(con, bed.name, measure, n).items():
                    if strategy in found:
                        found[strategy][f"{measure}@{n}"] = sum(values.values()) / len(values)
    return found


def fallen(floors: Floors, now: Mapping[str, Mapping[str, float]]) -> list[str]:
    """The floors that are not reached, one line each; empty if all are."""
    lines = []
    for strategy, pinned in floors.floors.items():
        for name, floor in pinned.items():
            higher = measure_named(name.partition("@")[0]).higher_is_better
            value = now.get(strategy, {}).get(name)
            if value is None:
                lines.append(f"{strategy} {name}: not measured")
            elif (value < floor - SLACK) if higher else (value > floor + SLACK):
                lines.append(f"{strategy} {name}: {value:.4f}, pinned at {floor:.4f}")
    return lines


def check(floors: Floors, bed: RecordedBed, topics: Path, processes: int = 1) -> dict[str, dict[str, float]]:
    """Measure a bed and hold it against its floors; what was measured.

    Raises GateError naming every floor that is missed, or if they were pinned on another bed.
    """
    digest = digest_of_bed(bed.warc, topics)
    if digest != floors.digest:
        raise GateError(
            f"{bed.warc}: is not the bed {floors.bed} that the floors were pinned on; --pin pins them anew"
        )
    now = measured(bed, topics, tuple(floors.floors), floors.measures, floors.checkpoints, processes)
    if lines := fallen(floors, now):
        raise GateError(f"{floors.bed}: quality has fallen: " + "; ".join(lines))
    return now


def pinned(
    name: str,
    bed: RecordedBed,
    topics: Path,
    now: Mapping[str, Mapping[str, float]],
    checkpoints: Sequence[int],
    measures: Sequence[str],
    before: Floors | None = None,
    *,
    allow_regression: bool = False,
) -> Floors:
    """Floors at what was measured.

    Raises GateError if that would lower one of the same bed, unless allowed.
    """
    digest = digest_of_bed(bed.warc, topics)
    if before and before.digest == digest and not allow_regression and (lines := fallen(before, now)):
        raise GateError(f"{name}: this lowers floors, which --allow-regression permits: {'; '.join(lines)}")
    floors = {strategy: dict(values) for strategy, values in now.items()}
    return Floors(name, digest, tuple(checkpoints), tuple(measures), floors)
