"""No host is asked too often, none is kept waiting without need. All of it in virtual time."""

from __future__ import annotations

import asyncio
import itertools
import math
import random
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bizcrawl.politeness import Manners, Politeness
from bizcrawl.reasons import Reason, Ruling
from bizcrawl.urls import host_of
from bizcrawl.web import Failure, Request, Response
from bizcrawl.web.fields import retry_after_s
from bizcrawl.web.polite import PoliteWeb

T = TypeVar("T")
WALL_S = datetime(2026, 11, 28, tzinfo=UTC).timestamp()


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Time stands still while anything can run, and jumps to the next timer otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self.virtual_s = 0.0

    def time(self) -> float:
        return self.virtual_s

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:
            self.virtual_s = max(self.virtual_s, self._scheduled[0]._when)
        super()._run_once()


def in_virtual_time(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(work)


def now_s() -> float:
    return asyncio.get_running_loop().time()


def gate_of(**manners: float) -> Politeness:
    return Politeness(Manners(**manners), now_s, wall_clock=lambda: WALL_S + now_s())  # type: ignore[arg-type]


class TimedWeb:
    """Answers after a while, and writes down when it was asked and answered."""

    def __init__(
        self,
        took_s: Callable[[str], float] = lambda _: 0.1,
        answer: Callable[[str, int], tuple[int, dict[str, str]] | Reason] = lambda url, n: (200, {}),
        address: Callable[[str], str] = lambda host: host,
    ) -> None:
        self.spans: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self.most_at_once: dict[str, int] = defaultdict(int)
        self._now: dict[str, int] = defaultdict(int)
        self._took_s, self._answer, self._address = took_s, answer, address

    async def fetch(self, request: Request) -> Response | Failure:
        host = host_of(request.url)
        began_s = now_s()
        self._now[host] += 1
        self.most_at_once[host] = max(self.most_at_once[host], self._now[host])
        await asyncio.sleep(self._took_s(request.url))
        self._now[host] -= 1
        self.spans[host].append((began_s, now_s()))
        answer = self._answer(request.url, len(self.spans[host]))
        if isinstance(answer, Reason):
            return Failure(request.url, answer, "trouble")
        return Response(request.url, *answer, b"", datetime.now(UTC), address=self._address(host))

    async def close(self) -> None:
        pass

    def starts_s(self, host: str) -> list[float]:
        return [began for began, _ in self.spans[host]]

    def rests_s(self, host: str) -> list[float]:
        spans = self.spans[host]
        return [after[0] - before[1] for before, after in itertools.pairwise(spans)]


async def ask(gate: Politeness, web: TimedWeb, urls: list[str]) -> None:
    polite = PoliteWeb(web, gate)
    await asyncio.gather(*(polite.fetch(Request(url)) for url in urls))


def test_a_host_is_asked_once_at_a_time_with_its_rest_between() -> None:
    web = TimedWeb()
    in_virtual_time(ask(gate_of(delay_s=2.0), web, [f"http://h.example/{i}" for i in range(5)]))
    assert web.most_at_once["h.example"] == 1
    assert web.rests_s("h.example") == pytest.approx([2.0] * 4)


def test_per_host_allows_so_many_at_once_and_still_spaces_their_starts() -> None:
    web = TimedWeb(took_s=lambda _: 10.0)
    in_virtual_time(ask(gate_of(delay_s=1.0, per_host=3), web, [f"http://h.example/{i}" for i in range(6)]))
    assert web.most_at_once["h.example"] == 3
    starts = sorted(web.starts_s("h.example"))
    assert all(after - before >= 1.0 for before, after in itertools.pairwise(starts))


def test_without_delay_a_host_of_ones_own_is_asked_at_full_speed() -> None:
    web = TimedWeb(took_s=lambda _: 1.0)
    gate = gate_of(delay_s=0.0, per_host=32)

    async def work() -> float:
        await ask(gate, web, [f"http://127.0.0.1/{i}" for i in range(64)])
        return now_s()

    assert in_virtual_time(work()) == pytest.approx(2.0)
    assert web.most_at_once["127.0.0.1"] == 32


def test_hosts_at_one_address_share_its_spacing() -> None:
    web = TimedWeb(took_s=lambda _: 0.01, address=lambda _: "93.184.216.34")
    urls = [f"http://h{i}.example/{n}" for n in range(3) for i in range(10)]

    async def work(gate: Politeness) -> None:
        await ask(gate, web, urls[:10])  # the address is learnt from the first answer
        await ask(gate, web, urls[10:])

    in_virtual_time(work(gate_of(delay_s=2.0, per_address_s=0.5)))
    starts = sorted(start for host in web.spans for start in web.starts_s(host)[1:])
    assert all(after - before >= 0.5 - 1e-9 for before, after in itertools.pairwise(starts))


def test_an_answer_that_does_not_say_its_address_leaves_it_as_it_was_known() -> None:
    said = iter(["93.184.216.34"] * 2 + [""] * 9)
    web = TimedWeb(took_s=lambda _: 0.0, address=lambda _: next(said))
    hosts = ["http://a.example/", "http://b.example/"]

    async def work() -> None:
        gate = gate_of(delay_s=2.0, per_address_s=0.5)
        for _ in range(3):
            await ask(gate, web, hosts)
            await asyncio.sleep(10.0)

    in_virtual_time(work())
    apart_s = [abs(a - b) for a, b in zip(web.starts_s("a.example"), web.starts_s("b.example"), strict=True)]
    assert apart_s == pytest.approx([0.0, 0.5, 0.5])


def test_hosts_at_one_address_are_spaced_no_longer_than_one_host_is() -> None:
    """docs/politeness.md: never more than the delay, so that one's own sites are asked at full speed."""
    web = TimedWeb(took_s=lambda _: 0.0, address=lambda _: "127.0.0.1")

    async def work() -> float:
        gate = gate_of(delay_s=0.1, per_address_s=0.5)
        for _ in range(2):
            await ask(gate, web, [f"http://h{i}.example/" for i in range(3)])
            await asyncio.sleep(10.0)
        return now_s()

    in_virtual_time(work())
    starts = sorted(web.starts_s(host)[1] for host in web.spans)
    assert [after - before for before, after in itertools.pairwise(starts)] == pytest.approx([0.1, 0.1])


def test_a_crawl_delay_lengthens_the_rest_but_never_shortens_it() -> None:
    web = TimedWeb()
    gate = gate_of(delay_s=2.0)

    async def work() -> None:
        await ask(gate, web, ["http://slow.example/0", "http://quick.example/0"])
        gate.ask_delay("slow.example", 7.0)
        gate.ask_delay("quick.example", 0.5)
        await ask(gate, web, [f"http://{name}.example/{i}" for i in range(2) for name in ("slow", "quick")])

    in_virtual_time(work())
    assert web.rests_s("slow.example") == pytest.approx([7.0, 7.0])
    assert web.rests_s("quick.example") == pytest.approx([2.0, 2.0])


class TestBackingOff:
    @staticmethod
    def rests(
        answer: Callable[[str, int], tuple[int, dict[str, str]] | Reason], requests: int = 4
    ) -> list[float]:
        web = TimedWeb(took_s=lambda _: 0.0, answer=answer)
        manners = {"delay_s": 1.0, "first_back_off_s": 10.0, "max_failures": 99}
        in_virtual_time(ask(gate_of(**manners), web, [f"http://h.example/{i}" for i in range(requests)]))
        return web.rests_s("h.example")

    @pytest.mark.parametrize("status", [429, 503])
    def test_retry_after_in_seconds_holds_for_the_whole_host(self, status: int) -> None:
        assert self.rests(lambda _, n: (status, {"retry-after": "33"}) if n == 1 else (200, {})) == [
            33.0,
            1.0,
            1.0,
        ]

    def test_retry_after_as_a_date_is_read_with_the_wall_clock(self) -> None:
        date = "Sat, 28 Nov 2026 00:00:45 GMT"
        assert self.rests(lambda _, n: (429, {"retry-after": date}) if n == 1 else (200, {})) == [
            45.0,
            1.0,
            1.0,
        ]

    @pytest.mark.parametrize("our_clock_is_off_s", [-30 * 86400.0, 0.0, 3600.0, 50 * 365 * 86400.0])
    def test_a_date_is_read_by_the_clock_of_the_server_that_gave_it(self, our_clock_is_off_s: float) -> None:
        """With ours set back the host was given up, with ours set forth it was asked too soon."""
        fields = {"date": "Sat, 28 Nov 2026 00:00:00 GMT", "retry-after": "Sat, 28 Nov 2026 00:00:45 GMT"}
        web = TimedWeb(answer=lambda _, n: (429, fields) if n == 1 else (200, {}))
        gate = Politeness(Manners(delay_s=1.0), now_s, wall_clock=lambda: WALL_S + our_clock_is_off_s)
        in_virtual_time(ask(gate, web, ["http://h.example/1", "http://h.example/2"]))
        assert web.rests_s("h.example") == [45.0]

    @pytest.mark.parametrize("field", ["0", "", "soon", "-5", "Wed, 21 Oct 2015 07:28:00 GMT"])
    def test_zero_nonsense_and_the_past_mean_the_normal_back_off(self, field: str) -> None:
        assert self.rests(lambda _, n: (429, {"retry-after": field}) if n == 1 else (200, {})) == [
            10.0,
            1.0,
            1.0,
        ]

    def test_back_off_doubles_while_trouble_lasts_and_ends_with_it(self) -> None:
        def answer(_: str, n: int) -> tuple[int, dict[str, str]] | Reason:
            return Reason.TIMEOUT if n <= 3 else (200, {})

        assert self.rests(answer, 6) == [10.0, 20.0, 40.0, 1.0, 1.0]

    def test_back_off_has_an_end(self) -> None:
        assert max(self.rests(lambda _, n: (503, {}), 12)) == 300.0

    def test_a_burst_of_refusals_is_one_step(self) -> None:
        web = TimedWeb(took_s=lambda _: 5.0, answer=lambda _, n: (429, {}))
        gate = gate_of(delay_s=0.0, per_host=8, first_back_off_s=10.0)
        in_virtual_time(ask(gate, web, [f"http://h.example/{i}" for i in range(9)]))
        starts = web.starts_s("h.example")
        assert starts[-1] == pytest.approx(15.0)

    def test_a_date_in_another_century_closes_the_host(self) -> None:
        web = TimedWeb(answer=lambda _, n: (429, {"retry-after": "Wed, 21 Oct 2099 07:28:00 GMT"}))
        gate = gate_of()
        in_virtual_time(ask(gate, web, ["http://h.example/"]))
        ruling = gate.ruling("h.example")
        assert ruling.reason is Reason.RATE_LIMITED
        assert "h.example" in ruling.detail

    @pytest.mark.parametrize(
        "reason",
        [
            Reason.TIMEOUT,
            Reason.CONNECTION,
            Reason.TLS,
            Reason.DNS,
            Reason.TOO_SLOW,
            Reason.BAD_FRAMING,
        ],
    )
    def test_a_host_that_keeps_failing_is_given_up(self, reason: Reason) -> None:
        web = TimedWeb(answer=lambda _, n: reason)
        gate = gate_of(max_failures=3)

        async def work() -> None:
            for i in range(3):
                assert gate.ruling("h.example")
                await ask(gate, web, [f"http://h.example/{i}"])
            assert gate.ruling("h.example").reason is reason
            assert gate.wait_s("h.example") == 0.0  # its URLs need no waiting to be turned away

        in_virtual_time(work())

    def test_what_is_no_trouble_of_the_host_makes_it_wait_no_longer(self) -> None:
        assert self.rests(lambda _, n: Reason.BOMB if n == 1 else (404, {})) == [1.0, 1.0, 1.0]

    def test_a_back_off_is_never_shorter_than_the_rest_that_the_host_has_anyway(self) -> None:
        """With a Crawl-delay of 20 s, ten would be no back-off at all, and the first step of twenty none."""
        web = TimedWeb(took_s=lambda _: 0.0, answer=lambda _, n: (429, {}))
        gate = gate_of(delay_s=20.0, first_back_off_s=10.0)
        in_virtual_time(ask(gate, web, [f"http://h.example/{i}" for i in range(4)]))
        assert web.rests_s("h.example") == [20.0, 40.0, 80.0]

    @pytest.mark.parametrize(("asked_s", "open_"), [(300, True), (301, False)])
    def test_a_host_that_asks_for_more_than_the_longest_back_off_is_left_alone(
        self, asked_s: int, open_: bool
    ) -> None:
        web = TimedWeb(answer=lambda _, n: (503, {"retry-after": str(asked_s)}))
        gate = gate_of()
        in_virtual_time(ask(gate, web, ["http://h.example/"]))
        assert bool(gate.ruling("h.example")) is open_

    def test_one_good_answer_forgives_the_failures_before_it(self) -> None:
        web = TimedWeb(answer=lambda _, n: (200, {}) if n % 2 == 0 else Reason.TIMEOUT)
        gate = gate_of(max_failures=2)
        in_virtual_time(ask(gate, web, [f"http://h.example/{i}" for i in range(10)]))
        assert gate.ruling("h.example")


class TestLeases:
    def test_a_host_in_hand_is_not_handed_out_again(self) -> None:
        async def work() -> None:
            gate = gate_of(delay_s=2.0)
            assert gate.wait_s("h.example") == 0.0
            gate.lease("h.example")
            assert gate.wait_s("h.example") >= 2.0
            started_s = await gate.turn("h.example")
            gate.done("h.example", started_s, None)
            gate.release("h.example")
            assert gate.wait_s("h.example") == pytest.approx(2.0)
            assert gate.soonest_s() == pytest.approx(2.0)
            await asyncio.sleep(2.0)
            assert gate.wait_s("h.example") == 0.0

        in_virtual_time(work())

    def test_soonest_is_the_host_whose_rest_ends_first(self) -> None:
        async def work() -> None:
            gate = gate_of(delay_s=2.0)
            assert gate.soonest_s() == math.inf
            for host, delay_s in (("a.example", 9.0), ("b.example", 4.0), ("c.example", 6.0)):
                gate.lease(host)
                gate.done(host, await gate.turn(host), None)
                gate.ask_delay(host, delay_s)
                gate.release(host)
            assert gate.soonest_s() == pytest.approx(4.0)
            await asyncio.sleep(4.5)
            assert gate.soonest_s() == pytest.approx(1.5)
            gate.lease("c.example")
            assert gate.soonest_s() == pytest.approx(4.5)
            gate.release("c.example")
            assert gate.soonest_s() == pytest.approx(1.5)

        in_virtual_time(work())

    def test_soonest_knows_of_a_rest_that_was_lengthened_since(self) -> None:
        async def work() -> None:
            gate = gate_of(delay_s=2.0)
            for host in ("a.example", "b.example"):
                gate.lease(host)
                gate.done(host, await gate.turn(host), None)
                gate.release(host)
            gate.ask_delay("a.example", 9.0)
            gate.rest("b.example", 30.0)
            assert gate.soonest_s() == pytest.approx(9.0)
            await asyncio.sleep(9.0)
            assert gate.soonest_s() == pytest.approx(21.0)

        in_virtual_time(work())

    @pytest.mark.parametrize("delay_s", [0.0, 2.0])
    def test_of_a_host_no_more_is_in_hand_than_per_host_says(self, delay_s: float) -> None:
        async def work() -> None:
            gate = gate_of(delay_s=delay_s, per_host=2)
            gate.lease("h.example")
            assert gate.wait_s("h.example") == 0.0
            gate.lease("h.example")
            assert gate.wait_s("h.example") >= max(delay_s, 0.001)
            gate.release("h.example")
            assert gate.wait_s("h.example") == 0.0

        in_virtual_time(work())

    def test_hosts_that_redirect_to_each_other_do_not_lock_each_other_up(self) -> None:
        web = TimedWeb()

        async def follow(polite: PoliteWeb, gate: Politeness, first: str, then: str) -> None:
            gate.lease(first)
            await polite.fetch(Request(f"http://{first}/"))
            await polite.fetch(Request(f"http://{then}/"))
            gate.release(first)

        async def work() -> None:
            gate = gate_of()
            polite = PoliteWeb(web, gate)
            hosts = "a.example", "b.example"
            await asyncio.gather(follow(polite, gate, *hosts), follow(polite, gate, *reversed(hosts)))

        in_virtual_time(work())
        assert [len(spans) for spans in web.spans.values()] == [2, 2]

    @pytest.mark.parametrize("cancelled", [(1, 0), (0, 1)])
    def test_a_sleeper_that_is_cancelled_passes_its_turn_on(self, cancelled: tuple[int, int]) -> None:
        web = TimedWeb(took_s=lambda _: 5.0)

        async def work() -> None:
            gate = gate_of(delay_s=1.0)
            polite = PoliteWeb(web, gate)
            tasks = [asyncio.create_task(polite.fetch(Request(f"http://h.example/{i}"))) for i in range(4)]
            await asyncio.sleep(1.0)
            assert gate.sleeping == 3
            for number in cancelled:
                tasks[number].cancel()
            await asyncio.gather(tasks[2], tasks[3])
            assert gate.sleeping == 0
            assert [task.cancelled() for task in tasks] == [True, True, False, False]

        in_virtual_time(work())
        assert len(web.spans["h.example"]) == 2

    @pytest.mark.parametrize("fault", [asyncio.CancelledError, RuntimeError])
    def test_one_that_is_given_up_while_it_is_answered_leaves_the_turn_to_others_after_the_rest(
        self, fault: type[BaseException]
    ) -> None:
        class Failing(TimedWeb):
            async def fetch(self, request: Request) -> Response | Failure:
                answer = await super().fetch(request)
                if request.url.endswith("/0"):
                    raise fault
                return answer

        async def work() -> list[float]:
            web = Failing(took_s=lambda _: 3.0)
            polite = PoliteWeb(web, gate_of(delay_s=2.0))
            asked = [polite.fetch(Request(f"http://h.example/{number}")) for number in range(2)]
            first, second = await asyncio.gather(*asked, return_exceptions=True)
            assert isinstance(first, fault)
            assert isinstance(second, Response)
            return web.starts_s("h.example")

        first_s, second_s = in_virtual_time(work())
        assert second_s - first_s == pytest.approx(5.0)

    def test_closing_it_closes_the_web_within(self) -> None:
        closed: list[str] = []

        class Closing(TimedWeb):
            async def close(self) -> None:
                closed.append("closed")

        in_virtual_time(PoliteWeb(Closing(), gate_of()).close())
        assert closed == ["closed"]

    def test_one_that_is_cancelled_while_the_host_rests_leaves_the_turn_to_others(self) -> None:
        web = TimedWeb(took_s=lambda _: 1.0)

        async def work() -> None:
            gate = gate_of(delay_s=2.0)
            polite = PoliteWeb(web, gate)
            tasks = [asyncio.create_task(polite.fetch(Request(f"http://h.example/{i}"))) for i in range(4)]
            await asyncio.sleep(2.0)  # the first has ended, the second has been woken and waits for the rest
            tasks[1].cancel()
            await asyncio.wait_for(asyncio.gather(tasks[2], tasks[3]), 60)

        in_virtual_time(work())
        assert len(web.spans["h.example"]) == 3

    def test_who_waits_already_is_not_held_for_a_century(self) -> None:
        date = "Wed, 21 Oct 2099 07:28:00 GMT"
        web = TimedWeb(answer=lambda _, n: (429, {"retry-after": date}))

        async def work() -> float:
            await ask(gate_of(), web, ["http://h.example/1", "http://h.example/2"])
            return now_s()

        assert in_virtual_time(work()) < 400.0


def test_a_host_has_its_budget_of_pages() -> None:
    async def work() -> None:
        gate = gate_of(max_pages=3)
        for _ in range(3):
            assert gate.ruling("h.example")
            gate.count_page("h.example")
        assert gate.ruling("h.example").reason is Reason.HOST_BUDGET
        assert gate.ruling("other.example")

    in_virtual_time(work())


def test_pages_of_earlier_sittings_count_against_the_budget() -> None:
    async def work() -> None:
        gate = gate_of(max_pages=3)
        gate.count_page("h.example")
        gate.resume_from({"h.example": 1})
        assert gate.ruling("h.example")
        gate.count_page("h.example")
        assert gate.ruling("h.example").detail == "3 pages of h.example"

    in_virtual_time(work())


def test_a_rest_that_is_asked_for_lengthens_one_and_has_an_end() -> None:
    """As when robots.txt cannot be read: its host may be asked again in an hour; a crawl goes on."""

    async def work() -> None:
        gate = gate_of(max_back_off_s=300.0)
        assert gate.rest_s("h.example") == 0.0
        gate.rest("h.example", 100.0)
        gate.rest("h.example", 10.0)
        assert gate.rest_s("h.example") == gate.wait_s("h.example") == 100.0
        gate.rest("h.example", 3_600.0)
        assert gate.rest_s("h.example") == 300.0

    in_virtual_time(work())


def test_a_host_whose_pages_stall_their_reader_is_given_up_and_says_so() -> None:
    async def story() -> list[Reason | None]:
        gate = gate_of(max_stalls=3)
        reasons = []
        for _ in range(4):
            reasons.append(gate.ruling("slow.example").reason)
            gate.count_stall("slow.example")
        assert "3 pages took too long" in gate.ruling("slow.example").detail
        assert gate.ruling("other.example")
        return reasons

    assert in_virtual_time(story()) == [None, None, None, Reason.TIDY_FAILED]


def test_a_host_that_was_closed_stays_closed_for_the_reason_that_it_had() -> None:
    """Requests that are under way then may still fail, or bring pages."""

    async def work() -> None:
        gate = gate_of(max_failures=1, max_stalls=1, max_pages=1)
        gate.close("h.example", Ruling(Reason.TRAP, "an endless calendar"))
        assert gate.ruling("h.example").reason is Reason.TRAP
        await ask(gate, TimedWeb(answer=lambda _, n: Reason.TIMEOUT), ["http://h.example/"])
        gate.count_stall("h.example")
        gate.count_page("h.example")
        assert gate.ruling("h.example").reason is Reason.TRAP

    in_virtual_time(work())


@settings(max_examples=40)
@given(
    hosts=st.integers(1, 30),
    pages=st.integers(1, 12),
    delay_s=st.sampled_from([0.0, 0.3, 1.0]),
    per_host=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_whatever_happens_no_host_is_asked_early_and_none_is_starved(
    hosts: int, pages: int, delay_s: float, per_host: int, seed: int
) -> None:
    rng = random.Random(seed)
    urls = [f"http://h{rng.randrange(hosts)}.example/{i}" for i in range(hosts * pages)]
    web = TimedWeb(
        took_s=lambda _: rng.random() * 2, answer=lambda _, n: rng.choice([(200, {}), (404, {}), (500, {})])
    )

    async def work() -> float:
        await ask(gate_of(delay_s=delay_s, per_host=per_host), web, urls)
        return now_s()

    took_s = in_virtual_time(work())
    busiest = max(len(spans) for spans in web.spans.values())
    assert sum(len(spans) for spans in web.spans.values()) == len(urls)
    assert all(most <= per_host for most in web.most_at_once.values())
    for host in web.spans:
        starts = sorted(web.starts_s(host))
        assert all(after - before >= delay_s - 1e-9 for before, after in itertools.pairwise(starts))
    assert took_s <= busiest * (2.0 + delay_s) + 1e-6


@pytest.mark.parametrize(
    "date",
    ["Sat Nov 28 00:00:45 2026", "Saturday, 28-Nov-26 00:00:45 GMT", "Sat, 28 Nov 2026 00:00:45 -0000"],
)
def test_a_date_without_its_zone_is_no_local_time(date: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    time.tzset()
    try:
        assert retry_after_s(date, WALL_S) == 45.0
    finally:
        monkeypatch.undo()
        time.tzset()


@given(st.text(max_size=40))
def test_retry_after_never_raises(text: str) -> None:
    seconds = retry_after_s(text, WALL_S)
    assert seconds is None or seconds > 0
