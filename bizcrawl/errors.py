"""Faults that a person can do something about. Each carries one clear line: what is wrong and what to do.

BizcrawlError        the task failed                                 exit code 1
├── RecordNotKept    there is no room for the record of a crawl      exit code 1
├── WrongUse         the command or its input makes no sense         exit code 2
└── Interrupted      ended by Ctrl-C or SIGTERM, and resumable       exit code 130
"""

from __future__ import annotations

import errno
import os


class BizcrawlError(Exception):
    """The task failed; the message is one line for a person."""

    exit_code = 1


class RecordNotKept(BizcrawlError):  # noqa: N818 - named for what happened
    """There is no room for the WARC record of a crawl; what was visited before is in the collection."""


class WrongUse(BizcrawlError):  # noqa: N818 - named for what happened
    """The command or its input makes no sense as given."""

    exit_code = 2


class Interrupted(BizcrawlError):  # noqa: N818 - named for what happened
    """Ended early by the user; the message says how to go on."""

    exit_code = 130


_TOLD_BY_DUCKDB = (f"SystemExit: {Interrupted.exit_code}", "KeyboardInterrupt")
"""How the message of an error ends that DuckDB made of the exception of a signal's handler."""


def is_ctrl_c(fault: BaseException) -> bool:
    """Whether a fault is Ctrl-C, or what DuckDB makes of it when it was at work for the main thread: the
    exception of the signal's handler is lost in another, or told in its words.
    """
    is_lost = isinstance(fault, RuntimeError) and "Query interrupted" in str(fault)
    is_told = type(fault).__module__ == "_duckdb" and str(fault).rstrip().endswith(_TOLD_BY_DUCKDB)
    return is_lost or is_told or isinstance(fault, KeyboardInterrupt | SystemExit)


def machine_trouble(fault: BaseException) -> str:
    """One line for a person if the machine does not give what every command takes: memory, threads, links
    that lead somewhere; "" for any other fault.
    """
    said = " ".join(str(fault).split())
    is_duckdb = type(fault).__module__ == "_duckdb"
    if isinstance(fault, MemoryError) or (is_duckdb and said.startswith("Out of Memory Error")):
        return "there is too little memory; end other programs, or raise the limit (ulimit -v)"
    if isinstance(fault, RuntimeError) and said == "can't start new thread":
        return "the system starts no more threads; end other programs, or raise the limit (ulimit -u)"
    if isinstance(fault, RuntimeError) and said.startswith("Symlink loop"):  # until Python 3.12
        return said
    return file_trouble(fault)


def system_trouble(fault: OSError) -> str:
    """One line for a person about what the system refused."""
    why = fault.strerror or str(fault)
    if fault.filename is not None:
        return f"{os.fsdecode(fault.filename)}: {why}"
    if fault.errno in _OF_OUTPUT:
        return f"the output can't be written: {why}"
    try:
        os.getcwd()
    except OSError:
        return f"the folder that this was started in can't be used: {why}; change to another"
    return why


_OF_OUTPUT = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}
"""What a file that is open already says of itself. Where memory, processes or descriptors are lacking, or a
socket fails, the system names no file either.
"""

_TROUBLES = {
    "No space left on device": "the disk is full",
    "File too large": "the file may not grow any more",
    "Corrupt database file": "the file is damaged or was cut short",
    "Could not read enough bytes": "the file is damaged or was cut short",
}
"""What a person can do something about, by what DuckDB says of it."""


def file_trouble(fault: BaseException) -> str:
    """One line for a person if DuckDB could not read or write a file because of the file or its disk; "" for
    any other fault.
    """
    said = " ".join(str(fault).split())
    if type(fault).__module__ != "_duckdb":
        return ""
    return next((f"{trouble}: {said}" for sign, trouble in _TROUBLES.items() if sign in said), "")
