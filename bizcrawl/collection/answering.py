"""The writer's side of querying while it crawls: read-only SQL answered over a local socket.

DuckDB locks a file that is being written against every other process, readers included. So the process that
writes answers for it, in threads of low priority, a few at a time, within an allowance of time, under the
rules of `safe_sql`.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import duckdb
import pyarrow as pa

from bizcrawl.collection import safe_sql, wire
from bizcrawl.collection.allowance import Allowance
from bizcrawl.collection.messages import Question, Saying, fault_line, message_in
from bizcrawl.collection.opening import THREADS
from bizcrawl.companies.opinions import Judgement
from bizcrawl.errors import BizcrawlError

MAX_CONNECTIONS = 4
"""More askers at a time wait."""
NICENESS = 10
"""Queries give way to the crawl where the system lets a thread be nice (Linux)."""
MAX_SECONDS = 3_600.0
FAREWELL_S = 0.5
"""While it closes, askers are told that their queries were interrupted; then they are cut off."""
RETRY_S = 0.1
"""When nobody can be let in, for the process has too many files open."""

Judge = Callable[[Judgement, Sequence[str], str], list[str]]
"""Is told a judgement, the companies as the user names them and a note; gives the companies' keys."""

Part: TypeAlias = pa.Schema | pa.RecordBatch


class QueryServer:
    """Answers queries, and passes on what the analyst says, until closed."""

    def __init__(
        self,
        collection: Path,
        cursor: Callable[[], duckdb.DuckDBPyConnection],
        judge: Callable[[], Judge | None] = lambda: None,
        allowance: Allowance | None = None,
    ) -> None:
        """`judge` gives the way to a crawl that is running, None while none is; `allowance` is what questions
        may take of its time.
        """
        self.path = wire.socket_path(collection)
        self._cursor = cursor
        self._judge = judge
        self._slots = threading.Semaphore(MAX_CONNECTIONS)
        self._running: set[duckdb.DuckDBPyConnection] = set()
        self._askers: dict[threading.Thread, socket.socket] = {}
        """By the thread that answers each."""
        self._lock = threading.Lock()
        self._allowance = allowance or Allowance()
        self._closing = threading.Event()
        # whoever holds the file's lock is its only writer: what lies here is left over from a killed one
        self.path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._listener.bind(str(self.path))
            self.path.chmod(0o600)
            self._listener.listen(16)
        except OSError:
            self._listener.close()
            raise
        self._acceptor = threading.Thread(target=self._accept, name="queries", daemon=True)
        self._acceptor.start()

    def interrupt(self) -> None:
        """Stop the queries that run."""
        with self._lock:
            for con in self._running:
                con.interrupt()

    def close(self) -> None:
        """Stop answering; running queries are interrupted, and nobody is waited for who does not read the
        answer, or has asked nothing yet.
        """
        self._closing.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.path.unlink(missing_ok=True)
        self._slots.release()  # the acceptor may be waiting for one of the askers to go
        self._acceptor.join()
        until_s = time.monotonic() + FAREWELL_S
        for thread, connection in list(self._askers.items()):
            while thread.is_alive():
                self.interrupt()
                if time.monotonic() >= until_s:
                    _cut_off(connection)
                thread.join(0.1)

    def _accept(self) -> None:
        while not self._closing.is_set():
            self._slots.acquire()
            try:
                connection, _ = self._listener.accept()
            except OSError:
                self._slots.release()
                self._closing.wait(RETRY_S)
                continue
            thread = threading.Thread(target=self._serve, args=(connection,), name="query", daemon=True)
            self._askers[thread] = connection
            try:
                thread.start()
            except RuntimeError:  # the system gives no more threads: this asker is left, not those to come
                del self._askers[thread]
                connection.close()
                self._slots.release()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, contextlib.suppress(OSError, ValueError):
                if wire.peer_is_same_user(connection):
                    _lower_priority()
                    self._answer(connection)
        finally:
            self._slots.release()
            del self._askers[threading.current_thread()]

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(10.0)
        match message_in(wire.receive_line(connection)):
            case Saying() as saying:
                self._pass_on(saying, connection)
            case Question() as question:
                self._reply(question, connection)

    def _reply(self, question: Question, connection: socket.socket) -> None:
        seconds = min(question.seconds, MAX_SECONDS)
        # an asker that does not read its answer must not hold the writer's old rows for ever
        connection.settimeout(seconds)
        if self._closing.wait(self._allowance.wait_s()):
            return
        con = self._cursor()
        with self._lock:
            self._running.add(con)
        try:
            answer = safe_sql.run(
                con,
                question.sql,
                question.parameters,
                seconds=seconds,
                gone=lambda: _gone(connection),
            )
            with contextlib.closing(answer):
                for part in self._timed(answer):
                    wire.send_frame(connection, wire.BATCH, _packed(part))
            wire.send_frame(connection, wire.END)
        except BizcrawlError as fault:
            wire.send_frame(connection, wire.FAULT, fault_line(fault))
        finally:
            with self._lock:
                self._running.discard(con)
            con.close()

    def _timed(self, answer: Iterator[Part]) -> Iterator[Part]:
        """The parts of an answer; the processor time that they took to find is spent."""
        began_s, used_s = time.monotonic(), time.thread_time()
        try:
            for part in answer:
                self._spend(time.monotonic() - began_s, time.thread_time() - used_s)
                yield part
                began_s, used_s = time.monotonic(), time.thread_time()
        finally:
            self._spend(time.monotonic() - began_s, time.thread_time() - used_s)

    def _spend(self, passed_s: float, used_s: float) -> None:
        """Spend the processor time that this thread has used, and as much again, since another of DuckDB's
        threads may have helped; but not the time that it waited for the crawl.
        """
        self._allowance.spend(min(passed_s, THREADS * used_s))

    def _pass_on(self, saying: Saying, connection: socket.socket) -> None:
        """Tell the crawl what the analyst says, and the analyst which companies were meant."""
        try:
            keys = (self._judge() or _nobody_listens)(saying.judgement, saying.companies, saying.note)
        except BizcrawlError as fault:
            wire.send_frame(connection, wire.FAULT, fault_line(fault))
        else:
            wire.send_frame(connection, wire.END, json.dumps(keys).encode())


def _nobody_listens(judgement: Judgement, companies: Sequence[str], note: str) -> list[str]:
    raise BizcrawlError(
        "the process that has it open is not crawling just now; repeat the command when it has ended"
    )


def _packed(part: Part) -> memoryview:
    """An Arrow stream of a schema and at most one batch."""
    sink = pa.BufferOutputStream()
    schema = part if isinstance(part, pa.Schema) else part.schema
    with pa.ipc.new_stream(sink, schema) as stream:
        if not isinstance(part, pa.Schema):
            stream.write_batch(part)
    return memoryview(sink.getvalue())


def _gone(connection: socket.socket) -> bool:
    """Whether the asker hung up; it has nothing more to say, so readable means ended."""
    try:
        readable, _, _ = select.select([connection], [], [], 0)
    except (OSError, ValueError):
        return True
    return bool(readable)


def _cut_off(connection: socket.socket) -> None:
    """End what is sent to an asker or waited for from one; its thread closes the connection."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _lower_priority() -> None:
    """Make this thread give way, where threads have priorities of their own."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
