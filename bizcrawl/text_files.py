"""Text files that people bring: saved by any editor or spreadsheet, they mean the same."""

from __future__ import annotations

import codecs
from pathlib import Path


def lines_of(path: Path) -> list[str]:
    """The lines of a file in UTF-8, or in UTF-16 if its byte order mark says so, without mark and line ends.

    Only CR, LF and both together end a line: `str.splitlines` would cut JSON at a U+2028 too. Raises
    `OSError`, and `UnicodeError` for what is no text in that encoding.
    """
    body = path.read_bytes()
    is_utf16 = body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = body.decode("utf-16" if is_utf16 else "utf-8-sig")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
