"""The head of an answer: its fields as text, live and recorded ones alike, its status line, and what
Retry-After asks for.
"""

from __future__ import annotations

import codecs
import email.utils
from collections.abc import Iterable, Mapping
from datetime import UTC
from http import HTTPStatus

from bizcrawl.robots.tags import further_field


def joined(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Names in lower case, repeated fields joined; bytes that are not UTF-8 are read as Latin-1, as browsers
    do.

    Of Location the first counts, since it is no list, and bytes that are not UTF-8 stand percent-encoded:
    they name the page as its server wrote it. Of X-Robots-Tag each field speaks to whom it names, or to all.
    """
    headers: dict[str, str] = {}
    for name_bytes, value_bytes in raw:
        name = name_bytes.decode("latin-1").lower()
        if name == "location":
            headers.setdefault(name, value_bytes.decode("utf-8", _PERCENT))
            continue
        try:
            value = value_bytes.decode("utf-8")
        except UnicodeDecodeError:
            value = value_bytes.decode("latin-1")
        if name == "x-robots-tag" and ":" in headers.get(name, ""):  # which may name a crawler
            value = further_field(value)
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


_PERCENT = "bizcrawl.percent"


def _percent(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "".join(f"%{byte:02X}" for byte in error.object[error.start : error.end]), error.end


codecs.register_error(_PERCENT, _percent)


def status_line(status: int) -> str:
    """The first line of an HTTP/1.1 answer."""
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unknown"
    return f"HTTP/1.1 {status} {phrase}"


def retry_after_s(text: str, now_s: float) -> float | None:
    """Seconds that a Retry-After asks for, as a number or as a date (RFC 9110 10.2.3); None for zero and
    nonsense. `now_s`: the present as `sent_s` gives it.
    """
    text = text.strip()
    if text.isdecimal():
        return float(text) or None
    at_s = date_s(text)
    return at_s - now_s if at_s is not None and at_s > now_s else None


def date_s(text: str) -> float | None:
    """Seconds from 1970 to a date as HTTP and cookies write it; None for nonsense."""
    try:
        at = email.utils.parsedate_to_datetime(text.strip())
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()  # as asctime writes it: 5.6.7
    except (ValueError, TypeError, OverflowError):
        return None


def sent_s(headers: Mapping[str, str], wall_clock_s: float) -> float:
    """The present by the clock of the server that names dates, as its answer's Date says; by ours if it says
    nothing. A clock here that is wrong, or was set meanwhile, makes no host wait longer or shorter.
    """
    said_s = date_s(headers.get("date", ""))
    return wall_clock_s if said_s is None else said_s
