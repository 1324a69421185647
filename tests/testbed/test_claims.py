"""The papers' comparative results as claims: that all are there, and how they are held against runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from small_web import TOPIC

from testbed.claims import CLAIMS, Claim, claimed_strategies, name_and_kind
from testbed.experiment import run_experiment
from testbed.measures.table import MEASURES
from testbed.measuring import measure_runs
from testbed.reproduction import Ground, Verdict, findings, write_reproduction
from testbed.results import per_topic
from testbed.single_run import RecordedBed, strategy_names

COMPARATIVE = (*range(48, 55), *range(87, 98), 104, 105, *range(116, 119), *range(130, 133))
"""Numbers of the rules that are comparative results."""


@pytest.fixture(scope="module")
def ground(small_bed: RecordedBed) -> Ground:
    con = duckdb.connect(":memory:")
    topics = [replace(TOPIC, topic=replace(TOPIC.topic, name=name)) for name in ("A", "B")]
    run_experiment(con, small_bed, topics, ["best-first"], pages=6)
    measure_runs(con, small_bed.name, [MEASURES["recall"], MEASURES["greatest_distance"]], [3, 6])
    return Ground("small", "plain", con, small_bed.name)


def test_every_comparative_result_is_claimed() -> None:
    numbers = {int(claim.source.split()[0].removeprefix("R")) for claim in CLAIMS}
    assert numbers == set(COMPARATIVE)


@pytest.mark.parametrize("number", ["R88", "R89", "R90", "R94", "R95"])
def test_what_is_claimed_of_recall_and_of_similarity_is_asked_of_both(number: str) -> None:
    asked = {claim.measure for claim in CLAIMS if claim.source.startswith(number)}
    assert {"recall", "mean_similarity"} <= asked


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.source} {claim.text}")
def test_a_claim_can_be_asked_or_says_why_not(claim: Claim) -> None:
    assert bool(claim.why_not) != bool(claim.pairs)
    if claim.pairs:
        assert claim.measure in MEASURES
        names = {name for pair in claim.pairs for name in pair}
        assert set(strategy_names(",".join(sorted(names)))) == names


@pytest.mark.parametrize("kind", ["plain", "augmented", "examples", "neighbours"])
def test_what_a_bed_must_run_for_the_claims_about_it_can_be_asked_for_at_once(kind: str) -> None:
    asked = claimed_strategies(kind)
    sides = [
        name
        for claim in CLAIMS
        for pair in claim.pairs
        for bed, name in zip(claim.bed.split(" over ") * (1 + (" over " not in claim.bed)), pair, strict=True)
        if bed == kind
    ]
    assert asked
    assert set(asked) == set(sides)
    assert strategy_names("claims,random", kind) == (*asked, "random")


def test_a_bed_s_file_says_its_name_and_kind() -> None:
    assert name_and_kind(Path("beds/bizweb.duckdb")) == ("bizweb", "plain")
    assert name_and_kind(Path("beds/bizweb-augmented.duckdb")) == ("bizweb", "augmented")


def test_no_claim_is_there_twice() -> None:
    assert len({(claim.source, claim.text) for claim in CLAIMS}) == len(CLAIMS)


def test_significance_is_asked_at_the_level_that_the_paper_names(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = Claim("R53", "", "recall", (("oracle", "best-first"),), significant=True)
    monkeypatch.setattr(
        "testbed.reproduction.compare", lambda *_, **__: replace(_compared_at(ground), paired_p=0.02)
    )
    named, stricter = findings([ground], [claim, replace(claim, level=0.015)])
    assert (named.verdict, stricter.verdict) == (Verdict.REPRODUCED, Verdict.NOT_REPRODUCED)


def _compared_at(ground: Ground):
    from testbed.statistics import compare

    values = per_topic(ground.con, ground.web, "recall", 6)
    return compare("oracle", "best-first", values["oracle"], values["best-first"])


def test_a_claim_about_change_compares_a_crawl_with_itself(ground: Ground) -> None:
    claim = Claim("R89", "", "recall", (("oracle", "oracle"),), since=0.5)
    (found,) = findings([ground], [claim])
    at = {n: per_topic(ground.con, ground.web, "recall", n)["oracle"]["A"] for n in (3, 6)}
    assert at[3] < at[6]
    assert found.comparisons[0].difference == pytest.approx(at[3] - at[6])


def test_a_web_smaller_than_any_papers_is_judged_at_all_pages_that_were_crawled(ground: Ground) -> None:
    (found,) = findings([ground], [Claim("R48", "", "recall", (("oracle", "best-first"),))])
    assert (found.n, found.budget) == (6, 6)


def test_what_a_claim_about_change_begins_with_is_measured(small_bed: RecordedBed, tmp_path: Path) -> None:
    con = duckdb.connect(":memory:")
    topics = [replace(TOPIC, topic=replace(TOPIC.topic, name=name)) for name in ("A", "B")]
    (change,) = (claim for claim in CLAIMS if claim.since and not claim.equal)
    names = sorted({name for pair in change.pairs for name in pair})
    run_experiment(con, small_bed, topics, names, pages=10, processes=1)
    found = write_reproduction({tmp_path / "small.duckdb": con}, tmp_path / "r.md")
    (one,) = (finding for finding in found if finding.claim is change)
    assert {made.better for made in one.comparisons} == set(names)
    verdicts = Counter(finding.verdict for finding in found)
    assert (
        f"On small {verdicts[Verdict.REPRODUCED]} claims are reproduced, " in (tmp_path / "r.md").read_text()
    )


OVER = next(claim for claim in CLAIMS if claim.bed == "augmented over plain")


def test_beds_that_were_crawled_for_different_numbers_of_pages_are_compared_after_the_smaller(
    small_bed: RecordedBed, tmp_path: Path
) -> None:
    topics = [replace(TOPIC, topic=replace(TOPIC.topic, name=name)) for name in ("A", "B")]
    beds = {tmp_path / f"small{kind}.duckdb": duckdb.connect(":memory:") for kind in ("", "-augmented")}
    names = sorted({name for pair in OVER.pairs for name in pair})
    for con, pages in zip(beds.values(), (8, 6), strict=True):
        run_experiment(con, small_bed, topics, names, pages=pages, processes=1)
    found = write_reproduction(beds, tmp_path / "r.md")
    (one,) = (finding for finding in found if finding.claim is OVER)
    assert (one.n, len(one.comparisons)) == (6, len(OVER.pairs))


def test_a_claim_is_judged_on_every_web_on_which_a_bed_was_crawled(ground: Ground) -> None:
    claim = Claim("R48", "", "recall", (("oracle", "best-first"),))
    both = findings([ground, replace(ground, web="capped")], [claim])
    assert [(one.bed, one.verdict) for one in both] == [
        (f"small ({ground.web})", findings([ground], [claim])[0].verdict),
        ("small (capped)", Verdict.NOT_RUN),
    ]
    assert (
        findings([ground, replace(ground, kind="augmented", web="capped")], [OVER])[0].verdict
        == Verdict.NOT_RUN
    )


def test_the_farthest_page_is_measured(ground: Ground) -> None:
    assert per_topic(ground.con, ground.web, "greatest_distance", 6)["breadth-first"]["A"] == 2
