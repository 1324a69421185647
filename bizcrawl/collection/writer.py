"""Writing a collection: a page, its links and the calls to the strategy in one transaction, in bulk, off
the loop.

Batches are handed over in order and written by one thread. While a transaction is being written the next
batches gather and go into one transaction together, so the rate grows with the load and fetching never
waits for the disk; only when `MAX_WAITING_PAGES` are waiting does `submit` hold the crawl back. What is in
the file is always a prefix of what was handed over.

A full disk ends the writing: nothing of the open transaction stays, every waiting and later batch gets the
same fault, and the collection can be resumed once there is room.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import queue
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TypeVar

import duckdb
import pyarrow as pa

from bizcrawl import __version__
from bizcrawl.collection import columns, schema, wire
from bizcrawl.collection.answering import QueryServer
from bizcrawl.collection.link_columns import links_table
from bizcrawl.collection.migrations import bring_up
from bizcrawl.collection.opening import CollectionError, connect
from bizcrawl.collection.rows import Batch, CallRow, CompanyRow, CrawlRow, EvidenceRow
from bizcrawl.collection.verdicts import KEEP_VERDICTS, set_verdicts
from bizcrawl.companies.opinions import Judgement
from bizcrawl.garbage import give_back_free_memory

T = TypeVar("T")

log = logging.getLogger(__name__)

MAX_PAGES_PER_TRANSACTION = 200
MAX_WAITING_PAGES = 2_000
"""More pages than this wait for the disk: the crawl is held back."""
CHECKPOINT_WAL_BYTES = 64 * 2**20
"""The log is folded into the file when it has grown to this; until then its rows stay in memory as well."""
MIN_FREE_BYTES = 64 * 2**20
"""With less room than this on the disk nothing is begun any more."""
WRITE_FAULTS = ("Could not write", "No space left", "File too large", "Input/output error", "fsync")
"""What DuckDB says, under several types of error, when the file system fails it in a commit."""
GIVE_WAY_S = 0.5
"""How long the writer waits for memory that interrupted queries give back."""


def utc_now() -> datetime:
    """Wall-clock time, UTC without zone, as it is stored."""
    return datetime.now(UTC).replace(tzinfo=None)


class DiskFull(CollectionError):  # noqa: N818 - named for what is the case
    """There is no room for another transaction; what was acknowledged is safe."""


@dataclass(frozen=True, slots=True)
class _Order:
    """Something for the writer's thread to do."""

    done: Future[object]
    batch: Batch | None = None
    act: Callable[[duckdb.DuckDBPyConnection], object] | None = None
    weight: int = field(default=1)


class Collection:
    """A collection open for writing. One object, one process; hand batches over from one event loop."""

    def __init__(
        self,
        path: Path,
        con: duckdb.DuckDBPyConnection,
        *,
        now: Callable[[], datetime] = utc_now,
        free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
    ) -> None:
        self.path = path
        self.crawl = 0
        """Number of the run that is being written; 0 before `begin_crawl` or `continue_crawl`."""
        self.judge: Callable[[Judgement, Sequence[str]], list[str]] | None = None
        """Tells the crawl that is running what the analyst says of companies; None while none is."""
        self._con = con
        self._now = now
        self._free_bytes = free_bytes
        self._wal = Path(f"{path}.wal")
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._waiting_pages = 0
        self._room = threading.Condition()
        self._fault: CollectionError | None = None
        self._next_page = self._next_call = 1
        # cursors are made from a connection that nothing else uses: the writer's own may be busy
        self._spare = con.cursor()
        self._cursors = threading.Lock()
        self._queries = self._answer_queries()
        self._thread = threading.Thread(target=self._work, name=f"writer of {path.name}", daemon=True)
        self._thread.start()

    @classmethod
    def create(
        cls, path: Path, written_by: str = f"bizcrawl {__version__}", now: Callable[[], datetime] = utc_now
    ) -> Collection:
        """Make a new file; one that exists already is opened if it is a collection.

        It is laid out beside its place and then renamed: a crash leaves a whole collection or none.
        """
        if not path.exists() or not path.stat().st_size:
            _lay_out(path, written_by, now())
        return cls.open(path, now=now)

    @classmethod
    def open(cls, path: Path, now: Callable[[], datetime] = utc_now) -> Collection:
        """Open a file that exists."""
        if not path.exists():
            raise CollectionError(f"{path}: no such file")
        con = connect(path, read_only=False)
        try:
            bring_up(path, con)
        except BaseException:
            con.close()
            raise
        return cls(path, con, now=now)

    # ---- runs

    def begin_crawl(self, row: CrawlRow) -> int:
        """Write down a new run; what is submitted from now on belongs to it. Returns its number."""
        topic = row.topic
        values = [
            row.command,
            topic.name,
            list(topic.seeds),
            list(topic.hubs),
            topic.keywords,
            row.strategy,
            json.dumps(dict(row.strategy_options)),
            json.dumps(dict(row.settings)),
            json.dumps(dict(row.budget)),
            row.random_seed,
            row.gated,
            self._now(),
        ]

        def insert(con: duckdb.DuckDBPyConnection) -> int:
            crawl = 1 + _count(con, "SELECT coalesce(max(crawl), 0) FROM crawls")
            self._number_pages(con)
            con.execute(
                "INSERT INTO crawls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
                [crawl, *values],
            )
            return crawl

        self.crawl = self.transact(insert)
        self._next_call = 1
        return self.crawl

    def continue_crawl(self, crawl: int, budget: dict[str, float] | None = None) -> None:
        """Go on with a run; what is submitted from now on belongs to it."""

        def reopen(con: duckdb.DuckDBPyConnection) -> int:
            self._number_pages(con)
            con.execute("UPDATE crawls SET ended_at = NULL, stop_reason = NULL WHERE crawl = ?", [crawl])
            if budget is not None:
                con.execute("UPDATE crawls SET budget = ? WHERE crawl = ?", [json.dumps(budget), crawl])
            return 1 + _count(con, "SELECT coalesce(max(call), 0) FROM calls WHERE crawl = ?", crawl)

        self._next_call = self.transact(reopen)
        self.crawl = crawl

    def add_calls(self, crawl: int, calls: Sequence[CallRow]) -> None:
        """Write calls behind the last one of a run that stays at rest; returns once they are safe."""

        def number(con: duckdb.DuckDBPyConnection) -> int:
            self._number_pages(con)
            return 1 + _count(con, "SELECT coalesce(max(call), 0) FROM calls WHERE crawl = ?", crawl)

        self._next_call = self.transact(number)
        self.crawl = crawl
        self.submit(Batch(calls=calls)).result()

    def end_crawl(self, stop_reason: str) -> None:
        """Write down why the run ended, after everything submitted before."""
        crawl, ended_at = self.crawl, self._now()
        self.transact(
            lambda con: con.execute(
                "UPDATE crawls SET ended_at = ?, stop_reason = ? WHERE crawl = ?",
                [ended_at, stop_reason, crawl],
            )
        )

    # ---- batches

    def submit(self, batch: Batch) -> Future[object]:
        """Hand a batch over; the future is done once it is on disk. Blocks only while too many pages wait."""
        order = _Order(Future(), batch=batch, weight=len(batch.pages))
        with self._room:
            while self._waiting_pages >= MAX_WAITING_PAGES and self._fault is None:
                self._room.wait()
            self._waiting_pages += order.weight
        return self._put(order)

    async def commit(self, batch: Batch) -> None:
        """Write a batch and return once it is safe on disk. Several may be on their way, in order."""
        if self._waiting_pages >= MAX_WAITING_PAGES:
            future = await asyncio.to_thread(self.submit, batch)
        else:
            future = self.submit(batch)
        await asyncio.wrap_future(future)

    def transact(self, act: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """Run something on the writer's connection in a transaction of its own, after all before it."""
        future = self._put(_Order(Future(), act=act))
        return future.result()  # type: ignore[return-value]

    def replace_companies(self, companies: Sequence[CompanyRow], evidence: Sequence[EvidenceRow]) -> None:
        """Put companies and evidence in place of the former ones; verdicts and first sightings are kept."""
        now = self._now()
        self.transact(lambda con: _replace_companies(con, companies, evidence, now))

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of the same process to read with, from any thread; close it after use."""
        with self._cursors:
            return self._spare.cursor()

    def close(self) -> None:
        """Write what is waiting, fold the log into the file and let go of it. Idempotent."""
        if self._thread.is_alive():
            if self._queries is not None:
                self._queries.close()
            self._orders.put(None)
            self._thread.join()
            self._con.close()

    def __enter__(self) -> Collection:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _answer_queries(self) -> QueryServer | None:
        """Let other processes of this user ask; without a place for the socket the crawl goes on without."""
        try:
            return QueryServer(self.path, self.cursor, lambda: self.judge)
        except (OSError, wire.Unsafe) as error:
            log.warning("%s can't be queried while it is written: %s", self.path, error)
            return None

    # ---- the writer's thread

    def _put(self, order: _Order) -> Future[object]:
        if not self._thread.is_alive():
            raise CollectionError(f"{self.path}: the collection has been closed")
        self._orders.put(order)
        return order.done

    def _work(self) -> None:
        ending = False
        while not ending:
            order = self._orders.get()
            orders: list[_Order] = []
            while order is not None:
                orders.append(order)
                if order.act is not None or sum(o.weight for o in orders) >= MAX_PAGES_PER_TRANSACTION:
                    break
                try:
                    order = self._orders.get_nowait()
                except queue.Empty:
                    break
            ending = order is None
            self._write([o for o in orders if o.batch is not None])
            if orders and (last := orders[-1]).act is not None:
                self._act(last)
            if self._fault is None and _size(self._wal) > CHECKPOINT_WAL_BYTES:
                self._checkpoint()

    def _number_pages(self, con: duckdb.DuckDBPyConnection) -> None:
        """Go on after the last page of the file."""
        self._next_page = 1 + _count(con, "SELECT coalesce(max(page), 0) FROM pages")

    def _write(self, orders: Sequence[_Order]) -> None:
        """Write several batches in one transaction; if one is at fault, each on its own."""
        if not orders:
            return
        try:
            self._transaction(lambda con: self._insert(con, [o.batch for o in orders if o.batch]))
        except Exception as fault:
            if len(orders) > 1 and self._fault is None:
                for order in orders:
                    self._write([order])
                return
            for order in orders:
                order.done.set_exception(fault)
        else:
            for order in orders:
                order.done.set_result(None)
        with self._room:
            self._waiting_pages -= sum(o.weight for o in orders)
            self._room.notify_all()

    def _act(self, order: _Order) -> None:
        assert order.act is not None
        act = order.act
        try:
            order.done.set_result(self._transaction(act))
        except Exception as fault:
            order.done.set_exception(fault)

    def _transaction(self, act: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        if self._fault is not None:
            raise self._fault
        if self._free_bytes(self.path.parent) < MIN_FREE_BYTES:
            self._fault = self._disk_full()
            raise self._fault
        try:
            return self._attempt(act)
        except duckdb.OutOfMemoryException:
            # queries share the memory of the writer, and give way to it
            if self._queries is not None:
                self._queries.interrupt()
            time.sleep(GIVE_WAY_S)
        except duckdb.Error as error:
            raise self._explained(error) from error
        try:
            return self._attempt(act)
        except duckdb.Error as error:
            raise self._explained(error) from error

    def _attempt(self, act: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        try:
            self._con.execute("BEGIN")
            result = act(self._con)
            self._con.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise
        return result

    def _checkpoint(self) -> None:
        """Fold the log into the file; a query that looks at old rows may put it off."""
        try:
            self._con.execute("CHECKPOINT")
        except duckdb.TransactionException as error:
            log.info("%s: checkpoint put off: %s", self.path, error)
        except duckdb.Error as error:
            self._fault = self._explained(error)
        give_back_free_memory()

    def _roll_back(self) -> None:
        try:
            self._con.execute("ROLLBACK")
        except duckdb.Error:
            # the transaction has been undone by DuckDB itself already
            return

    def _explained(self, error: duckdb.Error) -> CollectionError:
        message = " ".join(str(error).split())
        broken = isinstance(error, duckdb.IOException | duckdb.FatalException | duckdb.InternalException)
        if broken or any(sign in message for sign in WRITE_FAULTS):
            full = "No space left" in message or "File too large" in message
            self._fault = (
                self._disk_full() if full else CollectionError(f"{self.path} can't be written: {message}")
            )
            with self._room:
                self._room.notify_all()
            return self._fault
        return CollectionError(f"{self.path}: the collection refused a batch: {message}")

    def _disk_full(self) -> DiskFull:
        return DiskFull(
            f"{self.path}: the disk is full; what was acknowledged is safe: make room, "
            f"then `bizcrawl resume {self.path}`"
        )

    def _insert(self, con: duckdb.DuckDBPyConnection, batches: Sequence[Batch]) -> None:
        pages = [page for batch in batches for page in batch.pages]
        calls: list[CallRow] = list(chain.from_iterable(batch.calls for batch in batches))
        decisions = [d for batch in batches for d in batch.decisions]
        hosts = [h for batch in batches for h in batch.hosts]
        first_page, first_call = self._next_page, self._next_call
        if pages:
            _load(con, "pages", columns.pages_table(pages, self.crawl, first_page))
            _load(con, "trees", columns.trees_table(pages, first_page))
            _load(con, "links", links_table(pages, self.crawl, first_page))
        if calls:
            _load(con, "calls", columns.calls_table(calls, self.crawl, first_call))
            set_verdicts(con, calls, self._now())
        if decisions:
            _load(con, "decisions", columns.decisions_table(decisions, self.crawl))
        if hosts:
            _load(con, "hosts", columns.hosts_table(hosts), UPDATE_HOST)
        self._next_page = first_page + len(pages)
        self._next_call = first_call + len(calls)


def _lay_out(path: Path, written_by: str, now: datetime) -> None:
    if not path.parent.is_dir():
        raise CollectionError(f"{path}: there is no directory {path.parent}")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        con = connect(part, read_only=False)
        try:
            schema.create(con, written_by, now)
        finally:
            con.close()
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
        Path(f"{part}.wal").unlink(missing_ok=True)


UPDATE_HOST = (
    "ON CONFLICT (host) DO UPDATE SET robots = excluded.robots, delay_s = excluded.delay_s, "
    "pages = excluded.pages, failures = excluded.failures, last_failure = excluded.last_failure"
)


def _load(con: duckdb.DuckDBPyConnection, table: str, rows: pa.Table, on_conflict: str = "") -> None:
    """Append an Arrow table to a table of the same columns."""
    if not len(rows):
        return
    # not unregistered after a fault: the transaction is lost then, and DuckDB would only say so
    con.register("incoming", rows)
    con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming {on_conflict}")  # noqa: S608 - our own names
    con.unregister("incoming")


def _replace_companies(
    con: duckdb.DuckDBPyConnection,
    companies: Sequence[CompanyRow],
    evidence: Sequence[EvidenceRow],
    now: datetime,
) -> None:
    con.execute("CREATE OR REPLACE TEMP TABLE former AS FROM companies")
    con.execute("TRUNCATE companies")
    con.execute("TRUNCATE evidence")
    _load(con, "companies", columns.companies_table(companies, now))
    _load(con, "evidence", columns.evidence_table(evidence))
    con.execute(
        "UPDATE companies SET first_seen = former.first_seen FROM former "
        "WHERE former.company = companies.company"
    )
    con.execute(KEEP_VERDICTS)
    con.execute("DROP TABLE former")


def _count(con: duckdb.DuckDBPyConnection, query: str, *parameters: object) -> int:
    # all rows, for DuckDB keeps a result open until its end was seen
    ((count,),) = con.execute(query, parameters).fetchall()
    return int(count)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
