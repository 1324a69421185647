"""A real browser that makes of a fetched page what its scripts make of it.

The page's own document is handed to the browser as the crawl fetched it; only what its scripts ask for is
loaded, and all of that through the proxy that the browser is given (`bizcrawl.web.browser_proxy`).

Tabs are reused. After a fixed number of pages, a crash or a missed deadline a tab is thrown away, and if that
does not help, the browser.
"""

from __future__ import annotations

import asyncio
import os
import resource
from contextlib import suppress
from pathlib import Path

from playwright.async_api import Browser as Chromium
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Playwright, async_playwright

from bizcrawl.errors import BizcrawlError
from bizcrawl.web import Response
from bizcrawl.web.browser_tab import BrowserOptions, Rendered, Tab, open_tab
from bizcrawl.web.chromium import HOW_TO_GET_IT, find_chromium

__all__ = ["Browser", "BrowserOptions", "BrowserUnavailableError", "Rendered", "RenderingError"]

_ARGUMENTS = (
    "--proxy-bypass-list=<-loopback>",  # else loopback and link-local addresses are reached without the proxy
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # names are the proxy's to resolve
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--no-pings",
    "--blink-settings=imagesEnabled=false",
    "--js-flags=--max-old-space-size=512",
)
MAX_PROCESS_BYTES = 2 * 2**30
"""Of memory that a process of the browser may write to. A renderer begins with 0.6 GB, most of it never used;
the heap of its scripts is limited to 0.5 GB, and what they take beside that is left to this limit."""
_END_S = 5.0
"""A tab or a browser that has not ended by then is left to itself."""


class BrowserUnavailableError(BizcrawlError):
    """There is no browser, or it does not start."""


class RenderingError(Exception):
    """This page could not be rendered; the next one may."""


class Browser:
    """One Chromium behind one proxy; starts at the first page and again after a crash."""

    def __init__(
        self, proxy: str, options: BrowserOptions | None = None, *, any_certificate: bool = False
    ) -> None:
        """`proxy` is ``host:port``. `any_certificate`: the proxy itself speaks for https sites."""
        self._proxy = proxy
        self._options = options or BrowserOptions()
        self._any_certificate = any_certificate
        self._playwright: Playwright | None = None
        self._chromium: Chromium | None = None
        self._starting = asyncio.Lock()
        self._idle: list[Tab] = []
        self._places = asyncio.Semaphore(self._options.tabs)

    async def render(self, response: Response) -> Rendered:
        """What a page's scripts make of it. Raises `RenderingError`, `BrowserUnavailableError`."""
        async with self._places:
            chromium = await self._started()
            tab: Tab | None = None
            try:
                async with asyncio.timeout(self._options.deadline_s):
                    tab = await self._tab(chromium)
                    rendered = await tab.render(response, self._options)
            except Exception as error:  # a page can provoke any: what it answers our script is its to say
                await self._discard(tab)
                raise RenderingError(_first_line(error) or "it took too long") from error
            except BaseException:
                await self._discard(tab)
                raise
            if tab.pages < self._options.pages_per_tab and await self._is_at_rest(tab):
                self._idle.append(tab)
            else:
                await self._discard(tab)
            return rendered

    async def close(self) -> None:
        """End the browser."""
        self._idle.clear()
        await self._end()
        if self._playwright is not None:
            await self._playwright.stop()
            self._playwright = None

    async def _is_at_rest(self, tab: Tab) -> bool:
        """Leave the page of a tab, so that it cannot disturb the next one; False if the tab does not obey."""
        try:
            async with asyncio.timeout(_END_S):
                await tab.park()
        except (PlaywrightError, TimeoutError):
            return False
        return True

    async def _tab(self, chromium: Chromium) -> Tab:
        while self._idle:
            tab = self._idle.pop()
            if tab.is_open and tab.context.browser is chromium:
                return tab
        return await open_tab(chromium, self._options, any_certificate=self._any_certificate)

    async def _started(self) -> Chromium:
        async with self._starting:
            if self._chromium is not None and self._chromium.is_connected():
                return self._chromium
            program = find_chromium()
            if program is None:
                raise BrowserUnavailableError(f"no Chromium here for --render: {HOW_TO_GET_IT}")
            try:
                if self._playwright is None:
                    if os.path.expanduser("~") == "~":  # the driver ends where the user has no home
                        os.environ["HOME"] = "/"
                    self._playwright = await async_playwright().start()
                    _bound_memory()
                self._chromium = await self._playwright.chromium.launch(
                    executable_path=program,
                    args=list(_ARGUMENTS),
                    proxy={"server": f"http://{self._proxy}"},
                    chromium_sandbox=os.geteuid() != 0,  # Chromium refuses to run as root with it
                    handle_sigint=False,  # Ctrl-C is the crawl's to handle
                    handle_sigterm=False,
                    handle_sighup=False,
                )
            except Exception as error:  # Playwright's driver may die of anything: too few files, no memory
                raise BrowserUnavailableError(f"{program} does not start: {_first_line(error)}") from error
            return self._chromium

    async def _discard(self, tab: Tab | None) -> None:
        """Throw a tab away; the browser too if it does not obey or could not open one."""
        if tab is not None:
            with suppress(PlaywrightError, TimeoutError):
                async with asyncio.timeout(_END_S):
                    await tab.context.close()
                return
        await self._end()

    async def _end(self) -> None:
        async with self._starting:
            chromium, self._chromium = self._chromium, None
        if chromium is not None:
            with suppress(PlaywrightError, TimeoutError):
                async with asyncio.timeout(_END_S):
                    await chromium.close()


def _bound_memory() -> None:
    """Let no process of the browser take more than `MAX_PROCESS_BYTES`: they inherit the limits of
    Playwright's driver, a child of this process. Only Linux tells of children and limits other processes.
    """
    children: list[str] = []
    for listed in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # a thread that has ended meanwhile
            children += listed.read_text().split()
    for child in children:
        with suppress(OSError, ValueError):
            if b"run-driver" in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                limits = (MAX_PROCESS_BYTES, MAX_PROCESS_BYTES)
                resource.prlimit(int(child), resource.RLIMIT_DATA, limits)


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
