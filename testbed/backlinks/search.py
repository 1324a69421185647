"""Back-links from a search service with a JSON interface, such as SearXNG: pages that name a seed's host.

No engine answers ``link:`` any more. A page that names the host of a company and does not stand on it is
the nearest thing; whether it is a hub shows when it names several (R35). The service is asked as its
operator allows: one question at a time, with a pause between two.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

import aiohttp

from bizcrawl.urls import host_of, parse
from testbed.backlinks import BacklinkError

QUERY = '"{host}" -site:{host}'
MAX_ANSWER_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class SearchService:
    """A search service at an address such as ``http://localhost:8888/search``."""

    address: str
    query: str = QUERY
    """``{host}`` and ``{url}`` stand for the seed's."""
    delay_s: float = 1.0
    timeout_s: float = 20.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def linking_to(self, urls: Sequence[str], limit: int) -> Mapping[str, Sequence[str]]:
        """See `Backlinks`."""
        found: dict[str, list[str]] = {}
        timeout = aiohttp.ClientTimeout(total=self.timeout_s)
        async with aiohttp.ClientSession(timeout=timeout) as session:
            for number, url in enumerate(urls):
                if number:
                    await self.sleep(self.delay_s)
                results = await self._ask(session, url)
                site = host_of(url)
                found[url] = [page for page in results if host_of(page) != site][:limit]
        return found

    async def _ask(self, session: aiohttp.ClientSession, url: str) -> list[str]:
        question = self.query.format(host=host_of(url).removeprefix("www."), url=url)
        parameters = {"q": question, "format": "json"}
        try:
            async with session.get(self.address, params=parameters, allow_redirects=False) as response:
                if response.status != 200:
                    why = f"answered {response.status} to {question}"
                    raise BacklinkError(
                        f"{self.address}: {why}; check the address, and that it may give JSON"
                    )
                body = await self._whole(response)
        except (aiohttp.ClientError, TimeoutError, ValueError) as problem:
            raise BacklinkError(f"{self.address}: {type(problem).__name__}: {problem}") from None
        return self._pages(body)

    async def _whole(self, response: aiohttp.ClientResponse) -> bytes:
        body = bytearray()
        async for piece in response.content.iter_any():
            body += piece
            if len(body) > MAX_ANSWER_BYTES:
                raise BacklinkError(f"{self.address}: answered more than {MAX_ANSWER_BYTES:,} bytes")
        return bytes(body)

    def _pages(self, body: bytes) -> list[str]:
        try:
            results = json.loads(body)["results"]
            pages = [parse(result["url"]) for result in results]
        except (ValueError, KeyError, TypeError, RecursionError):
            message = "no JSON with results came back; is the format json switched on there?"
            raise BacklinkError(f"{self.address}: {message}") from None
        return list(dict.fromkeys(page for page in pages if page))
