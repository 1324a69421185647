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
"""Cookies of one origin, as in BUbiNG's sample configuration; the oldest go first."""
MAX_ORIGINS: Final = 10_000

_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE: Final = re.compile(r"[\x21-\x3a\x3c-\x7e]*")


@dataclass(frozen=True, slots=True)
class _Cookie:
    value: str
    path: str
    until_s: float


class Cookies:
    """The cookies of all origins met in a crawl, each as long as its server says."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds and must not jump."""
        self._clock = clock
        self._jars: OrderedDict[str, dict[str, _Cookie]] = OrderedDict()

    def take(self, url: str, set_cookies: Iterable[str], now_s: float) -> None:
        """Keep, replace or drop what the Set-Cookie fields of a response say (RFC 6265 5.2).

        `now_s`: when that was, in seconds since 1970 (`fields.sent_s`); Expires is compared with it.
        """
        secure = url.startswith("https:")
        for line in set_cookies:
            pair, _, attributes = line.partition(";")
            name, equals, value = (part.strip() for part in pair.partition("="))
            value = value.strip('"')
            if not equals or not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
                continue
            said = dict(_attribute(text) for text in attributes.split(";"))
            jar = self._jars.setdefault(origin_of(url), {})
            jar.pop(name, None)
            if (lasts_s := _lasts_s(said, now_s)) > 0 and (secure or "secure" not in said):
                path = said.get("path", "")
                jar[name] = _Cookie(value, path if path.startswith("/") else "/", self._clock() + lasts_s)
            while sum(len(key) + len(cookie.value) for key, cookie in jar.items()) > MAX_ORIGIN_BYTES:
                del jar[next(iter(jar))]
        while len(self._jars) > MAX_ORIGINS:
            self._jars.popitem(last=False)

    def header(self, url: str) -> str:
        """The Cookie field for a request; "" if there is nothing to send."""
        jar = self._jars.get(origin_of(url))
        if not jar:
            return ""
        path, now_s = urlsplit(url).path or "/", self._clock()
        return "; ".join(
            f"{name}={cookie.value}"
            for name, cookie in jar.items()
            if cookie.until_s > now_s and _lies_below(path, cookie.path)
        )


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


def _lies_below(path: str, above: str) -> bool:
    return path == above or path.startswith(above if above.endswith("/") else above + "/")
