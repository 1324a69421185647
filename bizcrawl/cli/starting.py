"""Where a discovery may begin besides seeds: hubs found through back-links, pages about a business."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from bizcrawl.cli.saying import explained, say
from bizcrawl.collection.database_files import is_database
from bizcrawl.collection.reader import reading
from bizcrawl.collection.stored_values import tree_in
from bizcrawl.errors import WrongUse
from bizcrawl.topic import Topic
from contexts.tagtree import TagTree
from contexts.vectors import Query, page_cosine

if TYPE_CHECKING:
    from testbed.backlinks import Backlinks

MAX_START_PAGES = 20


def backlinks_from(source: str) -> Backlinks:
    """The source of back-links that a text names. Raises `BizcrawlError` for none."""
    from testbed.backlinks.opening import open_backlinks

    return open_backlinks(source)


def hubs_by_backlinks(topic: Topic, backlinks: Backlinks, excluded: Sequence[str]) -> Topic:
    """The topic with the hubs that link to two or more of its seeds (R34-R40), and a line about them."""
    from testbed.augment import augment
    from testbed.topics import BedTopic

    async def no_page(_url: str) -> TagTree | None:
        return None

    found = asyncio.run(augment(BedTopic(topic, (), excluded=tuple(excluded)), backlinks, no_page))
    hubs = found.topic.topic.hubs
    away = ", ".join(f"{explained(why)} {n:,}" for why, n in found.turned_away.items())
    say(f"{len(hubs)} hubs through back-links; turned away: {away or 'none'}")
    return found.topic.topic


def pages_about(query: Query, source: Path) -> list[str]:
    """URLs of the pages of a collection or recorded web that are most similar to a query, best first."""
    if not source.exists():
        raise WrongUse(f"{source}: no such file")
    scored = _in_collection(query, source) if is_database(source) else _in_record(query, source)
    best = sorted(((score, url) for url, score in scored if score > 0), key=lambda pair: (-pair[0], pair[1]))
    return [url for _, url in best[:MAX_START_PAGES]]


def _in_collection(query: Query, source: Path) -> list[tuple[str, float]]:
    with reading(source) as con, closing(con.cursor()) as cursor:
        cursor.execute("SELECT p.final_url, t.tree FROM pages p JOIN trees t USING (page)")
        scored = []
        while rows := cursor.fetchmany(64):
            scored += [(url, page_cosine(tree_in(tree, url), query)) for url, tree in rows]
    return scored


def _in_record(query: Query, source: Path) -> list[tuple[str, float]]:
    from testbed.pagegraph_folder import open_graph

    graph = open_graph(source, page_cap_bytes=100_000)
    return [(graph.final_url(page), score) for page, score in enumerate(graph.page_similarities(query))]
