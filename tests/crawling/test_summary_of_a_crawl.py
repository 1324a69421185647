"""What is said when a crawl has ended: nothing that was counted is kept to itself."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from crawling_samples import CommandLine

from bizcrawl.cli.crawling import concluding
from bizcrawl.collection.writer import Collection
from bizcrawl.reasons import Reason
from bizcrawl.run import Ended
from bizcrawl.strategies.table import make_strategy
from bizcrawl.tally import Stop, Tally


@pytest.mark.parametrize(("apart", "gives_way"), [(3, True), (0, False)])
def test_how_often_the_rule_of_hosts_had_to_give_way_is_said(
    apart: int, gives_way: bool, tmp_path: Path, bizcrawl: CommandLine
) -> None:
    """Five URLs of one host and none of another: all but the first are of the host that was asked last."""
    done = bizcrawl(
        "crawl", "http://roastwell.example/", "--web", "demo", "--strategy", "breadth-first",
        "--scope", "host", "--set", f"hosts_apart={apart}", "--keywords", "coffee",
        "--to", tmp_path / "c.duckdb",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = "hosts kept apart: 4 URLs of a host asked shortly before, for want of others"
    assert (said in done.stderr) == gives_way


def test_why_pages_were_rendered_and_what_they_were_refused_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = Ended(
        Stop.PAGES,
        Tally(pages=3),
        {},
        make_strategy("best-first", random.Random(0)),
        gave_way=0,
        rendered={"rendered": 2, "led_elsewhere": 1},
        signs={"little_text": 1, "empty_mount": 2},
        refused_to_pages={Reason.FORBIDDEN_ADDRESS: 4},
    )
    with concluding(ended, Collection.create(tmp_path / "c.duckdb")):
        pass
    said = capsys.readouterr().err
    assert "in the browser: rendered 2, led elsewhere 1" in said
    assert "rendered because of: empty mount 2, little text 1" in said
    assert "connections that pages in the browser did not get: forbidden address 4" in said
