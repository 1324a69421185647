"""From a response to what the crawl keeps of it: tag tree, links with their contexts, facts about companies.

Everything here is a pure function of the body, so it runs in worker processes where there are cores to
spare and in the crawl's own process otherwise, with the same result.
"""

from __future__ import annotations

import asyncio
import hashlib
import multiprocessing
from collections.abc import Sequence, Set
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from bizcrawl.companies.facts import PageFacts, facts_of
from bizcrawl.page import TidiedPage
from bizcrawl.urls import host_of
from bizcrawl.web import Response
from contexts.aggregation import spans
from contexts.decode import decode
from contexts.links import Link, links
from contexts.stored import to_bytes
from contexts.tagtree import TagTree
from contexts.tidy import Tidier, tidy

CONTEXT_CHARS = 300
"""Longest context text kept for a link."""


@dataclass(frozen=True, slots=True)
class Tidied:
    """What a worker makes of a body."""

    page: TidiedPage
    facts: PageFacts
    charset: str
    charset_source: str
    body_hash: bytes
    """SHA-256 of the decoded body."""
    stored: bytes
    """The tag tree as `contexts.stored` packs it."""
    aggregation_nodes: Sequence[int]
    """For each link, the node whose text is its context; -1 where that is not one subtree."""
    contexts: Sequence[str]
    """For each link, the text of its context, cut to `CONTEXT_CHARS`."""
    paths: Sequence[str]
    """For each link, the tags from the root to it."""


@dataclass(frozen=True, slots=True)
class Harvested:
    """A good page: the response and what was made of it."""

    response: Response
    tidied: Tidied

    @property
    def page(self) -> TidiedPage:
        """The page as strategies see it."""
        return self.tidied.page

    @property
    def final_url(self) -> str:
        """URL after redirects."""
        return self.tidied.page.final_url

    @property
    def body_bytes(self) -> int:
        """Length of the decoded body."""
        return len(self.response.body)

    def seed_hosts_linked(self, seed_hosts: Set[str]) -> int:
        """How many distinct seed hosts the page links to: n of R29."""
        return len({host for link in self.page.links if (host := host_of(link.url)) in seed_hosts})


def tidied(
    url: str,
    final_url: str,
    body: bytes,
    content_type: str | None,
    truncated: bool,
    tidier: Tidier,
    aggregation: str,
) -> Tidied:
    """Decode and tidy a body, and take from it what the crawl keeps."""
    decoded = decode(body, content_type)
    tree = tidy(decoded.text, tidier, truncated=truncated)
    found = links(tree, final_url)
    nodes = [int(node) for node in spans(tree, found, aggregation).nodes]
    return Tidied(
        page=TidiedPage(url, final_url, found, tree),
        facts=facts_of(url, final_url, tree, found),
        charset=decoded.charset,
        charset_source=decoded.source,
        body_hash=hashlib.sha256(body).digest(),
        stored=to_bytes(tree),
        aggregation_nodes=nodes,
        contexts=_contexts(tree, nodes),
        paths=_paths(tree, found),
    )


def _contexts(tree: TagTree, nodes: Sequence[int]) -> list[str]:
    texts = {
        node: tree.text[tree.first_char[node] : tree.first_char[tree.end[node]]][:CONTEXT_CHARS].strip()
        for node in set(nodes)
        if node >= 0
    }
    return [texts.get(node, "") for node in nodes]


def _paths(tree: TagTree, found: Sequence[Link]) -> list[str]:
    """Paths share their beginnings: each node's is made once from its parent's."""
    known = {-1: ""}

    def path(node: int) -> str:
        missing = []
        while node not in known:
            missing.append(node)
            node = int(tree.parent[node])
        text = known[node]
        for node in reversed(missing):
            text = known[node] = f"{text}/{tree.tag(node)}" if text else tree.tag(node)
        return text

    return [path(link.node) for link in found]


class Harvester:
    """Makes `Harvested` of responses, in `workers` processes, or here when there are none."""

    def __init__(self, workers: int = 0, tidier: Tidier = "auto", aggregation: str = "parent") -> None:
        self._tidier = tidier
        self._aggregation = aggregation
        # not forked: threads of the writer and of the resolver may hold locks
        self._pool = (
            ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("forkserver"))
            if workers
            else None
        )

    async def harvest(self, url: str, response: Response) -> Harvested:
        """Harvest the last response of a download; `url` is what was asked for first."""
        arguments = (
            url,
            response.url,
            response.body,
            response.headers.get("content-type"),
            response.truncated,
            self._tidier,
            self._aggregation,
        )
        if self._pool is None:
            return Harvested(response, tidied(*arguments))
        loop = asyncio.get_running_loop()
        return Harvested(response, await loop.run_in_executor(self._pool, tidied, *arguments))

    def close(self) -> None:
        """Let the workers go."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
