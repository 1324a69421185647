"""What is counted of pages that a browser was asked for; apart from the browser, which few crawls load."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from bizcrawl.reasons import Reason


class Outcome(StrEnum):
    """What became of a page; pages that needed no browser are not counted."""

    RENDERED = "rendered"
    LED_ELSEWHERE = "led_elsewhere"
    """A script led to another page: answered as a redirect."""
    NOT_RENDERED = "not_rendered"
    """The browser failed or took too long, or a script only loads the page again: answered as fetched."""


@dataclass(frozen=True, slots=True)
class RenderingCounts:
    """Counts that grow while a crawl runs; all empty for a crawl without a browser."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    signs: Counter[str] = field(default_factory=Counter)
    """Why pages were rendered, by `Sign`; none where every page is."""
    refused: Counter[Reason] = field(default_factory=Counter)
    """Connections that pages asked for and did not get, by reason."""
