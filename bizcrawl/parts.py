"""The parts of a crawl, each made from the plan alone.

What only some crawls need (HTTP, a browser) is imported where it is made, so that the others start fast.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, cast

from bizcrawl import __version__
from bizcrawl.download import Rules
from bizcrawl.errors import WrongUse
from bizcrawl.plan import Plan
from bizcrawl.politeness import Manners, Politeness
from bizcrawl.relevance.predicates import Predicate, compile_predicate, names_function
from bizcrawl.robots.rules import Robots
from bizcrawl.robots.tags import Heed
from bizcrawl.scope import Exclusions, Scope
from bizcrawl.traps import Sightings, TrapRules
from bizcrawl.user_agent import product_token, user_agent_of
from bizcrawl.web import Web
from bizcrawl.web.recorded import RecordedWeb
from bizcrawl.web.rendering_counts import RenderingCounts
from bizcrawl.web.second_try import SecondTry


def open_web(plan: Plan) -> Web:
    """The live Web or a recorded one. Raises `BizcrawlError` for a file that is no recorded web."""
    if plan.web != "live":
        return RecordedWeb(Path(plan.web), plan.page_cap_bytes)
    from bizcrawl.netguard import AddressRules
    from bizcrawl.web.live import Limits, LiveOptions, LiveWeb

    return LiveWeb(
        LiveOptions(
            user_agent=plan.user_agent,
            contact=plan.contact,
            connections=plan.connections,
            limits=Limits(timeout_s=plan.timeout_s, max_body_bytes=plan.page_cap_bytes),
            addresses=AddressRules(allow_private=plan.allow_private),
            insecure_hosts=frozenset(plan.insecure_hosts),
            cookies=plan.cookies,
            proxy=plan.proxy,
        )
    )


def politeness_of(plan: Plan, clock: Callable[[], float] = time.monotonic) -> Politeness | None:
    """Who makes hosts wait; nobody where there are none to spare."""
    if not plan.gated:
        return None
    manners = Manners(delay_s=plan.delay_s, per_host=plan.per_host, max_pages=plan.pages_per_host)
    return Politeness(manners, clock, wall_clock=time.time)


def clock_of_days() -> float:
    """Seconds by a clock that doesn't jump and, where the system has such a one, goes on while the machine
    sleeps: rules that are good for a day are old after a weekend with the lid closed.
    """
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def make_rules(plan: Plan, web: Web, politeness: Politeness | None) -> Rules:
    """All that is asked before a request. `web` is where robots.txt files come from."""
    user_agent = _user_agent(plan)
    finite = plan.web not in {"live", "demo"}
    retries = 1 if plan.gated else 0
    return Rules(
        scope=Scope.around(plan.topic.seeds, plan.scope),
        exclusions=Exclusions.of(plan.exclude),
        # a recorded web ends by itself, and comparisons want all of it
        traps=None if finite else TrapRules(),
        sightings=None if finite else Sightings(datetime.now(UTC).year),
        robots=Robots(SecondTry(web, politeness, retries), clock_of_days, user_agent)
        if plan.robots
        else None,
        politeness=politeness,
        follow_refresh=plan.meta_refresh,
        keep_nofollow=plan.nofollow,
        user_agent=user_agent,
        retries=retries,
    )


def heed_of(plan: Plan) -> Heed:
    """What the crawl makes of the wishes of pages."""
    return Heed(plan.nofollow, product_token(_user_agent(plan)))


def _user_agent(plan: Plan) -> str:
    """How the crawl names itself to servers."""
    return user_agent_of(plan.user_agent, plan.contact)


def with_browser(web: Web, plan: Plan) -> tuple[Web, RenderingCounts]:
    """A web with a browser in front of it, if the plan asks for one, and what is counted of its pages."""
    if plan.render == "never":
        return web, RenderingCounts()
    from bizcrawl.netguard import AddressRules
    from bizcrawl.web.browser import BrowserOptions
    from bizcrawl.web.rendering import RenderingWeb

    rendering = RenderingWeb(
        web,
        cast(Literal["auto", "always"], plan.render),
        rules=AddressRules(allow_private=plan.allow_private),
        proxy=plan.proxy,
        options=BrowserOptions(product=_user_agent(plan), max_chars=plan.page_cap_bytes),
        from_web=plan.web != "live",
    )
    return rendering, rendering.counts


def with_record(web: Web, plan: Plan) -> Web:
    """A web of which a WARC record is made, if the plan asks for one."""
    if not plan.warc:
        return web
    from bizcrawl.web.recording import RecordingWeb
    from bizcrawl.web.warc_writer import WarcWriter

    writer = WarcWriter(Path(plan.warc), software=f"bizcrawl {__version__}", user_agent=_user_agent(plan))
    return RecordingWeb(web, writer)


def predicate_of(plan: Plan) -> Predicate | None:
    """What the plan calls a good page (R106), None if it doesn't say. Raises `WrongUse`."""
    return predicate_with(plan.predicate, plan.classifiers) if plan.predicate else None


def check_predicate_kept(kept: str, named: str) -> None:
    """Check the predicate that a collection keeps of its crawl, before that goes on or is made again.

    The collection may come from somebody else, so a function that it names is not imported unless whoever
    runs the crawl has `named` it too, "" if not (HAZARDS row 25). Raises `WrongUse`, also for another one.
    """
    if named and named.strip() != kept.strip():
        raise WrongUse(f"--predicate {named}: the crawl has {f'another: {kept}' if kept else 'none'}")
    if names_function(kept) and not named:
        raise WrongUse(
            f"the crawl's predicate is a function; to run it, name it once more: --predicate {kept.strip()}"
        )


def predicate_with(text: str, classifiers: str) -> Predicate:
    """A predicate with the classifiers that a path leads to, none if it is empty. Raises `WrongUse`."""
    if not classifiers:
        return compile_predicate(text)
    from bizcrawl.relevance.text_classifiers import load_classifiers  # takes a second, and few crawls need it

    return compile_predicate(text, load_classifiers(Path(classifiers)))
