"""A collection open for writing: a page, its links and the calls to the strategy in one transaction, in bulk,
off the loop.

How batches become transactions, and what happens when the disk is full, is told in `transactions`.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import duckdb

from bizcrawl import __version__
from bizcrawl.collection import inserting, schema, wire
from bizcrawl.collection.answering import Judge, QueryServer
from bizcrawl.collection.database_files import is_no_place
from bizcrawl.collection.host_counts import count_hosts
from bizcrawl.collection.migrations import bring_up
from bizcrawl.collection.opening import CollectionBusy, CollectionError, connect
from bizcrawl.collection.rows import Batch, CallRow, CompanyRow, CrawlRow, EvidenceRow
from bizcrawl.collection.transactions import (
    LEAST_ROOM,
    MIN_FREE_BYTES,
    DiskFull,
    FreeBytes,
    Transactions,
    free_bytes_of,
)

T = TypeVar("T")

log = logging.getLogger(__name__)

WAIT_FOR_READERS_S = 3.0
"""A question to a collection at rest locks it for some milliseconds: no reason for a crawl not to begin."""


def utc_now() -> datetime:
    """Wall-clock time, UTC without zone, as it is stored."""
    return datetime.now(UTC).replace(tzinfo=None)


class Collection:
    """A collection open for writing. One object, one process; hand batches over from one event loop."""

    def __init__(
        self,
        path: Path,
        con: duckdb.DuckDBPyConnection,
        *,
        now: Callable[[], datetime] = utc_now,
        free_bytes: FreeBytes = free_bytes_of,
    ) -> None:
        self.path = path
        self.crawl = 0
        """Number of the run that is being written; 0 before `begin_crawl` or `continue_crawl`."""
        self._reopened: tuple[int, tuple[object, ...]] | None = None
        """The call with which a run goes on, and how it had ended."""
        self.judge: Judge | None = None
        """Tells the crawl that is running what the analyst says of companies; None while none is."""
        self._now = now
        self._next_page = self._next_call = 1
        self._closed = False
        # cursors are made from a connection that nothing else uses: the writer's own may be busy
        self._spare = con.cursor()
        self._cursors = threading.Lock()
        self._queries = self._answer_queries()
        interrupt = self._queries.interrupt if self._queries is not None else lambda: None
        self._transactions = Transactions(path, con, self._insert, free_bytes, interrupt)

    @classmethod
    def create(
        cls, path: Path, written_by: str = f"bizcrawl {__version__}", now: Callable[[], datetime] = utc_now
    ) -> Collection:
        """Make a new file; one that exists already is opened if it is a collection.

        It is laid out beside its place and then renamed: a crash leaves a whole collection or none. A link
        stays one, and the file is made where it leads.
        """
        if what := is_no_place(path):
            raise CollectionError(f"{path} is {what}; name a file")
        if path.exists() and path.stat().st_size:
            return cls.open(path, now=now)
        _lay_out(Path(os.path.realpath(path)) if path.is_symlink() else path, written_by, now())
        return cls(path, _connected(path), now=now)

    @classmethod
    def open(cls, path: Path, now: Callable[[], datetime] = utc_now) -> Collection:
        """Open a file that exists. Raises `DiskFull` if nothing more could be written to it."""
        if not path.exists():
            raise CollectionError(f"{path}: no such file")
        if free_bytes_of(path.parent) < MIN_FREE_BYTES:
            raise DiskFull(f"{path}: the disk is full; make room ({LEAST_ROOM} at least)")
        con = _connected(path)
        try:
            bring_up(path, con)
        except BaseException:
            con.close()
            raise
        return cls(path, con, now=now)

    # ---- runs

    def begin_crawl(self, row: CrawlRow) -> int:
        """Write down a new run; what is submitted from now on belongs to it. Returns its number."""
        now = self._now()

        def insert(con: duckdb.DuckDBPyConnection) -> int:
            self._next_page = inserting.next_page(con)
            return inserting.insert_crawl(con, row, now)

        self.crawl = self.transact(insert)
        self._next_call = 1
        return self.crawl

    def continue_crawl(self, crawl: int, budget: dict[str, float] | None = None) -> None:
        """Go on with a run; what is submitted from now on belongs to it."""
        former = self.transact(lambda con: inserting.reopen_crawl(con, crawl, budget))
        self._go_on_behind(crawl)
        self._reopened = (self._next_call, former)

    def leave_as_it_was(self) -> None:
        """A run with which nothing could go on has ended as it had, if nothing of it was written since."""

        def close_again(con: duckdb.DuckDBPyConnection) -> None:
            if self._reopened is not None and self._reopened[0] == self._next_call:
                inserting.close_again(con, self.crawl, self._reopened[1])

        self.transact(close_again)

    def add_calls(self, crawl: int, calls: Sequence[CallRow]) -> None:
        """Write calls behind the last one of a run that stays at rest; returns once they are safe."""
        self._go_on_behind(crawl)
        self.submit(Batch(calls=calls)).result()

    def end_crawl(self, stop_reason: str, dropped: int = 0) -> None:
        """Write down why the run ended and what its hosts gave, after everything submitted before.

        `dropped`: how often its frontier, being full, let go of a URL.
        """
        crawl, ended_at = self.crawl, self._now()

        def end(con: duckdb.DuckDBPyConnection) -> None:
            con.execute(
                "UPDATE crawls SET ended_at = ?, stop_reason = ?, dropped = ? WHERE crawl = ?",
                [ended_at, stop_reason, dropped, crawl],
            )
            count_hosts(con)

        self.transact(end)

    def _go_on_behind(self, crawl: int) -> None:
        """What is submitted from now on is numbered after the last page of the file and call of the run."""

        def number(con: duckdb.DuckDBPyConnection) -> None:
            self._next_page = inserting.next_page(con)
            self._next_call = inserting.next_call(con, crawl)

        self.transact(number)
        self.crawl = crawl

    # ---- batches

    def submit(self, batch: Batch) -> Future[object]:
        """Hand a batch over; the future is done once it is on disk. Blocks only while too many pages wait."""
        return self._transactions.submit(batch)

    def transact(self, act: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """Run something on the writer's connection in a transaction of its own, after all before it."""
        return self._transactions.transact(act)

    def replace_companies(self, companies: Sequence[CompanyRow], evidence: Sequence[EvidenceRow]) -> None:
        """Put companies and evidence in place of the former ones; verdicts and first sightings are kept."""
        now = self._now()
        self.transact(lambda con: inserting.replace_companies(con, companies, evidence, now))

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of the same process to read with, from any thread; close it after use."""
        with self._cursors:
            return self._spare.cursor()

    def close(self) -> None:
        """Write what is waiting, fold the log into the file and let go of it. Idempotent."""
        if self._closed:
            return
        self._closed = True
        if self._queries is not None:
            self._queries.close()
        self._transactions.close()

    def __enter__(self) -> Collection:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _insert(self, con: duckdb.DuckDBPyConnection, batches: Sequence[Batch]) -> None:
        self._next_page, self._next_call = inserting.insert_batches(
            con, batches, self.crawl, self._next_page, self._next_call, self._now()
        )

    def _answer_queries(self) -> QueryServer | None:
        """Let other processes of this user ask; without a place for the socket the crawl goes on without."""
        try:
            return QueryServer(self.path, self.cursor, lambda: self.judge)
        except (OSError, wire.Unsafe) as error:
            log.warning("%s can't be queried while it is written: %s", self.path, error)
            return None


def _connected(path: Path) -> duckdb.DuckDBPyConnection:
    """A connection to write with; whoever is just reading the file is waited for."""
    until_s = time.monotonic() + WAIT_FOR_READERS_S
    while True:
        try:
            return connect(path, read_only=False)
        except CollectionBusy:
            # who writes it answers questions, and will be at it for long
            if time.monotonic() > until_s or wire.sockets_found(path):
                raise
        time.sleep(0.01)


def _lay_out(path: Path, written_by: str, now: datetime) -> None:
    if not path.parent.is_dir():
        raise CollectionError(f"{path}: there is no directory {path.parent}")
    if free_bytes_of(path.parent) < MIN_FREE_BYTES:
        # else an empty collection is left in the way, which can't be resumed
        raise DiskFull(
            f"{path}: the disk is full; make room ({LEAST_ROOM} at least), or name a file elsewhere"
        )
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        con = connect(part, read_only=False)
        try:
            schema.create(con, written_by, now)
        finally:
            con.close()
        part.replace(path)
    except CollectionError as error:
        # nobody has asked for a file of that name
        raise CollectionError(str(error).replace(part.name, path.name)) from error
    except OSError as error:
        raise CollectionError(f"{path} can't be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
            Path(f"{part}.wal").unlink(missing_ok=True)
