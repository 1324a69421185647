"""Discovery: the crawl that starts from companies, and the words and the strategy that it uses by default."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bizcrawl.download import download
from bizcrawl.harvest import Body, tidied
from bizcrawl.parts import make_rules, politeness_of
from bizcrawl.plan import Plan
from bizcrawl.relevance.keywords import derive_keywords
from bizcrawl.robots.tags import FOLLOWS_ALL
from bizcrawl.web import Failure, Web
from bizcrawl.web.needs_script import script_sign
from bizcrawl.web.polite import PoliteWeb

DEFAULT_STRATEGY = "apprentice"
VERIFY_SHARE = 0.5
"""Share of the budget that visits what the ranking needs."""
MAX_SEEDS_READ = 20
"""So many seeds are read for their words."""


@dataclass(frozen=True, slots=True)
class SeedsRead:
    """What the seeds' own pages say."""

    keywords: str
    """The words that they share; "" if none."""
    failures: tuple[Failure, ...]
    """Of the seeds that could not be visited."""
    shells: tuple[str, ...]
    """Seeds that show next to nothing before their scripts have run."""


async def read_seeds(plan: Plan, web: Web) -> SeedsRead:
    """Visit the seeds, the first `MAX_SEEDS_READ` at most, for their words. Closes the web."""
    politeness = politeness_of(plan)
    if politeness is not None:
        web = PoliteWeb(web, politeness)
    rules = make_rules(plan, web, politeness)
    try:
        seeds = plan.topic.seeds[:MAX_SEEDS_READ]
        outcomes = await asyncio.gather(*(download(seed, web, rules) for seed in seeds))
    finally:
        await web.close()
    found = [outcome for outcome in outcomes if not isinstance(outcome, Failure)]
    facts = [tidied(Body.of(outcome), "auto", "parent", FOLLOWS_ALL).facts for outcome in found]
    return SeedsRead(
        derive_keywords(facts),
        tuple(outcome for outcome in outcomes if isinstance(outcome, Failure)),
        tuple(outcome.url for outcome in found if script_sign(outcome.response.body)),
    )
