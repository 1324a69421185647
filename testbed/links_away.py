"""Topics whose seeds lie D links before their targets: the generalized task (R59), and EvE's neighbours
(R99).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from bizcrawl.scope import Exclusions
from bizcrawl.topic import Topic
from bizcrawl.urls import key_of
from testbed.backlinks import Backlinks
from testbed.topics import BedTopic

INLINKS = 20
SEEDS = 10
DISTANCE = 3
"""The papers' D (R60, R63). Their breadth-first bound: with ten links a page, 1,000 pages are a tenth of the
10 × 10³ that lie within three links of ten seeds (R61).
"""


async def links_away(
    topics: Sequence[BedTopic],
    backlinks: Backlinks,
    random_seed: int,
    distance: int = DISTANCE,
    seeds: int = SEEDS,
) -> list[BedTopic]:
    """Move each topic's seeds `distance` links away from its targets (R59).

    From the targets up to `INLINKS` pages linking to each are taken, `distance` times; seeds are drawn at
    random from all pages met so, so each has a path of at most `distance` links to some target. Distance 0
    makes the targets the seeds (R60). Topics whose targets have no back-links are left out.
    """
    moved = []
    for topic in topics:
        rng = random.Random(f"links away {random_seed} {topic.name}")
        met = await _neighbourhood(topic, backlinks, distance)
        if not met:
            continue
        chosen = tuple(sorted(rng.sample(sorted(met), min(seeds, len(met)))))
        facts = {**topic.facts, "distance": distance, "random_seed": random_seed, "neighbourhood": len(met)}
        # hubs were found for other seeds
        start = Topic(topic.name, chosen, topic.topic.keywords)
        moved.append(replace(topic, topic=start, facts=facts))
    return moved


async def _neighbourhood(topic: BedTopic, backlinks: Backlinks, distance: int) -> list[str]:
    """All pages met within `distance` steps back from the targets, the targets themselves left out for D >
    0.
    """
    if not distance:
        return list(topic.targets)
    exclusions = Exclusions.of(topic.excluded)
    met: dict[str, str] = {key_of(url): url for url in topic.targets}
    level = list(topic.targets)
    targets = len(met)
    for _ in range(distance):
        found = await backlinks.linking_to(level, INLINKS)
        fresh = {
            key_of(url): url
            for urls in found.values()
            for url in urls
            if key_of(url) not in met and not exclusions.ruling(url).reason
        }
        met |= fresh
        level = list(fresh.values())
    return list(met.values())[targets:]
