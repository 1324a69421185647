"""A plan says a crawl completely, and every option of the command line reaches it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from crawling_samples import PaperWeb
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.cli.options import CrawlOptions
from bizcrawl.cli.seeds import seed_urls
from bizcrawl.collection.resume import Resumption
from bizcrawl.collection.writer import Collection
from bizcrawl.errors import BizcrawlError, WrongUse
from bizcrawl.parts import clock_of_days, make_rules, open_web
from bizcrawl.plan import Plan
from bizcrawl.reasons import Reason
from bizcrawl.run import run
from bizcrawl.strategies.options import UnknownOption
from bizcrawl.tally import Budget
from bizcrawl.topic import Topic
from bizcrawl.web.live import LiveWeb

TOPIC = Topic(
    "pumps", ("https://a.example/", "https://b.example/x"), "pumps valves", hubs=("https://h.example/",)
)


def plan_of(**options: object) -> Plan:
    return CrawlOptions(**options).plan("discover competitors", TOPIC, "hub-seeking", 0.3)  # type: ignore[arg-type]


def test_a_plan_is_read_back_as_it_was_written() -> None:
    plan = plan_of(
        web="demo", set=["alpha=0.5"], exclude=["x.example"], minutes=3.0, warc=Path("w"), cookies=True
    )
    assert Plan.from_json(plan.to_json()) == plan


def test_the_password_of_a_proxy_is_not_kept_and_asked_for_to_go_on() -> None:
    plan = plan_of(proxy="socks5h://me:p%40ss@p.example:1080")
    kept = Plan.from_json(plan.to_json())
    assert "p%40ss" not in plan.to_json()
    assert kept.proxy == "socks5h://me@p.example:1080"
    with pytest.raises(WrongUse, match=r"the password for socks5h://me@p\.example:1080 is not kept"):
        kept.through("")
    assert kept.through(plan.proxy) == plan


@pytest.mark.parametrize("proxy", ["", "http://p.example:8080", "socks5://p.example"])
def test_a_crawl_goes_on_through_its_own_proxy_or_another(proxy: str) -> None:
    kept = Plan.from_json(plan_of(proxy=proxy).to_json())
    assert kept.through("") == kept == plan_of(proxy=proxy)
    assert kept.through("http://other.example:3128").proxy == "http://other.example:3128"


@given(st.text(), st.integers(1, 10**6), st.none() | st.floats(0, 1e6))
def test_any_keywords_and_budget_survive_the_round_trip(
    keywords: str, pages: int, minutes: float | None
) -> None:
    plan = Plan("crawl", Topic(keywords, ("https://a.example/",), keywords), Budget(pages, minutes))
    assert Plan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda plan: plan.update(of_tomorrow=1), r"newer bizcrawl \(of_tomorrow\)"),
        (lambda plan: plan["budget"].update(watts=1), r"newer bizcrawl \(watts\)"),
        (lambda plan: plan["topic"].update(mood="good"), r"newer bizcrawl \(mood\)"),
        (lambda plan: plan.pop("budget"), "can't be read"),
        (lambda plan: plan.update(exclude=None), "can't be read"),
        (lambda plan: plan.clear(), "can't be read"),
        (lambda plan: plan.update(web=5), "can't be read"),
        (lambda plan: plan.update(scope="world"), "can't be read"),
        (lambda plan: plan.update(workers="many"), "can't be read"),
        (lambda plan: plan.update(random_seed=[1]), "can't be read"),
        (lambda plan: plan.update(insecure_hosts=[1]), "can't be read"),
        (lambda plan: plan.update(options={"n": 1}), "can't be read"),
        (lambda plan: plan["budget"].update(pages="x"), "can't be read"),
        (lambda plan: plan["topic"].update(seeds=["http://a.example/", 5]), "can't be read"),
    ],
)
def test_a_plan_that_this_version_cannot_keep_is_one_line(
    spoil: Callable[[dict[str, Any]], object], said: str
) -> None:
    values = json.loads(plan_of().to_json())
    spoil(values)
    with pytest.raises(BizcrawlError, match=said):
        Plan.from_json(json.dumps(values))


async def test_a_crawl_whose_parts_do_not_fit_closes_its_web() -> None:
    web = PaperWeb({})
    plan = Plan("crawl", TOPIC, Budget(1), web="paper.warc", strategy="best-first", options={"n": "0"})
    with pytest.raises(UnknownOption):
        await run(plan, cast(Collection, None), web)
    assert web.closed


@pytest.mark.parametrize("settings", [{}, {"plan": "no JSON"}, {"plan": "7"}, {"plan": '{"topic": 1}'}])
def test_a_run_without_a_plan_is_one_line(settings: dict[str, str]) -> None:
    with pytest.raises(BizcrawlError, match="what the crawl was asked for is not in the collection"):
        _ = Resumption(1, settings, 0, 0, 0, 0.0).plan


@pytest.mark.parametrize(
    ("option", "value", "field", "planned"),
    [
        ("web", "demo", "web", "demo"),
        ("strategy", "dom", "strategy", "dom"),
        ("set", ["alpha=0.5"], "options", {"alpha": "0.5"}),
        ("pages", 7, "budget", Budget(7)),
        ("minutes", 1.5, "budget", Budget(2000, 1.5)),
        ("megabytes", 2.0, "budget", Budget(2000, None, 2_000_000)),
        ("random_seed", 9, "random_seed", 9),
        ("connections", 5, "connections", 5),
        ("workers", 0, "workers", 0),
        ("per_host", 3, "per_host", 3),
        ("delay", 0.5, "delay_s", 0.5),
        ("timeout", 3.0, "timeout_s", 3.0),
        ("page_cap", 10_000, "page_cap_bytes", 10_000),
        ("pages_per_host", 4, "pages_per_host", 4),
        ("scope", "site", "scope", "site"),
        ("exclude", ["x.example"], "exclude", ("x.example",)),
        ("nofollow", True, "nofollow", True),
        ("robots", False, "robots", False),
        ("meta_refresh", False, "meta_refresh", False),
        ("tidier", "html5lib", "tidier", "html5lib"),
        ("render", "auto", "render", "auto"),
        ("proxy", "http://p.example:8080", "proxy", "http://p.example:8080"),
        ("allow_private", True, "allow_private", True),
        ("insecure_host", ["x.example"], "insecure_hosts", ("x.example",)),
        ("cookies", True, "cookies", True),
        ("user_agent", "me/1", "user_agent", "me/1"),
        ("contact", "me@x.example", "contact", "me@x.example"),
        ("verify_share", 0.0, "verify_share", 0.0),
    ],
)
def test_every_option_changes_the_plan(option: str, value: object, field: str, planned: object) -> None:
    changed = plan_of(**{option: value})
    assert getattr(changed, field) == planned
    assert getattr(plan_of(), field) != planned


def test_the_live_web_is_made_as_planned() -> None:
    plan = plan_of(
        page_cap=1234, timeout=3.0, allow_private=True, insecure_host=["x.example"], cookies=True,
        user_agent="me/1", contact="me@x.example", connections=5, proxy="http://p.example:8080",
    )  # fmt: skip
    web = open_web(plan)
    assert isinstance(web, LiveWeb)
    options = web.options
    assert (options.limits.max_body_bytes, options.limits.timeout_s) == (1234, 3.0)
    assert options.addresses.allow_private
    assert options.insecure_hosts == {"x.example"}
    assert options.cookies
    assert (options.connections, options.proxy) == (5, "http://p.example:8080")
    assert web.user_agent == "me/1 (+me@x.example)"


@pytest.mark.parametrize(
    ("options", "url", "reason"),
    [
        ({"scope": "host"}, "https://www.a.example/", Reason.OUT_OF_SCOPE),
        ({"scope": "site"}, "https://other.example/", Reason.OUT_OF_SCOPE),
        ({"exclude": ["a.example"]}, "https://a.example/page", Reason.EXCLUDED),
        ({}, "https://a.example/x/x/x/x/x", Reason.TRAP),
    ],
)
def test_rules_are_made_as_planned(options: dict[str, object], url: str, reason: Reason) -> None:
    plan = plan_of(**options)
    rules = make_rules(plan, open_web(plan), None)
    assert rules.look(url).reason is reason
    assert (
        rules.look("https://a.example/fine" if "exclude" not in options else "https://b.example/").reason
        is None
    )


def test_without_robots_nobody_is_asked() -> None:
    plan = plan_of(robots=False)
    assert make_rules(plan, open_web(plan), None).robots is None


def test_seeds_are_read_as_a_person_writes_them() -> None:
    assert seed_urls(["one.example", "http://two.example/x", "one.example"]) == (
        "https://one.example/",
        "http://two.example/x",
    )
    for wrong in ("", "nonsense", "mailto:a@b.example", "javascript:alert(1)", "a b"):
        with pytest.raises(WrongUse):
            seed_urls([wrong])


def test_seeds_stand_in_a_file_too(tmp_path: Path) -> None:
    listed = tmp_path / "seeds.txt"
    listed.write_text("# known\ntwo.example\n\n https://three.example/x \none.example\n")
    assert seed_urls(["one.example", f"@{listed}"]) == (
        "https://one.example/",
        "https://two.example/",
        "https://three.example/x",
    )
    listed.write_text("# nobody yet\n")
    for wrong in (f"@{listed}", f"@{tmp_path / 'none.txt'}"):
        with pytest.raises(WrongUse, match=r"seeds.txt: holds no|none.txt: cannot read"):
            seed_urls([wrong])


def test_the_collection_takes_the_first_free_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CrawlOptions().collection_path() == Path("harvest.duckdb")
    (tmp_path / "harvest.duckdb").touch()
    (tmp_path / "harvest-2.duckdb").touch()
    assert CrawlOptions().collection_path() == Path("harvest-3.duckdb")
    assert CrawlOptions(to=Path("mine")).collection_path() == Path("mine")


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="this system has no clock that counts sleep")
def test_a_day_is_over_though_the_machine_slept_through_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """robots.txt is kept a day, and a laptop that was closed over the weekend kept it until Tuesday."""
    monkeypatch.setattr(time, "clock_gettime", lambda which: {time.CLOCK_BOOTTIME: 5.0}[which])
    assert clock_of_days() == 5.0
