"""Pages and gates made by hand for the tests of strategies."""

from __future__ import annotations

from bizcrawl.page import TidiedPage
from contexts.links import links
from contexts.tidy import tidy


def page(url: str, body: str, final_url: str | None = None) -> TidiedPage:
    """A page with this HTML body."""
    tree = tidy(f"<html><body>{body}</body></html>")
    return TidiedPage(url, final_url or url, links(tree, final_url or url), tree)


class ManualGate:
    """A clock that stands still and hosts that wait as long as they are told to."""

    def __init__(self) -> None:
        self.time_s = 0.0
        self.waits_until_s: dict[str, float] = {}

    def now_s(self) -> float:
        return self.time_s

    def wait_s(self, host: str) -> float:
        return max(0.0, self.waits_until_s.get(host, 0.0) - self.time_s)
