"""Everything that a crawl was asked to do, as one value.

The plan is made from the command line, kept with the crawl in the collection, and read back by ``resume`` and
``refresh``: a crawl can always be said again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace

import ada_url

from bizcrawl.errors import BizcrawlError, WrongUse
from bizcrawl.scope import Reach
from bizcrawl.tally import Budget
from bizcrawl.text_files import json_in
from bizcrawl.topic import Topic

DEFAULT_PAGE_CAP_BYTES = 1_000_000
"""Suits today's pages: the mean saved page has 150 kB."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All that one crawl was asked to do. Fields are the options of the command line."""

    command: str
    """discover competitors, crawl, …"""
    topic: Topic
    budget: Budget
    web: str = "live"
    """live, demo, or the path of a recorded web."""
    strategy: str = "hub-seeking"
    options: Mapping[str, str] = field(default_factory=dict)
    """Parameters of the strategy, as text."""
    predicate: str = ""
    """What a good page is: SQL over the page, or a function by name (R106)."""
    classifiers: str = ""
    """Folder or topics file of the examples that ``classifier(name)`` in the predicate learns from."""
    random_seed: int = 0
    connections: int = 16
    per_host: int = 1
    delay_s: float = 2.0
    timeout_s: float = 10.0
    page_cap_bytes: int = DEFAULT_PAGE_CAP_BYTES
    pages_per_host: int = 5_000
    scope: str = "any"
    exclude: tuple[str, ...] = ()
    """URLs and hosts that are never fetched."""
    nofollow: bool = False
    """Keep rel=nofollow, meta robots and X-Robots-Tag."""
    robots: bool = True
    meta_refresh: bool = True
    """Follow meta refresh as redirects are followed."""
    tidier: str = "auto"
    render: str = "never"
    warc: str = ""
    proxy: str = ""
    allow_private: bool = False
    insecure_hosts: tuple[str, ...] = ()
    cookies: bool = False
    user_agent: str = ""
    contact: str = ""
    workers: int | None = None
    """Processes for tidying; None: as many as suit the machine."""
    since: str = ""
    """Collection of an earlier crawl: its pages are asked for only if they have changed since."""
    verify_share: float = 0.0
    """Share of the budget that visits what the answer needs: home pages of listed companies, further pages
    of hubs."""

    @property
    def gated(self) -> bool:
        """Whether hosts have to wait, so that the order of visits depends on time."""
        return self.web == "live"

    def with_budget(self, budget: Budget) -> Plan:
        """The same crawl with another budget."""
        return replace(self, budget=budget)

    def with_topic(self, topic: Topic) -> Plan:
        """The same crawl of another topic."""
        return replace(self, topic=topic)

    def repeated(self, since: str, topic: Topic) -> Plan:
        """The same crawl again, after the one in the collection `since`."""
        return replace(self, since=since, topic=topic)

    def through(self, proxy: str) -> Plan:
        """The same crawl through a proxy, "" for its own.

        Raises `WrongUse` if that one wants a password, which is not kept.
        """
        own = ada_url.URL(self.proxy) if ada_url.check_url(self.proxy) else None
        if not proxy and own and own.username and not own.password:
            raise WrongUse(f"the password for {self.proxy} is not kept; give --proxy with it once more")
        return replace(self, proxy=proxy or self.proxy)

    def to_json(self) -> str:
        """As kept in the collection: without the password of a proxy, for collections are handed on."""
        return json.dumps(asdict(replace(self, proxy=_without_password(self.proxy))), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Read back what `to_json` wrote.

        Raises `BizcrawlError` for a plan with fields of a later version, which can't be left out, and for
        what is no plan: collections are handed on.
        """
        try:
            values = json_in(text)
            topic, budget = values["topic"], values["budget"]
            if unknown := _unknown(cls, values) | _unknown(Topic, topic) | _unknown(Budget, budget):
                named = ", ".join(sorted(unknown))
                raise BizcrawlError(f"the crawl was planned by a newer bizcrawl ({named}); upgrade bizcrawl")
            for kind, given in ((cls, values), (Topic, topic), (Budget, budget)):
                _check_kinds(kind, given)
            Reach(values.get("scope", Reach.ANY))
            values |= {"topic": Topic(**topic), "budget": Budget(**budget)}
            values |= {name: tuple(values[name]) for name in ("exclude", "insecure_hosts")}
            return cls(**values)
        except (ValueError, KeyError, TypeError) as error:
            raise BizcrawlError(
                "what the crawl was asked for is not in the collection, or can't be read; start another with "
                "`bizcrawl discover` or `bizcrawl crawl`"
            ) from error


def _unknown(kind: type[Plan | Topic | Budget], values: Mapping[str, object]) -> set[str]:
    return set(values) - {known.name for known in fields(kind)}


def _check_kinds(kind: type[Plan | Topic | Budget], values: Mapping[str, object]) -> None:
    """Raises `TypeError` for a value that can't stand in a field: a collection may have been changed."""
    for known in fields(kind):
        if known.name in values and not _fits(values[known.name], str(known.type)):
            raise TypeError(f"{known.name} can't be {values[known.name]!r:.40}")


def _fits(value: object, annotation: str) -> bool:
    """Whether a value of JSON is one of what the annotation of a field names."""
    if annotation.startswith("tuple"):
        return isinstance(value, list) and all(isinstance(entry, str) for entry in value)
    if annotation.startswith("Mapping"):
        return isinstance(value, dict) and all(isinstance(entry, str) for entry in value.values())
    if value is None or isinstance(value, bool):
        return ("None" if value is None else "bool") in annotation
    if isinstance(value, int | float):
        return "float" in annotation or ("int" in annotation and isinstance(value, int))
    return annotation in {"Topic", "Budget"} or ("str" in annotation and isinstance(value, str))


def _without_password(proxy: str) -> str:
    if not ada_url.check_url(proxy) or not (url := ada_url.URL(proxy)).password:
        return proxy
    url.password = ""
    return url.href
