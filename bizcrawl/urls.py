"""URLs in one place, so that scope, robots.txt, safety and the browser agree on the host.

Parsing and joining are WHATWG's (ada-url); the URL that is fetched and the key that says "seen" are two
things.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

import ada_url
from publicsuffixlist import PublicSuffixList

from contexts.urls import MAX_URL_BYTES, join

__all__ = [
    "MAX_URL_BYTES",
    "authority_of",
    "domain_of",
    "host_of",
    "key_of",
    "origin_of",
    "parse",
    "session_in",
    "without_campaign",
]

_REGISTRY_LABELS = frozenset({"ac", "co", "com", "edu", "gov", "net", "org"})
"""Second-level labels under which most country registries register names."""


def parse(text: str, base: str | None = None) -> str | None:
    """The absolute http(s) URL that WHATWG makes of a text, without fragment, user name and password; None if
    there is none.
    """
    return join(text, base)


_AUTHORITY = re.compile(r"https?://[!-.0->@-\[\]-~]+(?=/)")
"""Scheme and authority as WHATWG writes them: printable ASCII without slash, backslash, question mark."""

_AFTER_SCHEME = len("https://")
"""The first slash from here on ends the authority, for no host is empty."""


def authority_of(url: str) -> str:
    """A URL up to its path: all that host and port depend on, and short enough to cache.

    Text that is not written as WHATWG writes URLs is given back whole.
    """
    found = _AUTHORITY.match(url)
    return found.group() if found else url


@lru_cache(maxsize=16_384)  # a URL is asked about while its page is at hand; more only keeps texts alive
def host_of(url: str) -> str:
    """Fully qualified host name of a URL in lower case, without port; "" if it has none."""
    return _host(authority_of(url))


def hosts_of(urls: Iterable[str]) -> list[str]:
    """`host_of` for each of many URLs that are written as WHATWG writes them."""
    return [_host(url[: url.find("/", _AFTER_SCHEME)]) for url in urls]


@lru_cache(maxsize=65_536)
def _host(url: str) -> str:
    try:
        return str(ada_url.URL(url).hostname).rstrip(".")
    except ValueError:
        return ""


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL in WHATWG's notation, such as ``https://h.example:8443``; "" if it has
    none.
    """
    return _origin(authority_of(url))


@lru_cache(maxsize=65_536)
def _origin(authority: str) -> str:
    try:
        return str(ada_url.URL(authority).origin)
    except ValueError:
        return ""


@lru_cache(maxsize=65_536)
def domain_of(host: str) -> str:
    """Registrable domain of a host by the bundled Public Suffix List, private section included.

    The host itself if it has none, as an IP address. Under a top-level domain that the list doesn't know,
    labels that registries nearly everywhere keep for themselves count as suffix: www.a.co.unlisted belongs to
    a.co.unlisted.
    """
    labels = host.split(".")
    if labels[-1].isdigit():
        return host
    if len(labels) > 2 and labels[-2] in _REGISTRY_LABELS and not _is_listed(labels[-1]):
        return ".".join(labels[-3:])
    return _suffixes().privatesuffix(host) or host


@cache
def _suffixes(accept_unknown: bool = True) -> PublicSuffixList:
    """The bundled list, read when it is first needed: that takes a tenth of a second."""
    return PublicSuffixList(accept_unknown=accept_unknown)


@cache
def _is_listed(top_level: str) -> bool:
    return _suffixes(accept_unknown=False).publicsuffix(top_level) is not None


_TRACKER = re.compile(
    r"(?:utm_\w+|[fgdtyw]clid|gclsrc|gbraid|wbraid|msclkid|twclid|ttclid|igshid|mc_[ce]id|_g[al]|_hsenc|_hsmi"
    r"|mkt_tok|vero_id|wickedid|oly_(?:anon|enc)_id)(?:=.*)?",
    re.IGNORECASE | re.DOTALL,
)
_SESSION = re.compile(
    r"(?:jsessionid|phpsessid|aspsessionid\w*|oscsid|zenid|cfid|cftoken)(?:=.*)?|(?:sid|session_?id)=[0-9a-z]{16,}",
    re.IGNORECASE | re.DOTALL,
)
_SESSION_PARAMETER = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?#;]*", re.IGNORECASE)


def key_of(url: str, *, trackers: bool = False) -> str:
    """The key under which a URL counts as seen; the URL that is fetched stays as it was found.

    Off go the fragment, user name and password, the host's root dot and the scheme's own default port: all
    that can never name another page. With `trackers`, campaign parameters and session ids go too, pair by
    pair, and what is kept stays byte for byte. Case of the path and order of the query are never touched.
    Idempotent; a text that is no URL is its own key.
    """
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return url
    parsed.hash = ""
    if parsed.username or parsed.password:
        parsed.username = ""
        parsed.password = ""
    host = parsed.hostname
    # the root's dot alone: without more of them another host would be left, or an address ("1.." is not "1")
    if host.endswith(".") and not host.endswith("..") and len(host) > 1:
        parsed.hostname = host[:-1]
    if trackers:
        parsed.pathname = _SESSION_PARAMETER.sub("", parsed.pathname)
        if parsed.search:
            pairs = parsed.search[1:].split("&")
            kept = [pair for pair in pairs if not _TRACKER.fullmatch(pair) and not _SESSION.fullmatch(pair)]
            parsed.search = "&".join(kept)
    return str(parsed.href)


def without_campaign(url: str) -> str | None:
    """`key_of` a URL without the campaign parameters that it carries, and its session id; None if it carries
    none of the former.
    """
    query = url.partition("#")[0].partition("?")[2]
    if not query or not any(map(_TRACKER.fullmatch, query.split("&"))):
        return None
    return key_of(url, trackers=True)


def session_in(url: str) -> str | None:
    """The session id that a URL carries, as its pair; None if it carries none."""
    if found := _SESSION_PARAMETER.search(url):
        return found.group()
    query = url.partition("#")[0].partition("?")[2]
    return next((pair for pair in query.split("&") if _SESSION.fullmatch(pair)), None) if query else None
