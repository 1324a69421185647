"""Fuzzing, each target for some minutes.

usage: python tests/fuzz/fuzz.py [--engine hypothesis|atheris] [--minutes 10] [TARGET...]

hypothesis makes inputs of each target's words, mutates its seeds, and shrinks what it finds; atheris (pip
install atheris) follows the branches that Python code takes. An input that takes longer than `HANG_S` counts
as a hang. What is found belongs into a test of its own, in the tests of the module at fault.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).parents[2]))

from targets import TARGETS, Target

HANG_S = 20
FOUND = Path(__file__).parents[2] / "build" / "fuzz"


class Hang(Exception):  # noqa: N818 - named for what happened
    """An input took too long."""


def _hang(number: int, frame: FrameType | None) -> None:
    raise Hang


def with_hypothesis(target: Target, minutes: float) -> tuple[int, BaseException | None]:
    """How many inputs were tried, and what was found."""
    import hypothesis
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    pieces = st.sampled_from(target.words) | st.binary(max_size=8) | st.sampled_from(target.seeds)
    made = st.lists(pieces, max_size=60).map(b"".join)
    spoiled = st.tuples(st.sampled_from(target.seeds), st.randoms(use_true_random=False), made).map(_spoiled)
    tried = 0

    def one(data: bytes) -> None:
        nonlocal tried
        tried += 1
        signal.alarm(HANG_S)
        try:
            target.run(data)
        finally:
            signal.alarm(0)

    ends_s = time.monotonic() + minutes * 60
    seed = 0
    while time.monotonic() < ends_s:
        run = given(st.binary() | made | spoiled)(one)
        run = settings(
            max_examples=500, deadline=None, database=None, suppress_health_check=list(HealthCheck)
        )(run)
        try:
            hypothesis.seed(seed)(run)()
        except BaseException as found:
            return tried, found
        seed += 1
    return tried, None


def _spoiled(parts: tuple[bytes, random.Random, bytes]) -> bytes:
    """A seed with a piece cut out, a piece put in and some bytes changed."""
    seed, rng, piece = parts
    data = bytearray(seed)
    start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    if rng.random() < 0.5:
        del data[start:end]
    at = rng.randrange(len(data) + 1)
    data[at:at] = piece
    for _ in range(rng.randrange(4)):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def with_atheris(name: str, minutes: float) -> tuple[str, int]:
    """What libFuzzer said last, or the exception that was found, and its exit code; it runs in a process of
    its own. The input at fault is kept below build/fuzz.
    """
    FOUND.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        for n, seed in enumerate(TARGETS[name].seeds):
            Path(directory, str(n)).write_bytes(seed)
        words = Path(directory, "words.dict")
        lines = ("".join(f"\\x{byte:02x}" for byte in word) for word in TARGETS[name].words)
        words.write_text("".join(f'"{line}"\n' for line in lines))
        ended = subprocess.run(
            [
                *(sys.executable, str(Path(__file__).with_name("atheris_target.py")), name, directory),
                *(
                    f"-dict={words}",
                    f"-max_total_time={int(minutes * 60)}",
                    f"-timeout={HANG_S}",
                    "-rss_limit_mb=4096",
                ),
                f"-artifact_prefix={FOUND}/{name}-",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
    said = (ended.stdout + ended.stderr).strip()
    if not ended.returncode:
        return said.splitlines()[-1], 0
    return said[said.find("Uncaught Python exception") :].partition("\n\n")[0].strip(), ended.returncode


def main() -> int:
    """Fuzz; 1 if anything was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("targets", nargs="*", default=list(TARGETS))
    parser.add_argument("--engine", choices=["hypothesis", "atheris"], default="hypothesis")
    parser.add_argument("--minutes", type=float, default=10.0)
    asked = parser.parse_args()
    signal.signal(signal.SIGALRM, _hang)
    faults = 0
    for name in asked.targets:
        if asked.engine == "atheris":
            said, code = with_atheris(name, asked.minutes)
            print(f"{name}: {'nothing found' if not code else 'FOUND'}\n  {said}", flush=True)
            faults += bool(code)
            continue
        tried, found = with_hypothesis(TARGETS[name], asked.minutes)
        print(f"{name}: {tried:,} inputs, {'nothing found' if found is None else repr(found)}", flush=True)
        for note in getattr(found, "__notes__", []):
            print("   ", note)
        faults += found is not None
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
