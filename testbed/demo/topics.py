"""The truth about the demo web: its topics, and which host is whose."""

from __future__ import annotations

from dataclasses import dataclass

from bizcrawl.topic import Topic
from bizcrawl.urls import host_of
from testbed.demo import prose
from testbed.demo.firms import alias_home, has_alias
from testbed.demo.hubs import catalogue_path, listed_companies
from testbed.demo.names import BUSINESSES, SEEDS, Business
from testbed.demo.places import Plan, make_plan, place
from testbed.demo.site import Site
from testbed.demo.web import DEFAULT_SEED
from testbed.topics import BedTopic


@dataclass(frozen=True, slots=True)
class DemoCompany:
    """Whose host it is."""

    company: str
    business: str | None
    """Name of the topic whose business it is in; None for companies outside all of them."""
    country: str


def demo_topics(seed: int = DEFAULT_SEED) -> list[BedTopic]:
    """One topic for each business: its first five companies are the seeds, the others listed the targets.

    Companies that are not listed are right answers all the same (`demo_companies`), and so the catalogue's
    listing and its mirror's are excluded: they hold the targets.
    """
    plan = make_plan(seed)
    return [_topic(plan, trade) for trade in BUSINESSES]


def _topic(plan: Plan, trade: Business) -> BedTopic:
    listed = listed_companies(plan, trade)
    texts = (f"{c.name} {prose.description(plan.rng(f'listing {c.host}'), trade)}" for c in listed)
    hosts = (Site(where.home, where.name, plan.rng("url")) for where in (place("catalogue"), place("mirror")))
    return BedTopic(
        topic=Topic(
            name=topic_name(trade),
            seeds=tuple(c.home for c in listed[:SEEDS]),
            keywords=trade.keywords,
        ),
        targets=tuple(c.home for c in listed[SEEDS:]),
        description=" ".join(texts),
        excluded=tuple(site.url(catalogue_path(trade)) for site in hosts),
    )


def topic_name(trade: Business) -> str:
    """Name of the topic of a business: its path in the catalogue."""
    return f"Top/{trade.category}"


def demo_companies(seed: int = DEFAULT_SEED) -> dict[str, DemoCompany]:
    """Whose home each host is, redirecting hosts included; hosts that are not here belong to no company."""
    plan = make_plan(seed)
    names = {trade.key: topic_name(trade) for trade in BUSINESSES}
    truth: dict[str, DemoCompany] = {}
    for company in plan.companies:
        business = names[company.business] if company.business else None
        entry = DemoCompany(company.name, business, company.country)
        truth[company.host] = entry
        if has_alias(plan, company):
            truth[host_of(alias_home(company))] = entry
    return truth
