"""A live line on a terminal, written over itself; it must not be wider than the terminal, for of a line that
wraps only the last row is wiped, and every change would leave the others behind.
"""

from __future__ import annotations

import os
from typing import TextIO

WIPE = "\r\x1b[K"
USUAL_COLUMNS = 80


def room_on(stream: TextIO) -> int:
    """Characters that fit on a line of this terminal."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return (columns or USUAL_COLUMNS) - 1


def rewritten(text: str, room: int) -> str:
    """What puts a line in place of the one that stands there, cut to the room that there is."""
    return WIPE + (text if len(text) <= room else f"{text[: max(0, room - 1)]}…")
