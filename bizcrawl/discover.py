"""Discovery: the crawl that starts from companies, and the words and the strategy that it uses by default."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import chain

from bizcrawl.companies.facts import PageFacts, facts_of_page
from bizcrawl.companies.site_keys import site_of
from bizcrawl.companies.telling import most_telling
from bizcrawl.download import Download, download
from bizcrawl.harvest import Body, tidied
from bizcrawl.page import Page
from bizcrawl.parts import heed_of, make_rules, politeness_of
from bizcrawl.plan import Plan
from bizcrawl.relevance.keywords import derive_keywords
from bizcrawl.robots.tags import Heed
from bizcrawl.web import Failure, Web
from bizcrawl.web.needs_script import script_sign
from bizcrawl.web.polite import PoliteWeb

DEFAULT_STRATEGY = "apprentice"
VERIFY_SHARE = 0.5
"""Share of the budget that visits what the ranking needs."""
MAX_SEEDS_READ = 20
"""So many seeds are read for their words."""
PAGES_READ = 3
"""Of each: its own page, and those of its site that are likely to say most of its business ("about us",
products). Home pages alone say little. Frames count as the page that they are part of."""
MAX_FRAMES = 3


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
    """Visit the seeds, the first `MAX_SEEDS_READ` at most, and more pages of their sites, for their words.

    Closes the web. Failures are told of the seeds alone: the crawl meets the other pages again.
    """
    politeness = politeness_of(plan)
    if politeness is not None:
        web = PoliteWeb(web, politeness)
    rules = make_rules(plan, web, politeness)
    heed = heed_of(plan)

    async def visit(url: str) -> Page | None:
        outcome = await download(url, web, rules)
        return None if isinstance(outcome, Failure) else _page(outcome, heed)

    try:
        seeds = plan.topic.seeds[:MAX_SEEDS_READ]
        outcomes = await asyncio.gather(*(download(seed, web, rules) for seed in seeds))
        found = [outcome for outcome in outcomes if not isinstance(outcome, Failure)]
        companies = await asyncio.gather(
            *(pages_of_company(_page(outcome, heed), visit) for outcome in found)
        )
    finally:
        await web.close()
    return SeedsRead(
        derive_keywords(companies),
        tuple(outcome for outcome in outcomes if isinstance(outcome, Failure)),
        tuple(outcome.url for outcome in found if script_sign(outcome.response.body)),
    )


def _page(outcome: Download, heed: Heed) -> Page:
    return tidied(Body.of(outcome), "auto", "parent", heed).page


async def pages_of_company(home: Page, visit: Callable[[str], Awaitable[Page | None]]) -> list[PageFacts]:
    """Facts of a seed's page, of its frames, and of pages of its site that likely say most of its business.

    `visit` fetches a page; None if there is none.
    """
    site = site_of(home.final_url)
    pages = [facts_of_page(home)]
    asked = {home.url, home.final_url}
    frames = [link.url for link in home.links if link.kind == "frame"][:MAX_FRAMES]
    for _ in range(len(frames) + PAGES_READ - 1):
        telling = (link.url for link in most_telling(pages))
        url = next((url for url in chain(frames, telling) if url not in asked and site_of(url) == site), None)
        if url is None:
            break
        asked.add(url)
        if (page := await visit(url)) is not None:
            pages.append(facts_of_page(page))
    return pages
