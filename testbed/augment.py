"""Seeds augmented by hubs (R34-R40): pages that link to several seeds, found through back-links before the
crawl.

The number of seeds that a page links to is called backlink_count here; hub_score is R30's (A22). Directory
pages that reproduce the category are kept out, because they are the answer: pages on the Open Directory's
own hosts, and mirrors, told by their text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import sqrt

from bizcrawl.reasons import Reason
from bizcrawl.scope import Exclusions
from bizcrawl.topic import Topic
from bizcrawl.urls import host_of, key_of
from contexts.tagtree import TagTree
from contexts.vectors import Query, page_counts
from testbed.backlinks import Backlinks
from testbed.pagegraph import PageGraph
from testbed.topics import BedTopic

PER_SEED = 10
"""Back-links asked for of each seed (R34)."""
KEPT = 10
LEAST = 2
"""Seeds that a hub links to (R36)."""
MIRROR_COSINE = 0.90
ODP_HOSTS = ("dmoz.org", "directory.google.com")


class NotAHub(StrEnum):
    """Why a back-link is not kept."""

    ONE_SEED = "one_seed"
    """It links to one seed alone (R36)."""
    DIRECTORY = "directory"
    """It stands on a host of the Open Directory (R37)."""
    MIRROR = "mirror"
    """It has the text of the category (R38)."""
    EXCLUDED = "excluded"
    """The topic forbids it."""
    GIVEN = "given"
    """It is a seed already, or a target, which no crawler may be given (R5)."""
    UNFETCHABLE = "unfetchable"
    """It could not be fetched, so whether it is a mirror cannot be told."""
    BEYOND_TOP = "beyond_top"
    """Enough better ones were kept (R36)."""


@dataclass(frozen=True, slots=True)
class Augmented:
    """A topic with its hubs, and how they were found."""

    topic: BedTopic
    """Its hubs are the pages kept, best first; its seeds as they were (R40)."""
    backlink_counts: dict[str, int]
    """How many seeds each kept hub links to (R35)."""
    turned_away: Counter[NotAHub] = field(default_factory=Counter)
    fetches: int = 0
    """Pages fetched to tell mirrors; not part of a crawl's budget (A21)."""


PageOf = Callable[[str], Awaitable[TagTree | None]]
"""Fetches and tidies a page; None if it brings none."""


async def augment(
    topic: BedTopic,
    backlinks: Backlinks,
    page_of: PageOf,
    *,
    per_seed: int = PER_SEED,
) -> Augmented:
    """Find the hubs of a topic's seeds (R34-R40). A topic without a description has no mirrors to tell."""
    seeds = topic.topic.seeds
    counts: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    for sources in (await backlinks.linking_to(seeds, per_seed)).values():
        for key, url in {key_of(url): url for url in sources}.items():
            counts[key] += 1
            spelled.setdefault(key, url)
    given = {key_of(url) for url in (*seeds, *topic.targets)}
    exclusions = Exclusions.of(topic.excluded)
    description = Query.from_text(topic.description)
    turned_away: Counter[NotAHub] = Counter()
    hubs: dict[str, int] = {}
    fetches = 0
    for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        url = spelled[key]
        if why := _ruled_out(url, key, count, given, exclusions):
            turned_away[why] += 1
        elif len(hubs) == KEPT:
            turned_away[NotAHub.BEYOND_TOP] += 1
        elif not description:
            hubs[url] = count
        else:
            fetches += 1
            tree = await page_of(url)
            if tree is None:
                turned_away[NotAHub.UNFETCHABLE] += 1
            elif mirror_cosine(tree, description) > MIRROR_COSINE:
                turned_away[NotAHub.MIRROR] += 1
            else:
                hubs[url] = count
    augmented = Topic(topic.name, seeds, topic.topic.keywords, tuple(hubs))
    facts = {**topic.facts, "backlink_counts": hubs}
    return Augmented(replace(topic, topic=augmented, facts=facts), hubs, turned_away, fetches)


def mirror_cosine(tree: TagTree, description: Query) -> float:
    """Cosine of a page with a description, the page projected onto the description's terms (R38).

    Text that a mirror adds around the directory's own does not count.
    """
    counts = page_counts(tree)
    wanted = description.by_stem
    known = [(wanted[stem], int(counts[i])) for i, stem in enumerate(tree.stems) if stem in wanted]
    norm = sqrt(sum(count * count for _, count in known))
    dot = sum(weight * count for weight, count in known)
    return dot / (norm * description.norm) if norm else 0.0


def graph_page(graph: PageGraph) -> PageOf:
    """Pages from a page graph."""

    async def page_of(url: str) -> TagTree | None:
        page = graph.outcome(url)
        return None if isinstance(page, Reason) else graph.tree(page)

    return page_of


def _ruled_out(url: str, key: str, count: int, given: set[str], exclusions: Exclusions) -> NotAHub | None:
    host = host_of(url)
    if key in given:
        return NotAHub.GIVEN
    if any(host == name or host.endswith(f".{name}") for name in ODP_HOSTS):
        return NotAHub.DIRECTORY
    if exclusions.ruling(url).reason:
        return NotAHub.EXCLUDED
    return NotAHub.ONE_SEED if count < LEAST else None
