"""A Web in which every request waits for its host's turn: wrap any other in it and the crawl is polite."""

from __future__ import annotations

from bizcrawl.politeness import Politeness
from bizcrawl.urls import host_of
from bizcrawl.web import Failure, Request, Response, Web


class PoliteWeb:
    """Passes requests on to `web` at their turn, and tells `politeness` what came of them. Closes the web."""

    def __init__(self, web: Web, politeness: Politeness) -> None:
        self._web = web
        self._politeness = politeness

    async def fetch(self, request: Request) -> Response | Failure:
        """See `Web`."""
        host = host_of(request.url)
        started_s = await self._politeness.turn(host)
        answer: Response | Failure | None = None
        try:
            answer = await self._web.fetch(request)
        finally:
            self._politeness.done(host, started_s, answer)
        return answer

    async def close(self) -> None:
        """See `Web`."""
        await self._web.close()
