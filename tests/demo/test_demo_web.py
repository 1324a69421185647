"""The demo web: the same every time, whole, parseable, and hard in the ways that the real Web is."""

from __future__ import annotations

import asyncio
import hashlib
import json
import socket
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import html5lib
import pytest
from protego import Protego

from bizcrawl.reasons import Reason
from bizcrawl.urls import host_of, parse
from bizcrawl.web import Failure, Request, Response
from contexts.decode import decode
from contexts.links import Link, links
from contexts.tidy import tidy
from testbed.demo import DemoWeb, World, build_world, demo_companies, demo_topics
from testbed.demo.bed import reachable
from testbed.demo.defunct import DEFUNCT
from testbed.demo.hubs import listed_companies
from testbed.demo.names import BUSINESSES, SEEDS
from testbed.demo.places import PLACES, places
from testbed.demo.site import Answer

ROOT = Path(__file__).parents[2]
README_SEEDS = ("https://roastwell.example/", "https://emberdrum.example/", "https://torrefatta.example/")


@pytest.fixture(scope="module")
def world() -> World:
    return build_world()


def fetch(url: str, web: DemoWeb | None = None) -> Response | Failure:
    return asyncio.run((web or DemoWeb()).fetch(Request(url)))


def answered(url: str) -> Response:
    response = fetch(url)
    assert isinstance(response, Response), response
    return response


def text_of(answer: Answer) -> str:
    return decode(answer.body, answer.headers["content-type"]).text


def links_of(url: str, answer: Answer) -> list[Link]:
    if answer.status != 200 or not answer.headers["content-type"].startswith("text/html"):
        return []
    return links(tidy(text_of(answer)), url)


def html_pages(world: World) -> dict[str, Answer]:
    return {
        url: answer
        for url, answer in world.answers.items()
        if answer.status == 200 and answer.headers["content-type"].startswith("text/html")
    }


def digest(world: World) -> str:
    everything = sorted(
        (url, answer.status, sorted(answer.headers.items()), answer.body.hex())
        for url, answer in world.answers.items()
    )
    return hashlib.sha256(json.dumps(everything).encode()).hexdigest()


def test_two_builds_give_the_same_bytes(world: World) -> None:
    build_world.cache_clear()
    assert digest(build_world()) == digest(world)


@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_bytes_do_not_depend_on_hash_seed(world: World, hash_seed: str) -> None:
    program = (
        "import sys; sys.path[:0] = ['.', 'tests/demo']\n"
        "from test_demo_web import build_world, digest\nprint(digest(build_world()))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"PYTHONHASHSEED": hash_seed, "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == digest(world)


def test_another_seed_gives_another_web(world: World) -> None:
    assert digest(build_world(7)) != digest(world)


def test_answers_do_not_depend_on_the_order_of_asking() -> None:
    urls = [
        "http://www.cef-europe.example/calendar.php?month=2031-02",
        "https://www.roasting-guild.example/calendar.php?month=1999-12",
        "https://gaming-suppliers.example/calendar.php?month=2024-05",
    ]
    forward = [answered(url).body for url in urls]
    backward = [answered(url).body for url in reversed(urls)]
    assert forward == backward[::-1]


def test_the_demo_is_of_the_size_that_it_says(world: World) -> None:
    assert len(world.hosts) >= 150
    assert 400 <= len(html_pages(world)) <= 1000
    companies = [c for c in world.plan.companies if c.business]
    assert len(companies) == sum(len(b.brands) for b in BUSINESSES) >= 140
    assert len({c.country for c in companies}) >= 20
    assert len({c.name.removeprefix(c.brand).strip() for c in companies}) >= 25, "legal forms"
    assert all(host.endswith(".example") for host in world.hosts)


def test_every_kind_of_site_is_there(world: World) -> None:
    kinds = Counter(place.kind for place in PLACES)
    assert set(kinds) == {
        "association", "fair", "press", "blog", "catalogue", "mirror", "yellow", "finder", "dealer",
        "marketplace", "university", "encyclopedia", "social", "farm", "exchange", "ring",
    }  # fmt: skip
    for place in PLACES:
        assert answered(place.home).status == 200, place


def test_robots_files_of_every_kind(world: World) -> None:
    files = [answer for url, answer in world.answers.items() if urlsplit(url).path == "/robots.txt"]
    assert {answer.status for answer in files} == {200, 404, 503}
    bodies = {answer.body for answer in files if answer.status == 200}
    parsed = [Protego.parse(body.decode()) for body in bodies]
    assert any(p.crawl_delay("bizcrawl") == 0.2 for p in parsed)
    assert any(not p.can_fetch("http://a.example/", "bizcrawl") for p in parsed)
    assert any(
        p.can_fetch("http://a.example/", "bizcrawl")
        and not p.can_fetch("http://a.example/intern/x", "bizcrawl")
        for p in parsed
    )
    assert len(files) == len(world.hosts), "every host has its say"


def test_errors_redirects_and_odd_bodies(world: World) -> None:
    statuses = {answer.status for answer in world.answers.values()}
    assert statuses >= {200, 301, 302, 308, 404, 410, 500, 503}
    bodies = [a for u, a in world.answers.items() if a.headers["content-type"] == "text/html"]
    assert any(not a.body and a.status == 200 for a in bodies), "an empty page"
    assert any(a.body.startswith(b"\x89PNG") for a in bodies), "a picture labelled as HTML"
    assert any(a.headers["content-type"] == "application/pdf" for a in world.answers.values())


def hops(url: str) -> list[str]:
    seen = [url]
    while location := answered(seen[-1]).headers.get("location"):
        target = parse(location, seen[-1])
        assert target is not None
        if target in seen:
            return [*seen, "loop"]
        seen.append(target)
    return seen


def test_redirects_chain_loop_change_host_and_scheme() -> None:
    fates = {d.fate: d.home for d in DEFUNCT}
    chain = hops(fates["bought"])
    assert len(chain) == 4
    assert host_of(chain[0]) != host_of(chain[-1])
    assert hops(fates["loop"])[-1] == "loop"
    assert hops("http://roastwell.example/") == ["http://roastwell.example/", "https://roastwell.example/"]
    assert hops("http://www.roastwell.example/")[-1] == "https://roastwell.example/"


def test_dead_hosts_fail_with_their_reason() -> None:
    fates = {d.fate: d.home for d in DEFUNCT}
    missing, late = fetch(fates["no host"]), fetch(fates["timeout"])
    assert isinstance(missing, Failure)
    assert missing.reason == Reason.DNS
    assert isinstance(late, Failure)
    assert late.reason == Reason.TIMEOUT
    assert isinstance(fetch("http://nobody-here.example/"), Failure)


def test_the_calendar_has_no_end() -> None:
    url = "https://www.roasting-guild.example/calendar.php?month=2024-11"
    for _ in range(30):
        response = answered(url)
        onward = [link.url for link in links(tidy(response.body.decode()), url) if "next" in link.anchor]
        assert response.status == 200
        assert len(onward) == 1
        url = onward[0]
    assert url.endswith("2027-05")


def test_session_ids_and_print_versions_are_the_same_page(world: World) -> None:
    market = places("marketplace")[0].home
    offers = [link.url for link in links_of(market, world.answer(market)) if "sid=" in link.url]
    assert offers
    other = offers[0].partition("?")[0] + "?sid=0123456789ab"
    assert answered(offers[0]).body == answered(other).body
    assert answered(offers[0]).status == 200
    members = "https://www.roasting-guild.example/directory.php?page=1"
    assert answered(f"{members}&print=1").body == answered(members).body


def test_one_site_never_says_404(world: World) -> None:
    soft = [c.home for c in world.plan.of(None) if answered(f"{c.home}no-such-page").status == 200]
    assert soft
    assert answered(f"{README_SEEDS[0]}no-such-page").status == 404


def test_pages_in_every_style_and_encoding(world: World) -> None:
    pages = html_pages(world)
    text = "\n".join(text_of(answer) for answer in pages.values())
    marks = (
        '<frameset|http-equiv="refresh"|<TD>|<DT>|<LI><A|<font|application/ld+json|<ol>|class="card"|<main>'
    )
    for mark in marks.split("|"):
        assert mark in text, mark
    kinds = [decode(a.body, a.headers["content-type"]) for a in pages.values()]
    assert {k.charset for k in kinds} >= {"utf-8", "windows-1251", "windows-1252", "shift_jis", "gb18030"}
    assert {k.source for k in kinds} >= {"header", "meta", "utf-8"}
    assert any("\ufffd" in k.text for k in kinds), "a page whose declared encoding is wrong"


def test_json_ld_names_the_company(world: World) -> None:
    truth = demo_companies()
    found = 0
    for url, answer in html_pages(world).items():
        for block in tidy(text_of(answer)).json_ld:
            assert json.loads(block)["name"] == truth[host_of(url)].company
            found += 1
    assert found >= 20


def test_html5lib_parses_every_page(world: World) -> None:
    start = time.process_time()
    for url, answer in html_pages(world).items():
        tree = html5lib.parse(text_of(answer), namespaceHTMLElements=False)
        assert tree.find("body") is not None or tree.find("frameset") is not None, url
    assert time.process_time() - start < 60


def test_links_lead_somewhere_or_are_dead_on_purpose(world: World) -> None:
    dead_hosts = {host_of(d.home) for d in DEFUNCT}
    missing = set()
    for url, answer in reachable(world):
        for link in links_of(url, answer):
            if host_of(link.url) not in world.hosts:
                assert host_of(link.url) in dead_hosts, (url, link.url)
            elif world.answer(link.url).status == 404:
                missing.add(link.url)
    social, farm = places("social")[0].home, places("farm")[0].home
    on_purpose = {
        "price list that was never put up": {url for url in missing if url.endswith("/price-list.pdf")},
        "profile that was closed": {url for url in missing if url.startswith(social)},
        "offer of a parked domain": {url for url in missing if url.startswith(f"{farm}go?")},
    }
    assert all(on_purpose.values())
    assert missing == set().union(*on_purpose.values())


def test_competitors_do_not_link_to_each_other(world: World) -> None:
    truth = demo_companies()
    for url, answer in html_pages(world).items():
        own = truth.get(host_of(url))
        if own is None or own.business is None:
            continue
        for link in links_of(url, answer):
            linked = truth.get(host_of(link.url))
            assert linked in (None, own) or linked.business != own.business, (url, link.url)


def test_hubs_list_competitors_together_and_their_parents_are_blind(world: World) -> None:
    truth = demo_companies()
    topic = demo_topics()[0]
    hubs = {}
    blind = counted = 0
    words = set(topic.topic.query.by_stem)
    for url, answer in html_pages(world).items():
        found = links_of(url, answer)
        in_trade = {
            truth[host_of(li.url)].company
            for li in found
            if host_of(li.url) in truth and truth[host_of(li.url)].business == topic.name
        }
        if len(in_trade) >= 4:
            hubs[url] = in_trade
            tree = tidy(text_of(answer))
            for link in found:
                if truth.get(host_of(link.url)) and truth[host_of(link.url)].business == topic.name:
                    parent = int(tree.parent[link.node])
                    counted += 1
                    blind += not words & {tree.stems[i] for i in tree.tokens_below(parent)}
    assert len(hubs) >= 8
    assert len(set().union(*hubs.values())) >= 24
    assert blind / counted > 0.6


def test_some_hubs_carry_several_businesses_in_lists_of_their_own(world: World) -> None:
    truth = demo_companies()
    for fair in places("fair"):
        page = f"{fair.home}exhibitors.html"
        linked = {
            truth[host].business
            for li in links_of(page, world.answer(page))
            if (host := host_of(li.url)) in truth
        }
        assert len(linked - {None}) == len(fair.businesses)


def test_topics_are_well_formed() -> None:
    topics = demo_topics()
    truth = demo_companies()
    assert len(topics) == len(BUSINESSES) == len({t.name for t in topics})
    for topic in topics:
        assert len(topic.topic.seeds) == SEEDS
        assert not set(topic.topic.seeds) & set(topic.targets)
        assert len(topic.targets) >= 10
        assert topic.topic.query
        for url in (*topic.topic.seeds, *topic.targets):
            assert answered(url).status == 200
            assert truth[host_of(url)].business == topic.name
        for url in topic.excluded:
            linked = {link.url for link in links(tidy(answered(url).body.decode()), url)}
            assert set(topic.targets) <= linked, "an excluded page is a listing"
    assert topics[0].topic.seeds[:3] == README_SEEDS


def test_listing_leaves_some_companies_out(world: World) -> None:
    for trade in BUSINESSES:
        assert SEEDS < len(listed_companies(world.plan, trade)) < len(trade.brands)


def allowed(world: World, url: str) -> bool:
    robots = world.answer(f"{urlsplit(url).scheme}://{host_of(url)}/robots.txt")
    if robots.status == 301:
        robots = world.answer(robots.headers["location"])
    if robots.status >= 500:
        return False
    return robots.status != 200 or Protego.parse(robots.body.decode()).can_fetch(url, "bizcrawl")


def distances(world: World, seeds: tuple[str, ...], excluded: tuple[str, ...]) -> dict[str, int]:
    """Fewest links from a seed to each URL that a crawler may fetch; redirects cost nothing."""
    found = dict.fromkeys(seeds, 0)
    waiting = list(seeds)
    for url in waiting:
        if host_of(url) not in world.hosts or url in excluded or "calendar" in url or not allowed(world, url):
            continue
        answer = world.answer(url)
        onward = [link.url for link in links_of(url, answer)]
        if location := answer.headers.get("location"):
            onward = [location]
        for target in onward:
            if target not in found:
                found[target] = found[url] + (answer.status == 200)
                waiting.append(target)
    return found


@pytest.mark.parametrize("number", range(len(BUSINESSES)))
def test_targets_can_be_reached_from_the_seeds_without_the_listing(world: World, number: int) -> None:
    topic = demo_topics()[number]
    found = distances(world, topic.topic.seeds, topic.excluded)
    reached = [found[t] for t in topic.targets if t in found]
    assert len(reached) / len(topic.targets) >= 0.9
    assert min(reached) >= 2, "never one link from a seed"


def test_bodies_are_cut_to_the_cap_and_time_is_given() -> None:
    moment = datetime(2003, 5, 20, tzinfo=UTC)
    web = DemoWeb(max_body_bytes=100, now=lambda: moment)
    response = fetch(README_SEEDS[0], web)
    assert isinstance(response, Response)
    assert (len(response.body), response.truncated, response.fetched_at) == (100, True, moment)
    own = asyncio.run(web.fetch(Request(README_SEEDS[0], max_body_bytes=10)))
    assert isinstance(own, Response)
    assert len(own.body) == 10
    assert not answered(README_SEEDS[0]).truncated


@pytest.mark.parametrize(
    "url", ["http://roastwell.example//", "http://www.cef-europe.example/?month=x", "nonsense", ""]
)
def test_fetch_never_raises(url: str) -> None:
    assert isinstance(fetch(url), Response | Failure)


def test_fetch_opens_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.new_event_loop()

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("the demo web opened a socket")

    monkeypatch.setattr(socket, "socket", forbidden)
    monkeypatch.setattr(socket, "getaddrinfo", forbidden)
    web = DemoWeb()
    for url in (README_SEEDS[0], "http://nobody-here.example/"):
        loop.run_until_complete(web.fetch(Request(url)))
    loop.run_until_complete(web.close())
    loop.close()
