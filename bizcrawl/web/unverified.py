"""``--insecure-host``: the hosts whose certificates the user wants to be taken as they are."""

from __future__ import annotations

import ssl
from collections.abc import Iterable

from bizcrawl.errors import WrongUse
from bizcrawl.urls import host_of


def hosts_named(entries: Iterable[str]) -> frozenset[str]:
    """The hosts as `host_of` gives them, whatever their case and alphabet; an entry may be a URL.

    Raises `WrongUse` for an entry that names none.
    """
    hosts = set()
    for entry in entries:
        host = host_of(entry if "://" in entry else f"https://{entry}/")
        if not host:
            raise WrongUse(f"--insecure-host {entry}: not the name of a host, such as shop.example")
        hosts.add(host)
    return frozenset(hosts)


def unverified() -> ssl.SSLContext:
    """TLS that takes any certificate."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
