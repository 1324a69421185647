"""Faults that a person can do something about. Each carries one clear line: what is wrong and what to do.

BizcrawlError        the task failed                                 exit code 1
├── WrongUse         the command or its input can't be meant so      exit code 2
└── Interrupted      ended by Ctrl-C or SIGTERM, and resumable       exit code 130
"""

from __future__ import annotations


class BizcrawlError(Exception):
    """The task failed; the message is one line for a person."""

    exit_code = 1


class WrongUse(BizcrawlError):  # noqa: N818 - named for what happened
    """The command or its input can't be meant so."""

    exit_code = 2


class Interrupted(BizcrawlError):  # noqa: N818 - named for what happened
    """Ended early by the user; the message says how to go on."""

    exit_code = 130
