"""A web of a few made-up pages, and a journal that remembers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bizcrawl.companies.opinions import Opinion
from bizcrawl.harvest import Body, Harvested, tidied
from bizcrawl.reasons import Reason
from bizcrawl.robots.tags import FOLLOWS_ALL
from bizcrawl.strategies import ScoredLink
from bizcrawl.web import Failure, Request, Response

CommandLine = Callable[..., subprocess.CompletedProcess[str]]
NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)


@dataclass
class PaperWeb:
    """Pages by URL; a tuple is a redirect or error: (status, location)."""

    pages: Mapping[str, str | tuple[int, str]]
    asked: list[str] = field(default_factory=list)
    closed: bool = False

    async def fetch(self, request: Request) -> Response | Failure:
        self.asked.append(request.url)
        page = self.pages.get(request.url)
        if page is None:
            return Failure(request.url, Reason.NOT_RECORDED)
        if isinstance(page, tuple):
            return Response(request.url, page[0], {"location": page[1]}, b"", NOON)
        return Response(request.url, 200, {"content-type": "text/html"}, page.encode(), NOON)

    async def close(self) -> None:
        self.closed = True


@dataclass
class RememberingJournal:
    """Keeps what a crawl writes down."""

    events: list[tuple[str, object]] = field(default_factory=list)

    def called(self, kind: str, urls: Sequence[str], n: int = 0) -> None:
        self.events.append((kind, tuple(urls)))

    def judged(self, opinion: Opinion) -> None:
        self.events.append((opinion.judgement, opinion.company))

    def visited(self, link: ScoredLink, harvested: Harvested, scored: Sequence[ScoredLink]) -> None:
        self.events.append(("visit", link.url))

    def failed(self, link: ScoredLink, failure: Failure) -> None:
        self.events.append(("fail", (link.url, failure.reason)))

    async def flush(self, wait: bool = False) -> None:
        if wait:
            self.events.append(("flush", ()))

    def urls(self, kind: str) -> list[object]:
        return [what for event, what in self.events if event == kind]


def harvested(url: str, html: str) -> Harvested:
    """A page as a crawl harvests it."""
    response = Response(url, 200, {"content-type": "text/html"}, html.encode(), NOON)
    body = Body(url, url, html.encode(), "text/html; charset=utf-8", truncated=False, nofollow=False)
    return Harvested(response, tidied(body, "auto", "parent", FOLLOWS_ALL))


def page_with(*links: str, text: str = "") -> str:
    """A page that holds links and a text."""
    items = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return f"<!doctype html><title>t</title><p>{text}</p><ul>{items}</ul>"
