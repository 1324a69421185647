"""The signals that ask a program to end: Ctrl-C, SIGTERM, and the terminal that is closed."""

from __future__ import annotations

import signal

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Terminals and service managers send them to all processes of a command."""


def endings_heard() -> list[signal.Signals]:
    """The signals by which this process is to end. Under nohup it stays when its terminal closes."""
    return [
        number
        for number in ENDINGS
        if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN
    ]
