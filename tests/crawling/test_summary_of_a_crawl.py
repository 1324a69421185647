"""What is said when a crawl has ended: nothing that was counted is kept to itself."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from crawling_samples import CommandLine

from bizcrawl.assessing import plan_of
from bizcrawl.cli.crawling import concluding, crawl, no_seed
from bizcrawl.collection.reader import Reader
from bizcrawl.collection.writer import Collection
from bizcrawl.errors import BizcrawlError, RecordNotKept
from bizcrawl.plan import Plan
from bizcrawl.reasons import Reason
from bizcrawl.report.content import report_of
from bizcrawl.run import Ended
from bizcrawl.strategies.table import make_strategy
from bizcrawl.tally import Budget, Stop, Tally
from bizcrawl.topic import Topic
from bizcrawl.web import Failure
from bizcrawl.web.rendering_counts import Outcome, RenderingCounts
from bizcrawl.web.warc_file import WarcFile


def ended_with(tally: Tally) -> Ended:
    strategy = make_strategy("best-first", random.Random(0))
    return Ended(Stop.PAGES, tally, {}, strategy, gave_way=0)


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


def test_a_disk_that_is_full_of_records_ends_a_crawl_with_the_way_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, append = [], WarcFile.append

    def append_while_there_is_room(self: WarcFile, record: object, entry: object = None) -> None:
        if len(kept) == 20:
            raise RecordNotKept(f"{self.path}: cannot be written: No space left on device")
        kept.append(record)
        append(self, record, entry)  # type: ignore[arg-type]

    monkeypatch.setattr(WarcFile, "append", append_while_there_is_room)
    plan = Plan(
        "crawl", Topic("t", ("https://roastwell.example/",), "coffee"), Budget(100), web="demo",
        connections=1, workers=0, warc=str(tmp_path / "kept"),
    )  # fmt: skip
    path = tmp_path / "full.duckdb"
    told = pytest.raises(BizcrawlError, match=rf"No space left.*go on with: bizcrawl resume {path}$")
    with Collection.create(path) as collection, told:
        crawl(plan, collection, quiet=True)
    ((pages,),) = Reader(path).rows("SELECT count(*) FROM pages")
    assert pages > 0


def test_why_pages_were_rendered_and_what_they_were_refused_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = replace(
        ended_with(Tally(pages=3)),
        in_browser=RenderingCounts(
            outcomes=Counter({Outcome.RENDERED: 2, Outcome.LED_ELSEWHERE: 1}),
            signs=Counter({"little_text": 1, "empty_mount": 2}),
            refused=Counter({Reason.FORBIDDEN_ADDRESS: 4}),
        ),
    )
    plan = Plan("crawl", Topic("tea", ("http://a.example/",), "tea"), Budget(3))
    with concluding(ended, Collection.create(tmp_path / "c.duckdb"), plan):
        pass
    said = capsys.readouterr().err
    assert "in the browser: rendered 2, led elsewhere 1" in said
    assert "rendered because of: empty mount 2, little text 1" in said
    assert "connections that pages in the browser did not get: forbidden address 4" in said


def test_hubs_that_lead_to_companies_in_two_steps_are_counted_at_the_end_and_in_the_report(
    demo_harvest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The crawl can't count them: it takes the ranking to know who is behind a link."""
    path = Path(shutil.copy(demo_harvest, tmp_path))
    told = "2 of your companies among 3 on “List”: Rival"
    with Collection.open(path) as collection, closing(collection.cursor()) as con:
        plan = plan_of(con)
        ((rival,),) = con.execute("SELECT company FROM companies WHERE rank = 1").fetchall()
        ((direct,),) = con.execute("SELECT count(*) FROM hubs WHERE seed_domains > 1").fetchall()
        collection.transact(
            lambda con: con.execute(
                "INSERT INTO evidence BY NAME SELECT ? AS company, 'listed' AS kind, 0.5 AS weight, "
                "final_url AS page, '' AS link, ? AS snippet FROM pages WHERE page NOT IN "
                "(SELECT page FROM hubs) ORDER BY page DESC LIMIT 1",
                [rival, told],
            )
        )
        with concluding(ended_with(Tally(pages=200, hubs=direct)), collection, plan):
            pass
    assert f"{direct + 1} hubs with two or more of your companies, " in capsys.readouterr().err
    assert report_of(Reader(path).rows).counts["hubs"] == direct + 1


def test_pages_that_link_to_two_hosts_of_one_company_are_no_hubs_with_two_companies(
    demo_harvest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(shutil.copy(demo_harvest, tmp_path))
    with Collection.open(path) as collection, closing(collection.cursor()) as con:
        plan = plan_of(con)
        ((hubs,),) = con.execute("SELECT count(*) FROM hubs WHERE seed_domains > 1").fetchall()
        collection.transact(lambda con: con.execute("UPDATE pages SET hub_score = 0.4"))
        with concluding(ended_with(Tally(pages=200, hubs=200)), collection, plan):
            pass
    assert f", {hubs} hubs with two or more of your companies, " in capsys.readouterr().err
    assert report_of(Reader(path).rows).counts["hubs"] == hubs


def test_without_a_known_company_nothing_is_said_of_hubs_that_list_some(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = Plan("discover companies", Topic("tea", (), "tea"), Budget(3))
    with concluding(ended_with(Tally(pages=3)), Collection.create(tmp_path / "c.duckdb"), plan):
        pass
    assert "hub" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("url", "reason", "is_told"),
    [
        ("https://old.example/", Reason.CONNECTION, True),
        ("https://old.example/", Reason.TLS, True),
        ("https://old.example/", Reason.ROBOTS_UNREACHABLE, True),
        ("https://old.example/", Reason.NOT_RECORDED, True),
        ("https://old.example/", Reason.DNS, False),
        ("https://old.example/", Reason.HTTP_ERROR, False),
        ("http://old.example/", Reason.CONNECTION, False),
    ],
)
def test_whoever_wrote_no_scheme_is_told_of_sites_without_https(
    url: str, reason: Reason, is_told: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failure = Failure(url, reason, "")
    assert ("write http:// before" in str(no_seed([failure]))) == is_told
    plan = Plan("crawl", Topic("tea", (url, "http://a.example/"), "tea"), Budget(3))
    with (
        Collection.create(tmp_path / "c.duckdb") as collection,
        concluding(ended_with(Tally(pages=3, seed_failures={url: failure})), collection, plan),
    ):
        pass
    said = capsys.readouterr().err
    assert "seeds that could not be visited; check the addresses" in said
    assert ("write http:// before" in said) == is_told
