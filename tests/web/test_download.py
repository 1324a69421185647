"""Redirects are new requests, loops end, and only HTML is a good page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.download import Download, Rules, download, refresh_of
from bizcrawl.parts import make_rules
from bizcrawl.plan import Plan
from bizcrawl.politeness import Manners, Politeness
from bizcrawl.reasons import Reason
from bizcrawl.robots.rules import Robots
from bizcrawl.scope import Exclusions, Scope
from bizcrawl.tally import Budget
from bizcrawl.topic import Topic
from bizcrawl.traps import Sightings
from bizcrawl.web import Failure, Request, Response
from contexts.links import links
from contexts.tidy import tidy

PAGE = b"<!doctype html><title>Brindle Pumps</title><p>Diaphragm pumps."
HTML = {"content-type": "text/html"}
HERE = "http://a.example/"
Answer = tuple[int, dict[str, str], bytes] | Reason


class SmallWeb:
    """URLs and their answers; everything else is a 404."""

    def __init__(self, answers: dict[str, Answer | list[Answer]]) -> None:
        self.answers = answers
        self.asked: list[str] = []
        self.fields: list[Mapping[str, str]] = []

    async def fetch(self, request: Request) -> Response | Failure:
        self.asked.append(request.url)
        self.fields.append(request.headers)
        answer = self.answers.get(request.url, (404, HTML, b"gone"))
        if isinstance(answer, list):
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        if isinstance(answer, Reason):
            return Failure(request.url, answer, "no answer")
        status, headers, body = answer
        return Response(request.url, status, headers, body, datetime(2026, 11, 28, tzinfo=UTC))

    async def close(self) -> None:
        pass


def page(body: bytes = PAGE, **headers: str) -> Answer:
    return 200, {**HTML, **{name.replace("_", "-"): value for name, value in headers.items()}}, body


def to(target: str, status: int = 301) -> Answer:
    return status, {"location": target}, b""


def failed(got: Download | Failure) -> Failure:
    assert isinstance(got, Failure), got
    return got


def good(got: Download | Failure) -> Download:
    assert isinstance(got, Download), got
    return got


class TestRedirects:
    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    async def test_the_page_behind_a_redirect_is_the_page(self, status: int) -> None:
        web = SmallWeb(
            {"http://a.example/": to("https://www.a.example/", status), "https://www.a.example/": page()}
        )
        got = good(await download("http://a.example/", web, Rules()))
        assert (got.url, got.final_url) == ("http://a.example/", "https://www.a.example/")
        assert got.hops == ("http://a.example/",)

    async def test_each_hop_is_asked_of_scope_exclusions_and_robots_again(self) -> None:
        answers = {
            "http://a.example/out": to("http://b.example/"),
            "http://a.example/excluded": to("http://a.example/no"),
            "http://a.example/closed": to("http://c.example/private"),
            "http://b.example/": page(),
            "http://a.example/no": page(),
            "http://c.example/private": page(),
            "http://c.example/robots.txt": (200, {}, b"User-agent: *\nDisallow: /private"),
        }
        web = SmallWeb(answers)
        scope = Scope.around(["http://a.example/"], "host")
        excluded = Exclusions.of(["http://a.example/no"])
        got = failed(await download("http://a.example/out", web, Rules(scope=scope)))
        assert (got.url, got.reason) == ("http://a.example/out", Reason.OUT_OF_SCOPE)
        assert "http://b.example/" in got.detail
        got = failed(await download("http://a.example/excluded", web, Rules(exclusions=excluded)))
        assert got.reason is Reason.EXCLUDED
        rules = Rules(robots=Robots(web, lambda: 0.0, "x"))
        assert failed(await download("http://a.example/closed", web, rules)).reason is Reason.ROBOTS
        assert not {"http://b.example/", "http://a.example/no", "http://c.example/private"} & set(web.asked)

    @pytest.mark.parametrize(("hops", "reason"), [(5, None), (6, Reason.TOO_MANY_REDIRECTS)])
    async def test_five_redirects_are_followed_and_a_sixth_is_not(
        self, hops: int, reason: Reason | None
    ) -> None:
        answers: dict[str, Answer | list[Answer]] = {
            f"http://a.example/{i}": to(f"/{i + 1}") for i in range(hops)
        }
        answers[f"http://a.example/{hops}"] = page()
        web = SmallWeb(answers)
        got = await download("http://a.example/0", web, Rules())
        assert (got.reason if isinstance(got, Failure) else None) is reason
        assert len(web.asked) == 6

    async def test_loops_end_at_once(self) -> None:
        web = SmallWeb(
            {
                "http://a.example/self": to("/self"),
                "http://a.example/ping": to("/pong"),
                "http://a.example/pong": to("/ping"),
                "http://a.example/port": to("http://a.example:80/port#again"),
            }
        )
        for path, requests in (("self", 1), ("ping", 2), ("port", 1)):
            web.asked.clear()
            got = failed(await download(f"http://a.example/{path}", web, Rules()))
            assert got.reason is Reason.REDIRECT_LOOP
            assert len(web.asked) == requests

    async def test_a_page_may_send_its_visitor_to_itself_once_to_set_a_cookie(self) -> None:
        first: Answer = (302, {"location": "/p", "set-cookie": "seen=1"}, b"")
        web = SmallWeb({"http://a.example/p": [first, page()]})
        assert good(await download("http://a.example/p", web, Rules())).final_url == "http://a.example/p"
        web = SmallWeb({"http://a.example/p": first})
        assert failed(await download("http://a.example/p", web, Rules())).reason is Reason.REDIRECT_LOOP
        assert len(web.asked) == 2

    @pytest.mark.parametrize(
        "target",
        [
            "",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:text/html,x",
            "mailto:a@b.example",
            "http://",
            " ",
        ],
    )
    async def test_a_redirect_off_the_web_is_a_bad_redirect(self, target: str) -> None:
        web = SmallWeb({"http://a.example/": to(target)})
        assert failed(await download("http://a.example/", web, Rules())).reason is Reason.BAD_REDIRECT

    @pytest.mark.parametrize(
        ("behind", "reason"),
        [
            (Reason.TIMEOUT, Reason.TIMEOUT),
            ((404, HTML, PAGE), Reason.HTTP_ERROR),
            ((429, HTML, PAGE), Reason.RATE_LIMITED),
            ((200, HTML, b""), Reason.EMPTY),
            ((200, {"content-type": "text/plain"}, b"words"), Reason.NOT_HTML),
            (to("mailto:a@b.example"), Reason.BAD_REDIRECT),
            (to("/"), Reason.REDIRECT_LOOP),
            (to("/has"), Reason.SEEN_AS_OTHER_URL),
            (to("/x?1"), Reason.TOO_MANY_REDIRECTS),
            (to("/excluded"), Reason.EXCLUDED),
        ],
    )
    async def test_a_failure_names_the_url_that_was_asked_for_and_says_at_which_hop_it_was(
        self, behind: Answer, reason: Reason
    ) -> None:
        chain = {f"{HERE}x?{n}": to(f"/x?{n + 1}") for n in range(1, 9)}
        web = SmallWeb({HERE: to("/hop"), f"{HERE}hop": behind, **chain})
        rules = Rules(exclusions=Exclusions.of([f"{HERE}excluded"]))
        got = failed(await download(HERE, web, rules, seen={f"{HERE}has"}.__contains__))
        assert (got.url, got.reason) == (HERE, reason)
        at = {Reason.EXCLUDED: "excluded", Reason.TOO_MANY_REDIRECTS: "x?4"}.get(reason, "hop")
        assert got.detail.startswith(f"{HERE}{at}: ")

    async def test_a_page_that_was_stored_while_its_cookie_was_shown_is_no_other_page(self) -> None:
        first: Answer = (302, {"location": "/p", "set-cookie": "seen=1"}, b"")
        web = SmallWeb({f"{HERE}p": [first, page()]})
        stored = iter([False])
        good(await download(f"{HERE}p", web, Rules(), seen=lambda _: next(stored, True)))

    @pytest.mark.parametrize("url", [HERE, f"{HERE}?utm_source=hub"])
    async def test_what_the_crawl_has_is_not_asked_for_and_says_as_what_it_has_it(self, url: str) -> None:
        web = SmallWeb({url: page()})
        got = failed(await download(url, web, Rules(), seen=lambda _: True))
        assert (got.url, got.reason, got.detail) == (url, Reason.SEEN_AS_OTHER_URL, HERE)
        assert web.asked == []

    async def test_a_page_that_the_crawl_has_is_not_fetched_a_second_time(self) -> None:
        web = SmallWeb({"http://a.example/": to("https://a.example/"), "https://a.example/": page()})
        got = failed(
            await download("http://a.example/", web, Rules(), seen={"https://a.example/"}.__contains__)
        )
        assert got.reason is Reason.SEEN_AS_OTHER_URL
        assert web.asked == ["http://a.example/"]


PIECES = [
    *(
        "<meta http-equiv=refresh content='0;url=/one'>",
        '<META content="3, two?a&amp;b" HTTP-EQUIV=" Refresh">',
    ),
    *("<meta http-equiv='refresh' content='0'>", "<meta http-equiv=refresh content='1.5;url=#top'>"),
    *("<!--", "-->", "<script>", "</script>", "<title>", "</title>", "<textarea>", "</textarea>", "<style>"),
    *("</style>", "<noscript>", "</noscript>", "<template>", "</template>", "<base href='/x/'>", "<p>pumps"),
    *("<table>", "<svg>", "</svg>", "<select>", "<iframe>", "<a href=/y>", "<![CDATA[", "]]>", "'", '"', ">"),
]


def refresh_in_page(markup: str | bytes, label: str = "text/html") -> str | None:
    body = markup.encode() if isinstance(markup, str) else markup
    return refresh_of(Response(HERE, 200, {"content-type": label}, body, datetime.now(UTC)), HERE)


class TestRefresh:
    @pytest.mark.parametrize(
        "markup",
        [
            b'<meta http-equiv="refresh" content="0; url=/new">',
            b"<META HTTP-EQUIV=REFRESH CONTENT='5;URL=/new'>",
            b'<meta content="0;url=/new" http-equiv="refresh">',
            b'<meta http-equiv = "Refresh" content="1, /new">',
            b"""<meta http-equiv="refresh" content="0; url='/new'">""",
        ],
    )
    async def test_a_meta_refresh_is_followed_by_option(self, markup: bytes) -> None:
        web = SmallWeb({"http://a.example/": page(b"<html>" + markup), "http://a.example/new": page()})
        assert good(await download("http://a.example/", web, Rules())).final_url == "http://a.example/"
        got = good(await download("http://a.example/", web, Rules(follow_refresh=True)))
        assert got.final_url == "http://a.example/new"

    async def test_a_refresh_field_is_followed_as_well(self) -> None:
        web = SmallWeb({"http://a.example/": page(refresh="0; url=/new"), "http://a.example/new": page()})
        got = good(await download("http://a.example/", web, Rules(follow_refresh=True)))
        assert got.final_url == "http://a.example/new"

    @pytest.mark.parametrize(("seconds", "is_followed"), [("10", True), ("11", False)])
    async def test_who_waits_longer_than_ten_seconds_is_no_redirect(
        self, seconds: str, is_followed: bool
    ) -> None:
        web = SmallWeb({HERE: page(refresh=f"{seconds}; url=/new"), f"{HERE}new": page()})
        got = good(await download(HERE, web, Rules(follow_refresh=True)))
        assert got.hops == ((HERE,) if is_followed else ())

    @pytest.mark.parametrize("status", [404, 503])
    async def test_a_page_that_says_an_error_sends_nobody_on(self, status: int) -> None:
        web = SmallWeb({HERE: (status, {**HTML, "refresh": "0; url=/new"}, PAGE), f"{HERE}new": page()})
        got = failed(await download(HERE, web, Rules(follow_refresh=True)))
        assert (got.reason, web.asked) == (Reason.HTTP_ERROR, [HERE])

    @pytest.mark.parametrize("content", ["600; url=/new", "30", "0", "0; url=", "x; url=/new", "0; url=#top"])
    async def test_a_page_that_updates_itself_is_no_redirect(self, content: str) -> None:
        body = f'<html><meta http-equiv="refresh" content="{content}">'.encode()
        web = SmallWeb({"http://a.example/": page(body)})
        got = good(await download("http://a.example/", web, Rules(follow_refresh=True)))
        assert got.hops == ()

    @pytest.mark.parametrize(
        "markup",
        [
            "<head><!--[if lt IE 9]><meta http-equiv='refresh' content='0;url=/upgrade'><![endif]-->",
            """<script>var s = '<meta http-equiv="refresh" content="0;url=/js">';</script>""",
            "<textarea><meta http-equiv=refresh content='0;url=/snippet'></textarea>",
            "<title><meta http-equiv=refresh content='0;url=/title'></title>",
            "<style><meta http-equiv=refresh content='0;url=/style'></style>",
            "<template><meta http-equiv=refresh content='0;url=/template'></template>",
            "<meta name=x content='http-equiv=refresh'><meta content='0;url=/other' name=y>",
        ],
    )
    def test_a_refresh_that_is_no_markup_of_the_page_is_none(self, markup: str) -> None:
        assert refresh_in_page(f"<!doctype html>{markup}<p>pumps") is None

    def test_a_refresh_behind_one_that_is_no_markup_is_followed(self) -> None:
        refresh = "<meta http-equiv=refresh content='0;url=/{}'>".format
        assert refresh_in_page(f"<!-- {refresh('no')} -->{refresh('yes')}") == f"{HERE}yes"

    def test_entities_and_charset_and_base_of_the_page_count(self) -> None:
        refresh = "<meta http-equiv=refresh content='0;url=a?x=1&amp;y=2'>"
        assert refresh_in_page(refresh) == f"{HERE}a?x=1&y=2"
        assert refresh_in_page(f"<base href=/shop/>{refresh}") == f"{HERE}shop/a?x=1&y=2"
        latin = f"<p>{refresh.replace('a?', 'ä?')}".encode("latin-1")
        assert refresh_in_page(latin, "text/html; charset=latin1") == f"{HERE}%C3%A4?x=1&y=2"

    def test_a_refresh_in_what_is_no_page_is_none(self) -> None:
        assert refresh_in_page("<meta http-equiv=refresh content='0;url=/x'>", "text/javascript") is None

    @given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
    def test_it_is_the_first_refresh_among_the_links_of_the_page(self, markup: str) -> None:
        page = f"<!doctype html>{markup}"
        found = (link.url for link in links(tidy(page), HERE) if link.kind == "refresh")
        first = next(found, None)
        assert refresh_in_page(page) == (None if first == HERE else first)

    def test_pages_without_a_refresh_are_not_tidied(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("bizcrawl.download.tidy", lambda _text: pytest.fail("tidied"))
        plain = "<meta http-equiv=content-type content=text/html><p>refresh your http-equiv, refresh it"
        assert refresh_in_page(plain) is None

    @given(st.binary(max_size=200), st.text(max_size=40))
    def test_no_markup_makes_it_raise(self, markup: bytes, field: str) -> None:
        body = b"<meta http-equiv=refresh content=" + markup
        headers = {"refresh": field} if field else {}
        refresh_of(Response("http://a.example/", 200, headers, body, datetime.now(UTC)), "http://a.example/")


async def test_robots_txt_does_not_lead_to_what_is_excluded() -> None:
    web = SmallWeb({f"{HERE}robots.txt": to("http://barred.example/robots.txt"), f"{HERE}p": page()})
    rules = Rules(exclusions=Exclusions.of(["barred.example"]), robots=Robots(web, lambda: 0.0, "x"))
    assert failed(await download(f"{HERE}p", web, rules)).reason is Reason.ROBOTS_UNREACHABLE
    assert web.asked == [f"{HERE}robots.txt"]


async def test_what_a_trap_shows_in_its_address_is_not_asked_for() -> None:
    deep = "http://a.example/" + "d/" * 40
    web = SmallWeb({url: page() for url in (deep, f"{HERE}2199/01/", HERE)})
    assert failed(await download(deep, web, Rules())).reason is Reason.TRAP
    got = failed(await download(f"{HERE}2199/01/", web, Rules(sightings=Sightings(2026))))
    assert (got.reason, got.detail) == (Reason.TRAP, "calendar in the year 2199")
    assert failed(await download(HERE, web, Rules(), depth=51)).reason is Reason.TOO_DEEP
    assert web.asked == []
    good(await download(HERE, web, Rules(), depth=50))
    for url in (deep, f"{HERE}2199/01/"):  # test beds: nothing counts as a trap
        good(await download(url, web, Rules(traps=None), depth=51))


class TestPagesKnownFromBefore:
    """Asked for only if they have changed (RFC 9110 13)."""

    FIELDS: ClassVar = {"if-none-match": '"v1"'}

    async def test_one_that_has_not_changed_is_no_failure_and_counts_for_its_host(self) -> None:
        new = f"{HERE}new"
        web = SmallWeb({HERE: to(new), new: (304, {}, b"")})
        gate = Politeness(Manners(delay_s=0.0), lambda: 0.0, wall_clock=lambda: 0.0)
        rules = Rules(politeness=gate, conditions=lambda url: self.FIELDS if url == new else {})
        got = good(await download(HERE, web, rules))
        assert (got.final_url, got.hops, got.unchanged) == (new, (HERE,), True)
        assert web.fields == [{}, self.FIELDS]
        assert gate.ruling("a.example")
        gate = Politeness(Manners(delay_s=0.0, max_pages=1), lambda: 0.0, wall_clock=lambda: 0.0)
        good(await download(new, web, replace(rules, politeness=gate)))
        assert gate.ruling("a.example").reason is Reason.HOST_BUDGET

    async def test_without_a_gate_it_is_the_same_page(self) -> None:
        web = SmallWeb({HERE: (304, {}, b"")})
        assert good(await download(HERE, web, Rules(conditions=lambda _: self.FIELDS))).unchanged

    async def test_one_that_has_changed_is_a_page_like_any_other(self) -> None:
        got = good(await download(HERE, SmallWeb({HERE: page()}), Rules(conditions=lambda _: self.FIELDS)))
        assert not got.unchanged

    async def test_a_server_that_says_so_unasked_is_in_error(self) -> None:
        got = failed(await download(HERE, SmallWeb({HERE: (304, {}, b"")}), Rules()))
        assert (got.reason, got.detail) == (Reason.HTTP_ERROR, "status 304")


class TestWhatIsAGoodPage:
    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            ((404, HTML, PAGE), Reason.HTTP_ERROR),
            ((500, HTML, PAGE), Reason.HTTP_ERROR),
            ((429, HTML, PAGE), Reason.RATE_LIMITED),
            ((503, {**HTML, "retry-after": "5"}, PAGE), Reason.RATE_LIMITED),
            ((503, HTML, PAGE), Reason.HTTP_ERROR),
            ((404, {**HTML, "retry-after": "5"}, PAGE), Reason.HTTP_ERROR),
            ((300, HTML, PAGE), Reason.HTTP_ERROR),
            ((200, HTML, b""), Reason.EMPTY),
            ((200, HTML, b" \n\t"), Reason.EMPTY),
            ((200, {"content-type": "application/pdf"}, b"%PDF-1.5"), Reason.NOT_HTML),
            ((200, {"content-type": "application/octet-stream"}, b"%PDF-1.5 ..."), Reason.NOT_HTML),
            ((200, HTML, bytes.fromhex("504b0304140006000800")), Reason.NOT_HTML),
            ((200, {"content-type": "text/plain"}, b"just text"), Reason.NOT_HTML),
            (Reason.TIMEOUT, Reason.TIMEOUT),
            (Reason.NOT_RECORDED, Reason.NOT_RECORDED),
        ],
    )
    async def test_everything_else_has_its_reason(self, answer: Answer, reason: Reason) -> None:
        assert (
            failed(
                await download("http://a.example/", SmallWeb({"http://a.example/": answer}), Rules())
            ).reason
            is reason
        )

    @pytest.mark.parametrize(
        ("label", "body", "detail"),
        [
            ("application/pdf", b"%PDF-1.5", "application/pdf"),
            ("application/rss+xml", b"<rss/>", "application/rss+xml"),
            ("text/html; charset=utf-8", b"PK\x03\x04\0\0", "archive labelled text/html"),
            ("application/octet-stream", b"%PDF-1.5", "pdf labelled application/octet-stream"),
            ("", b"%PDF-1.5", "pdf"),
            ("text/plain", b"just text", "text/plain"),
            ("text/xml", b"<?xml version='1.0'?><rss/>", "text/xml"),
        ],
    )
    async def test_a_label_that_the_body_belies_is_told_as_such(
        self, label: str, body: bytes, detail: str
    ) -> None:
        web = SmallWeb({"http://a.example/": (200, {"content-type": label}, body)})
        assert failed(await download("http://a.example/", web, Rules())).detail == detail

    @pytest.mark.parametrize(
        "content_type",
        [
            "text/html;;charset=UTF-8",
            "TEXT/HTML",
            "application/xhtml+xml; charset=utf-8",
            ' text/html ; Charset="utf-8"',
            "",
            "application/octet-stream",
        ],
    )
    async def test_html_is_known_whatever_its_label_looks_like(self, content_type: str) -> None:
        answer: Answer = (200, {"content-type": content_type} if content_type else {}, PAGE)
        good(await download("http://a.example/", SmallWeb({"http://a.example/": answer}), Rules()))

    @pytest.mark.parametrize(
        ("label", "reason"),
        [("application/pdf", Reason.NOT_HTML), ("text/html", Reason.EMPTY), ("", Reason.EMPTY)],
    )
    async def test_what_was_left_where_it_is_by_its_label_is_not_called_empty(
        self, label: str, reason: Reason
    ) -> None:
        """docs/politeness.md: of what is plainly not HTML only the headers are read."""
        headers = {"content-type": label} if label else {}
        answer = Response(HERE, 200, headers, b"", datetime(2026, 11, 28, tzinfo=UTC), truncated=True)

        class Unread(SmallWeb):
            async def fetch(self, request: Request) -> Response:
                return answer

        assert failed(await download(HERE, Unread({}), Rules())).reason is reason

    async def test_x_robots_tag_is_recorded_and_by_option_kept(self) -> None:
        web = SmallWeb({"http://a.example/": page(x_robots_tag="noindex, nofollow")})
        got = good(await download("http://a.example/", web, Rules()))
        assert got.robots_tags == {"noindex", "nofollow"}
        assert not got.nofollow
        assert good(await download("http://a.example/", web, Rules(keep_nofollow=True))).nofollow
        web = SmallWeb({"http://a.example/": page(x_robots_tag="noindex")})
        assert not good(await download("http://a.example/", web, Rules(keep_nofollow=True))).nofollow


class TestLive:
    """With a gate: retries, budgets, and hosts that are given up."""

    @staticmethod
    def rules(**changes: object) -> Rules:
        gate = Politeness(Manners(delay_s=0.0), lambda: 0.0, wall_clock=lambda: 0.0)
        return Rules(politeness=gate, **changes)  # type: ignore[arg-type]

    @pytest.mark.parametrize("first", [Reason.TIMEOUT, (429, HTML, b""), (503, HTML, b"")])
    async def test_a_timeout_or_a_busy_host_is_tried_once_more(self, first: Answer) -> None:
        web = SmallWeb({"http://a.example/": [first, page()]})
        good(await download("http://a.example/", web, self.rules()))
        assert len(web.asked) == 2

    async def test_it_is_tried_no_oftener_than_twice(self) -> None:
        web = SmallWeb({"http://a.example/": Reason.TIMEOUT})
        assert failed(await download("http://a.example/", web, self.rules())).reason is Reason.TIMEOUT
        assert len(web.asked) == 2

    @pytest.mark.parametrize("first", [Reason.TIMEOUT, (429, {}, b""), (503, {}, b"")])
    async def test_no_host_is_lost_to_one_robots_txt_that_came_late_or_found_it_busy(
        self, first: Answer
    ) -> None:
        robots: list[Answer] = [first, (200, {}, b"User-agent: *\nDisallow: /x")]
        web = SmallWeb({"http://a.example/robots.txt": robots, "http://a.example/": page()})
        plan = Plan("crawl", Topic("pumps", ("http://a.example/",), "pumps"), Budget(1))
        rules = make_rules(plan, web, self.rules().politeness)
        good(await download("http://a.example/", web, rules))
        assert failed(await download("http://a.example/x", web, rules)).reason is Reason.ROBOTS

    @pytest.mark.parametrize(
        "first", [Reason.TLS, Reason.DNS, Reason.BOMB, (500, HTML, b""), (404, HTML, b"")]
    )
    async def test_what_will_not_pass_is_not_tried_again(self, first: Answer) -> None:
        web = SmallWeb({"http://a.example/": [first, page()]})
        failed(await download("http://a.example/", web, self.rules()))
        assert len(web.asked) == 1

    async def test_a_host_whose_budget_is_spent_is_not_asked(self) -> None:
        gate = Politeness(Manners(delay_s=0.0, max_pages=2), lambda: 0.0, wall_clock=lambda: 0.0)
        web = SmallWeb({f"http://a.example/{i}": page(PAGE + b"%d" % i) for i in range(4)})
        got = [await download(f"http://a.example/{i}", web, Rules(politeness=gate)) for i in range(4)]
        assert [isinstance(one, Download) for one in got] == [True, True, False, False]
        assert failed(got[2]).reason is Reason.HOST_BUDGET
        assert len(web.asked) == 2

    async def test_a_host_that_says_the_same_at_every_address_is_a_trap(self) -> None:
        web = SmallWeb({f"http://a.example/{i}": page() for i in range(40)})
        rules = self.rules(sightings=Sightings(2026))
        got = [await download(f"http://a.example/{i}", web, rules) for i in range(40)]
        assert len(web.asked) <= 20
        assert failed(got[-1]).reason is Reason.TRAP

    async def test_the_page_that_shows_the_trap_is_counted_as_one_with_a_gate_or_without(self) -> None:
        for rules in (self.rules(sightings=Sightings(2026)), Rules(sightings=Sightings(2026))):
            web = SmallWeb({f"http://a.example/{i}": page() for i in range(11)})
            got = [await download(f"http://a.example/{i}", web, rules) for i in range(11)]
            assert all(isinstance(one, Download) for one in got[:10])
            assert (got[10].url, failed(got[10]).reason) == ("http://a.example/10", Reason.TRAP)

    async def test_one_page_on_many_hosts_is_no_trap(self) -> None:
        web = SmallWeb({f"http://h{i}.example/": page() for i in range(30)})
        rules = self.rules(sightings=Sightings(2026))
        for url in list(web.answers):
            good(await download(url, web, rules))

    async def test_a_crawl_delay_reaches_the_gate(self) -> None:
        web = SmallWeb(
            {
                "http://a.example/robots.txt": (200, {}, b"User-agent: *\nCrawl-delay: 7"),
                "http://a.example/": page(),
            }
        )
        times = [0.0]
        gate = Politeness(Manners(delay_s=1.0), lambda: times[0], wall_clock=lambda: 0.0)
        rules = Rules(robots=Robots(web, lambda: 0.0, "x"), politeness=gate)
        good(await download("http://a.example/", web, rules))
        gate.done("a.example", await gate.turn("a.example"), None)
        assert gate.wait_s("a.example") == 7.0

    async def test_a_host_without_readable_robots_txt_rests_and_keeps_its_urls(self) -> None:
        web = SmallWeb({"http://a.example/robots.txt": (503, {}, b"")})
        gate = Politeness(Manners(), lambda: 0.0, wall_clock=lambda: 0.0)
        rules = Rules(robots=Robots(web, lambda: 0.0, "x"), politeness=gate)
        assert failed(await download("http://a.example/", web, rules)).reason is Reason.ROBOTS_UNREACHABLE
        assert gate.wait_s("a.example") == 300.0
        assert gate.ruling("a.example")

    async def test_a_host_whose_robots_txt_stays_unreadable_is_closed_the_second_time(self) -> None:
        web = SmallWeb({"http://a.example/robots.txt": (503, {}, b"")})
        times = [0.0]
        gate = Politeness(Manners(), lambda: times[0], wall_clock=lambda: 0.0)
        rules = Rules(robots=Robots(web, lambda: times[0], "x"), politeness=gate)
        for _ in range(2):
            failed(await download("http://a.example/", web, rules))
            times[0] += 300.0
        assert gate.ruling("a.example").reason is Reason.ROBOTS_UNREACHABLE
        assert gate.wait_s("a.example") == 0.0

    async def test_the_urls_of_a_host_without_address_do_not_wait(self) -> None:
        web = SmallWeb({"http://a.example/robots.txt": Reason.DNS})
        gate = Politeness(Manners(), lambda: 0.0, wall_clock=lambda: 0.0)
        rules = Rules(robots=Robots(web, lambda: 0.0, "x"), politeness=gate)
        assert failed(await download("http://a.example/", web, rules)).reason is Reason.DNS
        assert gate.wait_s("a.example") == 0.0
