"""URLs of links, joined as the WHATWG standard joins them (ada-url), in the one place that both packages use."""

from __future__ import annotations

import ada_url

MAX_URL_BYTES = 2048
"""Longer URLs are turned away as bad."""


def join(text: str, base: str | None = None) -> str | None:
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
