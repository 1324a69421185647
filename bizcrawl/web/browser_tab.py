"""One tab of the browser: a page at a time, given the document that the crawl fetched, left when its scripts
rest.

Every request for a document of the main frame is answered here, by one rule of the DevTools protocol: the
first is the page itself, any other is a script that leads elsewhere, which is stopped and told.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Browser as Chromium
from playwright.async_api import BrowserContext, CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from bizcrawl.web import Response
from bizcrawl.web.needs_script import FEW_LINKS, LITTLE_TEXT_CHARS

_NOT_LOADED = [
    f"*.{kind}" for kind in ("woff", "woff2", "ttf", "otf", "mp4", "webm", "mp3", "avi", "mov", "pdf", "ico")
]

_BEFORE_SCRIPTS = """
(() => {
  const waiting = {count: 0, leaves: 0};
  Object.defineProperty(window, "__bizcrawl_waiting", {value: waiting});
  window.open = () => null;
  window.navigation?.addEventListener("navigate", event => {
    if (!event.destination.sameDocument) waiting.leaves = performance.now();
  });
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
"""Runs before a page's own scripts: it is known whether the page waits for answers, and when it was about to
be left, of which we hear a moment later; no windows are opened.
"""

_SETTLED = """
([quiet_ms, patience_ms, most_ms, most_chars, few_links, little_text]) => new Promise((resolve, reject) => {
  const began = performance.now();
  let changed = began;
  const observer = new MutationObserver(() => { changed = performance.now(); });
  observer.observe(document, {subtree: true, childList: true, characterData: true});
  const bare = () => !document.body ||
    (document.links.length < few_links && document.body.innerText.trim().length < little_text);
  const unfold = root => {
    for (const host of root.querySelectorAll("*")) if (host.shadowRoot) {
      unfold(host.shadowRoot);
      host.insertAdjacentHTML("beforeend", host.shadowRoot.innerHTML);
    }
  };
  const look = () => {
    const now = performance.now();
    const loads = document.readyState !== "complete";
    changed = Math.max(changed, loads ? now : window.__bizcrawl_waiting.leaves);
    const waits = loads || window.__bizcrawl_waiting.count > 0;
    const quiet = now - changed >= quiet_ms && (now - changed >= patience_ms || !bare());
    if (now - began < most_ms && (waits || !quiet)) return void setTimeout(lookAgain, 20);
    observer.disconnect();
    unfold(document);
    const html = (document.doctype ? "<!DOCTYPE html>\\n" : "") + document.documentElement.outerHTML;
    resolve([html.slice(0, most_chars), html.length > most_chars]);
  };
  // what a timer throws would be lost, and the page waited for until its deadline
  const lookAgain = () => { try { look(); } catch (spoilt) { reject(spoilt); } };
  look();
})
"""
"""Resolves once nothing has changed for a while; what shadow roots show is put where a reader sees it."""


@dataclass(frozen=True, slots=True)
class BrowserOptions:
    """How pages are rendered."""

    tabs: int = 4
    """Pages at once."""
    deadline_s: float = 15.0
    """From the start of a page to its end, whatever its scripts do."""
    settle_s: float = 5.0
    """At most so long is waited for scripts to come to rest."""
    quiet_s: float = 0.1
    """A page that has not changed for so long has come to rest."""
    patience_s: float = 1.0
    """The same for a page that still shows next to nothing (`bizcrawl.web.needs_script`)."""
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


class Tab:
    """A page that is used again and again, in a context of its own. Errors are those of Playwright, and any
    other that a page provokes.
    """

    def __init__(self, context: BrowserContext, page: Page, session: CDPSession, frame: str) -> None:
        """`frame` is the id of the page's main frame. Made by `open_tab`."""
        self.context = context
        self.pages = 0
        """How many it has had."""
        self._page = page
        self._session = session
        self._frame = frame
        self._document: Response | None = None
        self._leads_to: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    @property
    def is_open(self) -> bool:
        """Whether it can take another page."""
        return not self._page.is_closed()

    async def render(self, response: Response, options: BrowserOptions) -> Rendered:
        """What a page's scripts make of it. The caller keeps the deadline."""
        self.pages += 1
        self._document = response
        self._leads_to = asyncio.get_running_loop().create_future()
        settled = asyncio.ensure_future(self._settle(response.url, options))
        try:
            await asyncio.wait((settled, self._leads_to), return_when=asyncio.FIRST_COMPLETED)
            if self._leads_to.done():
                rendered = Rendered("", leads_to=self._leads_to.result())
            else:
                rendered = settled.result()
        finally:
            if not settled.done():
                settled.cancel()
                with suppress(PlaywrightError, asyncio.CancelledError):
                    await settled
        return rendered

    async def park(self) -> None:
        """Leave the page: its timers would run on, and stop the next one or lead it elsewhere."""
        await self._page.goto("about:blank", wait_until="commit")

    async def _settle(self, url: str, options: BrowserOptions) -> Rendered:
        await self.context.clear_cookies()
        await self._page.goto(url, wait_until="commit", timeout=options.deadline_s * 1000)
        limits_ms = [options.quiet_s * 1000, options.patience_s * 1000, options.settle_s * 1000]
        limits = [*limits_ms, options.max_chars, FEW_LINKS, LITTLE_TEXT_CHARS]
        html, truncated = await self._page.evaluate(_SETTLED, limits)
        if not isinstance(html, str):  # the page has put something of its own in the place of a promise
            raise TypeError("the page did not answer with its source")
        return Rendered(html, bool(truncated))

    def on_paused(self, event: Mapping[str, Any]) -> None:
        """Answer a request for a document: the page is at hand, frames are loaded, other pages are not."""
        request = {"requestId": event["requestId"]}
        asked = event["request"]
        if event["frameId"] != self._frame:
            self._send("Fetch.continueRequest", request)
        elif self._document is not None and asked["url"] == self._document.url.partition("#")[0]:
            document, self._document = self._document, None
            self._send("Fetch.fulfillRequest", request | _fulfilment(document))
        else:
            # As long as the document has not been asked for, this is still the page before.
            if self._document is None and asked["method"] == "GET" and not self._leads_to.done():
                self._leads_to.set_result(asked["url"])
            self._send("Fetch.failRequest", request | {"errorReason": "Aborted"})

    def _send(self, command: str, parameters: dict[str, Any]) -> None:
        in_background(self._session.send(command, parameters))


async def open_tab(chromium: Chromium, options: BrowserOptions, *, any_certificate: bool) -> Tab:
    """A new tab without service workers, downloads, pictures, fonts and films."""
    version = chromium.version.partition(".")[0]
    context = await chromium.new_context(
        accept_downloads=False,
        service_workers="block",
        ignore_https_errors=any_certificate,
        user_agent="Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
        f"Chrome/{version}.0.0.0 Safari/537.36 {options.product}",
    )
    await context.add_init_script(_BEFORE_SCRIPTS)
    page = await context.new_page()
    context.on("page", lambda popup: in_background(popup.close()))
    session = await context.new_cdp_session(page)
    frame = (await session.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
    tab = Tab(context, page, session, frame)
    session.on("Fetch.requestPaused", tab.on_paused)
    await session.send("Fetch.enable", {"patterns": [{"resourceType": "Document"}]})
    await session.send("Network.enable")
    await session.send("Network.setBlockedURLs", {"urls": _NOT_LOADED})
    return tab


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


def in_background(work: Coroutine[Any, Any, object]) -> None:
    """Run what nobody waits for. The browser may be gone by then, and that is no fault."""

    async def run() -> None:
        with suppress(PlaywrightError):
            await work

    task = asyncio.ensure_future(run())
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
