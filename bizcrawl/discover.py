"""Discovery: the crawl that starts from companies, and the words and the strategy that it uses by default."""

from __future__ import annotations

import asyncio
import time

from bizcrawl.download import download
from bizcrawl.harvest import Body, tidied
from bizcrawl.keywords import derive_keywords
from bizcrawl.parts import make_rules
from bizcrawl.plan import Plan
from bizcrawl.politeness import Manners, Politeness
from bizcrawl.robots_tags import FOLLOWS_ALL
from bizcrawl.web import Failure, Web
from bizcrawl.web.polite import PoliteWeb

DEFAULT_STRATEGY = "apprentice"
VERIFY_SHARE = 0.5
"""Share of the budget that visits what the ranking needs."""
MAX_SEEDS_READ = 20
"""So many seeds are read for their words."""


async def keywords_of_seeds(plan: Plan, web: Web) -> tuple[str, list[Failure]]:
    """The words that the seeds' own pages share, "" if none; and the seeds that could not be visited. Closes
    the web.
    """
    politeness = None
    if plan.gated:
        manners = Manners(delay_s=plan.delay_s, per_host=plan.per_host)
        politeness = Politeness(manners, time.monotonic, wall_clock=time.time)
        web = PoliteWeb(web, politeness)
    rules = make_rules(plan, web, politeness)
    try:
        seeds = plan.topic.seeds[:MAX_SEEDS_READ]
        outcomes = await asyncio.gather(*(download(seed, web, rules) for seed in seeds))
    finally:
        await web.close()
    pages = [
        tidied(Body.of(outcome), "auto", "parent", FOLLOWS_ALL).facts
        for outcome in outcomes
        if not isinstance(outcome, Failure)
    ]
    return derive_keywords(pages), [outcome for outcome in outcomes if isinstance(outcome, Failure)]
