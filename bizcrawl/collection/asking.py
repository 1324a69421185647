"""The reader's side of querying while another process writes: SQL goes to the writer over a local socket, and
so does what the analyst says. `answering` is the other side.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Generator, Sequence
from pathlib import Path

import pyarrow as pa

from bizcrawl.collection import wire
from bizcrawl.collection.messages import Question, Saying, fault_in
from bizcrawl.collection.opening import CollectionBusy
from bizcrawl.companies.opinions import Judgement
from bizcrawl.errors import BizcrawlError

MORE_S = 10.0
"""A reader waits so much longer than the writer gives a query."""
HEEDED_S = 90.0
"""How long the writer may take to pass on what the analyst says; a crawl can be busy for some seconds."""


def writer_of(path: Path) -> socket.socket | None:
    """A connection to the process that writes a collection; None if none answers."""
    return next(filter(None, map(_called, wire.sockets_found(path))), None)


def asked_of_writer(
    path: Path, connection: socket.socket, sql: str, parameters: Sequence[object], seconds: float
) -> Generator[pa.Schema | pa.RecordBatch, None, None]:
    """The same parts that `safe_sql.run` yields, from the process that writes a collection.

    Raises the fault that the writer tells, and `BizcrawlError` if it goes away.
    """
    with connection:
        try:
            connection.sendall(Question(sql, parameters, seconds).line())
            connection.settimeout(seconds + MORE_S)
            while (frame := wire.receive_frame(connection))[0] == wire.BATCH:
                with pa.ipc.open_stream(frame[1]) as stream:
                    batches = list(stream)
                    if batches:
                        yield from batches
                    else:
                        yield stream.schema
        except (ConnectionError, TimeoutError) as error:
            raise BizcrawlError(
                f"{path}: the process that writes it went away; repeat the command"
            ) from error
        kind, body = frame
        if kind == wire.FAULT:
            raise fault_in(body)


def tell_writer(
    path: Path, judgement: Judgement, companies: Sequence[str], note: str, busy: CollectionBusy
) -> list[str]:
    """Tell the process that writes a collection what the analyst says of companies; returns their keys.

    Raises as `asked_of_writer` does, and `busy` if none answers.
    """
    connection = writer_of(path)
    if connection is None:
        raise busy
    with connection:
        try:
            connection.sendall(Saying(judgement, companies, note).line())
            connection.settimeout(HEEDED_S)
            kind, body = wire.receive_frame(connection)
        except (ConnectionError, TimeoutError) as error:
            raise BizcrawlError(
                f"{path}: the process that writes it went away; repeat the command"
            ) from error
        if kind == wire.FAULT:
            raise fault_in(body)
        return list(json.loads(body))


def _called(address: Path) -> socket.socket | None:
    """A connection to the writer that listens at an address; None if nobody of this user does."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(str(address))
    except OSError:
        connection.close()
        return None
    if wire.peer_is_same_user(connection):
        return connection
    connection.close()
    return None
