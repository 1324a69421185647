"""A load that fails, or is killed, leaves the database as it was before, and the next one works as ever."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from odp_text import dump, page, topic

from testbed.odp.load import connect, load_dumps

KILLED = """
import os, signal, sys
from pathlib import Path
from testbed.odp import load
from testbed.odp.load import connect, load_dumps

load.BATCH_BYTES = 1  # every chunk is committed
chunks = 0

def die_after_three_chunks(size):
    global chunks
    chunks += 1
    if chunks == 3:
        print("inserted", con.execute("SELECT count(*) FROM unfinished_listings").fetchone()[0], flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

con = connect(sys.argv[1])
load_dumps(con, [Path(sys.argv[2])], processes=1, chunk_bytes=2_000, progress=die_after_three_chunks)
"""
BEFORE = [("Top/Old", "http://old.example/")]


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A dump of many chunks."""
    path = tmp_path / "many.rdf"
    path.write_bytes(dump(*(page(f"http://h{i}.example/", f"Top/C{i % 7}") for i in range(100))))
    return path


@pytest.fixture
def bed(tmp_path: Path) -> Path:
    """A database that holds one listing."""
    old, path = tmp_path / "old.rdf", tmp_path / "bed.duckdb"
    old.write_bytes(dump(topic("Top/Old", "http://old.example/"), page("http://old.example/", "Top/Old")))
    with connect(path) as con:
        load_dumps(con, [old])
    return path


def listings(con: duckdb.DuckDBPyConnection) -> list[tuple[object, ...]]:
    return con.execute("SELECT category, url FROM listings ORDER BY ALL").fetchall()


def tables(con: duckdb.DuckDBPyConnection) -> set[str]:
    return {name for (name,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall()}


DIRECTORY = {"categories", "category_links", "listings", "faults"}


def test_a_load_that_fails_half_way_leaves_the_database_as_it_was(
    bed: Path, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("testbed.odp.load.BATCH_BYTES", 1)
    chunks = []

    def fail(size: int) -> None:
        chunks.append(size)
        if len(chunks) == 3:
            assert listings(con) == BEFORE, "seen while it was under way"
            raise RuntimeError("the disk is full")

    with connect(bed) as con:
        with pytest.raises(RuntimeError, match="disk is full"):
            load_dumps(con, [many], processes=1, chunk_bytes=2_000, progress=fail)
        assert listings(con) == BEFORE
        assert tables(con) == DIRECTORY
        assert load_dumps(con, [many]).listings == 101


def test_a_load_that_is_killed_half_way_leaves_the_database_as_it_was(bed: Path, many: Path) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(bed), str(many)], capture_output=True, text=True, check=False
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert killed.stdout.startswith("inserted")
    with duckdb.connect(str(bed)) as con:  # as anybody would open it
        assert listings(con) == BEFORE
    with connect(bed) as con:
        assert tables(con) == DIRECTORY
        assert load_dumps(con, [many]).listings == 101
    with duckdb.connect(str(bed)) as con:
        assert len(listings(con)) == 101


def test_rows_are_the_same_in_batches_of_any_size(
    tmp_path: Path, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for batch_bytes in (1, 50_000_000):
        monkeypatch.setattr("testbed.odp.load.BATCH_BYTES", batch_bytes)
        with connect(tmp_path / f"{batch_bytes}.duckdb") as con:
            load_dumps(con, [many], chunk_bytes=2_000)
            rows = [con.execute(f"FROM {name} ORDER BY ALL").fetchall() for name in sorted(DIRECTORY)]
        found.append(rows)
    assert found[0] == found[1]


def memory_mib(con: duckdb.DuckDBPyConnection) -> float:
    ((text,),) = con.execute("SELECT current_setting('memory_limit')").fetchall()
    assert text.endswith(" MiB")
    return float(text.removesuffix(" MiB"))


def test_duckdb_has_less_memory_while_dumps_are_read_and_what_it_had_afterwards(
    bed: Path, many: Path
) -> None:
    while_read = []

    def look(size: int) -> None:
        while_read.append(memory_mib(con))

    def fail(size: int) -> None:
        raise RuntimeError("the disk is full")

    with connect(bed) as con:
        usual = memory_mib(con)
        load_dumps(con, [many], processes=1, progress=look)
        assert set(while_read) == {91.5}, "96 MB"
        assert usual == 183.1, "192 MB"
        assert memory_mib(con) == pytest.approx(usual, abs=0.11)
        with pytest.raises(RuntimeError):
            load_dumps(con, [many], processes=1, progress=fail)
        assert memory_mib(con) == pytest.approx(usual, abs=0.21)
