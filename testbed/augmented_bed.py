"""A bed whose seeds are augmented by hubs: all its topics, and how many of them found any (R39)."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bizcrawl.collection.database_files import is_database
from bizcrawl.errors import WrongUse
from testbed.augment import Augmented, NotAHub, PageOf, augment, graph_page
from testbed.backlinks import Backlinks
from testbed.backlinks.opening import open_backlinks
from testbed.pagegraph_build import Progress
from testbed.pagegraph_folder import open_graph
from testbed.topics import BedTopic

WHOLE_PAGE_BYTES = 100_000
"""Mirrors are told by more of a page than a crawl reads of it."""


@dataclass(slots=True)
class AugmentedBed:
    """What augmentation made of a bed."""

    kept: list[Augmented] = field(default_factory=list)
    """Topics with at least one hub; only these are used in the augmented experiment (R39)."""
    turned_away: Counter[NotAHub] = field(default_factory=Counter)
    fetches: int = 0

    @property
    def hubs(self) -> int:
        """Hubs in all."""
        return sum(len(one.backlink_counts) for one in self.kept)


def augment_bed(
    topics: Sequence[BedTopic],
    source: str,
    web: Path | None,
    shuffle_seed: int | None = None,
    progress: Progress = lambda _done, _all: None,
) -> AugmentedBed:
    """Augment topics by the back-links of a source (R34-R40).

    Mirrors are told on the recorded web `web`; without one, on the source itself if it is a recorded web.
    With `shuffle_seed` back-links are taken at random instead of by in-degree (A20). Which it was, and the
    source, is among the facts of each topic, so that a bed can be made again.
    """
    rng = None if shuffle_seed is None else random.Random(shuffle_seed)
    page_of = _pages(source, web, progress)
    backlinks = open_backlinks(source, rng, page_cap_bytes=WHOLE_PAGE_BYTES)
    made = asyncio.run(_augmented(topics, backlinks, page_of))
    bed = AugmentedBed()
    how = {"source": source, "order": "in-degree" if shuffle_seed is None else "random"}
    drawn = {} if shuffle_seed is None else {"random_seed": shuffle_seed}
    for augmented in made:
        bed.turned_away += augmented.turned_away
        bed.fetches += augmented.fetches
        if augmented.backlink_counts:
            bed.kept.append(replace(augmented, topic=augmented.topic.with_facts(backlinks=how | drawn)))
    return bed


async def _augmented(topics: Sequence[BedTopic], backlinks: Backlinks, page_of: PageOf) -> list[Augmented]:
    return [await augment(topic, backlinks, page_of) for topic in topics]


def _pages(source: str, web: Path | None, progress: Progress) -> PageOf:
    path = web or Path(source)
    if not path.exists() or is_database(path) or (path.is_dir() and web is None):
        raise WrongUse(
            "mirrors are recognised by their text: name the recorded web to read it from with --web FILE"
        )
    return graph_page(open_graph(path, WHOLE_PAGE_BYTES, progress=progress))
