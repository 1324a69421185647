"""A page that is made anew while its readers look at it, served to this machine alone.

It listens on 127.0.0.1 and answers nobody who calls it by another name (a page of the Web could else have a
browser here ask for it under a name of its own: DNS rebinding), or who does not know the secret in its URL:
another user of this machine. Nothing can be changed through it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from importlib.resources import files
from pathlib import Path

from aiohttp import web

from bizcrawl.errors import BizcrawlError

FRESH_S = 2.0
"""So long a page is good for all who ask."""
REST = 2.0
"""It is not made again before so many times as long has gone by as it took to make."""
PATIENCE = 2
"""So many times in a row it may fail, and the former page stands: who writes the file may just change."""
_LOCALHOST = "127.0.0.1"
_SAFE = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class FreshPage:
    """A page as `make` makes it of some files, in a thread: when they have changed, and not too often."""

    def __init__(
        self, make: Callable[[], str], sources: Sequence[Path], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._make = make
        self._sources = sources
        self._clock = clock
        self._page = ""
        self._made_of: object = None
        self._faults = 0
        self._good_until_s = float("-inf")
        self._lock = asyncio.Lock()

    async def now(self) -> str:
        """The page. Raises the `BizcrawlError` of `make` if there is no former page, or if it goes on."""
        async with self._lock:
            made_of = [_version(path) for path in self._sources]
            if self._clock() >= self._good_until_s and made_of != self._made_of:
                try:
                    await self._renew()
                    self._made_of = made_of
                    self._faults = 0
                except BizcrawlError:
                    self._faults += 1
                    if not self._page or self._faults > PATIENCE:
                        raise
            return self._page

    async def _renew(self) -> None:
        began_s = self._clock()
        self._page = await asyncio.to_thread(self._make)
        made_s = self._clock()
        self._good_until_s = made_s + max(FRESH_S, REST * (made_s - began_s))


def _version(path: Path) -> tuple[int, int] | None:
    """What changes when a file is written; None if it is not there."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size


async def serve(
    page: FreshPage, port: int, secret: str, until: asyncio.Event, tell: Callable[[str], None]
) -> None:
    """Serve a page on a port (0: any that is free) until an event; `tell` gets its URL, with the secret.

    Raises `BizcrawlError` if the port is taken.
    """
    async with AsyncExitStack() as stack:
        runner = web.AppRunner(_application(page, secret), access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        site = web.TCPSite(runner, _LOCALHOST, port)
        try:
            await site.start()
        except OSError as error:
            raise BizcrawlError(
                f"port {port} cannot be had: {error.strerror}: choose another --port"
            ) from None
        tell(f"http://{_LOCALHOST}:{runner.addresses[0][1]}/{secret}/")
        await until.wait()


def _application(page: FreshPage, secret: str) -> web.Application:
    script = files("bizcrawl.report").joinpath("renew.js").read_text(encoding="utf-8")

    async def show(_: web.Request) -> web.Response:
        try:
            return web.Response(text=await page.now(), content_type="text/html", headers=_SAFE)
        except BizcrawlError as fault:
            return web.Response(status=503, text=f"{fault}\n", headers=_SAFE)

    async def renew(_: web.Request) -> web.Response:
        return web.Response(text=script, content_type="text/javascript", headers=_SAFE)

    application = web.Application(middlewares=[_called_by_its_own_name])
    application.add_routes([web.get(f"/{secret}/", show), web.get(f"/{secret}/renew.js", renew)])
    return application


@web.middleware
async def _called_by_its_own_name(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    if request.url.host not in {_LOCALHOST, "localhost"}:
        return web.Response(status=421, text="this page is for the machine it is served on\n")
    return await handler(request)
