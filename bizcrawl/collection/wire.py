"""How a reader and the writer's process speak: a socket that only the same user can open.

The socket lies in a directory of mode 0700 that belongs to the user, under a name made from the
collection's path, so that both sides find it without being told. A question is one line of JSON; the answer
is frames of a kind (one byte) and a length (four bytes): Arrow streams of one batch each, then the end or
one fault.
"""

from __future__ import annotations

import hashlib
import os
import socket
import stat
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

BATCH = b"A"
END = b"D"
FAULT = b"E"

MAX_QUESTION_BYTES = 1_000_000
MAX_ADDRESS_BYTES = 100
HEADER = struct.Struct(">cI")


class Unsafe(Exception):  # noqa: N818 - named for what is the case
    """The directory for sockets belongs to someone else, or lets others in."""


def socket_path(collection: Path) -> Path:
    """Where the writer of a collection listens. Makes the directory; `Unsafe` if it can't be trusted."""
    able = (path for path in _candidates(collection) if os.access(path.parent.parent, os.W_OK | os.X_OK))
    if (path := next(able, None)) is None:
        raise Unsafe("there is no folder for temporary files that can be written to")
    path.parent.mkdir(mode=0o700, exist_ok=True)
    if not _is_ours(path.parent):
        raise Unsafe(f"{path.parent} is not a directory of mode 0700 that belongs to you")
    return path


def sockets_found(collection: Path) -> list[Path]:
    """Where a writer may be listening: it may have been started where other variables were set."""
    return [path for path in _candidates(collection) if _is_ours(path.parent) and path.exists()]


def _candidates(collection: Path) -> Iterator[Path]:
    """Possible sockets of a collection, the usual one first; at least one."""
    digest = hashlib.sha256(os.fsencode(collection.resolve())).hexdigest()
    name = f"bizcrawl-{os.getuid()}/{digest[:32]}.sock"
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    places = (runtime, f"/run/user/{os.getuid()}", tempfile.gettempdir(), "/tmp")  # noqa: S108 - see _is_ours
    for place in dict.fromkeys(place for place in places if place and Path(place).is_dir()):
        path = Path(place) / name
        # the address of a socket is short: a place with a long name can't be used
        if len(os.fsencode(path)) <= MAX_ADDRESS_BYTES:
            yield path


def _is_ours(directory: Path) -> bool:
    """Whether a directory is one, no link to one, belongs to this user and is closed to all others."""
    try:
        found = directory.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def peer_is_same_user(connection: socket.socket) -> bool:
    """Whether the process at the other end runs as this user: Linux tells, elsewhere the mode must do."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    _, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return bool(uid == os.getuid())


def send_frame(connection: socket.socket, kind: bytes, body: bytes | memoryview = b"") -> None:
    """Send one frame."""
    connection.sendall(HEADER.pack(kind, len(body)))
    connection.sendall(body)


def receive_frame(connection: socket.socket) -> tuple[bytes, bytes]:
    """Receive one frame; raises ConnectionError if the other side went away within it."""
    kind, length = HEADER.unpack(_exactly(connection, HEADER.size))
    return kind, _exactly(connection, length)


def receive_line(connection: socket.socket) -> bytes:
    """Receive up to a line end; raises ValueError if it does not come within `MAX_QUESTION_BYTES`."""
    parts = bytearray()
    while not parts.endswith(b"\n"):
        piece = connection.recv(65_536)
        if not piece:
            raise ConnectionError("the other side went away")
        parts += piece
        if len(parts) > MAX_QUESTION_BYTES:
            raise ValueError("the question is too long")
    return bytes(parts)


def _exactly(connection: socket.socket, length: int) -> bytes:
    parts = bytearray()
    while len(parts) < length:
        piece = connection.recv(min(length - len(parts), 1 << 20))
        if not piece:
            raise ConnectionError("the other side went away")
        parts += piece
    return bytes(parts)
