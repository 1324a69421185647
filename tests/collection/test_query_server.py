"""Querying while another process writes: found by itself, closed to others, never in the writer's way."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from collection_samples import MakePage

from bizcrawl.collection import answering, reader, safe_sql, wire
from bizcrawl.collection.answering import MAX_SECONDS, NICENESS
from bizcrawl.collection.opening import CollectionBusy
from bizcrawl.collection.reader import Reader
from bizcrawl.collection.rows import Batch
from bizcrawl.collection.writer import Collection


@pytest.fixture(autouse=True)
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place for sockets of its own, with a short name."""
    with tempfile.TemporaryDirectory() as place:
        monkeypatch.setenv("XDG_RUNTIME_DIR", place)
        yield Path(place)


def ask(path: Path, sql: str) -> subprocess.CompletedProcess[str]:
    """Ask from another process."""
    code = (
        "import sys; from pathlib import Path; from bizcrawl.collection.reader import Reader; "
        f"print(Reader(Path({str(path)!r})).rows({sql!r}))"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_another_process_sees_every_acknowledged_page(
    collection: Collection, path: Path, make_page: MakePage
) -> None:
    for n in range(1, 4):
        collection.submit(Batch([make_page(f"https://a.example/{n}")])).result()
    answered = ask(path, "SELECT count(*), max(page) FROM pages")
    assert answered.stdout.strip() == "[(3, 3)]", answered.stderr


def test_the_socket_is_closed_to_others(collection: Collection, path: Path, runtime: Path) -> None:
    place = wire.socket_path(path)
    assert stat.S_IMODE(place.lstat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.lstat().st_mode) == 0o700
    assert place.parent.parent == runtime


def asked(path: Path, seconds: str) -> bytes:
    """What comes back for a question with a time as it is written; nothing if it is not answered."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(wire.socket_path(path)))
        with contextlib.suppress(BrokenPipeError):  # it may be hung up on before it has asked
            connection.sendall(b'{"sql": "SELECT 1", "parameters": [], "seconds": %s}\n' % seconds.encode())
        told = b""
        with contextlib.suppress(ConnectionResetError):  # it hung up without reading
            while piece := connection.recv(65_536):
                told += piece
    return told


def test_another_user_who_gets_at_the_socket_is_not_answered(
    collection: Collection, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SECURITY.md: the peer's user id is checked."""
    assert asked(path, "5")
    own = os.getuid()
    near, far = socket.socketpair(socket.AF_UNIX)
    with near, far, monkeypatch.context() as elsewhere:
        assert wire.peer_is_same_user(near)
        elsewhere.setattr(os, "getuid", lambda: own + 1)
        assert not wire.peer_is_same_user(near)
    monkeypatch.setattr(wire, "peer_is_same_user", lambda connection: False)
    assert asked(path, "5") == b""


@pytest.mark.parametrize(
    ("said", "seconds"), [("5", 5.0), ("0.5", 0.5), ("1e9", MAX_SECONDS), ("Infinity", MAX_SECONDS)]
)
def test_a_question_has_the_time_it_asks_for_up_to_an_hour_and_gives_way_to_the_crawl(
    collection: Collection, path: Path, monkeypatch: pytest.MonkeyPatch, said: str, seconds: float
) -> None:
    given: list[tuple[object, int]] = []
    usual = safe_sql.run

    def run(*arguments: Any, **options: Any) -> Any:
        given.append((options["seconds"], os.getpriority(os.PRIO_PROCESS, threading.get_native_id())))
        return usual(*arguments, **options)

    monkeypatch.setattr(safe_sql, "run", run)
    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert asked(path, said)
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before
    assert given == [(seconds, NICENESS if sys.platform == "linux" else before)]


def test_a_directory_that_others_can_enter_is_not_used(
    path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "WAIT_FOR_WRITER_S", 0.1)
    directory = runtime / f"bizcrawl-{os.getuid()}"
    directory.mkdir(mode=0o700)
    directory.chmod(0o755)
    with pytest.raises(wire.Unsafe):
        wire.socket_path(path)
    # the crawl goes on without, and a reader is told that the file is open elsewhere
    with Collection.create(path) as collection:
        collection.transact(lambda con: None)
        with pytest.raises(CollectionBusy):
            Reader(path).rows("SELECT 1")


def test_a_folder_of_another_user_is_passed_over(
    path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``su`` leaves XDG_RUNTIME_DIR as it was: the crawl could not be asked, though there is a place."""
    monkeypatch.setattr(os, "access", lambda place, _mode: Path(place) != runtime)
    with Collection.create(path):
        assert wire.socket_path(path).parent.parent != runtime
        assert Reader(path).rows("SELECT count(*) FROM pages") == [(0,)]
    monkeypatch.setattr(os, "access", lambda _place, _mode: False)
    with pytest.raises(wire.Unsafe, match="no folder for temporary files"):
        wire.socket_path(path)


@contextmanager
def held(path: Path, seconds: float) -> Iterator[int]:
    """Another process, its number, has the file open to write for a while and answers no questions."""
    code = (
        "import sys, time, duckdb; con = duckdb.connect(sys.argv[1]); "
        "print('open', flush=True); time.sleep(float(sys.argv[2]))"
    )
    call = [sys.executable, "-c", code, str(path), str(seconds)]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        try:
            yield holder.pid
        finally:
            holder.kill()


def test_who_asks_while_a_crawl_is_beginning_or_ending_waits_for_an_answer(path: Path) -> None:
    Collection.create(path).close()
    with held(path, 0.5):
        assert Reader(path).rows("SELECT count(*) FROM pages") == [(0,)]


def test_a_process_that_does_not_answer_is_told_without_advice_to_ask_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "WAIT_FOR_WRITER_S", 0.1)
    Collection.create(path).close()
    with held(path, 60) as process, pytest.raises(CollectionBusy) as told:
        Reader(path).rows("SELECT 1")
    busy = f"{path} is open in another process (process {process})"
    assert str(told.value) == f"{busy}; it does not answer questions; wait for it to end"


def test_a_link_planted_in_place_of_the_directory_is_not_followed(
    tmp_path: Path, path: Path, runtime: Path
) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (runtime / f"bizcrawl-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(wire.Unsafe):
        wire.socket_path(path)


def test_what_a_killed_writer_left_is_swept_away(path: Path) -> None:
    code = f"""
import os
from pathlib import Path
from bizcrawl.collection.writer import Collection
Collection.create(Path({str(path)!r}))
os.kill(os.getpid(), 9)
"""
    subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=False
    )
    assert wire.socket_path(path).exists()
    assert Reader(path).rows("SELECT count(*) FROM pages") == [(0,)]
    with Collection.open(path):
        assert Reader(path).rows("SELECT count(*) FROM pages") == [(0,)]
    assert not wire.socket_path(path).exists()


def test_a_writer_is_found_that_was_started_where_other_variables_were_set(
    collection: Collection, path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A crawl begun by a service manager, asked from a login: the one has no XDG_RUNTIME_DIR."""
    collection.close()
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    with Collection.open(path), tempfile.TemporaryDirectory() as login:
        monkeypatch.setenv("XDG_RUNTIME_DIR", login)
        assert Reader(path).rows("SELECT count(*) FROM pages") == [(0,)]


def test_a_query_sees_one_state_while_pages_come_in(
    collection: Collection, path: Path, make_page: MakePage
) -> None:
    done = threading.Event()

    def write() -> None:
        n = 0
        while not done.is_set():
            collection.submit(Batch([make_page(f"https://a.example/{n}", links=3)])).result()
            n += 1

    with ThreadPoolExecutor() as pool:
        writing = pool.submit(write)
        try:
            seen = 0
            for _ in range(30):
                ((pages, links, trees),) = Reader(path).rows(
                    "SELECT (SELECT count(*) FROM pages), (SELECT count(*) FROM links), "
                    "(SELECT count(*) FROM trees)"
                )
                assert links == 3 * int(str(pages))
                assert trees == pages
                assert int(str(pages)) >= seen
                seen = int(str(pages))
        finally:
            done.set()
        writing.result()
    assert seen > 0


def test_an_asker_that_hangs_up_stops_its_query(collection: Collection, path: Path) -> None:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(wire.socket_path(path)))
    endless = {
        "sql": "SELECT count(*) FROM range(1000000000) a, range(1000000000) b",
        "parameters": [],
        "seconds": 100,
    }
    connection.sendall(json.dumps(endless).encode() + b"\n")
    time.sleep(0.3)
    connection.close()
    # closing waits for the queries that run: were it still running, this would take long
    began_s = time.monotonic()
    time.sleep(0.6)
    assert not any(thread.name == "query" for thread in threading.enumerate())
    collection.close()
    assert time.monotonic() - began_s < 5


def test_closing_does_not_wait_for_long_queries(collection: Collection, path: Path) -> None:
    with ThreadPoolExecutor() as pool:
        query = pool.submit(
            Reader(path).rows, "SELECT count(*) FROM range(1000000000) a, range(1000000000) b"
        )
        time.sleep(0.3)
        began_s = time.monotonic()
        collection.close()
        assert time.monotonic() - began_s < 5
        with pytest.raises(Exception, match=r"interrupted|stopped|went away"):
            query.result()


@pytest.mark.parametrize(
    "said",
    [b"", b'{"sql": "SELECT repeat(\'x\', 9000) FROM range(9000)", "parameters": [], "seconds": 9}\n'],
    ids=["asks nothing", "does not read"],
)
def test_closing_does_not_wait_for_askers_who_keep_the_others_waiting(
    collection: Collection, path: Path, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr(answering, "FAREWELL_S", 0.0)
    with contextlib.ExitStack() as connections:
        for _ in range(answering.MAX_CONNECTIONS):
            connection = connections.enter_context(socket.socket(socket.AF_UNIX))
            connection.connect(str(wire.socket_path(path)))
            connection.sendall(said)
            assert not said or connection.recv(1)
        began_s = time.monotonic()
        collection.close()
        assert time.monotonic() - began_s < 5


def test_who_asks_while_too_many_files_are_open_is_answered_when_there_are_fewer(
    collection: Collection, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "RETRY_S", 0.0)
    usual, turned_away = socket.socket.accept, []

    def accept(listener: socket.socket) -> Any:
        if len(turned_away) < 2 * answering.MAX_CONNECTIONS:
            turned_away.append(listener)
            raise OSError(errno.EMFILE, "Too many open files")
        return usual(listener)

    assert asked(path, "5")  # from now on the server listens once more
    monkeypatch.setattr(socket.socket, "accept", accept)
    assert asked(path, "5")
    assert asked(path, "5")


def test_where_no_thread_can_be_had_one_asker_is_told_and_the_next_is_answered(
    collection: Collection, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, refused = threading.Thread.start, []

    def start(thread: threading.Thread) -> None:
        if thread.name == "query" and len(refused) < 2 * answering.MAX_CONNECTIONS:
            refused.append(thread)
            raise RuntimeError("can't start new thread")
        usual(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    for _ in range(2 * answering.MAX_CONNECTIONS):
        assert not asked(path, "5")
    assert asked(path, "5")


@pytest.mark.parametrize(
    "question",
    [
        *(b"", b"\n", b"{}\n", b"[1]\n", b"\xff\xfe\n", b'{"sql": 1, "seconds": "x"}\n', b"x" * 2_000_000),
        b'{"judge": "praise", "companies": [], "note": ""}\n',
        pytest.param(b"[" * 100_000 + b"\n", id="nested"),
        *(
            pytest.param(b'{"sql": "SELECT 1", "parameters": [], "seconds": %s}\n' % seconds, id=name)
            for name, seconds in (("beyond floats", b"1" + b"0" * 400), ("NaN", b"NaN"), ("negative", b"-1"))
        ),
    ],
)
def test_nonsense_on_the_socket_hurts_nobody(collection: Collection, path: Path, question: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(wire.socket_path(path)))
        try:
            connection.sendall(question)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65_536):
                pass
        except OSError:
            pass
    assert Reader(path).rows("SELECT 1") == [(1,)]


def test_many_askers_are_answered_one_after_the_other(
    collection: Collection, path: Path, make_page: MakePage
) -> None:
    collection.submit(Batch([make_page("https://a.example/")])).result()
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: Reader(path).rows("SELECT count(*) FROM links"), range(32)))
    assert answers == [[(3,)]] * 32


def test_a_large_result_arrives_whole(collection: Collection, path: Path) -> None:
    with Reader(path).query("SELECT range AS n, repeat('x', 100) AS text FROM range(200000)") as answer:
        assert answer.columns == ["n", "text"]
        assert sum(batch.num_rows for batch in answer.batches) == 200_000


def test_types_come_through_the_socket_as_from_the_file(collection: Collection, path: Path) -> None:
    sql = (
        "SELECT 1::HUGEINT, 1.5::DECIMAL(5,2), MAP {'a': 1}, {'b': [1, 2]}, 'e'::ENUM ('e', 'f'), "
        "'\\x00'::BLOB, "
        "TIMESTAMP '2026-01-01', DATE '2026-01-01', NULL, '{}'::JSON, true, 'x' AS twice, 'y' AS twice"
    )
    written = Reader(path).rows(sql)
    collection.close()
    assert Reader(path).rows(sql) == written
