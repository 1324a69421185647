"""URLs in one place, so that scope, robots.txt, safety and the browser agree on the host.

Parsing and joining are WHATWG's (ada-url); the URL that is fetched and the key that says "seen" are two things.
"""

from __future__ import annotations

from functools import lru_cache

import ada_url
from publicsuffixlist import PublicSuffixList

MAX_URL_BYTES = 2048
"""Longer URLs are turned away as bad."""

_suffixes = PublicSuffixList()


def parse(text: str, base: str | None = None) -> str | None:
    """The absolute http(s) URL that WHATWG makes of a text, without fragment; None if there is none."""
    try:
        url = ada_url.URL(text, base=base) if base else ada_url.URL(text)
    except ValueError:
        return None
    if url.protocol not in {"http:", "https:"} or not url.hostname:
        return None
    url.hash = ""
    href: str = url.href
    return href if len(href) <= MAX_URL_BYTES else None


@lru_cache(maxsize=262_144)
def host_of(url: str) -> str:
    """Fully qualified host name of a URL in lower case, without port; "" if it has none."""
    try:
        return str(ada_url.URL(url).hostname).rstrip(".")
    except ValueError:
        return ""


@lru_cache(maxsize=65_536)
def domain_of(host: str) -> str:
    """Registrable domain of a host by the bundled Public Suffix List, private section included; the host itself if it has none."""
    return _suffixes.privatesuffix(host) or host
