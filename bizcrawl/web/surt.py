"""Sort keys of URLs, so that the captures of a site stand together in an index.

SURT (Sort-friendly URI Reordering Transform) as Heritrix, pywb and the CDXJ format use it:
``http://www.Example.com/Path?b=2&a=1`` is ``com,example)/path?a=1&b=2``.
"""

from __future__ import annotations

import re

import ada_url

_WWW = re.compile(r"^www\d*\.")


def surt_key(url: str) -> str:
    """The sort key of an http(s) URL; the URL in lower case if it is none. Never raises."""
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return url.lower()
    host = _WWW.sub("", parsed.hostname)
    if not re.fullmatch(r"[\d.]+|\[.*\]", host):  # addresses are not turned round
        host = ",".join(reversed(host.split(".")))
    port = f":{parsed.port}" if parsed.port else ""
    query = "&".join(sorted(parsed.search.removeprefix("?").split("&")))
    return f"{host}{port}){parsed.pathname}{'?' + query if query else ''}".lower()
