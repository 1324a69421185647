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
    digest = hashlib.sha256(os.fsencode(collection.resolve())).hexdigest()
    name = f"bizcrawl-{os.getuid()}/{digest[:32]}.sock"
    runtime = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    # the address of a socket is short: where the usual place has a long name, the shortest one must do
    path = next(p for place in (runtime, tempfile.gettempdir(), "/tmp") if _fits(p := Path(place) / name))  # noqa: S108
    directory = path.parent
    directory.mkdir(mode=0o700, exist_ok=True)
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise Unsafe(f"{directory} is not a directory of mode 0700 that belongs to you")
    return path


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= MAX_ADDRESS_BYTES and path.parent.parent.is_dir()


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
