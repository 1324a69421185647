"""Records the neighbourhood of topics: broad crawls into WARC, on which strategies are simulated later (EV
§2.1).
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bizcrawl.collection.writer import Collection
from bizcrawl.parts import open_web
from bizcrawl.plan import Plan
from bizcrawl.reasons import Reason
from bizcrawl.run import Ended, crawl_row, run
from bizcrawl.tally import Budget
from bizcrawl.topic import Topic
from testbed.topics import BedTopic

CONNECTIONS = 64


def record_topics(
    topics: Sequence[BedTopic],
    folder: Path,
    *,
    pages: int,
    web: str = "live",
    proxy: str = "",
    contact: str = "",
    delay_s: float = 2.0,
    allow_private: bool = False,
) -> Iterator[tuple[str, Ended]]:
    """Crawl breadth first from the seeds, hubs and targets of each topic; the name of each, and how its crawl
    ended. Whoever interrupts one ends that crawl, and is told by its `Ended.stop`.

    Every answer goes into the WARC files in `folder`, robots.txt, redirects and errors (404) included. Where
    no answer came there is no record: a simulation meets `not_recorded`. Pages that a topic excludes are not
    fetched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for topic in topics:
        start = Topic(
            topic.name, (*topic.topic.seeds, *topic.targets), topic.topic.keywords, topic.topic.hubs
        )
        plan = Plan(
            command="testbed record",
            topic=start,
            budget=Budget(pages),
            web=web,
            strategy="breadth-first",
            connections=CONNECTIONS if web == "live" else 1,
            delay_s=delay_s,
            exclude=topic.excluded,
            warc=str(folder),
            proxy=proxy,
            contact=contact,
            allow_private=allow_private,
        )
        yield topic.name, asyncio.run(_record(plan))


async def _record(plan: Plan) -> Ended:
    with (
        tempfile.TemporaryDirectory(prefix="bizcrawl-record-") as scratch,
        Collection.create(Path(scratch) / "record.duckdb") as collection,
    ):
        collection.begin_crawl(crawl_row(plan))
        ended = await run(plan, collection, open_web(plan))
        collection.end_crawl(ended.stop, ended.refused.get(Reason.FRONTIER_FULL, 0))
    return ended
