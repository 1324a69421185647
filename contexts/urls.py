"""URLs of links, joined as the WHATWG standard joins them, in the one place that both packages use.

ada-url is the judge. Most links of a page are already as the standard would write them; those are recognised
by their form and spared the way through the parser.
"""

from __future__ import annotations

import re

import ada_url

MAX_URL_BYTES = 2048
"""Longer URLs are turned away as bad."""

_QUERY = r"(\?[A-Za-z0-9/_~!$&()*+,;=:@%.?-]*)?(?:#[!-~]*)?"
_PATH = r"/[A-Za-z0-9/_~!$&()*+,;=:@%.-]*"
_NO_DOT_SEGMENT = r"(?![^?#]*/(?:\.|%2[eE]))"
_PLAIN_URL = re.compile(
    r"(https?://(?![^/?#]*xn--)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]+)(?=[/?#]|\Z)"
    rf"{_NO_DOT_SEGMENT}({_PATH})?{_QUERY}"
)
"""A URL that WHATWG leaves as it is, but for its fragment and an empty path: lower case, a name for a host,
no port."""
_PLAIN_PATH = re.compile(
    rf"(?!//|\.|%2[eE]){_NO_DOT_SEGMENT}"
    rf"(?:({_PATH})|([A-Za-z0-9_~!$&()*+,;=@%-][A-Za-z0-9_~!$&()*+,;=@%.-]*(?:{_PATH})?)){_QUERY}"
)
"""A path from the root or from the page's folder, without dot segments, that WHATWG leaves as it is."""


def join(text: str, base: str | None = None) -> str | None:
    """The absolute http(s) URL that WHATWG makes of a text, without fragment; None if there is none."""
    try:
        url = ada_url.URL(text, base=base) if base else ada_url.URL(text)
    except ValueError:
        return None
    # WHATWG lets a host be nothing but dots; that names none
    if url.protocol not in {"http:", "https:"} or not url.hostname.strip("."):
        return None
    url.hash = ""
    href: str = url.href
    return href if len(href) <= MAX_URL_BYTES else None


class Base:
    """The base URL of a page, to which its links are joined."""

    __slots__ = ("_folder", "_origin", "href")

    def __init__(self, href: str) -> None:
        """`href` is an absolute URL; with any other, only absolute links can be joined."""
        plain = _PLAIN_URL.fullmatch(href)
        self.href = href
        self._origin = plain[1] if plain else ""
        self._folder = ""
        if plain:
            self._folder = plain[1] + (plain[2] or "/").rpartition("/")[0] + "/"

    def join(self, text: str) -> str | None:
        """The same as ``join(text, self.href)``."""
        plain = _PLAIN_URL.fullmatch(text)
        if plain:
            url = plain[1] + (plain[2] or "/") + (plain[3] or "")
        elif self._origin and (plain := _PLAIN_PATH.fullmatch(text)):
            url = (self._origin + plain[1] if plain[1] else self._folder + plain[2]) + (plain[3] or "")
        else:
            return join(text, self.href)
        return url if len(url) <= MAX_URL_BYTES else None
