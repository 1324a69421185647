"""A small jar for each origin, for pages that redirect to themselves until they see their cookie.

Off by default. A cookie goes back to the very scheme, host and port that set it and to no other: the Domain
attribute is ignored, so no public suffix and no sister host can be written to (GHSA-mfjm-vh54-3f96), and
another server on the same machine learns nothing (CVE-2022-27776).
"""

from __future__ import annotations

import math
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from bizcrawl.urls import origin_of
from bizcrawl.web.fields import date_s

MAX_ORIGIN_BYTES: Final = 2_000
"""Cookies of one origin with their paths, as in BUbiNG's sample configuration; the oldest go first."""
MAX_ORIGINS: Final = 10_000

_SENDABLE: Final = re.compile(r"[\x20-\x3a\x3c-\x7e]*")
"""What can stand in a field of a request: any name and value of printable ASCII, as browsers take them."""


@dataclass(frozen=True, slots=True)
class _Cookie:
    value: str
    until_s: float


class Cookies:
    """The cookies of all origins met in a crawl, each as long as its server says."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds and must not jump."""
        self._clock = clock
        # by origin; in each, by path and name
        self._jars: OrderedDict[str, dict[tuple[str, str], _Cookie]] = OrderedDict()

    def take(self, url: str, set_cookies: Iterable[str], now_s: float) -> None:
        """Keep, replace or drop what the Set-Cookie fields of a response say (RFC 6265 5.2, 5.3).

        `now_s`: when that was, in seconds since 1970 (`fields.sent_s`); Expires is compared with it.
        """
        secure = url.startswith("https:")
        for line in set_cookies:
            pair, _, attributes = line.partition(";")
            name, equals, value = (part.strip(" \t") for part in pair.partition("="))
            if not equals or not name or not _SENDABLE.fullmatch(name + value):
                continue
            said = dict(_attribute(text) for text in attributes.split(";"))
            jar = self._jars.setdefault(origin_of(url), {})
            path = said.get("path", "")
            key = (path if path.startswith("/") else _directory(urlsplit(url).path), name)
            jar.pop(key, None)
            if (lasts_s := _lasts_s(said, now_s)) > 0 and (secure or "secure" not in said):
                jar[key] = _Cookie(value, self._clock() + lasts_s)
            while sum(map(_size_bytes, jar, jar.values())) > MAX_ORIGIN_BYTES:
                del jar[next(iter(jar))]
        while len(self._jars) > MAX_ORIGINS:
            self._jars.popitem(last=False)

    def header(self, url: str) -> str:
        """The Cookie field for a request; "" if there is nothing to send. Of cookies of one name the one that
        was set further down comes first (RFC 6265 5.4).
        """
        jar = self._jars.get(origin_of(url))
        if not jar:
            return ""
        path, now_s = urlsplit(url).path or "/", self._clock()
        sent = [
            (len(above), f"{name}={cookie.value}")
            for (above, name), cookie in jar.items()
            if cookie.until_s > now_s and _lies_below(path, above)
        ]
        sent.sort(key=lambda one: -one[0])
        return "; ".join(text for _, text in sent)


def _size_bytes(key: tuple[str, str], cookie: _Cookie) -> int:
    path, name = key
    return len(path) + len(name) + len(cookie.value)


def _attribute(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip().lower(), value.strip()


def _lasts_s(said: dict[str, str], now_s: float) -> float:
    """Seconds that a cookie is good for: by Max-Age, else by Expires, else as long as the crawl."""
    age = said.get("max-age", "")
    if re.fullmatch(r"-?[0-9]+", age):
        return float(age)
    at_s = date_s(said.get("expires", ""))
    return math.inf if at_s is None else at_s - now_s


def _directory(path: str) -> str:
    """Where a cookie without a Path holds (RFC 6265 5.1.4)."""
    return path[: path.rfind("/")] or "/"


def _lies_below(path: str, above: str) -> bool:
    return path == above or path.startswith(above if above.endswith("/") else above + "/")
