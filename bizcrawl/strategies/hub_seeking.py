"""The Hub-Seeking crawler (R29-R33; BI §4.5): a page that names several known companies speaks for all its
links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bizcrawl.page import Page
from bizcrawl.strategies.dom import Dom, DomOptions
from bizcrawl.strategies.options import Givens, option
from bizcrawl.strategies.scored import Parts
from bizcrawl.urls import host_of

TIE = 1e-9
"""Weight of link_score_dom among links that tie at a hub score (A9): too small to change any other order."""


def hub_score(n: int) -> float:
    """n(n − 1) / (1 + n²) for a page that points to n seed hosts (R30, A8)."""
    return n * (n - 1) / (1 + n * n)


@dataclass(frozen=True, slots=True)
class HubSeekingOptions(DomOptions):
    """Parameters of the Hub-Seeking crawler."""

    own_host: bool = option(True, "a seed's page that links to its own host points to a seed host (A10)")
    fold_www: bool = option(False, "take www.maker.example and maker.example for one host (A10)")


class HubSeeking(Dom):
    """link_score_hub = max(hub_score(page), link_score_dom(link)) (R32).

    Where the hub score is the higher, all links of the page tie; `link_score_dom` breaks the tie, then who
    was met first (A9).
    """

    def __init__(self, options: HubSeekingOptions, givens: Givens) -> None:
        super().__init__(options, givens)
        self.own_host = options.own_host
        self.fold_www = options.fold_www

    def score_links(self, page: Page) -> tuple[Sequence[float], Sequence[Parts]]:
        """link_score_hub of every link, with the parts ``page``, ``context``, ``dom`` and ``hub``."""
        similarity, contexts, dom = self.dom_scores(page)
        hub = hub_score(self.seed_hosts_linked(page))
        scores = [hub + TIE * d if hub > d else d for d in dom]
        shared: dict[float, Parts] = {}
        parts = [
            shared.setdefault(c, {"page": similarity, "context": c, "dom": d, "hub": hub})
            for c, d in zip(contexts, dom, strict=True)
        ]
        return scores, parts

    def seed_hosts_linked(self, page: Page) -> int:
        """To how many distinct seed hosts a page points, by its own links alone (R29, R33)."""
        wanted = {self._host(host) for host in self.topic.seed_hosts}
        found = {self._host(host_of(link.url)) for link in page.links} & wanted
        if not self.own_host:
            found.discard(self._host(host_of(page.final_url)))
        return len(found)

    def _host(self, host: str) -> str:
        return host.removeprefix("www.") if self.fold_www else host
