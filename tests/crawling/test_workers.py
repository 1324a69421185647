"""Worker processes: every call is answered, whatever becomes of the worker."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from multiprocessing.context import ForkServerProcess

import pytest

from bizcrawl.endings import ENDINGS
from bizcrawl.errors import BizcrawlError
from bizcrawl.workers import TookTooLong, WorkerDied, Workers


def work(number: int) -> tuple[int, int]:
    """Run in a worker: its process, and the square; below zero is a fault, 13 kills the process."""
    if number == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    if number < 0:
        raise ValueError(number)
    return os.getpid(), number * number


def spin(cpu_s: float) -> float:
    """Be busy for so long, in small calls of a C function and in one that never comes back."""
    until_s = time.process_time() + cpu_s
    while time.process_time() < until_s:
        sum(range(10**10 if cpu_s > 50 else 1_000))
    return cpu_s


def sized(data: bytes) -> int:
    return len(data)


def answers_to(*numbers: int, workers: int) -> list[object]:
    async def ask() -> list[object]:
        pool = Workers(workers, work, [])
        try:
            return await asyncio.wait_for(
                asyncio.gather(*map(pool.call, numbers), return_exceptions=True), timeout=60
            )
        finally:
            pool.close()

    return asyncio.run(ask())


def test_calls_are_answered_each_with_its_own_by_all_workers() -> None:
    answers = answers_to(*range(20, 60), workers=2)
    assert [answer[1] for answer in answers] == [n * n for n in range(20, 60)]
    processes = {answer[0] for answer in answers}
    assert len(processes) == 2
    assert os.getpid() not in processes


PREPARED = """
import asyncio, os
from pathlib import Path
from bizcrawl.workers import Workers, prepare_workers

async def parent_of_a_worker():
    workers = Workers(1, os.getppid, ["bizcrawl.harvest"])
    try:
        return await asyncio.wait_for(workers.call(), timeout=60)
    finally:
        workers.close()

prepare_workers(["bizcrawl.harvest"])
children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
print(str(asyncio.run(parent_of_a_worker())) in children)
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system gives a process all processors")
def test_as_many_workers_are_usual_as_the_process_may_use_processors() -> None:
    """In a container with one of 64 processors eight were started."""
    confined = (
        "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]); "
        "from bizcrawl.workers import usual_count; print(usual_count())"
    )
    done = subprocess.run([sys.executable, "-c", confined], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1"]


@pytest.mark.skipif(sys.platform != "linux", reason="children are read from /proc")
def test_workers_come_from_the_process_that_was_prepared_for_them() -> None:
    # in an interpreter of its own: this one may have had workers before
    command = [sys.executable, "-c", PREPARED]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "True\n"


def test_a_fault_goes_to_the_one_who_asked_and_the_worker_lives_on() -> None:
    fault, answer = answers_to(-5, 3, workers=1)
    assert isinstance(fault, ValueError)
    assert answer[1] == 9


def test_a_worker_that_dies_takes_one_call_with_it_and_is_replaced() -> None:
    answers = answers_to(1, 13, *range(20, 30), workers=1)
    died = [answer for answer in answers if isinstance(answer, WorkerDied)]
    assert len(died) == 1
    assert isinstance(answers[1], WorkerDied)
    assert [answer[1] for answer in answers[2:]] == [n * n for n in range(20, 30)]
    assert answers[2][0] != answers[0][0]


def test_a_call_that_takes_too_long_is_ended_wherever_it_is_and_the_others_are_answered() -> None:
    async def ask() -> list[object]:
        pool = Workers(2, spin, [], max_cpu_s=0.6)
        try:
            calls = [pool.call(cpu_s) for cpu_s in (0.01, 100.0, 0.3, 0.3, 0.3, 0.02)]
            return await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), timeout=60)
        finally:
            pool.close()

    first, endless, *others = asyncio.run(ask())
    assert isinstance(endless, TookTooLong)
    assert [first, *others] == [0.01, 0.3, 0.3, 0.3, 0.02], "the time of a call is its own"


def test_a_worker_makes_room_for_a_new_one_after_its_calls_and_no_call_is_lost() -> None:
    async def ask() -> tuple[list[tuple[int, int]], int]:
        pool = Workers(2, work, [], renewed_after=10)
        try:
            calls = [pool.call(n) for n in range(20, 75)]
            answers = await asyncio.wait_for(asyncio.gather(*calls), timeout=60)
            return answers, len(pool._workers)
        finally:
            pool.close()

    answers, living = asyncio.run(ask())
    assert [square for _, square in answers] == [n * n for n in range(20, 75)]
    calls_of = Counter(process for process, _ in answers)
    assert max(calls_of.values()) == 10
    assert len(calls_of) >= 6
    assert living <= 3, "those that are done are gone"


def test_messages_longer_than_a_socket_holds_arrive_whole() -> None:
    async def ask() -> int:
        pool = Workers(1, sized, [])
        try:
            return await asyncio.wait_for(pool.call(bytes(20_000_000)), timeout=60)
        finally:
            pool.close()

    assert asyncio.run(ask()) == 20_000_000


def test_closing_ends_the_processes_and_cancels_what_is_under_way() -> None:
    async def ask() -> tuple[bool, list[int | None]]:
        pool = Workers(1, work, [])
        await pool.call(2)
        waiting = [asyncio.create_task(pool.call(n)) for n in range(20, 30)]
        await asyncio.sleep(0)
        processes = [worker._process for worker in pool._workers]
        pool.close()
        await asyncio.wait(waiting)
        return all(task.cancelled() or task.done() for task in waiting), [p.exitcode for p in processes]

    ended, codes = asyncio.run(ask())
    assert ended
    assert codes == [-signal.SIGKILL]


def process_and_parent() -> tuple[int, int]:
    """Run in a worker: its process, and the one that it was forked from."""
    return os.getpid(), os.getppid()


def test_what_asks_all_processes_of_a_crawl_to_end_takes_no_page_from_its_workers() -> None:
    """A terminal that closes, or a service manager: pages in hand counted as ones that kill a process."""

    async def ask() -> tuple[object, object]:
        pool = Workers(1, process_and_parent, [])
        try:
            before = await pool.call()
            for process in before:
                for number in ENDINGS:
                    os.kill(process, number)
            return before, await asyncio.wait_for(pool.call(), timeout=60)
        finally:
            pool.close()

    before, after = asyncio.run(ask())
    assert after == before


def test_processes_that_cannot_be_started_are_told_and_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: object) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(ForkServerProcess, "start", refused)
    answer, later = answers_to(20, 21, workers=2)
    for fault in (answer, later):
        assert isinstance(fault, BizcrawlError)
        assert "no process that tidies pages can be started ([Errno 111] Connection refused)" in str(fault)
        assert str(fault).endswith("--workers 0 does without them")


def test_when_the_last_process_dies_and_no_other_can_be_started_nobody_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def ask() -> list[object]:
        pool = Workers(1, work, [])
        try:
            await pool.call(20)
            monkeypatch.setattr(ForkServerProcess, "start", lambda _: os.kill(2**22 + 1, 0))
            calls = [pool.call(number) for number in (13, 21, 22, 23)]
            return await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), timeout=30)
        finally:
            pool.close()

    died, *others = asyncio.run(ask())
    assert isinstance(died, WorkerDied)
    assert all(isinstance(other, BizcrawlError) for other in others)


UNCLOSED = """
import asyncio, os
from bizcrawl.workers import Workers

async def forget():
    return await Workers(1, os.getpid, []).call()

print(asyncio.run(forget()))
"""


def test_workers_that_nobody_closed_do_not_hold_up_the_end_of_the_interpreter() -> None:
    command = [sys.executable, "-c", UNCLOSED]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_call_that_nobody_waits_for_any_more_disturbs_no_other(workers: int) -> None:
    async def ask() -> list[int]:
        pool = Workers(workers, work, [])
        try:
            calls = [asyncio.create_task(pool.call(n)) for n in range(20, 40)]
            await asyncio.sleep(0)
            for call in calls[::2]:
                call.cancel()
            answers = await asyncio.wait_for(asyncio.gather(*calls[1::2]), timeout=60)
            return [square for _, square in answers]
        finally:
            pool.close()

    assert asyncio.run(ask()) == [n * n for n in range(21, 40, 2)]
