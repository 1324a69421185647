"""What a report says of a small collection, figure by figure."""

from __future__ import annotations

from pathlib import Path

import pytest
from collection_samples import TOPIC, MakePage, visit

from bizcrawl.collection.reader import Reader
from bizcrawl.collection.rows import Batch, CallRow, CompanyRow, CrawlRow, DecisionRow, EvidenceRow
from bizcrawl.collection.writer import Collection
from bizcrawl.errors import WrongUse
from bizcrawl.reasons import Reason
from bizcrawl.report.content import Finding, report_of


def crawl(collection: Collection, make_page: MakePage, similarities: dict[str, float]) -> None:
    pages = [
        make_page(f"https://{site}.example/", title=f"{site} {value}", similarity=value)
        for site, value in similarities.items()
    ]
    calls = [
        CallRow("start"),
        *(visit(page.row.url)._replace(at_s=40.0 * n) for n, page in enumerate(pages, 1)),
    ]
    collection.submit(Batch(pages, calls, [DecisionRow("https://z.example/", Reason.ROBOTS)])).result()


def test_a_page_is_told_once_as_the_last_crawl_found_it_the_most_similar_first(
    collection: Collection, path: Path, make_page: MakePage
) -> None:
    crawl(collection, make_page, {"a": 0.9, "b": 0.2, "c": 0.0})
    collection.begin_crawl(CrawlRow("crawl", TOPIC, "dom"))
    crawl(collection, make_page, {"a": 0.1, "d": 0.2, "e": 0.5})
    found = report_of(Reader(path).rows)
    assert found.pages == [
        ("https://e.example/", "e 0.5", 0.5),
        ("https://b.example/", "b 0.2", 0.2),
        ("https://d.example/", "d 0.2", 0.2),
        ("https://a.example/", "a 0.1", 0.1),
    ]
    assert (found.counts["pages"], found.counts["sites"]) == (5, 5)
    assert (found.title, found.crawl.strategy, found.crawl.ended_at) == ("Crawl: pumps", "dom", "")
    assert found.underway is not None
    assert found.underway.last_minute == 2  # of visits at 40, 80 and 120 s
    assert [row[0] for row in found.underway.latest] == [f"https://{site}.example/" for site in "eda"]
    curve = found.curves[-1]
    assert (curve.pages, curve.last) == (3, pytest.approx(0.8 / 3))
    assert curve.points.split()[-1].startswith("100.00,")


def test_companies_stand_where_they_belong_with_as_much_of_the_evidence_as_was_asked_for(
    collection: Collection, path: Path
) -> None:
    seeds = [CompanyRow(f"s{n}.example", f"Seed {n}", is_seed=True) for n in range(5)]
    ranked = [CompanyRow(f"c{n}.example", f"C {n}", rank=n, score=10.0 / n) for n in range(1, 5)]
    evidence = [
        EvidenceRow("c1.example", "listed", weight, f"https://h{n}.example/", snippet=f"said {n}")
        for n, weight in enumerate((0.5, 2.0, 1.0))
    ]
    again = evidence[1]._replace(weight=1.5)  # in a second list of the same page
    collection.begin_crawl(CrawlRow("discover competitors", TOPIC, "apprentice"))
    collection.replace_companies([*seeds, *ranked], [*evidence, again])
    collection.add_calls(
        2, [CallRow("reject", "c2.example", detail="a dealer"), CallRow("accept", "c3.example")]
    )
    found = report_of(Reader(path).rows, top=3, findings=2)
    assert found.title == "Competitors of Seed 0, Seed 1, Seed 2 and 2 more"
    assert [company.name for company in found.seeds] == [f"Seed {n}" for n in range(5)]
    assert [company.name for company in found.accepted] == ["C 3"]
    assert [(company.name, company.note) for company in found.rejected] == [("C 2", "a dealer")]
    (first,) = (company for company in found.ranked if company.company == "c1.example")
    assert first.share == 1.0
    (listed,) = (part for part in first.parts if part.kind == "listed")
    assert listed.findings == (
        Finding(2.0, "https://h1.example/", "said 1"),
        Finding(1.0, "https://h2.example/", "said 2"),
    )
    assert listed.more == 1
    assert found.pages == ()


def test_a_collection_without_a_crawl_has_nothing_to_report(path: Path) -> None:
    Collection.create(path).close()
    with pytest.raises(WrongUse, match="no crawl to report on"):
        report_of(Reader(path).rows)
