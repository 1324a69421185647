"""robots.txt: statuses × bodies × clock, the examples of RFC 9309, and faults that people have reported."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.reasons import Reason
from bizcrawl.robots import rules
from bizcrawl.robots.rules import (
    FIRST_RETRY_S,
    FRESH_S,
    LAST_RETRY_S,
    MAX_ROBOTS_BYTES,
    STALE_S,
    Robots,
)
from bizcrawl.robots.tags import NOFOLLOW_CUT, Heed, followed, meta_robots, robots_tags
from bizcrawl.robots.text import text_of
from bizcrawl.scope import Exclusions
from bizcrawl.urls import origin_of
from bizcrawl.user_agent import product_token
from bizcrawl.web import Failure, Request, Response
from bizcrawl.web.fields import joined
from contexts.links import links
from contexts.tidy import tidy

FORBID_ALL = b"User-agent: *\nDisallow: /\n"
SITE = "http://h.example"


class ScriptedWeb:
    """A web that answers from a function and remembers what it was asked."""

    def __init__(self, answer: Callable[[Request], Response | Failure]) -> None:
        self.asked: list[str] = []
        self.requests: list[Request] = []
        self.answer = answer

    async def fetch(self, request: Request) -> Response | Failure:
        self.asked.append(request.url)
        self.requests.append(request)
        await asyncio.sleep(0)
        return self.answer(request)

    async def close(self) -> None:
        pass


class Clock:
    def __init__(self) -> None:
        self.now_s = 1_000_000_000.0

    def __call__(self) -> float:
        return self.now_s


def response(url: str, status: int = 200, body: bytes = b"", **headers: str) -> Response:
    return Response(url, status, headers, body, datetime(2026, 11, 28, tzinfo=UTC))


def robots_of(body: bytes, status: int = 200, agent: str = "FocusBot/1.0 (+me@x.example)") -> Robots:
    return Robots(ScriptedWeb(lambda request: response(request.url, status, body)), Clock(), agent)


async def allowed(robots: Robots, *paths: str) -> list[bool]:
    return [bool(await robots.ruling(SITE + path)) for path in paths]


class TestStatus:
    @pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418, 451, 499])
    async def test_4xx_opens_the_host(self, status: int) -> None:
        assert await allowed(robots_of(FORBID_ALL, status), "/x") == [True]

    @pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 599])
    async def test_429_and_5xx_close_the_host(self, status: int) -> None:
        ruling = await robots_of(b"User-agent: *\nAllow: /\n", status).ruling(f"{SITE}/x")
        assert ruling.reason is Reason.ROBOTS_UNREACHABLE
        assert str(status) in ruling.detail

    @pytest.mark.parametrize(
        "reason", [Reason.TIMEOUT, Reason.CONNECTION, Reason.TLS, Reason.BAD_FRAMING, Reason.BOMB]
    )
    async def test_no_answer_closes_the_host(self, reason: Reason) -> None:
        robots = Robots(ScriptedWeb(lambda request: Failure(request.url, reason, "it broke")), Clock(), "x")
        ruling = await robots.ruling(f"{SITE}/x")
        assert ruling.reason is Reason.ROBOTS_UNREACHABLE
        assert "it broke" in ruling.detail

    @pytest.mark.parametrize(
        "reason",
        [
            Reason.DNS,
            Reason.FORBIDDEN_ADDRESS,
            Reason.FORBIDDEN_PORT,
            Reason.NOT_HTTP,
            Reason.BAD_URL,
        ],
    )
    async def test_what_bars_the_host_itself_keeps_its_name(self, reason: Reason) -> None:
        robots = Robots(ScriptedWeb(lambda request: Failure(request.url, reason, "no")), Clock(), "x")
        assert (await robots.ruling(f"{SITE}/x")).reason is reason

    async def test_missing_in_a_recorded_web_opens_the_host(self) -> None:
        web = ScriptedWeb(lambda request: Failure(request.url, Reason.NOT_RECORDED))
        robots = Robots(web, Clock(), "x")
        assert await allowed(robots, "/x", "/y") == [True, True]
        assert len(web.asked) == 1

    async def test_so_does_a_redirect_to_what_is_missing_in_a_recorded_web(self) -> None:
        def answer(request: Request) -> Response | Failure:
            if request.url.startswith(SITE):
                return response(request.url, 301, location="http://www.h.example/robots.txt")
            return Failure(request.url, Reason.NOT_RECORDED)

        assert await allowed(Robots(ScriptedWeb(answer), Clock(), "x"), "/x") == [True]

    @pytest.mark.parametrize("status", [200, 203, 206])
    async def test_2xx_is_read(self, status: int) -> None:
        assert await allowed(robots_of(FORBID_ALL, status), "/x") == [False]

    async def test_a_page_in_html_says_nothing(self) -> None:
        assert await allowed(robots_of(b"<!doctype html><title>Not found</title><p>Sorry"), "/x") == [True]

    async def test_a_body_cut_short_on_its_way_closes_the_host(self) -> None:
        cut = Response(
            f"{SITE}/robots.txt", 200, {}, b"User-ag", datetime(2026, 11, 28, tzinfo=UTC), truncated=True
        )
        robots = Robots(ScriptedWeb(lambda _: cut), Clock(), "x")
        assert (await robots.ruling(f"{SITE}/x")).reason is Reason.ROBOTS_UNREACHABLE
        (file,) = robots.drain()
        assert (file.reason, file.detail) == (Reason.BAD_FRAMING, "ended before its length")

    async def test_an_error_page_cut_short_on_its_way_is_an_error_page(self) -> None:
        cut = replace(response(f"{SITE}/robots.txt", 404, b"<h1>Not fo"), truncated=True)
        assert await allowed(Robots(ScriptedWeb(lambda _: cut), Clock(), "x"), "/x") == [True]

    async def test_as_much_is_asked_for_as_is_read_whatever_pages_may_have(self) -> None:
        """With the papers' 10,000 bytes for a page, longer rules would end before their length."""
        web = ScriptedWeb(lambda request: response(request.url, 200, FORBID_ALL))
        await Robots(web, Clock(), "x").ruling(f"{SITE}/x")
        assert [request.max_body_bytes for request in web.requests] == [MAX_ROBOTS_BYTES]

    async def test_trouble_without_words_is_told_by_its_name(self) -> None:
        robots = Robots(ScriptedWeb(lambda request: Failure(request.url, Reason.TIMEOUT)), Clock(), "x")
        assert Reason.TIMEOUT in (await robots.ruling(f"{SITE}/x")).detail

    async def test_what_is_told_is_the_latest_trouble(self) -> None:
        troubles = [Failure(SITE, Reason.DNS, "no such name"), response(SITE, 503)]
        web, clock = ScriptedWeb(lambda _: troubles.pop()), Clock()
        robots = Robots(web, clock, "x")
        assert (await robots.ruling(f"{SITE}/x")).reason is Reason.ROBOTS_UNREACHABLE
        clock.now_s += FIRST_RETRY_S
        assert (await robots.ruling(f"{SITE}/x")).reason is Reason.DNS


class TestRedirects:
    @staticmethod
    def chain(hops: int) -> ScriptedWeb:
        def answer(request: Request) -> Response:
            step = int(request.url.rpartition("?")[2]) if "?" in request.url else 0
            if step == hops:
                return response(request.url, 200, b"User-agent: *\nDisallow: /secret/\n")
            return response(request.url, 301, location=f"http://other{step}.example/robots.txt?{step + 1}")

        return ScriptedWeb(answer)

    async def test_five_hops_across_hosts_give_the_rules_of_the_first(self) -> None:
        web = self.chain(5)
        robots = Robots(web, Clock(), "x")
        assert await allowed(robots, "/secret/p", "/open") == [False, True]
        assert len(web.asked) == 6

    async def test_six_hops_count_as_unavailable(self) -> None:
        assert await allowed(Robots(self.chain(6), Clock(), "x"), "/secret/p") == [True]

    @pytest.mark.parametrize("target", ["", "file:///etc/passwd", "javascript:0", "http://"])
    async def test_a_redirect_that_leads_nowhere_counts_as_unavailable(self, target: str) -> None:
        web = ScriptedWeb(lambda request: response(request.url, 302, location=target))
        robots = Robots(web, Clock(), "x")
        assert await allowed(robots, "/x") == [True]
        assert [file.detail for file in robots.drain()] == ["redirects lead nowhere"]
        assert len(web.asked) == 1

    async def test_a_redirect_to_a_forbidden_address_closes_the_host(self) -> None:
        def answer(request: Request) -> Response | Failure:
            if "169.254" in request.url:
                return Failure(request.url, Reason.FORBIDDEN_ADDRESS, "inner")
            return response(request.url, 302, location="http://169.254.169.254/")

        ruling = await Robots(ScriptedWeb(answer), Clock(), "x").ruling(f"{SITE}/x")
        assert ruling.reason is Reason.ROBOTS_UNREACHABLE

    @pytest.mark.parametrize(
        "exclude", ["other0.example", ".other1.example", "http://other0.example/robots.txt?1"]
    )
    async def test_a_redirect_to_what_is_excluded_is_not_followed_and_closes_the_host(
        self, exclude: str
    ) -> None:
        web = self.chain(3)
        robots = Robots(web, Clock(), "x")
        ruling = await robots.ruling(f"{SITE}/x", Exclusions.of([exclude]))
        assert ruling.reason is Reason.ROBOTS_UNREACHABLE
        assert "is excluded" in ruling.detail
        assert not any(exclude.strip(".") in url for url in map(str, web.asked))
        assert robots.failures(f"{SITE}/x") == 1
        assert [file.reason for file in robots.drain()] == [Reason.ROBOTS_UNREACHABLE]


class TestClock:
    def setup_method(self) -> None:
        self.clock = Clock()
        self.status = 200
        self.body = FORBID_ALL
        self.web = ScriptedWeb(lambda request: response(request.url, self.status, self.body))
        self.robots = Robots(self.web, self.clock, "x")

    async def test_rules_are_kept_for_a_day(self) -> None:
        await self.robots.ruling(f"{SITE}/x")
        await self.assert_kept_for_a_day()

    async def assert_kept_for_a_day(self) -> None:
        self.clock.now_s += FRESH_S - 1
        await self.robots.ruling(f"{SITE}/x")
        assert len(self.web.asked) == 1
        self.clock.now_s += 2
        await self.robots.ruling(f"{SITE}/x")
        assert len(self.web.asked) == 2

    @pytest.mark.parametrize("status", [404, 401])
    async def test_that_there_are_none_is_kept_for_a_day_too(self, status: int) -> None:
        """RFC 9309 2.4."""
        self.status = status
        for _ in range(3):
            assert await self.robots.ruling(f"{SITE}/x")
        await self.assert_kept_for_a_day()

    async def test_a_closed_host_is_asked_again_after_five_minutes_then_ten_up_to_an_hour(self) -> None:
        self.status = 503
        waits = []
        for _ in range(6):
            await self.robots.ruling(f"{SITE}/x")
            waits.append(self.robots.retry_s(f"{SITE}/x"))
            self.clock.now_s += waits[-1]
        assert waits == [FIRST_RETRY_S, 600.0, 1200.0, 2400.0, LAST_RETRY_S, LAST_RETRY_S]
        assert len(self.web.asked) == 6

    async def test_old_rules_stay_in_force_while_the_host_cannot_be_reached(self) -> None:
        self.body = b"User-agent: *\nDisallow: /private\n"
        assert await allowed(self.robots, "/private", "/open") == [False, True]
        self.clock.now_s += FRESH_S
        self.status = 500
        assert await allowed(self.robots, "/private", "/open") == [False, True]
        assert len(self.web.asked) == 2

    async def test_while_old_rules_are_in_force_the_host_is_asked_after_five_minutes_then_ten(self) -> None:
        """docs/politeness.md; it is open meanwhile, so nothing waits for it."""
        self.body = b"User-agent: *\nCrawl-delay: 7\n"
        await self.robots.ruling(f"{SITE}/x")
        self.clock.now_s += FRESH_S
        self.status = 500
        asked = []
        for pause_s in (0.0, 299.0, 1.0, 599.0, 1.0):
            self.clock.now_s += pause_s
            assert await self.robots.ruling(f"{SITE}/x")
            asked.append(len(self.web.asked))
        assert asked == [2, 2, 3, 3, 4]
        assert (self.robots.retry_s(f"{SITE}/x"), self.robots.failures(f"{SITE}/x")) == (0.0, 3)
        assert self.robots.delay_s(f"{SITE}/x") == 7.0
        self.clock.now_s += 1200.0
        self.status = 200
        await self.robots.ruling(f"{SITE}/x")
        assert self.robots.failures(f"{SITE}/x") == 0

    def test_of_a_host_that_was_not_asked_nothing_is_known(self) -> None:
        url = f"{SITE}/x"
        told = self.robots.delay_s(url), self.robots.retry_s(url), self.robots.failures(url)
        assert told == (None, 0.0, 0)

    async def test_rules_older_than_thirty_days_are_not_kept_for_an_unreachable_host(self) -> None:
        self.body = b""
        await self.robots.ruling(f"{SITE}/x")
        self.clock.now_s += STALE_S
        self.status = 500
        assert (await self.robots.ruling(f"{SITE}/x")).reason is Reason.ROBOTS_UNREACHABLE

    async def test_a_host_opens_once_it_answers(self) -> None:
        self.status = 503
        assert not await self.robots.ruling(f"{SITE}/x")
        self.clock.now_s += FIRST_RETRY_S
        self.status, self.body = 200, b""
        assert await self.robots.ruling(f"{SITE}/x")


class TestAsking:
    async def test_many_waiters_make_one_request(self) -> None:
        web = ScriptedWeb(lambda request: response(request.url, 200, FORBID_ALL))
        robots = Robots(web, Clock(), "x")
        rulings = await asyncio.gather(*(robots.ruling(f"{SITE}/{i}") for i in range(50)))
        assert not any(rulings)
        assert web.asked == [f"{SITE}/robots.txt"]

    async def test_a_waiter_that_is_cancelled_leaves_the_others_waiting(self) -> None:
        web = ScriptedWeb(lambda request: response(request.url, 200, FORBID_ALL))
        robots = Robots(web, Clock(), "x")
        first = asyncio.create_task(robots.ruling(f"{SITE}/1"))
        second = asyncio.create_task(robots.ruling(f"{SITE}/2"))
        await asyncio.sleep(0)
        first.cancel()
        assert (await second).reason is Reason.ROBOTS
        assert len(web.asked) == 1

    async def test_scheme_host_and_port_each_have_rules_of_their_own(self) -> None:
        web = ScriptedWeb(lambda request: response(request.url, 200, FORBID_ALL))
        robots = Robots(web, Clock(), "x")
        for url in (
            "http://a.example/1",
            "https://a.example/1",
            "http://a.example:8080/1",
            "http://b.example/1",
        ):
            await robots.ruling(url)
        await robots.ruling("http://A.example:80/2")
        assert web.asked == [
            "http://a.example/robots.txt",
            "https://a.example/robots.txt",
            "http://a.example:8080/robots.txt",
            "http://b.example/robots.txt",
        ]

    async def test_what_was_learnt_is_told_once(self) -> None:
        robots = Robots(ScriptedWeb(lambda request: response(request.url, 200, FORBID_ALL)), Clock(), "x")
        await robots.ruling(f"{SITE}/x")
        assert [(file.origin, file.status) for file in robots.drain()] == [(SITE, 200)]
        assert robots.drain() == []

    async def test_hosts_beyond_the_bound_are_forgotten_oldest_first(self) -> None:
        web = ScriptedWeb(lambda request: response(request.url, 200, b""))
        robots = Robots(web, Clock(), "x", max_hosts=2)
        for host in "abca":
            await robots.ruling(f"http://{host}.example/")
        assert len(web.asked) == 4

    async def test_a_host_that_was_asked_again_is_not_among_the_oldest(self) -> None:
        web = ScriptedWeb(lambda request: response(request.url, 200, b""))
        clock = Clock()
        robots = Robots(web, clock, "x", max_hosts=2)
        for host in "ab":
            await robots.ruling(f"http://{host}.example/")
        clock.now_s += FRESH_S
        for host in "ac":
            await robots.ruling(f"http://{host}.example/")
        before = len(web.asked)
        await robots.ruling("http://a.example/")
        assert len(web.asked) == before == 4

    async def test_of_long_files_the_oldest_are_forgotten_and_short_ones_are_not(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Thousands of hosts under one name, each with a file of half a megabyte, took all memory."""
        long = b"User-agent: *\n" + b"Disallow: /private\n" * 100
        monkeypatch.setattr(rules, "MAX_KEPT_BYTES", 9 * len(long) - 1)

        def answer(request: Request) -> Response:
            return response(request.url, 200 if "short" not in request.url else 404, long)

        web = ScriptedWeb(answer)
        robots = Robots(web, Clock(), "x")
        hosts = [f"http://{n}.example/private" for n in range(9)]
        await robots.ruling("http://short.example/")
        assert [bool(await robots.ruling(url)) for url in hosts] == [False] * len(hosts)
        before = len(web.asked)
        for url in ("http://short.example/", *hosts[1:]):
            await robots.ruling(url)
        assert len(web.asked) == before
        assert not await robots.ruling(hosts[0])
        assert len(web.asked) == before + 1

    async def test_a_file_that_is_read_again_every_day_counts_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(rules, "MAX_KEPT_BYTES", 2 * len(FORBID_ALL))
        clock = Clock()
        web = ScriptedWeb(lambda request: response(request.url, 200, FORBID_ALL))
        robots = Robots(web, clock, "x")
        for _ in range(3):
            for host in "abab":
                await robots.ruling(f"http://{host}.example/")
            clock.now_s += FRESH_S
        assert len(web.asked) == 6


class TestBodies:
    async def test_a_byte_order_mark_does_not_hide_the_first_group(self) -> None:
        assert await allowed(robots_of(b"\xef\xbb\xbf" + FORBID_ALL), "/x") == [False]

    @pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
    async def test_utf_16_with_its_mark_is_read(self, encoding: str) -> None:
        assert await allowed(robots_of(("\ufeff" + FORBID_ALL.decode()).encode(encoding)), "/x") == [False]
        body = "\ufeffUser-agent: *\nDisallow: /größe\n".encode(encoding)
        assert await allowed(robots_of(body), "/gr%C3%B6%C3%9Fe", "/x") == [False, True]

    async def test_agents_in_a_row_share_the_rules(self) -> None:
        body = b"User-agent: *\nUser-agent: OtherBot\nDisallow: /p\n"
        assert await allowed(robots_of(body), "/p1") == [False]

    async def test_groups_of_one_agent_are_merged_whatever_their_case(self) -> None:
        groups = b"User-agent: FocusBot\nDisallow: /a\n", b"User-agent: *\nDisallow: /b\n"
        body = b"\n".join([*groups, b"User-agent: focusbot\nDisallow: /c\n"])
        assert await allowed(robots_of(body), "/a", "/b", "/c") == [False, True, False]

    @pytest.mark.parametrize("record", ["Sitemap: /s.xml", "Host: h.example", "Unknown: x"])
    async def test_other_records_do_not_end_a_group(self, record: str) -> None:
        body = f"User-agent: FocusBot\n{record}\nUser-agent: *\nDisallow: /p\n".encode()
        assert await allowed(robots_of(body), "/p", "/q") == [False, True]

    @pytest.mark.parametrize("agent", ["FocusBot/1.0", "focusbot crawler", "FocusBot # us", "FOCUSBOT;x"])
    async def test_an_agent_is_meant_by_its_name(self, agent: str) -> None:
        body = f"User-agent: *\r\nAllow: /\r\n\r\nUser-agent: {agent}\r\nDisallow: /p\r\n".encode()
        assert await allowed(robots_of(body), "/p", "/q") == [False, True]

    @pytest.mark.parametrize("agent", ["FocusBotPlus", "Bot", "other"])
    async def test_a_group_for_a_name_that_only_resembles_ours_is_not_for_us(self, agent: str) -> None:
        body = f"User-agent: {agent}\nDisallow: /p\n\nUser-agent: *\nDisallow: /q\n".encode()
        assert await allowed(robots_of(body), "/p", "/q") == [True, False]

    async def test_a_group_for_a_family_of_crawlers_is_for_us_unless_there_is_one_for_us_alone(self) -> None:
        family, alone = b"User-agent: Acme\nDisallow: /p\n\n", b"User-agent: acme-bot\nDisallow: /q\n"
        assert await allowed(robots_of(family, agent="acme-bot/2"), "/p", "/q") == [False, True]
        assert await allowed(robots_of(family + alone, agent="acme-bot/2"), "/p", "/q") == [True, False]

    @pytest.mark.parametrize(
        "before", [b"\xef\xbb", b"\xbb\xbf", "\u200b".encode(), b"\xef\xbb\xbf\xef\xbb\xbf"]
    )
    async def test_half_a_mark_or_what_nobody_sees_does_not_hide_the_first_group(self, before: bytes) -> None:
        assert await allowed(robots_of(before + FORBID_ALL), "/x") == [False]

    async def test_rules_see_the_query(self) -> None:
        body = b"User-agent: *\nDisallow: /*s=\nDisallow: /hide?\n"
        paths = ["/", "/s/", "/?s=abc", "/hide?id=1", "/hide"]
        assert await allowed(robots_of(body), *paths) == [True, True, False, False, True]

    async def test_equal_rules_allow_and_dollar_ends_a_pattern(self) -> None:
        body = b"User-agent: *\nAllow: /p\nDisallow: /p\nDisallow: /*.pdf$\n"
        paths = ["/p", "/a.pdf", "/a.pdf?x=1", "/a.pdfx"]
        assert await allowed(robots_of(body), *paths) == [True, False, True, True]

    async def test_reserved_characters_stay_encoded(self) -> None:
        body = b"User-agent: *\nDisallow: /*%2F*\n"
        assert await allowed(robots_of(body), "/a/b", "/a%2Fb", "/a%2fb") == [True, False, False]

    async def test_an_encoded_question_mark_is_no_query(self) -> None:
        body = b"User-agent: *\nDisallow: /a%3Fb\nDisallow: /c?d\nDisallow: /*%3fe$\nDisallow: /f%253F\n"
        closed = ["/a%3Fb", "/a%3fb=1", "/c?d=1", "/x%3Fe", "/f%253F"]
        opened = ["/a?b", "/c%3Fd", "/x?e", "/f%3F", "/f?"]
        assert await allowed(robots_of(body), *closed, *opened) == [False] * 5 + [True] * 5

    async def test_other_alphabets_and_bad_bytes_spoil_only_their_own_line(self) -> None:
        paths = b"/foo/\xe3\x83\x84", b"/bar/%62%61%7A", b"/b\xfccher", b"/last"
        body = b"User-agent: *\n" + b"".join(b"Disallow: %s\n" % path for path in paths)
        assert await allowed(robots_of(body), "/foo/%E3%83%84", "/bar/baz", "/last") == [False, False, False]

    async def test_a_literal_asterisk_or_dollar_is_matched(self) -> None:
        """The table of RFC 9309 2.2.3; Google's own parser fails it."""
        body = b"User-agent: *\nDisallow: /path/file-with-a-%2A.html\nDisallow: /path/foo-%24\n"
        paths = ["/path/file-with-a-*.html", "/path/file-with-a-xyz.html", "/path/foo-$"]
        assert await allowed(robots_of(body), *paths) == [False, True, False]

    async def test_the_rules_of_400_kilobytes_are_all_read(self) -> None:
        pad = "".join(f"Disallow: /pad{i:05d}/\n" for i in range(20_000))
        body = f"User-agent: *\n{pad}Disallow: /secret/\n".encode()
        assert await allowed(robots_of(body), "/secret/p") == [False]

    async def test_what_lies_beyond_512_kilobytes_is_cut_at_a_line_end(self) -> None:
        line = b"Disallow: /pad\n"
        head = b"User-agent: *\nDisallow: /head\n"
        fill = line * ((MAX_ROBOTS_BYTES - len(head)) // len(line))
        last = b"Disallow: /x-and-this-line-is-cut-in-the-middle\n"
        body = (head + fill + last)[: MAX_ROBOTS_BYTES + 5]
        paths = "/head", "/x-other", "/pad", "/pa-other"
        assert await allowed(robots_of(body), *paths) == [False, True, False, True]

    @pytest.mark.parametrize(("more", "is_cut"), [(b"", False), (b"", True), (b"more", False)])
    async def test_the_last_line_of_just_512_kilobytes_is_read_unless_more_follows(
        self, more: bytes, is_cut: bool
    ) -> None:
        head, last = b"User-agent: *\nDisallow: /head\n", b"Disallow: /last"
        body = head + b"#" * (MAX_ROBOTS_BYTES - len(head) - len(last) - 1) + b"\n" + last
        answer = replace(response(f"{SITE}/robots.txt", 200, body + more), truncated=is_cut)
        robots = Robots(ScriptedWeb(lambda _: answer), Clock(), "x")
        assert await allowed(robots, "/head", "/last") == [False, bool(more) or is_cut]

    @pytest.mark.parametrize(
        "pattern", ["/*a*a*a*a*a*a*a*a*b", "/" + "*a" * 2_000 + "b", "/" + "*" * 5_000 + "$"]
    )
    async def test_a_pattern_bomb_takes_no_time(self, pattern: str) -> None:
        robots = robots_of(f"User-agent: *\nDisallow: {pattern}\n".encode())
        started_s = time.process_time()
        await allowed(robots, "/" + "a" * 60, "/" + "a" * 2_000)
        assert time.process_time() - started_s < 0.1

    async def test_robots_txt_itself_is_always_allowed(self) -> None:
        assert await allowed(robots_of(FORBID_ALL), "/robots.txt") == [True]

    @given(st.binary(max_size=400))
    def test_no_body_makes_the_reader_raise(self, body: bytes) -> None:
        async def ask() -> list[bool]:
            return await allowed(robots_of(b"User-agent: *\nDisallow: /x\n" + body), "/x/y", "/z")

        assert len(asyncio.run(ask())) == 2
        assert "\ufeff" not in text_of(body)


class TestDelay:
    @pytest.mark.parametrize(
        ("body", "delay_s"),
        [
            (b"User-agent: *\nDisallow: /i\nUser-agent: HogBot\nCrawl-delay: 10\n", None),
            (b"User-agent: *\nCrawl-delay: abc\nDisallow: /x\n", None),
            (b"User-agent: *\nCrawl-delay: -3\n", None),
            (b"User-agent: *\nCrawl-delay: nan\n", None),
            (b"User-agent: *\nCrawl-delay: 0.5\n", 0.5),
            (b"User-agent: *\nRequest-rate: 1/10\n", 10.0),
            (b"User-agent: *\nRequest-rate: 2/10\n", 5.0),
            (b"User-agent: *\nRequest-rate: 0/10\n", None),
            (b"User-agent: *\nRequest-rate: 1/10\nCrawl-delay: 3\n", 10.0),
            (b"User-agent: *\nRequest-rate: 1/3\nCrawl-delay: 10\n", 10.0),
        ],
    )
    async def test_only_a_delay_for_us_that_is_a_number_counts(
        self, body: bytes, delay_s: float | None
    ) -> None:
        robots = robots_of(body)
        assert await robots.ruling(f"{SITE}/other")
        assert robots.delay_s(f"{SITE}/other") == delay_s

    @pytest.mark.parametrize(
        ("agents", "delay_s"),
        [
            ("FocusBot\nCrawl-delay: 7\nUser-agent: OtherBot", 7.0),
            ("OtherBot\nCrawl-delay: 7\n\nUser-agent: FocusBot", None),
            ("OtherBot\nCrawl-delay: 7\nUser-agent: FocusBot\nCrawl-delay: 3\nUser-agent: AnyBot", 3.0),
        ],
    )
    async def test_a_delay_among_agents_ends_no_group_and_is_for_those_above_it(
        self, agents: str, delay_s: float | None
    ) -> None:
        robots = robots_of(f"User-agent: {agents}\nDisallow: /p\n\nUser-agent: *\nDisallow: /q\n".encode())
        assert await allowed(robots, "/p", "/q") == [False, True]
        assert robots.delay_s(f"{SITE}/p") == delay_s

    @pytest.mark.parametrize(
        ("groups", "opened"),
        [
            # who stands above a delay shares the rules below it, the rest of all crawlers too
            ("*\nCrawl-delay: 7\nUser-agent: OtherBot\nDisallow: /p", "/q"),
            ("FocusBot\nCrawl-delay: 7\n# said by whom\n\nUser-agent: OtherBot\nDisallow: /p", "/q"),
            # a group that has ended shares nothing with those that follow it
            ("*\nDisallow: /p\n\n# others\nUser-agent: A\nCrawl-delay: 7\nUser-agent: B\nDisallow: /q", "/q"),
            ("*\nDisallow: /p\nUser-agent: A\nCrawl-delay: 7\nUser-agent: B\nDisallow: /q", "/q"),
        ],
    )
    async def test_a_delay_parts_no_group_and_joins_none(self, groups: str, opened: str) -> None:
        """RFC 9309 2.2.1: a group is its agents in a row and the rules up to the next agent; a record that
        the RFC does not know changes nothing (2.2.4).
        """
        assert await allowed(robots_of(f"User-agent: {groups}\n".encode()), "/p", opened) == [False, True]

    async def test_a_host_that_asks_for_too_much_is_left_alone(self) -> None:
        web = ScriptedWeb(lambda request: response(request.url, 200, b"User-agent: *\nCrawl-delay: 300000\n"))
        ruling = await Robots(web, Clock(), "x", max_crawl_delay_s=60).ruling(f"{SITE}/")
        assert ruling.reason is Reason.CRAWL_DELAY
        assert await Robots(web, Clock(), "x", max_crawl_delay_s=math.inf).ruling(f"{SITE}/")

    @pytest.mark.parametrize(("delay_s", "open_"), [(60, True), (61, False)])
    async def test_too_much_is_more_than_a_minute(self, delay_s: int, open_: bool) -> None:
        """docs/politeness.md."""
        robots = robots_of(f"User-agent: *\nCrawl-delay: {delay_s}\n".encode())
        assert await allowed(robots, "/") == [open_]


def test_the_product_token_is_the_first_word_without_version() -> None:
    assert product_token("bizcrawl/0.1 (+mailto:me@x.example)") == "bizcrawl"
    assert product_token("FocusBot") == "focusbot"


def test_the_origin_is_whatwg_s() -> None:
    assert origin_of("HTTP://H.Example:80/x") == "http://h.example"
    assert origin_of("https://h.example:8443/x") == "https://h.example:8443"
    assert origin_of("no url") == ""


@pytest.mark.parametrize(
    ("field", "tags"),
    [
        ("noindex, nofollow", {"noindex", "nofollow"}),
        ("NOFOLLOW", {"nofollow"}),
        ("otherbot: nofollow", set()),
        ("bizcrawl: nofollow", {"nofollow"}),
        ("otherbot: noindex, nofollow, bizcrawl: noarchive", {"noarchive"}),
        ("none", {"none", "noindex", "nofollow"}),
        ("unavailable_after: 25 Jun 2030 15:00:00 PST", {"unavailable_after: 25 jun 2030 15:00:00 pst"}),
        (
            "unavailable_after: Wed, 25 Jun 2030 15:00:00 PST, nofollow",
            {"unavailable_after: wed 25 jun 2030 15:00:00 pst", "nofollow"},
        ),
        ("max-snippet: 20, nofollow", {"max-snippet: 20", "nofollow"}),
        ("max-image-preview: none, nofollow", {"max-image-preview: none", "nofollow"}),
        ("max-video-preview: -1, nofollow", {"max-video-preview: -1", "nofollow"}),
        ("otherbot: max-snippet: 20, nofollow", set()),
        ("", set()),
    ],
)
def test_x_robots_tag_is_read_for_this_crawler(field: str, tags: set[str]) -> None:
    assert robots_tags({"x-robots-tag": field}, "bizcrawl/0.1") == tags


@pytest.mark.parametrize(
    ("fields", "tags"),
    [
        (["otherbot: noindex", "nofollow"], {"nofollow"}),
        (["otherbot: noindex", "bizcrawl: nofollow, noarchive"], {"nofollow", "noarchive"}),
        (["bizcrawl: noindex", "otherbot: nofollow"], {"noindex"}),
        (["noindex", "otherbot: nofollow", "noarchive"], {"noindex", "noarchive"}),
        (
            ["otherbot: noindex", "unavailable_after: 25 Jun 2030", "otherbot: nofollow"],
            {"unavailable_after: 25 jun 2030"},
        ),
        (["otherbot: noindex", "Max-Snippet: 20, nofollow"], {"max-snippet: 20", "nofollow"}),
        (["otherbot: noindex", ""], set()),
    ],
)
def test_what_a_field_of_x_robots_tag_says_to_all_is_not_for_the_crawler_that_another_names(
    fields: list[str], tags: set[str]
) -> None:
    """Servers and what they run each add a field of their own."""
    headers = joined((b"X-Robots-Tag", field.encode()) for field in fields)
    assert robots_tags(headers, "bizcrawl/0.1") == tags


class TestNofollow:
    """docs/politeness.md: rel, meta robots and X-Robots-Tag, off unless asked for."""

    LINKS = (
        '<a href="/plain">a</a><a rel="ugc NoFollow" href="/paid">b</a><a rel="nofollower" href="/x">c</a>'
    )

    @staticmethod
    def parted(html: str, heed: Heed, cuts: tuple[str, ...] = ()) -> tuple[list[str], list[str]]:
        """URLs that may be followed, and those that are left alone."""
        tree = replace(tidy(html), cuts=cuts)
        found = followed(links(tree, f"{SITE}/"), tree, heed)
        return [link.url for link in found.links], [link.url for link in found.left_alone]

    def test_unless_it_is_asked_for_all_links_are_followed(self) -> None:
        body = f'<meta name="robots" content="nofollow">{self.LINKS}'
        kept, left_alone = self.parted(body, Heed(), (NOFOLLOW_CUT,))
        assert len(kept) == 3
        assert left_alone == []

    def test_a_link_with_rel_nofollow_is_left_alone_and_the_others_are_not(self) -> None:
        kept, left_alone = self.parted(self.LINKS, Heed(nofollow=True))
        assert kept == [f"{SITE}/plain", f"{SITE}/x"]
        assert left_alone == [f"{SITE}/paid"]

    @pytest.mark.parametrize(
        ("meta", "n_followed"),
        [
            ('<meta name="robots" content="noindex, NOFOLLOW">', 0),
            ('<meta name="Robots" content="none">', 0),
            ('<meta name="bizcrawl" content="nofollow">', 0),
            ('<meta name="robots" content="noindex">', 2),
            ('<meta name="otherbot" content="nofollow">', 2),
            ('<meta name="robots" content="follow"><meta name="keywords" content="nofollow">', 2),
        ],
    )
    def test_a_page_can_ask_that_none_of_its_links_is_followed(self, meta: str, n_followed: int) -> None:
        kept, left_alone = self.parted(meta + self.LINKS, Heed(nofollow=True))
        assert (len(kept), len(left_alone)) == (n_followed, 3 - n_followed)

    def test_so_can_its_x_robots_tag(self) -> None:
        assert self.parted(self.LINKS, Heed(nofollow=True), (NOFOLLOW_CUT,))[0] == []

    def test_none_stands_for_both(self) -> None:
        assert meta_robots(tidy('<meta name="robots" content="none,">'), "bizcrawl") == {
            "none",
            "noindex",
            "nofollow",
        }
