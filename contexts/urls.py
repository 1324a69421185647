"""URLs of links, joined as the WHATWG standard joins them, in the one place that both packages use.

ada-url is the judge. Most links of a page are already as the standard would write them; those are recognised
by their form and spared the way through the parser.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

import ada_url
import numpy as np

MAX_URL_BYTES = 2048
"""Longer URLs are turned away as bad."""

_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_PLAIN_ORIGIN = re.compile(
    r"(https?)://(?:(?!.*xn--)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]+"
    rf"|{_OCTET}(?:\.{_OCTET}){{3}})(?::([1-9]\d{{0,4}}))?"
)
"""An origin that WHATWG may leave as it is: a name in lower case or four numbers, and a port."""
_DEFAULT_PORTS = {"http": "80", "https": "443"}
_MAX_PORT = 65_535
_PLAIN_CHARACTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_~!$&()*+,;=:@%.?-"
"""What WHATWG leaves as it is in paths and queries."""
_SOILS = bytes(c not in _PLAIN_CHARACTERS + b"#\n" for c in range(256))
"""By byte, whether it is one that neither plain texts nor the line breaks between them hold."""
_STEPS = re.compile(rb"/\.|/%2")
"""A segment that begins with a dot, or with what may be one, may be a step up."""
_LEADS_NOWHERE = ("javascript:", "mailto:", "tel:", "data:")
"""Schemes, as they are mostly written, of what is no http(s) URL."""


@lru_cache(maxsize=16_384)
def _is_plain_origin(text: str) -> bool:
    """Whether WHATWG leaves an origin surely as it is."""
    found = _PLAIN_ORIGIN.fullmatch(text)
    if found is None:
        return False
    scheme, port = found.groups()
    return port is None or (port != _DEFAULT_PORTS[scheme] and int(port) <= _MAX_PORT)


def _is_plain(path: str) -> bool:
    """Whether WHATWG leaves a path that begins with a slash, with its query, surely as it is."""
    if not path.isascii():
        return False
    raw = path.encode("ascii")
    return not raw.translate(None, _PLAIN_CHARACTERS) and _STEPS.search(raw) is None


def join(text: str, base: str | None = None) -> str | None:
    """The absolute http(s) URL that WHATWG makes of a text; None if there is none.

    Off go the fragment, and the user name and password, which are nobody's to store or to send.
    """
    try:
        url = ada_url.URL(text, base=base) if base else ada_url.URL(text)
    except ValueError:
        return None
    # WHATWG lets a host be nothing but dots; that names none
    if url.protocol not in {"http:", "https:"} or not url.hostname.strip("."):
        return None
    url.hash = ""
    if url.username or url.password:
        url.username = url.password = ""
    href: str = url.href
    return href if len(href) <= MAX_URL_BYTES else None


def is_spoilt(text: str, base: str) -> bool:
    """Whether a text of which `join` makes nothing was to be an http(s) URL: WHATWG makes no URL of it at
    all, or one that is too long or names no host.
    """
    try:
        return ada_url.URL(text, base=base).protocol in {"http:", "https:"}
    except ValueError:
        return True


def _soiled(texts: Collection[str]) -> Collection[int]:
    """Places of the texts that hold what WHATWG may not leave as it is."""
    data = ("\n".join(texts) + "\n").encode("utf-8", "surrogatepass")
    if data.count(b"\n") != len(texts):
        return range(len(texts))
    soils = np.frombuffer(data.translate(_SOILS), np.bool_).nonzero()[0].tolist()
    soils += [match.start() for match in _STEPS.finditer(data)]
    if not soils:
        return ()
    ends = (np.frombuffer(data, np.uint8) == ord("\n")).nonzero()[0]
    return frozenset(np.searchsorted(ends, soils).tolist())


class Base:
    """The base URL of a page, to which its links are joined."""

    __slots__ = ("_folder", "_itself", "_origin", "_scheme", "href")

    def __init__(self, href: str) -> None:
        """`href` is an absolute URL; with any other, only absolute links can be joined."""
        self.href = href
        self._origin = self._folder = self._scheme = ""
        self._itself: str | None = None
        plain = _plain_url(href)
        if plain is not None:
            self._scheme = plain[: plain.index("/")]
            self._origin = plain[: plain.index("/", 8)]
            self._folder = plain.partition("?")[0].rpartition("/")[0] + "/"
            self._itself = plain if len(plain) <= MAX_URL_BYTES else None

    def join(self, text: str) -> str | None:
        """The same as ``join(text, self.href)``."""
        url = self._plain(text)
        if url is None:
            return None if text.startswith(_LEADS_NOWHERE) else join(text, self.href)
        return url if len(url) <= MAX_URL_BYTES else None

    def join_all(self, texts: Collection[str]) -> dict[str, str | None]:
        """What `join` makes of each of some different texts; the characters of all are looked at together."""
        soiled = _soiled(texts)
        longest = MAX_URL_BYTES - len(self._origin)
        joined: dict[str, str | None] = {}
        for i, text in enumerate(texts):
            url = text.partition("#")[0] if "#" in text else text
            if i not in soiled and len(url) <= longest:
                if url.startswith("http"):
                    slash = url.find("/", 8)
                    if slash > 0 and _is_plain_origin(url[:slash]):
                        joined[text] = url
                        continue
                elif self._origin and url[:1] == "/" != url[1:2]:
                    joined[text] = self._origin + url
                    continue
            joined[text] = self.join(text)
        return joined

    def _plain(self, text: str) -> str | None:
        """The joined URL of a text that is written as WHATWG would write it, or None."""
        if text.startswith("http"):
            return _plain_url(text)
        if not self._origin:
            return None
        first = text[:1]
        if first == "#":
            return self._itself if text.isascii() else None
        if first == "/":
            if text.startswith("//"):
                return _plain_url(self._scheme + text)
            path = text.partition("#")[0]
            return self._origin + path if _is_plain(path) else None
        # a colon may end a scheme; without a path there is more to it than putting two texts together
        if first in _BEGINS_NO_NAME or ":" in text:
            return None
        path = text.partition("#")[0]
        return self._folder + path if _is_plain("/" + path) else None


_BEGINS_NO_NAME = frozenset({"", "?", "."})


def _plain_url(text: str) -> str | None:
    """An absolute URL without its fragment, if WHATWG leaves it surely as it is but for an empty path."""
    url, mark, fragment = text.partition("#")
    if len(url) > MAX_URL_BYTES:  # the origin would be remembered, and may be as long as a page
        return None
    if mark and not fragment.isascii():
        return None
    slash = url.find("/", 8)
    if slash < 0:
        return url + "/" if _is_plain_origin(url) else None
    return url if _is_plain_origin(url[:slash]) and _is_plain(url[slash:]) else None
