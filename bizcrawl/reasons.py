"""Why a page, link or record was turned away: the one list that everything is counted under.

Nothing is dropped in silence. Each member's value is what stands in `decisions.reason` and `links.fate` of
the collection and, with spaces, in the summary of a crawl; docs/collection.md says what each means.
"""

from __future__ import annotations

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
