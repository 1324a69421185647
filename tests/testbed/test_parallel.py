"""Work spread over processes: in order, and no process outlives the one that started it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from testbed.parallel import mapping

KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from testbed.parallel import mapping
from test_parallel import my_process

if __name__ == "__main__":
    with mapping(2) as spread:
        for n, process in enumerate(spread(my_process, range(100))):
            print(process, flush=True)
            if n == 20:
                os.kill(os.getpid(), signal.SIGKILL)
"""
PATIENCE_S = 20.0


def my_process(_item: int) -> int:
    return os.getpid()


def doubled(item: int) -> int:
    return 2 * item


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"  # one that has ended stays until somebody asks after it


def test_results_come_in_order() -> None:
    with mapping(2) as spread:
        assert list(spread(doubled, range(50))) == [2 * n for n in range(50)]


def test_no_process_outlives_the_one_that_started_it_and_was_killed(tmp_path: Path) -> None:
    script, told = tmp_path / "killed.py", tmp_path / "told"
    script.write_text(KILLED)
    with told.open("w") as out:  # a pipe would stay open for as long as they live
        subprocess.run([sys.executable, str(script), str(Path(__file__).parent)], stdout=out, check=False)
    processes = {int(line) for line in told.read_text().split()}
    assert processes
    deadline = time.monotonic() + PATIENCE_S
    while any(map(is_running, processes)):
        assert time.monotonic() < deadline, "still there"
        time.sleep(0.05)
