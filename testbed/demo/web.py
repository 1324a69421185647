"""The demo web: `DemoWeb` stands where the live Web or a recorded one would, and answers from memory.

The same random seed gives the same bytes at every URL, in any order of asking. There is no network, no
clock but the one given, and no delay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from bizcrawl.reasons import Reason
from bizcrawl.urls import host_of
from bizcrawl.web import Failure, Request, Response
from testbed.demo.defunct import defunct_sites, silent_hosts
from testbed.demo.firms import company_sites, dealer_sites
from testbed.demo.hubs import association_sites, catalogue_sites, fair_sites, finder_site, yellow_site
from testbed.demo.media import (
    blog_sites,
    encyclopedia_site,
    marketplace_sites,
    press_sites,
    social_site,
    university_site,
)
from testbed.demo.places import Plan, make_plan
from testbed.demo.site import Answer, Site, moved_to
from testbed.demo.traps import Rule, farm_sites, ring_sites, rules

DEFAULT_SEED = 2003
"""The demo web that ``--web demo`` shows."""

MAX_BODY_BYTES = 1_000_000
"""Cap on a body where neither the request nor the web names one."""

_NOT_FOUND = Answer(
    404,
    {"content-type": "text/html"},
    b"<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>",
)


@dataclass(frozen=True, slots=True)
class World:
    """Everything that stands on the demo web."""

    plan: Plan
    answers: Mapping[str, Answer]
    """What stands at each URL."""
    hosts: frozenset[str]
    rules: Mapping[str, Rule]
    """By host: answers that are made when asked for."""

    def answer(self, url: str) -> Answer:
        """What the host of a URL says; the host must be one of `hosts`.

        A host redirects from the scheme that it does not use to the one that it does.
        """
        if found := self.answers.get(url):
            return found
        scheme, _, rest = url.partition("://")
        elsewhere = f"{'http' if scheme == 'https' else 'https'}://{rest}"
        if elsewhere in self.answers:
            return moved_to(elsewhere)
        rule = self.rules.get(host_of(url))
        return (rule.answer(url) if rule else None) or _NOT_FOUND


@lru_cache(maxsize=2)
def build_world(seed: int = DEFAULT_SEED) -> World:
    """Write the demo web of a random seed."""
    plan = make_plan(seed)
    sites = list(_sites(plan))
    answers: dict[str, Answer] = {}
    for site in sites:
        answers.update(site.answers)
    return World(
        plan,
        answers,
        frozenset(host_of(url) for url in answers),
        rules(plan, {site.home: site for site in sites}),
    )


def _sites(plan: Plan) -> Iterator[Site]:
    yield from company_sites(plan)
    yield from dealer_sites(plan)
    yield from defunct_sites(plan)
    yield from association_sites(plan)
    yield from fair_sites(plan)
    yield from catalogue_sites(plan)
    yield yellow_site(plan)
    yield finder_site(plan)
    yield from press_sites(plan)
    yield from blog_sites(plan)
    yield from marketplace_sites(plan)
    yield university_site(plan)
    yield encyclopedia_site(plan)
    yield social_site(plan)
    yield from farm_sites(plan)
    yield from ring_sites(plan)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class DemoWeb:
    """The demo web behind the seam of `bizcrawl.web.Web`."""

    def __init__(
        self,
        seed: int = DEFAULT_SEED,
        *,
        max_body_bytes: int = MAX_BODY_BYTES,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        """Build the web of a random seed; `max_body_bytes` cuts bodies as a live crawl's page cap does."""
        self.world = build_world(seed)
        self._max_body_bytes = max_body_bytes
        self._now = now
        self._timeouts = silent_hosts("timeout")

    async def fetch(self, request: Request) -> Response | Failure:
        """Make one hop. Hosts that are not on the demo web have no address."""
        host = host_of(request.url)
        if host in self._timeouts:
            return Failure(request.url, Reason.TIMEOUT, f"{host} did not answer in time")
        if host not in self.world.hosts:
            return Failure(request.url, Reason.DNS, f"{host or request.url} is not on the demo web")
        answer = self.world.answer(request.url)
        cap = self._max_body_bytes if request.max_body_bytes is None else request.max_body_bytes
        return Response(
            url=request.url,
            status=answer.status,
            headers=answer.headers,
            body=answer.body[:cap],
            fetched_at=self._now(),
            wire_bytes=min(cap, len(answer.body)),
            truncated=len(answer.body) > cap,
        )

    async def close(self) -> None:
        """Nothing is held open."""
