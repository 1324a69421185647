"""A Web that keeps what it fetches: wrap any other in it and the crawl need not know."""

from __future__ import annotations

from bizcrawl.web import Failure, Request, Response, Web
from bizcrawl.web.warc_writer import WarcWriter


class RecordingWeb:
    """Passes requests on to `web` and every answer, robots.txt included, to `writer`. Closes both."""

    def __init__(self, web: Web, writer: WarcWriter) -> None:
        self._web = web
        self._writer = writer

    async def fetch(self, request: Request) -> Response | Failure:
        """See `Web`. Raises `BizcrawlError` only if the answer cannot be kept (the disk is full)."""
        answer = await self._web.fetch(request)
        if isinstance(answer, Response):
            self._writer.write(request, answer)
        return answer

    async def close(self) -> None:
        """See `Web`."""
        try:
            await self._web.close()
        finally:
            self._writer.close()
