"""A recorded web served as if it were the live one, for crawls, browsers and other crawlers.

A crawl through the proxy meets the pages, redirects, errors and robots.txt files of the record, over real
sockets and real TLS; what the record lacks is 404. So the live path can be tested on a known web, and
crawlers that know nothing of recorded webs can be compared on it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bizcrawl.errors import BizcrawlError, WrongUse
from bizcrawl.web.recorded import RecordedWeb
from bizcrawl.web.web_proxy import WebProxy

MAX_BODY_BYTES = 64 * 2**20
"""Whole pages are served; caps are the visitor's business."""
CERTIFICATE = b"-----BEGIN CERTIFICATE-----"
"""Begins a file that may be replaced by the certificate of today's proxy."""


@dataclass(frozen=True, slots=True)
class Served:
    """How to reach a web that is being served."""

    urls: int
    proxy: str
    """URL for ``HTTP_PROXY`` and ``HTTPS_PROXY``."""
    ca_file: Path
    """Certificate to trust, for ``SSL_CERT_FILE``."""


async def serve(
    path: Path, port: int, ca_file: Path, until: asyncio.Event, started: Callable[[Served], None]
) -> Counter[int]:
    """Serve the recorded web at `path` on loopback until the event; the answers given, by status.

    Calls `started` once the proxy listens. Raises `BizcrawlError` for a file that is no recorded web, a port
    that is taken, and a `ca_file` that cannot be written or holds something else.
    """
    with RecordedWeb(path) as web:
        proxy = WebProxy(web, port=port, max_body_bytes=MAX_BODY_BYTES)
        try:
            ca_file.parent.mkdir(parents=True, exist_ok=True)
            if ca_file.is_file() and not ca_file.read_bytes().startswith(CERTIFICATE):
                raise WrongUse(f"{ca_file} is there and no certificate; name another file")
            ca_file.write_bytes(proxy.authority_pem)
        except OSError as error:
            raise BizcrawlError(
                f"{ca_file}: cannot be written: {error.strerror}; name another --ca-file"
            ) from None
        try:
            await proxy.__aenter__()
        except OSError as error:
            raise BizcrawlError(
                f"port {port} cannot be had: {error.strerror}: choose another --port"
            ) from None
        try:
            started(Served(len(web), f"http://{proxy.address}", ca_file))
            await until.wait()
        finally:
            await proxy.__aexit__(None, None, None)
        return proxy.answered
