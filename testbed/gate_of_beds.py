"""The gate, run over files of floors: on the demo bed, which is made on the spot, and on beds in a folder."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from testbed.gate import Floors, GateError, check, measured, pinned
from testbed.single_run import RecordedBed

DEMO = "demo"
STRATEGIES = ("hub-seeking", "dom", "best-first", "breadth-first")
MEASURES = ("recall", "site_recall")
CHECKPOINTS = (100, 200, 300)


def gate_all(
    floors: Sequence[Path], beds: Path | None, *, pin: bool = False, allow_regression: bool = False
) -> Iterator[str]:
    """Hold beds against their floors, one line each. Raises GateError for the first bed that has fallen.

    A floors file is named after its bed. With `pin` the floors are set to what is measured now.
    """
    for path in floors:
        known = Floors.read(path) if path.exists() else None
        if known is None and not pin:
            raise GateError(f"{path}: there is no such file; --pin makes it")
        name = known.bed if known else path.stem
        with tempfile.TemporaryDirectory(prefix="bizcrawl-gate-") as scratch:
            bed = _bed(name, beds, Path(scratch))
            if bed is None:
                yield f"{name}: passed over, the bed is not here (--beds FOLDER)"
            elif pin:
                yield _pin(path, name, bed, known, allow_regression)
            else:
                assert known is not None
                now = check(known, *bed)
                yield f"{name}: {sum(map(len, now.values()))} floors hold"


def _bed(name: str, beds: Path | None, scratch: Path) -> tuple[RecordedBed, Path] | None:
    if name == DEMO:
        from testbed.demo.bed import write_bed

        made = write_bed(scratch)
        return RecordedBed(made.warc, cache=scratch), made.topics
    folder = beds / name if beds else None
    if folder is None or not all((folder / file).exists() for file in ("web.warc.gz", "topics.jsonl")):
        return None
    return RecordedBed(folder / "web.warc.gz"), folder / "topics.jsonl"


def _pin(
    path: Path, name: str, bed: tuple[RecordedBed, Path], known: Floors | None, allow_regression: bool
) -> str:
    strategies = tuple(known.floors) if known else STRATEGIES
    measures = known.measures if known else MEASURES
    checkpoints = known.checkpoints if known else CHECKPOINTS
    now = measured(*bed, strategies, measures, checkpoints)
    floors = pinned(name, *bed, now, checkpoints, measures, known, allow_regression=allow_regression)
    floors.write(path)
    return f"{name}: {sum(map(len, now.values()))} floors pinned in {path}"
