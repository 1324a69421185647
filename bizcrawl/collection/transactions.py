"""The thread that writes a collection: what is handed over goes to the disk in order, in few transactions.

While a transaction is being written the next batches gather and go into one transaction together, so the
rate grows with the load and fetching never waits for the disk; only when `MAX_WAITING_PAGES` or
`MAX_WAITING_BYTES` of them are waiting does `submit` hold the crawl back. What is in the file is always a
prefix of what was handed over.

A full disk ends the writing: nothing of the open transaction stays, every waiting and later batch gets the
same fault, and the collection can be resumed once there is room.
"""

from __future__ import annotations

import logging
import os
import queue
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import duckdb

from bizcrawl.collection.opening import CollectionError, roll_back
from bizcrawl.collection.rows import Batch
from bizcrawl.garbage import give_back_free_memory

T = TypeVar("T")
Insert = Callable[[duckdb.DuckDBPyConnection, Sequence[Batch]], None]
"""Puts batches into their tables, within a transaction."""
FreeBytes = Callable[[Path], int]
"""Room that is left on the disk of a directory."""

log = logging.getLogger(__name__)

MAX_PAGES_PER_TRANSACTION = 200
MAX_BYTES_PER_TRANSACTION = 32 * 2**20
MAX_WAITING_PAGES = 2_000
"""More pages than this wait for the disk: the crawl is held back."""
MAX_WAITING_BYTES = 96 * 2**20
"""The same of the memory that they take: 2,000 are some 100 MB, but as long as the page cap 5 GB."""
CHECKPOINT_WAL_BYTES = 96 * 2**20
"""The log is folded into the file when it has grown to this; until then its rows stay in memory as well. Each
time DuckDB begins new row groups in all tables, and remembers a kilobyte of each of their segments while the
file is open: at two thirds of this size a crawl of 100,000 pages grew by 27 MB, now by 4 to 12.
"""
MIN_FREE_BYTES = 64 * 2**20
"""With less room than this on the disk nothing is begun any more."""
LEAST_ROOM = f"{MIN_FREE_BYTES // 2**20} MB"
WRITE_FAULTS = ("Could not write", "No space left", "File too large", "Input/output error", "fsync")
"""What DuckDB says, under several types of error, when the file system fails it in a commit."""
GIVE_WAY_S = 0.5
"""How long the writer waits for memory that interrupted queries give back."""


def free_bytes_of(directory: Path) -> int:
    """Room on the disk of a directory, as the system says."""
    return shutil.disk_usage(directory).free


class DiskFull(CollectionError):  # noqa: N818 - named for what is the case
    """There is no room for another transaction; what was acknowledged is safe."""


@dataclass(frozen=True, slots=True)
class _Order:
    """Something for the writer's thread to do."""

    done: Future[object]
    batch: Batch | None = None
    act: Callable[[duckdb.DuckDBPyConnection], object] | None = None
    pages: int = 0
    held_bytes: int = 0
    """What the pages of the batch take in memory, nearly."""


class Transactions:
    """One thread with one connection; batches and acts come from any other."""

    def __init__(
        self,
        path: Path,
        con: duckdb.DuckDBPyConnection,
        insert: Insert,
        free_bytes: FreeBytes = free_bytes_of,
        interrupt_queries: Callable[[], None] = lambda: None,
    ) -> None:
        """`con` belongs to the thread from now on. `interrupt_queries` is called when memory is short."""
        self._path = path
        self._con = con
        self._insert = insert
        self._free_bytes = free_bytes
        self._interrupt_queries = interrupt_queries
        self._wal = Path(f"{path}.wal")
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._waiting_pages = self._waiting_bytes = 0
        self._room = threading.Condition()
        self._fault: CollectionError | None = None
        self._thread = threading.Thread(target=self._work, name=f"writer of {path.name}", daemon=True)
        self._thread.start()

    def submit(self, batch: Batch) -> Future[object]:
        """Hand a batch over; the future is done once it is on disk. Blocks only while too many pages wait."""
        held_bytes = sum(page.held_bytes for page in batch.pages)
        order = _Order(Future(), batch=batch, pages=len(batch.pages), held_bytes=held_bytes)
        with self._room:
            while self._is_full() and self._fault is None:
                self._room.wait()
            self._waiting_pages += order.pages
            self._waiting_bytes += order.held_bytes
        return self._put(order)

    def _is_full(self) -> bool:
        return self._waiting_pages >= MAX_WAITING_PAGES or self._waiting_bytes >= MAX_WAITING_BYTES

    def transact(self, act: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """Run something on the connection in a transaction of its own, after all before it."""
        future = self._put(_Order(Future(), act=act))
        return future.result()  # type: ignore[return-value]

    def close(self) -> None:
        """Write what is waiting, fold the log into the file and let the connection go."""
        self._orders.put(None)
        self._thread.join()
        self._con.close()

    def _put(self, order: _Order) -> Future[object]:
        if not self._thread.is_alive():
            raise CollectionError(f"{self._path}: the collection has been closed")
        self._orders.put(order)
        return order.done

    # ---- in the thread

    def _work(self) -> None:
        while self._deal_with(*self._next_orders()):
            pass

    def _next_orders(self) -> tuple[list[_Order], bool]:
        """What goes to the disk together: waits for one order at least; and whether it is the end."""
        orders: list[_Order] = []
        pages = held_bytes = 0
        order = self._orders.get()
        while order is not None:
            orders.append(order)
            pages += order.pages
            held_bytes += order.held_bytes
            full = pages >= MAX_PAGES_PER_TRANSACTION or held_bytes >= MAX_BYTES_PER_TRANSACTION
            if order.act is not None or full:
                break
            try:
                order = self._orders.get_nowait()
            except queue.Empty:
                break
        return orders, order is None

    def _deal_with(self, orders: Sequence[_Order], ending: bool) -> bool:
        """Write orders down; whether more may come. Nothing of them is kept while those are waited for."""
        self._write([o for o in orders if o.batch is not None])
        if orders and (last := orders[-1]).act is not None:
            self._act(last)
        # a log that somebody has deleted would be missed after a kill
        if self._fault is None and (not (logged := _size(self._wal)) or logged > CHECKPOINT_WAL_BYTES):
            self._checkpoint()
        return not ending

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
            self._waiting_pages -= sum(o.pages for o in orders)
            self._waiting_bytes -= sum(o.held_bytes for o in orders)
            self._room.notify_all()

    def _act(self, order: _Order) -> None:
        assert order.act is not None
        try:
            order.done.set_result(self._transaction(order.act))
        except Exception as fault:
            order.done.set_exception(fault)

    def _transaction(self, act: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        if self._fault is None:
            self._fault = self._no_place()
        if self._fault is not None:
            raise self._fault
        try:
            return self._attempt(act)
        except duckdb.OutOfMemoryException:
            self._interrupt_queries()  # they share the memory of the writer, and give way to it
            time.sleep(GIVE_WAY_S)
        except duckdb.Error as error:
            raise self._explained(error) from error
        try:
            return self._attempt(act)
        except duckdb.Error as error:
            raise self._explained(error) from error

    def _no_place(self) -> CollectionError | None:
        """Why nothing more can be written, if so."""
        if not os.path.exists(self._path):  # DuckDB would write on into a file that has no name
            return CollectionError(
                f"{self._path} was moved or deleted while it was written; if it was moved, "
                "`bizcrawl resume` goes on with a crawl under its new name"
            )
        return self._disk_full() if self._free_bytes(self._path.parent) < MIN_FREE_BYTES else None

    def _attempt(self, act: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        try:
            self._con.execute("BEGIN")
            result = act(self._con)
            self._con.execute("COMMIT")
        except BaseException:
            roll_back(self._con)
            raise
        return result

    def _checkpoint(self) -> None:
        """Fold the log into the file; a query that looks at old rows may put it off."""
        try:
            self._con.execute("CHECKPOINT")
        except duckdb.TransactionException as error:
            log.info("%s: checkpoint put off: %s", self._path, error)
        except duckdb.Error as error:
            self._fault = self._explained(error)
        give_back_free_memory()

    def _explained(self, error: duckdb.Error) -> CollectionError:
        message = " ".join(str(error).split())
        broken = isinstance(error, duckdb.IOException | duckdb.FatalException | duckdb.InternalException)
        if broken or any(sign in message for sign in WRITE_FAULTS):
            full = "No space left" in message or "File too large" in message
            self._fault = (
                self._disk_full() if full else CollectionError(f"{self._path} can't be written: {message}")
            )
            with self._room:
                self._room.notify_all()
            return self._fault
        return CollectionError(f"{self._path}: the collection refused a batch: {message}")

    def _disk_full(self) -> DiskFull:
        return DiskFull(
            f"{self._path}: the disk is full; what was acknowledged is safe: make room "
            f"({LEAST_ROOM} at least), then `bizcrawl resume {self._path}` goes on with a crawl"
        )


def _size(path: Path) -> int:
    """Bytes of a file; 0 if it is not to be found."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
