"""From a response to what the crawl keeps of it: tag tree, links and their contexts.

Everything here is a pure function of the body, so it runs in worker processes where there are cores to
spare and in the crawl's own process otherwise, with the same result.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bizcrawl.collection.link_columns import pack
from bizcrawl.collection.rows import CONTEXT_CHARS
from bizcrawl.companies.facts import PageFacts, facts_of_page
from bizcrawl.companies.titles import heading_of, language_of, title_of
from bizcrawl.download import Download
from bizcrawl.page import TidiedPage
from bizcrawl.page.near_duplicates import sketch_of
from bizcrawl.page.soft404 import says_missing
from bizcrawl.reasons import Reason
from bizcrawl.robots.tags import FOLLOWS_ALL, NOFOLLOW_CUT, Heed, followed, meta_robots
from bizcrawl.urls import MAX_URL_BYTES
from bizcrawl.web import Failure, Response
from bizcrawl.workers import IN_HAND, TookTooLong, WorkerDied, Workers
from contexts.aggregation import Spans, spans
from contexts.decode import decode
from contexts.differences import difference
from contexts.links import Link, links
from contexts.stored import to_bytes
from contexts.tagtree import TagTree
from contexts.tidy import Tidier, tidy

BOTH_ROADS_EVERY = 500
"""One page in so many is tidied by html5lib too, and the trees compared."""
MAX_CPU_S = 30.0
"""Processor time for a page, half as much again as the exact road takes at most. What is known to
take a parser longer is cut before (`contexts.nesting`); this is for what is not known."""
WORKER_MODULES = ("bizcrawl.harvest", "contexts.html5lib_road")
"""What a process that tidies imports before its first page."""
MAX_PATH_CHARS = 1_000
"""Of the tags from the root to a link; on saved pages no path has 300. Thousands of links may be so deep."""
BEGINNING_BYTES = 65_536
"""So much is tidied of a page that took too long."""


@dataclass(frozen=True, slots=True)
class Tidied:
    """What a worker makes of a body."""

    page: TidiedPage
    title: str
    language: str
    soft_404: bool
    """It says "not found" in spite of its status."""
    sketch: int | None
    """See `near_duplicates`."""
    robots_tags: frozenset[str]
    """What its meta robots asks: nofollow, noindex, …"""
    charset: str
    charset_source: str
    body_hash: bytes
    """SHA-256 of the decoded body."""
    body_bytes: int
    """Length of the decoded body."""
    stored: bytes
    """The tag tree as `contexts.stored` packs it."""
    stored_links: bytes
    """What the page says of its links, those that were left alone last, as `link_columns` packs it."""
    difference: str | None = None
    """Where the two roads to the tree part, "" if they do not; None for the many pages that take one road."""
    left_alone: Sequence[Link] = ()
    """Links that the page or its server asks not to follow, where that is kept."""
    spoilt: Sequence[str] = ()
    """What should be the address of a link but is none, as it is written; see `links`."""

    @property
    def facts(self) -> PageFacts:
        """What the analysis of companies needs of the page; made when asked for."""
        return facts_of_page(self.page)


@dataclass(frozen=True, slots=True)
class Harvested:
    """A good page: the response and what was made of it."""

    response: Response
    tidied: Tidied
    unchanged: bool = False
    """It is as an earlier crawl has it: the response has no body, the tag tree is the earlier one."""
    robots_tags: frozenset[str] = frozenset()
    """What meta robots and X-Robots-Tag ask of this crawler, kept or not."""

    @property
    def page(self) -> TidiedPage:
        """The page as strategies see it."""
        return self.tidied.page

    @property
    def took_too_long(self) -> bool:
        """Whether the page was cut because reading it took too long."""
        return "time" in self.page.tree.cuts

    @property
    def final_url(self) -> str:
        """URL after redirects."""
        return self.tidied.page.final_url

    @property
    def body_bytes(self) -> int:
        """Length of the decoded body."""
        return self.tidied.body_bytes


@dataclass(frozen=True, slots=True)
class Body:
    """What a worker needs of a download."""

    url: str
    final_url: str
    content: bytes
    content_type: str | None
    truncated: bool
    nofollow: bool
    """X-Robots-Tag asks that no link be followed, and that is kept."""
    took_too_long: bool = False
    """Only the beginning is to be tidied, for the whole took too long."""

    @classmethod
    def of(cls, download: Download) -> Body:
        """The body of a good page."""
        response = download.response
        return cls(
            download.url,
            download.final_url,
            response.body,
            response.headers.get("content-type"),
            response.truncated,
            download.nofollow,
        )


def tidied(body: Body, tidier: Tidier, aggregation: str, heed: Heed) -> Tidied:
    """Decode and tidy a body, and take from it what the crawl keeps."""
    content = body.content[:BEGINNING_BYTES] if body.took_too_long else body.content
    truncated = body.truncated or len(content) < len(body.content)
    decoded = decode(content, body.content_type)
    tree = tidy(decoded.text, tidier, truncated=truncated)
    if body.took_too_long:
        tree = replace(tree, cuts=(*tree.cuts, "time"))
    if body.nofollow:
        tree = replace(tree, cuts=(*tree.cuts, NOFOLLOW_CUT))
    digest = hashlib.sha256(body.content).digest()
    return taken_from(
        tree,
        body.url,
        body.final_url,
        aggregation,
        heed,
        charset=decoded.charset,
        charset_source=decoded.source,
        body_hash=digest,
        body_bytes=len(body.content),
        stored=to_bytes(tree),
        difference=_difference(tree, decoded.text, truncated, digest),
    )


def taken_from(tree: TagTree, url: str, final_url: str, aggregation: str, heed: Heed, **known: Any) -> Tidied:
    """What the crawl keeps of a page, from its tag tree and what else is `known` of it."""
    spoilt: list[str] = []
    found = followed(links(tree, final_url, spoilt), tree, heed)
    around = spans(tree, found.links, aggregation)
    n_left_alone = len(found.left_alone)
    title = title_of(tree)
    packed = pack(
        [*found.links, *found.left_alone],
        contexts=[*_contexts(tree, around), *[""] * n_left_alone],
        aggregation_nodes=[*around.nodes.tolist(), *[-1] * n_left_alone],
        paths=[*_paths(tree, found.links), *[""] * n_left_alone],
    )
    return Tidied(
        page=TidiedPage(url, final_url, found.links, tree),
        title=title,
        language=language_of(tree),
        soft_404=says_missing(title, heading_of(tree), tree.text),
        sketch=sketch_of(tree.text),
        robots_tags=meta_robots(tree, heed.robot),
        stored_links=packed,
        left_alone=found.left_alone,
        spoilt=[text[:MAX_URL_BYTES] for text in spoilt],
        **known,
    )


def _difference(tree: TagTree, text: str, truncated: bool, digest: bytes) -> str | None:
    """Take the exact road too for one page in `BOTH_ROADS_EVERY`, by its hash, and compare."""
    if tree.road == "html5lib" or int.from_bytes(digest[:8]) % BOTH_ROADS_EVERY:
        return None
    return difference(tree, tidy(text, "html5lib", truncated=truncated))


def _contexts(tree: TagTree, around: Spans) -> list[str]:
    """Text of the contexts, as far as it is kept; of one that is not all below one node, its terms."""
    text, nodes = tree.text, around.nodes
    starts = tree.first_char[nodes].tolist()
    ends = tree.first_char[tree.end[nodes]].tolist()
    found = [
        text[start : min(end, start + CONTEXT_CHARS)].strip() for start, end in zip(starts, ends, strict=True)
    ]
    for place in np.flatnonzero(nodes < 0).tolist():
        first, last = int(around.starts[place]), int(around.ends[place])
        terms = tree.tokens[first : min(last, first + CONTEXT_CHARS)].tolist()
        found[place] = " ".join([tree.stems[term] for term in terms])[:CONTEXT_CHARS]
    return found


def _paths(tree: TagTree, found: Sequence[Link]) -> list[str]:
    """Tags from the root to each link; of a path beyond `MAX_PATH_CHARS` its end.

    Paths share their beginnings: each node's is made once from its parent's.
    """
    known = {-1: ""}
    parents, tags, names = tree.parent.tolist(), tree.tags.tolist(), tree.tag_names

    def path(node: int) -> str:
        missing = []
        while node not in known:
            missing.append(node)
            node = parents[node]
        text = known[node]
        for node in reversed(missing):
            text = f"{text}/{names[tags[node]]}" if text else names[tags[node]]
            if len(text) > MAX_PATH_CHARS:
                text = "…" + text[text.index("/", len(text) - MAX_PATH_CHARS) :]
            known[node] = text
        return text

    return [path(link.node) for link in found]


def _harvested(download: Download, made: Tidied) -> Harvested:
    return Harvested(download.response, made, robots_tags=download.robots_tags | made.robots_tags)


class Harvester:
    """Makes `Harvested` of downloads, in `workers` processes, or here when there are none.

    With workers it belongs to the event loop in which it is made.
    """

    def __init__(
        self,
        workers: int = 0,
        tidier: Tidier = "auto",
        aggregation: str = "parent",
        heed: Heed = FOLLOWS_ALL,
        has_room: asyncio.Event | None = None,
    ) -> None:
        """While `has_room` gives False, pages stay as they were fetched, because what is made of them takes
        several times as much memory.
        """
        self._has_room = has_room
        self._places = asyncio.Semaphore(max(1, workers * (IN_HAND + 1)))
        self.aggregation = aggregation
        self.heed = heed
        self._settings = (tidier, aggregation, heed)
        self._workers = Workers(workers, tidied, WORKER_MODULES, MAX_CPU_S) if workers else None

    async def harvest(self, download: Download) -> Harvested | Failure:
        """Harvest a good page. One that takes a worker too long is cut; one that kills it is a failure."""
        async with self._places:
            if self._has_room is not None:
                await self._has_room.wait()
            body = Body.of(download)
            if self._workers is None:
                return _harvested(download, tidied(body, *self._settings))
            try:
                made = await self._made_elsewhere(self._workers, body)
            except WorkerDied:
                return Failure(download.url, Reason.TIDY_FAILED, "the process that tidied this page has died")
            return _harvested(download, made)

    async def _made_elsewhere(self, workers: Workers, body: Body) -> Tidied:
        """What a worker makes of a body, or of its beginning where the whole takes too long."""
        made: Tidied
        try:
            made = await workers.call(body, *self._settings)
        except TookTooLong:
            made = await workers.call(replace(body, took_too_long=True), *self._settings)
        return made

    def close(self) -> None:
        """Let the workers go."""
        if self._workers is not None:
            self._workers.close()
