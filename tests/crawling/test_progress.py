"""The progress line: live on a terminal, plain and rare elsewhere."""

from __future__ import annotations

import io
import os
import pty
import termios
from collections import Counter

import pytest

from bizcrawl.cli.counting import Counting
from bizcrawl.cli.live import WIPE
from bizcrawl.cli.progress import PLAIN_S, ProgressLine, line, time_left_s
from bizcrawl.tally import Budget, Tally


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def tally(pages: int = 50, elapsed_s: float = 10.0) -> Tally:
    return Tally(
        pages=pages, hubs=3, listed={"a", "b"}, frontier=1234, elapsed_s=elapsed_s, turned_away=Counter()
    )


def test_the_line_says_pages_rate_hubs_sites_frontier_and_time_left() -> None:
    text = line(tally(), Budget(100))
    assert (
        text
        == "50/100 pages · 5/s · 3 hubs · 2 sites listed on them · 1,234 URLs waiting · at most 0:10 left"
    )


def test_the_line_says_the_harvest_rate_of_a_crawl_with_a_predicate() -> None:
    counted = tally()
    counted.relevant = 20
    assert "50/100 pages · 5/s · harvest rate 40.0% · 3 hubs" in line(counted, Budget(100))


@pytest.mark.parametrize(
    ("elapsed_s", "said"), [(4.0, "12/s"), (50.0, "1/s"), (100.0, "0.5/s"), (4_000.0, "0.013/s")]
)
def test_a_slow_crawl_is_not_said_to_stand_still(elapsed_s: float, said: str) -> None:
    assert f"50/100 pages · {said} · " in line(tally(elapsed_s=elapsed_s), Budget(100))


def test_one_hub_is_not_called_hubs() -> None:
    text = line(Tally(pages=2, hubs=1, listed={"a"}), Budget(100))
    assert "1 hub · 1 site listed" in text


def test_before_the_first_hub_nothing_is_said_of_the_sites_listed_on_hubs() -> None:
    text = line(Tally(pages=2, frontier=5), Budget(100))
    assert "/100 pages · 0/s · 0 hubs · 5 URLs waiting" in text


def test_the_sooner_of_pages_and_minutes_is_the_time_left() -> None:
    assert time_left_s(tally(), Budget(100, minutes=0.25)) == 5.0
    assert time_left_s(Tally(), Budget(100)) is None


def test_a_terminal_gets_one_line_that_is_wiped_at_the_end() -> None:
    stream, now = Terminal(), iter([0.0, 0.0, 0.0, 0.1, 0.3, 0.3])
    with ProgressLine(Budget(100), stream, lambda: next(now)) as progress:
        progress(tally())
        progress(tally())
        progress(tally())
    text = stream.getvalue()
    assert "\n" not in text
    assert text.count("50/100 pages") == 2
    assert text.endswith("\r\x1b[K")


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_the_live_line_never_wraps_and_keeps_what_matters_most(columns: int) -> None:
    """Of a line that wraps only the last row is wiped: five rows a second would be left behind."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    with (
        open(theirs, "w", encoding="utf-8") as terminal,
        ProgressLine(Budget(600), terminal, lambda: 0.0) as progress,
    ):
        progress(Tally(pages=584, hubs=12, listed={"a", "b"}, frontier=123_456, elapsed_s=10.0))
        Counting("crawls compared", terminal, iter([0.0, 9.0]).__next__)(12_345, 20_000)
        shown = ""
        while shown.count(WIPE) < 2:  # a terminal may give what was written in more than one piece
            shown += os.read(ours, 4_096).decode()
    os.close(ours)
    live, counted = shown.split(WIPE)[1:3]
    assert max(len(live), len(counted)) < columns
    assert live.startswith("584/600 pages")
    assert ("left" in live) == (columns >= 40)
    assert ("12 hubs" in live) == (columns >= 80)
    assert ("2 sites listed" in live) == (columns >= 200)


def test_a_pipe_gets_plain_lines_every_few_seconds() -> None:
    stream, clock = io.StringIO(), iter([0.0, 1.0, PLAIN_S, PLAIN_S, PLAIN_S + 1])
    with ProgressLine(Budget(100), stream, lambda: next(clock)) as progress:
        for _ in range(3):
            progress(tally())
    assert stream.getvalue().count("\n") == 1
    assert "\x1b" not in stream.getvalue()


def test_quiet_says_nothing() -> None:
    stream = Terminal()
    with ProgressLine(Budget(100), stream, quiet=True) as progress:
        progress(tally())
    assert stream.getvalue() == ""
