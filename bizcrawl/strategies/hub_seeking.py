"""The Hub-Seeking crawler (R29-R33; BI §4.5): a page that names several known companies speaks for all its
links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bizcrawl.page import Page
from bizcrawl.strategies.dom import Dom, DomOptions
from bizcrawl.strategies.options import Givens, option, require
from bizcrawl.strategies.scored import Parts
from bizcrawl.topic import Topic
from bizcrawl.urls import host_of
from contexts.lists import list_ids, outer_lists

TIE = 1e-9
"""Weight of link_score_dom among links that tie at a hub score (A9): too small to change any other order."""


def hub_score(n: int) -> float:
    """n(n − 1) / (1 + n²) for a page that points to n seed hosts (R30, A8)."""
    return n * (n - 1) / (1 + n * n)


@dataclass(frozen=True, slots=True)
class HubSeekingOptions(DomOptions):
    """Parameters of the Hub-Seeking crawler."""

    own_host: bool = option(True, "a seed's page that links to its own host points to a seed host (A10)")
    credit: str = option("page", "who gets the hub's score: page, or block: links listed with two seeds (M5)")
    fade: float = option(0.5, "credit=block: what is left of the credit for each list further out (M5)")
    fold_www: bool = option(False, "take www.maker.example and maker.example for one host (A10)")
    shared_hosts: str = option("", "hosts with many sites, by comma: the first part of the path counts (A10)")

    def __post_init__(self) -> None:
        DomOptions.__post_init__(self)
        require(self.credit in {"page", "block"}, "credit", "page or block", self.credit)
        require(0 <= self.fade <= 1, "fade", "between 0 and 1", self.fade)


class HubSeeking(Dom):
    """link_score_hub = max(hub_score(page), link_score_dom(link)) (R32).

    Where the hub score is the higher, all links of the page tie; `link_score_dom` breaks the tie, then who
    was met first (A9).
    """

    def __init__(self, options: HubSeekingOptions, givens: Givens) -> None:
        super().__init__(options, givens)
        self.credit = options.credit
        self.fade = options.fade
        self.own_host = options.own_host
        self.fold_www = options.fold_www
        self.shared_hosts = frozenset(filter(None, options.shared_hosts.replace(" ", "").split(",")))
        self._seed_hosts: frozenset[str] = frozenset()

    def start(self, topic: Topic) -> None:
        """See `Strategy`."""
        super().start(topic)
        self._seed_hosts = frozenset(host for seed in topic.seeds if (host := self._host(seed)))

    def score_links(self, page: Page) -> tuple[Sequence[float], Sequence[Parts]]:
        """link_score_hub of every link, with the parts ``page``, ``context``, ``dom`` and ``hub``."""
        similarity, contexts, dom = self.dom_scores(page)
        hubs = self.hub_scores(page)
        if hubs is None:
            # most contexts say nothing, and their links have the same parts
            silent = {"page": similarity, "context": 0.0, "dom": self.alpha * similarity, "hub": 0.0}
            return dom, [
                {"page": similarity, "context": c, "dom": d, "hub": 0.0} if c else silent
                for c, d in zip(contexts, dom, strict=True)
            ]
        scores = [hub + TIE * d if hub > d else d for hub, d in zip(hubs, dom, strict=True)]
        return scores, [
            {"page": similarity, "context": c, "dom": d, "hub": hub}
            for c, d, hub in zip(contexts, dom, hubs, strict=True)
        ]

    def hub_scores(self, page: Page) -> list[float] | None:
        """What each link gets of its page's hub score: all of it (R32), or by list (M5); None of no hub."""
        hub = hub_score(self.seed_hosts_linked(page))
        if not hub:
            return None
        if self.credit == "page":
            return [hub] * len(page.links)
        return [hub * self.fade**out if out >= 0 else 0.0 for out in self.lists_out(page)]

    def lists_out(self, page: Page) -> list[int]:
        """For each link, how many lists out stands the first that holds links to two seed hosts; -1 if none
        does.

        0 is the list in which the link itself stands.
        """
        wanted = self._wanted(page)
        ids = list_ids(page.tree, page.links)
        outer = outer_lists(page.tree, page.links, ids)
        innermost = ids.tolist()
        seeds_in: dict[int, set[str]] = {}
        for link, node in zip(page.links, innermost, strict=True):
            host = self._host(link.url)
            while host in wanted and node >= 0:
                seeds_in.setdefault(node, set()).add(host)
                node = outer[node]
        found = []
        for node in innermost:
            out = 0
            while node >= 0 and len(seeds_in.get(node, ())) < 2:
                node, out = outer[node], out + 1
            found.append(out if node >= 0 else -1)
        return found

    def seed_hosts_linked(self, page: Page) -> int:
        """To how many distinct seed hosts a page points, by its own links alone (R29, R33)."""
        wanted = self._wanted(page)
        if self.fold_www or self.shared_hosts:
            return len(wanted.intersection([self._host(link.url) for link in page.links]))
        return len(wanted & page.link_hosts)

    def _wanted(self, page: Page) -> frozenset[str]:
        """The seed hosts that count on a page."""
        return self._seed_hosts if self.own_host else self._seed_hosts - {self._host(page.final_url)}

    def _host(self, url: str) -> str:
        """What counts as a URL's host: folded, and told apart where many share it, as the options say."""
        host = host_of(url)
        known_as = host.removeprefix("www.") if self.fold_www else host
        if self.shared_hosts.isdisjoint((host, known_as)):
            return known_as
        return f"{known_as}/{url.partition('://')[2].partition('/')[2].partition('/')[0]}"
