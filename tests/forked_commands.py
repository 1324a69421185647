"""The command line in processes of their own, forked from one that has loaded it already: to load it takes as
long as most of the hundreds of commands that tests run.

Run as a program this is that one process, its standard input a socket: for each command that is named to it
comes the number of its process, and then how that ended.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import pkgutil
import runpy
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from signal import SIGKILL
from threading import Lock

ROOT = Path(__file__).resolve().parent.parent
_MAX_COMMAND_BYTES = 1 << 20


def run(
    *arguments: str | Path,
    cwd: Path | None = None,
    stdin: str = "",
    environment: Mapping[str, str] | None = None,
    timeout_s: float = 110.0,
) -> subprocess.CompletedProcess[str]:
    """Run ``bizcrawl``. What a test has changed of its own environment and folder holds for the command too.

    Raises `subprocess.TimeoutExpired`.
    """
    command = list(map(str, arguments))
    asked = json.dumps([command, str(cwd or Path.cwd()), _environment() | (environment or {})]).encode()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode())
        given.seek(0)
        with _one_at_a_time:
            answers = _loaded()
            socket.send_fds(answers, [asked], [given.fileno(), out.fileno(), err.fileno()])
            answers.settimeout(60)
            pid = int(answers.recv(20))
            answers.settimeout(timeout_s)
            try:
                status = int(answers.recv(20))
            except TimeoutError:
                os.kill(pid, SIGKILL)
                answers.settimeout(30)
                answers.recv(20)
                raise subprocess.TimeoutExpired(command, timeout_s) from None
        texts = [os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode() for file in (out, err)]
    return subprocess.CompletedProcess(command, status, *texts)


_one_at_a_time = Lock()


@cache
def _loaded() -> socket.socket:
    """Where commands are named to the process that has them loaded; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, __file__], stdin=theirs, stdout=subprocess.DEVNULL, env=_environment()
        )

    def end() -> None:
        ours.close()
        process.wait(30)

    atexit.register(end)
    return ours


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120", "PYTHONWARNINGS": "error"}


def _fork_commands(asked: socket.socket) -> None:
    """Returns in a process that is to run a command, and ends this one when nobody asks any more."""
    while True:
        message, (*files,), _, _ = socket.recv_fds(asked, _MAX_COMMAND_BYTES, 3)
        if not message:
            sys.exit()
        pid = os.fork()
        if not pid:
            asked.close()
            _become(*json.loads(message), files)
            return
        for file in files:
            os.close(file)
        asked.send(str(pid).encode())
        asked.send(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())


def _become(
    arguments: Sequence[str], folder: str, environment: Mapping[str, str], files: Sequence[int]
) -> None:
    for number, file in enumerate(files):
        os.dup2(file, number)
    for file in files:
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["bizcrawl", *arguments]


def _load() -> None:
    import bizcrawl.cli
    import testbed.demo

    for package in (bizcrawl.cli, testbed.demo):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    with suppress(ImportError):  # what Typer loads late, where it has it
        importlib.import_module("typer._adapters")


if __name__ == "__main__":
    sys.path[0] = str(ROOT)
    _load()
    _fork_commands(socket.socket(fileno=os.dup(0)))
    runpy.run_module("bizcrawl", run_name="__main__", alter_sys=True)
