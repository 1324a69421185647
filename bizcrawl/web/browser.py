"""A real browser that makes of a fetched page what its scripts make of it.

The page's own document is handed to the browser as the crawl fetched it; only what its scripts ask for is
loaded, and all of that through the proxy that the browser is given (`bizcrawl.web.browser_proxy`). A script
that leads the page elsewhere is stopped and reported as a redirect, so that the crawl asks all rules before
it goes there.

Tabs are reused, each in a context of its own without service workers, downloads or images; after a fixed
number of pages, a crash or a missed deadline a tab is thrown away, and if that does not help, the browser.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Browser as Chromium
from playwright.async_api import BrowserContext, CDPSession, Page, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from bizcrawl.errors import BizcrawlError
from bizcrawl.web import Response
from bizcrawl.web.chromium import HOW_TO_GET_IT, find_chromium

_ARGUMENTS = (
    "--proxy-bypass-list=<-loopback>",  # else loopback and link-local addresses are reached without the proxy
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # names are the proxy's to resolve
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--no-pings",
    "--blink-settings=imagesEnabled=false",
    "--js-flags=--max-old-space-size=512",
)
_NOT_LOADED = [
    f"*.{kind}" for kind in ("woff", "woff2", "ttf", "otf", "mp4", "webm", "mp3", "avi", "mov", "pdf", "ico")
]

_COUNT_REQUESTS = """
(() => {
  const waiting = {count: 0};
  Object.defineProperty(window, "__bizcrawl_waiting", {value: waiting});
  window.open = () => null;
  const {fetch} = window;
  window.fetch = function (...given) {
    waiting.count++;
    return fetch.apply(this, given).finally(() => { waiting.count--; });
  };
  const {send} = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.send = function (...given) {
    waiting.count++;
    this.addEventListener("loadend", () => { waiting.count--; }, {once: true});
    return send.apply(this, given);
  };
})();
"""
"""Runs before a page's own scripts: it is known whether the page waits for answers, and no windows are
opened.
"""

_SETTLED = """
([quiet_ms, patience_ms, most_ms, most_chars]) => new Promise(resolve => {
  const began = performance.now();
  let changed = began;
  const observer = new MutationObserver(() => { changed = performance.now(); });
  observer.observe(document, {subtree: true, childList: true, characterData: true});
  const bare = () => !document.body ||
    (document.links.length < 3 && document.body.innerText.trim().length < 200);
  const unfold = root => {
    for (const host of root.querySelectorAll("*")) if (host.shadowRoot) {
      unfold(host.shadowRoot);
      host.insertAdjacentHTML("beforeend", host.shadowRoot.innerHTML);
    }
  };
  const look = () => {
    const now = performance.now();
    const waits = document.readyState !== "complete" || window.__bizcrawl_waiting.count > 0;
    const quiet = now - changed >= quiet_ms && (now - changed >= patience_ms || !bare());
    if (now - began < most_ms && (waits || !quiet)) return void setTimeout(look, 20);
    observer.disconnect();
    unfold(document);
    const html = (document.doctype ? "<!DOCTYPE html>\\n" : "") + document.documentElement.outerHTML;
    resolve([html.slice(0, most_chars), html.length > most_chars]);
  };
  look();
})
"""
"""Resolves once nothing has changed for a while; what shadow roots show is put where a reader sees it."""


class BrowserUnavailableError(BizcrawlError):
    """There is no browser, or it does not start."""


class RenderingError(Exception):
    """This page could not be rendered; the next one may."""


@dataclass(frozen=True, slots=True)
class BrowserOptions:
    """How pages are rendered."""

    tabs: int = 6
    """Pages at once."""
    deadline_s: float = 15.0
    """From the start of a page to its end, whatever its scripts do."""
    settle_s: float = 5.0
    """At most so long is waited for scripts to come to rest."""
    quiet_s: float = 0.1
    """A page that has not changed for so long has come to rest."""
    patience_s: float = 1.0
    """The same for a page that still shows next to nothing."""
    pages_per_tab: int = 100
    max_chars: int = 1 << 20
    product: str = "bizcrawl"
    """Who is crawling; stands at the end of the User-Agent."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """What became of a page."""

    html: str
    truncated: bool = False
    leads_to: str = ""
    """URL to which a script or a refresh led; `html` is then empty."""


@dataclass(slots=True)
class _Tab:
    """One reused page and what it is doing."""

    context: BrowserContext
    page: Page
    session: CDPSession
    frame: str
    """Id of the main frame."""
    pages: int = 0
    document: Response | None = None
    """The document that its next navigation is answered with."""
    leads_to: asyncio.Future[str] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Browser:
    """One Chromium behind one proxy; starts at the first page and again after a crash."""

    def __init__(
        self, proxy: str, options: BrowserOptions | None = None, *, any_certificate: bool = False
    ) -> None:
        """`proxy` is ``host:port``. `any_certificate`: the proxy itself speaks for https sites, and is
        trusted.
        """
        self._proxy = proxy
        self._options = options or BrowserOptions()
        self._any_certificate = any_certificate
        self._playwright: Playwright | None = None
        self._chromium: Chromium | None = None
        self._starting = asyncio.Lock()
        self._idle: list[_Tab] = []
        self._places = asyncio.Semaphore(self._options.tabs)

    async def render(self, response: Response) -> Rendered:
        """What a page's scripts make of it. Raises `RenderingError`, `BrowserUnavailableError`."""
        async with self._places:
            tab = await self._tab()
            try:
                async with asyncio.timeout(self._options.deadline_s):
                    rendered = await self._render(tab, response)
                    # its timers would run on in an idle tab, and lead the next page elsewhere
                    await tab.page.goto("about:blank", wait_until="commit")
            except (PlaywrightError, TimeoutError) as error:
                await self._discard(tab)
                why = str(error).partition("\n")[0] or f"no end within {self._options.deadline_s:g} s"
                raise RenderingError(why) from error
            except BaseException:
                await self._discard(tab)
                raise
            if tab.pages < self._options.pages_per_tab:
                self._idle.append(tab)
            else:
                await self._discard(tab)
            return rendered

    async def close(self) -> None:
        """End the browser."""
        self._idle.clear()
        if self._chromium is not None:
            with suppress(PlaywrightError, TimeoutError):
                async with asyncio.timeout(10):
                    await self._chromium.close()
            self._chromium = None
        if self._playwright is not None:
            await self._playwright.stop()
            self._playwright = None

    async def _render(self, tab: _Tab, response: Response) -> Rendered:
        tab.pages += 1
        tab.document = response
        tab.leads_to = asyncio.get_running_loop().create_future()
        settled = asyncio.ensure_future(self._settle(tab, response.url))
        try:
            await asyncio.wait((settled, tab.leads_to), return_when=asyncio.FIRST_COMPLETED)
            if tab.leads_to.done():
                return Rendered("", leads_to=tab.leads_to.result())
            html, truncated = settled.result()
        finally:
            if not settled.done():
                settled.cancel()
            with suppress(PlaywrightError, asyncio.CancelledError):
                await settled
        return Rendered(html, truncated)

    async def _settle(self, tab: _Tab, url: str) -> tuple[str, bool]:
        options = self._options
        await tab.context.clear_cookies()
        await tab.page.goto(url, wait_until="commit", timeout=options.deadline_s * 1000)
        limits_ms = [options.quiet_s * 1000, options.patience_s * 1000, options.settle_s * 1000]
        html, truncated = await tab.page.evaluate(_SETTLED, [*limits_ms, options.max_chars])
        return str(html), bool(truncated)

    async def _tab(self) -> _Tab:
        chromium = await self._started()
        while self._idle:
            tab = self._idle.pop()
            if not tab.page.is_closed() and tab.context.browser is chromium:
                return tab
        try:
            return await self._new_tab(chromium)
        except PlaywrightError as error:
            raise RenderingError(str(error).partition("\n")[0]) from error

    async def _started(self) -> Chromium:
        async with self._starting:
            if self._chromium is not None and self._chromium.is_connected():
                return self._chromium
            program = find_chromium()
            if program is None:
                raise BrowserUnavailableError(f"no Chromium here for --render: {HOW_TO_GET_IT}")
            try:
                if self._playwright is None:
                    self._playwright = await async_playwright().start()
                self._chromium = await self._playwright.chromium.launch(
                    executable_path=program,
                    args=list(_ARGUMENTS),
                    proxy={"server": f"http://{self._proxy}"},
                    chromium_sandbox=os.geteuid() != 0,  # Chromium refuses to run as root with it
                    handle_sigint=False,  # Ctrl-C is the crawl's to handle
                    handle_sigterm=False,
                    handle_sighup=False,
                )
            except PlaywrightError as error:
                raise BrowserUnavailableError(f"{program} does not start: {_first_line(error)}") from error
            return self._chromium

    async def _new_tab(self, chromium: Chromium) -> _Tab:
        version = chromium.version.partition(".")[0]
        context = await chromium.new_context(
            accept_downloads=False,
            service_workers="block",
            ignore_https_errors=self._any_certificate,
            user_agent=f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
            f"Chrome/{version}.0.0.0 Safari/537.36 {self._options.product}",
        )
        await context.add_init_script(_COUNT_REQUESTS)
        page = await context.new_page()
        context.on("page", _close_popup)
        session = await context.new_cdp_session(page)
        frame = (await session.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
        tab = _Tab(context, page, session, frame)
        session.on("Fetch.requestPaused", lambda event: _answer_later(tab, event))
        await session.send("Fetch.enable", {"patterns": [{"resourceType": "Document"}]})
        await session.send("Network.enable")
        await session.send("Network.setBlockedURLs", {"urls": _NOT_LOADED})
        return tab

    async def _discard(self, tab: _Tab) -> None:
        """Throw a tab away; the browser too if it does not obey."""
        try:
            async with asyncio.timeout(5):
                await tab.context.close()
        except (PlaywrightError, TimeoutError):
            async with self._starting:
                chromium, self._chromium = self._chromium, None
            if chromium is not None:
                with suppress(PlaywrightError, TimeoutError):
                    async with asyncio.timeout(5):
                        await chromium.close()


def _close_popup(page: Page) -> None:
    _in_background(page.close())


def _answer_later(tab: _Tab, event: Mapping[str, Any]) -> None:
    _in_background(_answer(tab, event))


async def _answer(tab: _Tab, event: Mapping[str, Any]) -> None:
    """Answer a paused request for a document: the page itself is at hand, frames are loaded, other pages are
    not.
    """
    request = {"requestId": event["requestId"]}
    if event["frameId"] != tab.frame:
        await tab.session.send("Fetch.continueRequest", request)
    elif tab.document is not None and event["request"]["url"] == tab.document.url.partition("#")[0]:
        document, tab.document = tab.document, None
        await tab.session.send("Fetch.fulfillRequest", request | _fulfilment(document))
    else:
        asked = event["request"]
        if asked["method"] == "GET" and not tab.leads_to.done():
            tab.leads_to.set_result(asked["url"])
        await tab.session.send("Fetch.failRequest", request | {"errorReason": "Aborted"})


def _fulfilment(document: Response) -> dict[str, Any]:
    dropped = {"content-encoding", "content-length", "transfer-encoding", "connection"}
    headers = [
        {"name": name, "value": value} for name, value in document.headers.items() if name not in dropped
    ]
    return {
        "responseCode": document.status,
        "responseHeaders": headers,
        "body": base64.b64encode(document.body).decode(),
    }


_tasks: set[asyncio.Future[None]] = set()


def _in_background(work: Any) -> None:
    """Run what nobody waits for. The browser may be gone by then, and that is no fault."""

    async def run() -> None:
        with suppress(PlaywrightError):
            await work

    task = asyncio.ensure_future(run())
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
