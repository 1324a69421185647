"""The apprentice: a crawler that learns, while it crawls, where rivals are listed.

The papers' best crawler values a hub only once it has fetched it, and treats all links of a page alike. The
apprentice values each waiting link by signs of the link itself, of the list in which it stands, and of what
became of links like it (`apprenticeship.signs`). A value is a weighted sum of signs, so that every score
can be taken apart. The weights it begins with were chosen on recorded crawls (docs/apprentice.md); while it
crawls it corrects them by what its own picks bring (`apprenticeship.weights`), and no label is needed for
that: a page that names seeds is a hub, a page in the seeds' own words is of the business, and both reward
the site, list, page, kind of place and words that led there. All waiting links are valued again every few
pages, so that what was learned counts for them too (M1, M5-M8).

Exploration is stated: ``explore`` · sqrt(ln(1 + pages) / (1 + pages of the link's site)) is added to each
value, an upper confidence bound with sites as arms, so that no site is left out for ever on a first
impression.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log1p
from statistics import fmean

import numpy as np

from bizcrawl.companies.opinions import Opinion
from bizcrawl.frontier import Frontier
from bizcrawl.page import MAX_STEMS, Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import Gate, ScoredLink
from bizcrawl.strategies.apprenticeship.cues import url_signs
from bizcrawl.strategies.apprenticeship.link_table import Found, LinkTable, Longs
from bizcrawl.strategies.apprenticeship.signs import (
    NAMES,
    Floats32,
    Known,
    Sighting,
    sighting_of,
)
from bizcrawl.strategies.apprenticeship.weights import Correction, Learned, load_weights
from bizcrawl.strategies.apprenticeship.wording import Wording, telling_keywords
from bizcrawl.strategies.options import Givens, Options, option, require
from bizcrawl.topic import Topic
from contexts.vectors import page_counts

SEED_VALUE = 100.0
"""Above any value: a crawl begins with its seeds."""
NEW_WORDING_AT = frozenset({10, 30, 60, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800})
"""Visited pages after which the seeds' wording is drawn up anew, against all pages seen by then."""
USUAL_SIMILARITY = 0.3
"""Similarity of seeds to their own wording, until one was measured."""
OF_THE_BUSINESS = 0.7
"""A site as similar as that to the seeds vouches for sites that it links to."""
RESCORE_SHARE = 10
"""Later in a crawl all links are valued again only when it has grown by one page in so many."""
SHOWN_PARTS = 3


@dataclass(frozen=True, slots=True)
class ApprenticeOptions(Options):
    """Parameters of the apprentice."""

    rescore_every: int = option(10, "pages, at first, after which all waiting links are valued again (M1)")
    explore: float = option(0.0, "weight of the confidence bound that favours little-known sites (M7)")
    learn: float = option(0.5, "how far the weights follow what the crawl's own outcomes teach, 0 to 1 (M1)")
    weights: str = option(
        "", "file with the weights of signs to begin with; default: the product's own (M1)", file=True
    )

    def __post_init__(self) -> None:
        require(self.rescore_every >= 1, "rescore_every", "1 or more", self.rescore_every)
        require(self.explore >= 0, "explore", "0 or more", self.explore)
        require(0 <= self.learn <= 1, "learn", "between 0 and 1", self.learn)


class Apprentice:
    """Values links by a weighted sum of signs; see the module."""

    def __init__(self, options: ApprenticeOptions, givens: Givens) -> None:
        self.options = options
        self.frontier = Frontier(options.max_frontier, options.hosts_apart, admits=givens.admits)
        self._dropped: list[str] = []
        """URLs that lost their place in the frontier while a page was queued."""
        self.frontier.on_drop = self._dropped.append
        self.table = LinkTable()
        self.correction = Correction(load_weights(options.weights), options.learn)
        self.visited = 0
        self.topic = Topic("", (), "")
        self._named: frozenset[str] = frozenset()
        """Registrable domains of the topic's seeds."""
        self._seeds: frozenset[str] = frozenset()
        self._rejected: frozenset[str] = frozenset()
        """Registrable domains of companies that the analyst holds to be of another business."""
        self._shared: Mapping[str, frozenset[str]] = {}
        self._wording = Wording(self.topic.query)
        self._query = self._keywords = self.topic.query
        self._seed_similarities: list[float] = []
        self._similarity: dict[str, float] = {}
        self._set_aside: dict[str, float] = {}
        """Similarities of sites that were rejected, for when that is withdrawn."""
        self._rescore_at = options.rescore_every
        self._followed: dict[str, Floats32] = {}
        """Signs that links had when they were given out."""

    def start(self, topic: Topic) -> None:
        """See `Strategy`. Hubs go first (R40), then companies."""
        self.topic = topic
        self._query = self._keywords = telling_keywords(topic.query)
        self._wording = Wording(topic.query)
        by_site: dict[str, set[str]] = {}
        for seed in topic.seeds:
            by_site.setdefault(url_signs(seed).domain, set()).add(seed)
        self._seeds = self._named = frozenset(by_site)
        self._shared = {site: frozenset(urls) for site, urls in by_site.items() if len(urls) > 1}
        # seeds that share sites say that answers do, and then a visited site is not used up
        self.table = LinkTable((len(by_site) - 1) / (len(topic.seed_urls) - 1) if self._shared else 1.0)
        for url in (*topic.hubs, *topic.seeds):
            self.frontier.push(ScoredLink(url, SEED_VALUE))

    def next(self, n: int, gate: Gate | None = None) -> list[ScoredLink]:
        """See `Strategy`."""
        return self._note(self.frontier.pop(n, gate))

    def give(self, urls: Sequence[str], *, chosen: bool = True) -> list[ScoredLink]:
        """See `GivesByName`."""
        links = self.frontier.take(urls)
        return self._note(links) if chosen else links

    def _note(self, links: list[ScoredLink]) -> list[ScoredLink]:
        """Keep the signs for which links are followed."""
        for link in links:
            signs = self.table.signs_of(link.url, self.visited)
            if signs is not None:
                self._followed[link.url] = signs
        return links

    def fail(self, url: str, reason: Reason) -> None:
        """See `Strategy`. What led to a dead end is rewarded with nothing."""
        self.frontier.discard(url)
        self.table.forget(url, 0.0)
        self._see_outcome(url, 0.0)

    def judge(self, opinion: Opinion) -> None:
        """See `Judged`. From now on accepted sites count as seeds, and rejected ones for nothing; those of
        which a verdict was withdrawn count as the topic and their pages say.
        """
        sites = opinion.sites
        kept = sites if opinion.accepted else frozenset() if opinion.rejected else sites & self._named
        self._seeds = self._seeds - sites | kept
        self._rejected = self._rejected | sites if opinion.rejected else self._rejected - sites
        for site in sorted(sites):
            if opinion.rejected:
                if site in self._similarity:
                    self._set_aside[site] = self._similarity.pop(site)
            elif site in self._set_aside:
                self._similarity[site] = self._set_aside.pop(site)
            similarity = self._similarity.get(site, 0.0)
            self.table.vouch(site, site in self._seeds or similarity > OF_THE_BUSINESS, similarity)
        self._rescore()

    def __len__(self) -> int:
        """See `Strategy`."""
        return len(self.frontier)

    @property
    def dropped(self) -> int:
        """URLs turned away because the frontier was full."""
        return self.frontier.dropped

    @property
    def knowledge(self) -> Learned:
        """What was learned so far, to be kept for a later crawl."""
        return Learned(self.correction.weights)

    def visit(self, page: Page) -> Sequence[ScoredLink]:
        """See `Strategy`."""
        self.visited += 1
        depth = self.frontier.discard(page.url) + 1
        if page.final_url in self.frontier:
            self.table.forget(page.final_url)
        self.frontier.discard(page.final_url)
        here = url_signs(page.final_url).domain
        similarity = self._learn_wording(page, here)
        known = Known(self._seeds, self._shared, self._similarity)
        sighting = sighting_of(page, self._keywords, self._query, known, depth)
        hub = min(1.0, sighting.seeds / 3 + sighting.similar / 10)
        found = Found(hub, similarity, sighting.keeping)
        self.table.learn(page.url, here, found)
        self._see_outcome(page.url, found.reward)
        vouches = here not in self._rejected and (here in self._seeds or similarity > OF_THE_BUSINESS)
        self.table.cite(set(sighting.domains) - {here}, here, vouches)
        scored = self._queue(page, sighting, depth)
        if self.visited >= self._rescore_at:
            self._rescore()
            self._rescore_at = self.visited + max(self.options.rescore_every, self.visited // RESCORE_SHARE)
        return scored

    def _see_outcome(self, url: str, reward: float) -> None:
        """Hold what a followed link brought against the signs for which it was followed."""
        signs = self._followed.pop(url, None)
        if signs is not None:
            self.correction.see(signs, reward)

    def _learn_wording(self, page: Page, here: str) -> float:
        """Learn the page's words; returns how similar it is to the seeds: 1 means as similar as they are to
        each other.
        """
        tree = page.tree
        counts = dict(zip(tree.stems[:MAX_STEMS], page_counts(tree).tolist(), strict=False))
        is_seed = page.url in self.topic.seed_urls
        self._wording.see(counts, page.url if is_seed else None)
        if self.visited in NEW_WORDING_AT:
            self._query = self._wording.query()
            self._seed_similarities = []
        measured = page.similarity(self._query)
        if is_seed:
            self._seed_similarities.append(measured)
        usual = fmean(self._seed_similarities) if self._seed_similarities else USUAL_SIMILARITY
        similarity = min(1.0, measured / usual) if usual else 0.0
        if here in self._rejected:
            return 0.0
        self._similarity[here] = max(self._similarity.get(here, 0.0), similarity)
        return similarity

    def _queue(self, page: Page, sighting: Sighting, depth: int) -> Sequence[ScoredLink]:
        """Put the links of a page into table and frontier; returns one scored link for each."""
        urls = [link.url for link in page.links]
        places = [i for i, url in enumerate(urls) if not self.frontier.gave_out(url)]
        rows = self.table.see([urls[i] for i in places], sighting, places, page.final_url)
        signs = self.table.signs(rows, self.visited)
        values = self._values(rows, signs)
        parts = self._parts(signs)
        scored = [ScoredLink(url, 0.0, depth, page.url) for url in urls]
        for i, value, part in zip(places, values.tolist(), parts, strict=True):
            scored[i] = ScoredLink(urls[i], value, depth, page.url, part)
            self.frontier.update(scored[i])
        self._forget_dropped(urls[i] for i in places)
        return scored

    def _forget_dropped(self, offered: Iterable[str]) -> None:
        """Remove links that no longer wait from the table: those that the frontier did not admit, and those
        that it dropped.
        """
        for url in chain(offered, self._dropped):
            # one that was dropped may be back by now
            if url not in self.frontier:
                self.table.forget(url)
        self._dropped.clear()

    def _rescore(self) -> None:
        """Value all waiting links again, with what is known by now."""
        self.correction.fit()
        urls = [link.url for link in self.frontier if link.url in self.table.rows]
        if not urls:
            return
        rows = np.fromiter((self.table.rows[url] for url in urls), np.int64, len(urls))
        values = self._values(rows, self.table.signs(rows, self.visited))
        by_url = dict(zip(urls, values.tolist(), strict=True))
        self.frontier.rescore(lambda link: by_url.get(link.url, link.score))

    def _values(self, rows: Longs, signs: Floats32) -> Floats32:
        """(k,) values of links in waiting."""
        values: Floats32 = signs @ self.correction.weights
        if self.options.explore:
            pages = self.table.pages_of_site(rows)
            values = values + np.float32(self.options.explore) * np.sqrt(log1p(self.visited) / (1 + pages))
        return values

    def _parts(self, signs: Floats32) -> list[dict[str, float]]:
        """The signs that did most for or against each link, with their share of its value."""
        effects = signs * self.correction.weights
        most = np.argsort(-np.abs(effects), axis=1)[:, :SHOWN_PARTS]
        shown = np.take_along_axis(effects, most, axis=1)
        return [
            {NAMES[sign]: effect for sign, effect in zip(which, what, strict=True)}
            for which, what in zip(most.tolist(), shown.tolist(), strict=True)
        ]
