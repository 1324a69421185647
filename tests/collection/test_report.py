"""The report: what a collection found as one page that is safe to open, send and print."""

from __future__ import annotations

import json
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CompletedProcess
from xml.etree.ElementTree import Element

import duckdb
import html5lib
import pytest
from hostile_strings import OWN, published

from bizcrawl.collection.reader import Reader
from bizcrawl.collection.writer import Collection
from bizcrawl.reasons import MEANINGS, Reason
from bizcrawl.report.content import Company, Curve, Finding, LastCrawl, Part, Report, Underway, report_of
from bizcrawl.report.page import html
from testbed.demo import demo_topics

CommandLine = Callable[..., CompletedProcess[str]]
NOW = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def judged(bizcrawl: CommandLine, demo_harvest: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A harvest of which the analyst has rejected the second company."""
    path = Path(shutil.copy(demo_harvest, tmp_path_factory.mktemp("report")))
    assert bizcrawl("reject", path, "#2", "--note", "makes <b>tea</b>").returncode == 0
    return path


def parsed(page: str) -> Element:
    return html5lib.parse(page, namespaceHTMLElements=False)


def headings(page: str) -> list[str]:
    return ["".join(h2.itertext()) for h2 in parsed(page).iter("h2")]


def entries(page: str, heading: str) -> list[Element]:
    """The companies below a heading."""
    below: list[Element] = list(parsed(page).find("body/main"))  # type: ignore[arg-type]
    at = next(i for i, element in enumerate(below) if "".join(element.itertext()) == heading)
    return list(next(element for element in below[at:] if element.tag == "ol"))


def asked(path: Path, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as con:
        return con.execute(sql).fetchall()


def test_every_ranked_company_stands_there_in_order_with_its_evidence(
    bizcrawl: CommandLine, judged: Path
) -> None:
    done = bizcrawl("report", judged)
    assert done.returncode == 0, done.stderr
    page = judged.with_suffix(".html").read_text()
    shown = entries(page, "Ranked companies")
    ranked = asked(judged, "SELECT company FROM companies WHERE rank <= 50 ORDER BY rank")
    assert [entry.get("id") for entry in shown] == [company for (company,) in ranked]
    first = "".join(shown[0].itertext())
    weighed = f"SELECT kind, snippet FROM evidence WHERE company = '{ranked[0][0]}' AND kind <> 'small'"
    for kind, snippet in asked(judged, weighed):
        assert str(kind) in first
        assert " ".join(str(snippet).split()) in " ".join(first.split())


def test_points_of_the_parts_add_up_to_the_score(judged: Path) -> None:
    found = report_of(Reader(judged).rows)
    for company in found.ranked:
        assert sum(part.points for part in company.parts) == pytest.approx(company.score, abs=1e-3)


def test_seeds_rejected_companies_hubs_and_what_was_turned_away_are_shown(
    bizcrawl: CommandLine, judged: Path
) -> None:
    page = bizcrawl("report", judged, "-").stdout
    assert {
        "Your companies",
        "Ranked companies",
        "Rejected",
        "Who lists your companies",
        "The crawl",
        "Turned away",
    } <= set(headings(page))
    (rejected,) = entries(page, "Rejected")
    assert (
        rejected.get("id") == asked(judged, "SELECT company FROM companies WHERE verdict = 'rejected'")[0][0]
    )
    assert "Your note: makes <b>tea</b>" in "".join(rejected.itertext())
    for reason, _ in asked(judged, "SELECT reason, times FROM turned_away"):
        assert f"<td>{reason}</td>" in page
        assert MEANINGS[str(reason)] in "".join(parsed(page).itertext())


def test_every_reason_is_put_into_words() -> None:
    assert set(MEANINGS) == set(Reason)


def test_the_words_of_the_ranking_are_explained_where_they_stand(bizcrawl: CommandLine, judged: Path) -> None:
    page = bizcrawl("report", judged, "-").stdout
    told = page[page.index("<h2>Ranked companies</h2>") : page.index('<ol class="companies">')]
    assert "The score adds up" in told
    assert "A hub is a page of others" in told
    assert "0 is not at all, 1 is the same" in told


def test_a_known_company_that_was_rejected_is_no_longer_shown_as_one_of_yours(
    bizcrawl: CommandLine, demo_harvest: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(demo_harvest, tmp_path))
    named = [company.company for company in report_of(Reader(path).rows).seeds]
    assert bizcrawl("reject", path, named[0]).returncode == 0
    found = report_of(Reader(path).rows)
    assert [company.company for company in found.rejected] == named[:1]
    assert [company.company for company in found.seeds] == named[1:]
    assert found.rejected[0].name not in found.title


def test_top_and_findings_say_how_much_is_shown(bizcrawl: CommandLine, judged: Path) -> None:
    page = bizcrawl("report", judged, "-", "--top", "3", "--findings", "1").stdout
    assert len(entries(page, "Ranked companies")) == 3
    assert re.search(r"\d+ more are in the collection", page)
    assert max(len(list(found.iter("li"))) for found in parsed(page).iter("details")) >= 2
    for findings in parsed(page).iter("details"):
        for rows in findings.iter("ul"):
            assert len([row for row in rows if row.get("class") != "note"]) <= 1


def test_what_several_runs_have_met_is_shown_and_counted_once(
    bizcrawl: CommandLine, demo_harvest: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(demo_harvest, tmp_path))
    crawl = ("--keywords", "coffee roasting", "--web", "demo", "--pages", "120", "--to", path, "-q")
    seeds = demo_topics()[0].topic.seeds
    assert bizcrawl("crawl", *seeds, *crawl).returncode == 0
    ((pages, urls),) = asked(path, "SELECT count(*), count(DISTINCT url) FROM pages")
    assert pages != urls
    found = report_of(Reader(path).rows)
    assert found.counts["pages"] == urls
    hubs = [url for url, *_ in found.hubs]
    assert len(set(hubs)) == len(hubs) > 3
    away = "SELECT reason, count(DISTINCT url) FROM decisions GROUP BY reason"
    assert dict(found.turned_away) == dict(asked(path, away))
    status = json.loads(bizcrawl("status", path, "--format", "json").stdout)
    assert status["turned_away"] == dict(found.turned_away)


def test_a_plain_crawl_shows_the_pages_most_like_the_topic(bizcrawl: CommandLine, tmp_path: Path) -> None:
    path, topic = tmp_path / "plain.duckdb", demo_topics()[0].topic
    done = bizcrawl(
        *("crawl", topic.seeds[0], "--web", "demo", "--pages", "20", "--keywords", topic.keywords),
        *("--to", path, "-q"),
    )
    assert done.returncode == 0, done.stderr
    page = bizcrawl("report", path, "-").stdout
    assert "Most similar pages" in headings(page)
    assert "Ranked companies" not in headings(page)


def test_a_collection_that_is_being_written_is_reported_on(
    bizcrawl: CommandLine, judged: Path, tmp_path: Path
) -> None:
    with Collection.open(judged):
        done = bizcrawl("report", judged, tmp_path / "now.html")
    assert done.returncode == 0, done.stderr
    assert entries((tmp_path / "now.html").read_text(), "Ranked companies")


def test_explain_too_works_while_a_collection_is_being_written(bizcrawl: CommandLine, judged: Path) -> None:
    with Collection.open(judged):
        done = bizcrawl("explain", judged, "#1")
    assert done.returncode == 0, done.stderr
    assert "rank 1" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said", "code"),
    [
        (["none.duckdb"], "no such file", 1),
        (["FILE", "report.pdf"], "ends in .html", 2),
        (["FILE", "nowhere/report.html"], "can't be written", 1),
        (["EMPTY"], "no crawl", 2),
    ],
)
def test_wrong_use_is_one_clear_line(
    bizcrawl: CommandLine, judged: Path, tmp_path: Path, arguments: list[str], said: str, code: int
) -> None:
    Collection.create(tmp_path / "empty.duckdb").close()
    places = {"FILE": judged, "EMPTY": tmp_path / "empty.duckdb"}
    done = bizcrawl("report", *(places.get(argument, argument) for argument in arguments))
    assert done.returncode == code
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def saying(text: str) -> Report:
    """A report in which a stranger has written the same text everywhere."""
    finding = Finding(1.0, text, text)
    company = Company(
        *(text, text, text, text, text),
        rank=1,
        score=1.0,
        share=1.0,
        why=text,
        note=text,
        parts=(Part("listed", "", 1.0, (finding,), 1),),
    )
    return Report(
        title=text,
        crawl=LastCrawl(
            "discover competitors", text, text, "dom", "2026-11-28 12:00", "2026-11-28 12:01", text
        ),
        counts={"pages": 1, "sites": 1, "hubs": 1, "companies": 1},
        seeds=(company,),
        ranked=(company,),
        accepted=(),
        rejected=(replace(company, rank=None),),
        left_out=0,
        hubs=[(text, text, 2, 3)],
        pages=[(text, text, 0.5)],
        curves=(Curve("hubs", "0,100 100,0", 2, 1.0, 1.0),),
        turned_away=[("robots", 1)],
        underway=Underway(1, [(text, text, 0.5)]),
    )


def attributes(element: Element) -> Iterator[tuple[str, str, str]]:
    for below in element.iter():
        if isinstance(below.tag, str):
            yield from ((below.tag, name, value) for name, value in below.items())


def test_no_text_of_a_stranger_becomes_script_link_or_control_character() -> None:
    plain = parsed(html(saying("a word"), "harvest.duckdb", NOW))
    tags = [element.tag for element in plain.iter() if isinstance(element.tag, str)]
    for text in [*OWN, *published()]:
        page = html(saying(text), text, NOW)
        assert not any(unicodedata.category(c) in {"Cc", "Cs"} and c not in "\t\n\r" for c in page), (
            f"control character of {text!r}"
        )
        tree = parsed(page)
        found = [element.tag for element in tree.iter() if isinstance(element.tag, str)]
        assert [tag for tag in found if tag not in {"a", "p"}] == [t for t in tags if t not in {"a", "p"}], (
            text
        )
        for _, name, value in attributes(tree):
            assert not name.startswith("on"), text
            if name in {"href", "src"}:
                assert re.match(r"https?://", value, re.IGNORECASE), text


def test_the_page_loads_nothing_and_runs_nothing(bizcrawl: CommandLine, judged: Path) -> None:
    tree = parsed(bizcrawl("report", judged, "-").stdout)
    assert not {"script", "img", "iframe", "link", "object"} & {element.tag for element in tree.iter()}
    policy = [meta.get("content") for meta in tree.iter("meta") if meta.get("http-equiv")]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_hosts_are_shown_as_people_read_them_and_linked_as_they_are_registered() -> None:
    page = html(saying("https://www.xn--bcher-kva.example/"), "h.duckdb", NOW)
    links = list(parsed(page).iter("a"))
    assert links
    assert {link.get("href") for link in links} == {"https://www.xn--bcher-kva.example/"}
    shown = "".join(parsed(page).find("body/main").itertext())  # type: ignore[union-attr]
    assert "https://www.bücher.example/" in shown


def test_hosts_in_scripts_from_right_to_left_keep_the_order_of_their_labels() -> None:
    page = html(saying("https://xn--mgba3a4f16a.example/"), "h.duckdb", NOW)
    (company,) = entries(page, "Ranked companies so far")
    key = company.find(".//p[@class='note']/bdi")
    assert key is not None
    assert (key.text, key.get("dir")) == ("https://ایران.example/", "ltr")
