"""Every misbehaviour ends in its one named outcome, in bounded time and memory."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from misbehaviours import MISBEHAVIOURS, PAGE, HostileServer, Misbehaviour

from bizcrawl.download import Download, Rules, download
from bizcrawl.harvest import Body, tidied
from bizcrawl.netguard import AddressRules
from bizcrawl.reasons import Reason
from bizcrawl.robots.rules import Robots
from bizcrawl.robots.tags import FOLLOWS_ALL
from bizcrawl.web.live import Limits, LiveOptions, LiveWeb

TIMEOUT_S = 1.0
MAX_BODY_BYTES = 2 << 20
LIMITS = Limits(timeout_s=TIMEOUT_S, grace_s=0.4, max_body_bytes=MAX_BODY_BYTES)
OPTIONS = LiveOptions(limits=LIMITS, addresses=AddressRules(allow_private=True), cookies=True)
MAX_GROWTH_BYTES = 64 << 20
"""Of the whole process, which is the server too; bombs would burst to twice as much."""


@pytest.fixture(scope="module")
def server() -> Iterator[HostileServer]:
    running = HostileServer()
    yield running
    running.close()


def peak_bytes() -> int:
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("needs /proc to watch the memory of the process")
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def test_there_are_at_least_forty() -> None:
    assert len(MISBEHAVIOURS) >= 40


@pytest.mark.parametrize("case", MISBEHAVIOURS.values(), ids=lambda case: case.name)
async def test_ends_in_its_named_outcome_in_bounded_time_and_memory(
    server: HostileServer, case: Misbehaviour
) -> None:
    web = LiveWeb(OPTIONS)
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before, started_s = peak_bytes(), time.monotonic()
    try:
        got = await download(f"{server.origin}/{case.name}", web, Rules(follow_refresh=True))
    finally:
        await web.close()
    assert time.monotonic() - started_s < TIMEOUT_S + 2
    assert peak_bytes() - before < MAX_GROWTH_BYTES
    if case.outcome is not None:
        assert not isinstance(got, Download), "was taken for a good page"
        assert got.reason is case.outcome, got.detail
        assert "\n" not in got.detail
    else:
        assert isinstance(got, Download), got
        assert got.response.truncated is case.truncated
        assert len(got.response.body) <= MAX_BODY_BYTES


FAULTS = {
    Reason.TIMEOUT,
    Reason.CONNECTION,
    Reason.BAD_HEADERS,
    Reason.BAD_FRAMING,
    Reason.BAD_ENCODING,
    Reason.TOO_SLOW,
    Reason.RATE_LIMITED,
}
"""What bars a whole host when its robots.txt ends so. A bomb is cut at 512 KiB like any long file."""


@pytest.mark.parametrize("case", MISBEHAVIOURS.values(), ids=lambda case: case.name)
async def test_as_robots_txt_it_opens_or_closes_the_host_and_nothing_else(
    server: HostileServer, case: Misbehaviour
) -> None:
    server.robots = case.name
    limits = Limits(timeout_s=0.4, grace_s=0.2)
    web = LiveWeb(LiveOptions(limits=limits, addresses=OPTIONS.addresses))
    started_s = time.monotonic()
    ruling = await Robots(web, time.monotonic, "bizcrawl").ruling(f"{server.origin}/page")
    await web.close()
    assert time.monotonic() - started_s < 4
    assert ruling.reason in {None, Reason.ROBOTS_UNREACHABLE}
    if case.outcome in FAULTS:
        assert not ruling, "a host whose robots.txt cannot be read was taken for open"


async def test_a_missing_robots_txt_opens_the_host_whatever_its_body(server: HostileServer) -> None:
    server.robots = "is_not_there_with_less_than_it_promises"
    web = LiveWeb(OPTIONS)
    ruling = await Robots(web, time.monotonic, "bizcrawl").ruling(f"{server.origin}/page")
    await web.close()
    assert ruling


async def test_what_was_decoded_is_the_page_itself(server: HostileServer) -> None:
    names = [
        "sends_gzip_in_two_members",
        "pads_its_gzip",
        "sends_deflate_without_its_header",
        "nests_codings_twice",
        "says_gzip_of_a_plain_body",
        "names_its_charset_as_a_coding",
        "sends_more_than_it_promises",
        "promises_more_than_it_sends",
        "breaks_off_its_chunks",
    ]
    web = LiveWeb(OPTIONS)
    for name in names:
        got = await download(f"{server.origin}/{name}", web, Rules())
        assert isinstance(got, Download), name
        assert got.response.body == PAGE, name
    await web.close()


async def test_an_answer_smuggled_behind_another_is_not_taken_for_the_next(server: HostileServer) -> None:
    web = LiveWeb(OPTIONS)
    for _ in range(3):
        await download(f"{server.origin}/sends_more_than_it_promises", web, Rules())
        got = await download(f"{server.origin}/sends_early_hints", web, Rules())
        assert isinstance(got, Download)
        assert got.response.body == PAGE
    await web.close()


async def test_the_rest_of_a_body_that_is_no_page_is_left_where_it_is(server: HostileServer) -> None:
    web = LiveWeb(OPTIONS)
    got = await download(f"{server.origin}/sends_a_pdf_without_end", web, Rules())
    await web.close()
    assert not isinstance(got, Download)
    assert got.reason is Reason.NOT_HTML
    assert got.detail == "application/pdf"


async def test_a_missing_page_called_found_is_marked(server: HostileServer) -> None:
    web = LiveWeb(OPTIONS)
    got = await download(f"{server.origin}/calls_a_missing_page_found", web, Rules())
    await web.close()
    assert isinstance(got, Download)
    assert tidied(Body.of(got), "auto", "parent", FOLLOWS_ALL).soft_404


async def test_without_cookies_the_page_that_wants_one_is_a_loop(server: HostileServer) -> None:
    web = LiveWeb(LiveOptions(limits=LIMITS, addresses=OPTIONS.addresses))
    got = await download(f"{server.origin}/wants_its_cookie_back", web, Rules())
    await web.close()
    assert not isinstance(got, Download)
    assert got.reason is Reason.REDIRECT_LOOP
