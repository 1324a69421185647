"""From a URL that a strategy gave out to a page, or to one named reason why there is none.

A redirect is a new request: scope, exclusions, traps, the host's budget and robots.txt are asked again before
each hop, politeness and the safety of addresses lie below, in the web. At most five hops; a loop ends at
once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from bizcrawl.politeness import Politeness
from bizcrawl.reasons import ALLOWED, Reason, Ruling
from bizcrawl.robots.rules import Robots
from bizcrawl.robots.tags import robots_tags
from bizcrawl.scope import Exclusions, Scope
from bizcrawl.traps import Sightings, TrapRules
from bizcrawl.urls import host_of, key_of, parse, without_campaign
from bizcrawl.web import REDIRECTS, Failure, Request, Response, Web
from bizcrawl.web.content import kind_of, may_be_html, media_type
from bizcrawl.web.second_try import SecondTry
from contexts.decode import decode
from contexts.links import Refresh, links, refresh_in
from contexts.tidy import tidy

MAX_REDIRECTS: Final = 5
_NOT_MODIFIED: Final = 304
_MAX_REFRESH_S: Final = 10.0
"""A meta refresh that waits longer is a page that updates itself, not a redirect."""
_HEAD_BYTES: Final = 16_384
"""A meta refresh is looked for in so much of a page."""
_MAY_REFRESH: Final = re.compile(rb"""http-equiv\s*+=\s*+["']?\s*+refresh""")
"""In lower case. Few pages hold this; only they are tidied here to see whether it is markup."""


@dataclass(frozen=True, slots=True)
class Rules:
    """All that is asked before a request, and what is followed afterwards."""

    scope: Scope = field(default_factory=Scope)
    exclusions: Exclusions = field(default_factory=Exclusions)
    traps: TrapRules | None = field(default_factory=TrapRules)
    """None: nothing counts as a trap (test beds)."""
    sightings: Sightings | None = None
    """What the crawl has seen of each host; None: not watched."""
    robots: Robots | None = None
    """None: robots.txt is not asked for (sites one owns)."""
    politeness: Politeness | None = None
    """None: no budgets, nobody is given up (recorded webs)."""
    follow_refresh: bool = False
    """Follow meta refresh and the Refresh field as redirects are followed."""
    keep_nofollow: bool = False
    """Report X-Robots-Tag: nofollow in `Download.nofollow`, so that the page's links are left alone."""
    user_agent: str = "bizcrawl"
    conditions: Callable[[str], Mapping[str, str]] = lambda _url: {}
    """Header fields that ask for a page only if it has changed; {} if it is not known from before."""
    retries: int = 1
    """Tries after the first, in live crawls: after a timeout (A36), 429 and 503."""

    def look(self, url: str, depth: int = 0) -> Ruling:
        """What can be said of a URL without asking anybody: fit for every link of every page."""
        if not (ruling := self.scope.ruling(url)):
            return ruling
        if not (ruling := self.exclusions.ruling(url)):
            return ruling
        return self.traps.ruling(url, depth) if self.traps else ALLOWED

    async def ruling(self, url: str, depth: int) -> Ruling:
        """All rules, robots.txt last because it may need a request."""
        if not (ruling := self.look(url, depth)):
            return ruling
        host = host_of(url)
        if self.politeness and not (ruling := self.politeness.ruling(host)):
            return ruling
        if self.sightings and not (ruling := self.sightings.url(url)):
            return ruling
        if self.robots is None:
            return ALLOWED
        ruling = await self.robots.ruling(url, self.exclusions)
        if self.politeness:
            self._tell(self.politeness, self.robots, url, ruling)
        return ruling

    @staticmethod
    def _tell(politeness: Politeness, robots: Robots, url: str, ruling: Ruling) -> None:
        """What robots.txt says of time: a delay, or that nobody should come before it can be read.

        Until then the host's URLs stay in the frontier; if it cannot be read the next time either, the host
        is closed, so that a crawl does not wait for it at its end again and again.
        """
        host = host_of(url)
        if (delay_s := robots.delay_s(url)) is not None:
            politeness.ask_delay(host, delay_s)
        if ruling.reason is Reason.ROBOTS_UNREACHABLE:
            if robots.failures(url) > 1:
                politeness.close(host, ruling)
            else:
                politeness.rest(host, robots.retry_s(url))


@dataclass(frozen=True, slots=True)
class Download:
    """A good page: status 2xx, HTML, not empty; or one that is unchanged since an earlier crawl."""

    url: str
    """As it was asked for."""
    final_url: str
    """After redirects."""
    response: Response
    hops: tuple[str, ...] = ()
    """The URLs between the two, the first one included, the final one not."""
    nofollow: bool = False
    """X-Robots-Tag forbids following its links, and `Rules.keep_nofollow` asks to heed that."""
    robots_tags: frozenset[str] = frozenset()
    """Directives of X-Robots-Tag that concern this crawler."""
    unchanged: bool = False
    """304 was the answer to the conditions of `Rules.conditions`: the response has no body."""


async def download(
    url: str,
    web: Web,
    rules: Rules,
    *,
    depth: int = 0,
    seen: Callable[[str], bool] = lambda _: False,
) -> Download | Failure:
    """Fetch a page, following redirects. The `Failure` names the URL asked for; its detail says at which hop
    it failed.

    `web` is a `PoliteWeb` in live crawls. `seen` is asked about the URL and the target of each redirect: what
    the crawl has already is not fetched again (`Reason.SEEN_AS_OTHER_URL`).
    """
    if seen(url):
        return _failure(url, url, Reason.SEEN_AS_OTHER_URL, without_campaign(url) or url)
    here = url
    hops: list[str] = []
    visits: Counter[str] = Counter()
    patient = SecondTry(web, rules.politeness, rules.retries)
    while True:
        ruling = await rules.ruling(here, depth)
        if ruling.reason:
            return _failure(url, here, ruling.reason, ruling.detail)
        request = Request(here, rules.conditions(here))
        response = await patient.fetch(request)
        if isinstance(response, Failure):
            return _failure(url, here, response.reason, response.detail)
        if response.status == _NOT_MODIFIED and request.headers:
            if rules.politeness:
                rules.politeness.count_page(host_of(here))
            return Download(url, here, response, tuple(hops), unchanged=True)
        target = _target(response, here, rules)
        if target is None:
            return _page(url, here, tuple(hops), response, rules)
        if isinstance(target, Failure):
            return _failure(url, here, target.reason, target.detail)
        hops.append(here)
        visits[key_of(here)] += 1
        if visits[key_of(target)] > ("set-cookie" in response.headers):  # once, to show the cookie
            return _failure(url, here, Reason.REDIRECT_LOOP, f"back to {target}")
        if len(hops) > MAX_REDIRECTS:
            return _failure(url, here, Reason.TOO_MANY_REDIRECTS, f"more than {MAX_REDIRECTS}")
        if not (visits[key_of(target)] or visits[without_campaign(target) or target]) and seen(target):
            return _failure(url, here, Reason.SEEN_AS_OTHER_URL, target)
        here = target


def _target(response: Response, url: str, rules: Rules) -> str | Failure | None:
    """Where a response sends its visitor; None if it is a page itself."""
    if response.status in REDIRECTS:
        location = response.headers.get("location", "").strip()
        if not location:
            return Failure(url, Reason.BAD_REDIRECT, f"status {response.status} without Location")
        target = parse(location, url)
        if target is None:
            return Failure(url, Reason.BAD_REDIRECT, f"to {location[:200]}")
        return target
    if rules.follow_refresh and 200 <= response.status < 300:
        return refresh_of(response, url)
    return None


def refresh_of(response: Response, url: str) -> str | None:
    """The target of a Refresh field or meta refresh that comes within ten seconds; None if there is none."""
    field = response.headers.get("refresh")
    refresh = refresh_in(field) if field else _meta_refresh(response, url)
    if refresh is None or refresh.seconds > _MAX_REFRESH_S:
        return None
    target = parse(refresh.target, url)
    return target if target and key_of(target) != key_of(url) else None


def _meta_refresh(response: Response, url: str) -> Refresh | None:
    """The first meta refresh that is one of the page's links, its target joined as they are."""
    head = response.body[:_HEAD_BYTES]
    label = response.headers.get("content-type", "")
    if not _MAY_REFRESH.search(head.lower()) or kind_of(label, head) != "html":
        return None
    tree = tidy(decode(head, label).text)
    link = next((link for link in links(tree, url) if link.kind == "refresh"), None)
    written = refresh_in(tree.attributes[link.node]["content"]) if link else None
    return Refresh(written.seconds, link.url) if link and written else None


def _page(url: str, here: str, hops: tuple[str, ...], response: Response, rules: Rules) -> Download | Failure:
    """A good page, or what is wrong with it."""
    if response.status == 429 or (response.status == 503 and "retry-after" in response.headers):
        return _failure(url, here, Reason.RATE_LIMITED, f"status {response.status}")
    if not 200 <= response.status < 300:
        return _failure(url, here, Reason.HTTP_ERROR, f"status {response.status}")
    label = response.headers.get("content-type", "")
    kind = kind_of(label, response.body)
    if kind == "empty" and (not response.truncated or may_be_html(label)):
        return _failure(url, here, Reason.EMPTY, "no content")
    if kind != "html":
        named = media_type(label)
        belied = named and may_be_html(label) and kind not in {"text", "xml"}
        return _failure(url, here, Reason.NOT_HTML, f"{kind} labelled {named}" if belied else named or kind)
    host = host_of(here)
    if rules.politeness:
        rules.politeness.count_page(host)
    if rules.sightings:
        ruling = rules.sightings.content(host, hash(response.body))
        if ruling.reason:
            if rules.politeness:
                rules.politeness.close(host, ruling)
            return _failure(url, here, ruling.reason, ruling.detail)
    tags = robots_tags(response.headers, rules.user_agent)
    nofollow = rules.keep_nofollow and "nofollow" in tags
    return Download(url, here, response, hops, nofollow, tags)


def _failure(url: str, here: str, reason: Reason, detail: str) -> Failure:
    return Failure(url, reason, detail if here == url else f"{here}: {detail}")
