"""``--render``: static first, and a browser only for the pages that need one.

`RenderingWeb` stands in front of any other Web. Each page is fetched by the Web behind it, with all its
rules; in ``auto`` the browser is asked only if the page shows a sign that it is nothing without scripts
(`bizcrawl.web.needs_script`), in ``always`` for every page. A page that cannot be rendered is answered as it
was fetched. What became of the pages is counted in `counts`.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Literal

from bizcrawl.netguard import AddressRules, Resolve, SystemResolver
from bizcrawl.urls import key_of
from bizcrawl.web import Failure, Request, Response, Web
from bizcrawl.web.browser import Browser, BrowserOptions, BrowserUnavailableError, Rendered, RenderingError
from bizcrawl.web.browser_proxy import BrowserProxy
from bizcrawl.web.browser_route import DirectRoute, ProxyRoute, Route
from bizcrawl.web.chromium import HOW_TO_GET_IT, find_chromium
from bizcrawl.web.content import kind_of
from bizcrawl.web.needs_script import script_sign
from bizcrawl.web.proxy import Proxy
from bizcrawl.web.rendering_counts import Outcome, RenderingCounts
from bizcrawl.web.web_proxy import WebProxy

Mode = Literal["auto", "always"]
_MOST_RESOURCE_BYTES = 16 * 2**20


class RenderingWeb:
    """A Web whose pages have been through a browser where they need it."""

    def __init__(
        self,
        web: Web,
        mode: Mode = "auto",
        *,
        rules: AddressRules | None = None,
        resolve: Resolve | None = None,
        proxy: str = "",
        options: BrowserOptions | None = None,
        from_web: bool = False,
    ) -> None:
        """`rules`, `resolve` and `proxy` are those of the live Web: they hold for all that the browser asks
        for.

        `from_web` gives the browser no network at all: scripts and data come from `web` too, as for recorded
        webs. Raises `WrongUse` for a bad proxy, `BrowserUnavailableError` if no Chromium is here.
        """
        if find_chromium() is None:
            raise BrowserUnavailableError(f"--render needs Chromium, and none is here: {HOW_TO_GET_IT}")
        self.counts = RenderingCounts()
        self._web = web
        self._mode = mode
        self._options = options or BrowserOptions()
        self._from_web = from_web
        self._system = SystemResolver() if resolve is None and not from_web else None
        self._route = _route(rules or AddressRules(), resolve or self._system, proxy)
        self._stack = AsyncExitStack()
        self._browser: Browser | None = None
        self._starting = asyncio.Lock()

    async def fetch(self, request: Request) -> Response | Failure:
        """See `Web`. Raises `BrowserUnavailableError` if the browser does not start."""
        answer = await self._web.fetch(request)
        if isinstance(answer, Failure) or not self._is_page(request, answer):
            return answer
        if self._mode == "auto":
            sign = script_sign(answer.body)
            if sign is None:
                return answer
            self.counts.signs[sign] += 1
        try:
            rendered = await (await self._started()).render(answer)
        except RenderingError:
            rendered = None
        if rendered is None or (rendered.leads_to and key_of(rendered.leads_to) == key_of(answer.url)):
            self.counts.outcomes[Outcome.NOT_RENDERED] += 1
            return answer
        self.counts.outcomes[Outcome.LED_ELSEWHERE if rendered.leads_to else Outcome.RENDERED] += 1
        if rendered.leads_to:
            return _redirect(answer, rendered.leads_to)
        return _rendered(answer, rendered, self._options.max_chars)

    async def close(self) -> None:
        """End the browser and its proxy, then the Web behind."""
        try:
            await self._stack.aclose()
        finally:
            if self._system is not None:
                self._system.close()
            await self._web.close()

    @staticmethod
    def _is_page(request: Request, answer: Response) -> bool:
        """Whether a browser has anything to do with it: robots.txt files ask for a size of their own."""
        return (
            request.max_body_bytes is None
            and 200 <= answer.status < 300
            and not answer.rendered
            and kind_of(answer.headers.get("content-type", ""), answer.body) == "html"
        )

    async def _started(self) -> Browser:
        async with self._starting:
            if self._browser is None:
                if self._from_web:
                    served = await self._stack.enter_async_context(
                        WebProxy(self._web, max_body_bytes=_MOST_RESOURCE_BYTES)
                    )
                    address = served.address
                else:
                    filtering = await self._stack.enter_async_context(
                        BrowserProxy(self._route, self.counts.refused)
                    )
                    address = filtering.address
                self._browser = Browser(address, self._options, any_certificate=self._from_web)
                self._stack.push_async_callback(self._browser.close)
            return self._browser


def _route(rules: AddressRules, resolve: Resolve | None, proxy: str) -> Route:
    resolve = resolve or _no_names
    return ProxyRoute(Proxy.of(proxy), rules, resolve) if proxy else DirectRoute(rules, resolve)


async def _no_names(host: str, port: int) -> list[str]:
    raise OSError(f"{host}:{port} is not resolved: the browser has no network")


def _rendered(answer: Response, rendered: Rendered, cap_bytes: int) -> Response:
    """What the browser made of an answer; cut if the answer was, for the browser had no more than that."""
    body = rendered.html.encode("utf-8", "replace")
    headers = {**answer.headers, "content-type": "text/html; charset=utf-8"}
    truncated = answer.truncated or rendered.truncated or len(body) > cap_bytes
    return replace(answer, headers=headers, body=body[:cap_bytes], truncated=truncated, rendered=True)


def _redirect(answer: Response, target: str) -> Response:
    return replace(answer, status=302, headers={"location": target}, body=b"", truncated=False, rendered=True)
