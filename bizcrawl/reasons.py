"""Why a page, link or record was turned away: the one list that everything is counted under.

Nothing is dropped in silence. Each member's value is what stands in `decisions.reason` and `links.fate` of
the collection and, with spaces, in the summary of a crawl; docs/collection.md says what each means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Reason(StrEnum):
    """One name for each way in which something is turned away."""

    __hash__ = str.__hash__  # most links of a page are counted by it, and that of enumerations is slow

    # before a request is made
    NOT_HTTP = "not_http"
    BAD_URL = "bad_url"
    OUT_OF_SCOPE = "out_of_scope"
    EXCLUDED = "excluded"
    NOFOLLOW = "nofollow"
    TRAP = "trap"
    TOO_DEEP = "too_deep"
    HOST_BUDGET = "host_budget"
    FRONTIER_FULL = "frontier_full"
    ROBOTS = "robots"
    ROBOTS_UNREACHABLE = "robots_unreachable"
    CRAWL_DELAY = "crawl_delay"
    FORBIDDEN_ADDRESS = "forbidden_address"
    FORBIDDEN_PORT = "forbidden_port"
    # while it is made
    DNS = "dns"
    CONNECTION = "connection"
    TLS = "tls"
    TIMEOUT = "timeout"
    TOO_SLOW = "too_slow"
    BAD_HEADERS = "bad_headers"
    BAD_FRAMING = "bad_framing"
    BAD_ENCODING = "bad_encoding"
    BOMB = "bomb"
    REDIRECT_LOOP = "redirect_loop"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    BAD_REDIRECT = "bad_redirect"
    HTTP_ERROR = "http_error"
    RATE_LIMITED = "rate_limited"
    NOT_RECORDED = "not_recorded"
    # once it has arrived
    NOT_HTML = "not_html"
    EMPTY = "empty"
    SEEN_AS_OTHER_URL = "seen_as_other_url"
    TIDY_FAILED = "tidy_failed"


MEANINGS: Mapping[str, str] = {
    Reason.NOT_HTTP: "the address is not one of the Web",
    Reason.BAD_URL: "the address can't be read, or is too long",
    Reason.OUT_OF_SCOPE: "outside what --scope allows",
    Reason.EXCLUDED: "named with --exclude",
    Reason.NOFOLLOW: "the page that links to it asks not to follow, and --nofollow was given",
    Reason.TRAP: "a site whose addresses seem to have no end",
    Reason.TOO_DEEP: "too many links away from where the crawl began",
    Reason.HOST_BUDGET: "the host has given as many pages as one host may",
    Reason.FRONTIER_FULL: "the worst of the waiting URLs, when too many waited",
    Reason.ROBOTS: "the site's robots.txt asks crawlers to stay away",
    Reason.ROBOTS_UNREACHABLE: "the site's robots.txt could not be had, so nothing else was asked for",
    Reason.CRAWL_DELAY: "the site asks for longer rests than this crawler takes",
    Reason.FORBIDDEN_ADDRESS: "an address in a private network, not on the public Web",
    Reason.FORBIDDEN_PORT: "a port that is not the Web's",
    Reason.DNS: "no host of this name was found",
    Reason.CONNECTION: "no connection, or one that broke",
    Reason.TLS: "no secure connection could be made, mostly because of the certificate",
    Reason.TIMEOUT: "no answer in time",
    Reason.TOO_SLOW: "the answer came too slowly",
    Reason.BAD_HEADERS: "the head of the answer can't be read",
    Reason.BAD_FRAMING: "the answer ended too early, or in the wrong place",
    Reason.BAD_ENCODING: "the answer was packed in a way that can't be undone",
    Reason.BOMB: "unpacked, the answer would have been huge",
    Reason.REDIRECT_LOOP: "redirects that go in a circle",
    Reason.TOO_MANY_REDIRECTS: "one redirect after another",
    Reason.BAD_REDIRECT: "a redirect to what is no address of the Web",
    Reason.HTTP_ERROR: "the server says that there is no page, or not for us",
    Reason.RATE_LIMITED: "the server asks to be left alone for now",
    Reason.NOT_RECORDED: "not in the recorded web",
    Reason.NOT_HTML: "something other than a page: a picture, a PDF",
    Reason.EMPTY: "a page without content",
    Reason.SEEN_AS_OTHER_URL: "a page that was visited under another address",
    Reason.TIDY_FAILED: "reading the page failed or took too long",
}
"""Each reason in a few words, for those who read a report; docs/collection.md says it exactly."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a rule says of a URL before it is asked for: allowed, or turned away for a named reason. True if
    allowed."""

    reason: Reason | None = None
    detail: str = ""
    """One line for a person."""

    def __bool__(self) -> bool:
        return self.reason is None


ALLOWED: Final = Ruling()
"""The ruling that allows; shared, so that allowing costs nothing."""
