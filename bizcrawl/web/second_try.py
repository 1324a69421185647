"""A Web that asks once more where a first answer may be a moment's trouble: for a page, and for a robots.txt
too, without which a host is closed.
"""

from __future__ import annotations

from typing import Final

from bizcrawl.politeness import Politeness
from bizcrawl.reasons import Reason
from bizcrawl.urls import host_of
from bizcrawl.web import Failure, Request, Response, Web

MAX_RETRY_WAIT_S: Final = 30.0
"""A second try that would have to wait longer is not made."""


class SecondTry:
    """Passes requests on to `web`, and again after a timeout (A36), 429 and 503, at most `retries` times.

    `politeness` says whether the host may be asked again, and soon enough; None: nobody is asked twice.
    """

    def __init__(self, web: Web, politeness: Politeness | None, retries: int) -> None:
        self._web = web
        self._politeness = politeness
        self._retries = retries

    async def fetch(self, request: Request) -> Response | Failure:
        """See `Web`."""
        answer = await self._web.fetch(request)
        if self._politeness is None:
            return answer
        host = host_of(request.url)
        for _ in range(self._retries):
            open_soon = self._politeness.ruling(host) and self._politeness.rest_s(host) <= MAX_RETRY_WAIT_S
            if not (open_soon and _is_passing(answer)):
                break
            answer = await self._web.fetch(request)
        return answer

    async def close(self) -> None:
        """See `Web`."""
        await self._web.close()


def _is_passing(answer: Response | Failure) -> bool:
    if isinstance(answer, Failure):
        return answer.reason is Reason.TIMEOUT
    return answer.status in {429, 503}
