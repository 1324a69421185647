"""Which site a URL belongs to, and how near it is to the top of it.

A site is a registrable domain, one tenant of a hosting platform, or what stands below a tilde.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from bizcrawl.companies.data import lines
from bizcrawl.urls import domain_of, host_of, parse

_TILDE = re.compile(r"/(~[^/?]+|%7[eE][^/?]+)")
_URL = re.compile(r"(https?)://([^/?#]*)([^?#]*)(?:\?([^#]*))?", re.IGNORECASE)
_HOME_NAMES = re.compile(r"/(?:index|default|home|main|start|welcome)\.\w{2,5}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Platform:
    """A host of other people's sites."""

    domain: str
    tenant_in: str
    """host, path or path2."""
    kind: str
    """site, shop, profile, media or market."""


@cache
def platforms() -> Mapping[str, Platform]:
    """Known platforms by domain."""
    rows = (line.split("\t") for line in lines("platforms.tsv"))
    return {domain: Platform(domain, where, kind) for domain, where, kind in rows}


@lru_cache(maxsize=262_144)
def platform_of(host: str) -> Platform | None:
    """The platform that a host belongs to, if it is a known one."""
    known = platforms()
    labels = host.split(".")
    for start in range(len(labels) - 1):
        if found := known.get(".".join(labels[start:])):
            return found
    return None


@lru_cache(maxsize=262_144)
def site_of(url: str) -> str:
    """Key of the site that a URL belongs to: a domain, a tenant's host, or a host with the tenant's path."""
    host = host_of(url)
    path = _parts(url)[2]
    tilde = _TILDE.match(path)
    if tilde:
        return f"{host.removeprefix('www.')}/{tilde.group(1).lower().replace('%7e', '~')}"
    platform = platform_of(host)
    if platform is None:
        return domain_of(host)
    if platform.tenant_in == "host":
        labels = host.removesuffix(platform.domain).strip(".").split(".")
        return f"{labels[-1]}.{platform.domain}" if labels[-1] not in {"", "www"} else platform.domain
    pieces = [piece for piece in path.split("/") if piece]
    wanted = 2 if platform.tenant_in == "path2" else 1
    if len(pieces) < wanted:
        return platform.domain
    return f"{platform.domain}/{'/'.join(pieces[:wanted]).lower()}"


def site_meant(text: str) -> str | None:
    """Key of the site that a user names by a domain or by any of its URLs; None for what is neither."""
    url = parse(text if "://" in text else f"http://{text}") if "." in text else None
    return None if url is None else site_of(url)


def top_of(url: str) -> str:
    """Top of the site that a URL belongs to, on the URL's own host."""
    scheme, place, path, _ = _parts(url)
    tilde = _TILDE.match(path)
    return f"{scheme}://{place}{tilde.group() if tilde else ''}/"


@lru_cache(maxsize=65_536)
def home_distance(url: str) -> int:
    """How far a URL is from the top of its site: 0 the top, 1 index.html and the like, then by length."""
    _, _, whole, query = _parts(url)
    path = _TILDE.sub("", whole, count=1) or "/"
    if not query and path == "/":
        return 0
    if not query and _HOME_NAMES.fullmatch(path):
        return 1
    return 2 + path.count("/") * 4 + len(path) + 8 * bool(query)


def is_top(url: str) -> bool:
    """Whether a URL is the top of its site, index.html and the like included."""
    return home_distance(url) <= 1


@lru_cache(maxsize=65_536)
def _parts(url: str) -> tuple[str, str, str, str]:
    """(scheme, host and port, path, query) of a URL; urllib raises for some that are met."""
    found = _URL.match(url)
    if found is None:
        return "http", "", "/", ""
    scheme, place, path, query = found.groups(default="")
    return scheme, place, path, query
