"""Properties of topics beside recall: what they are, and how far they go together."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from testbed.covariates import LEAST_TOPICS, MEANINGS, covariates, properties_of
from testbed.report.content import WebReport
from testbed.report.writing import html, write_markdown
from testbed.runs import TABLES


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    """A web of five pages: two targets of one topic on two hosts, a hub that links to both, and one that the
    record does not hold.
    """
    con = duckdb.connect(":memory:")
    con.execute(TABLES)
    hosts = ["a.test", "b.test", "hub.test", "a.test", "fan.test"]
    con.executemany(
        "INSERT INTO web_pages VALUES ('web', ?, ?, ?, 0)",
        [(page, f"http://{host}/{page}", host) for page, host in enumerate(hosts)],
    )
    # a link from the own host is no popularity, one from target to target is cohesion as well
    links = [(2, 0), (2, 1), (4, 0), (3, 0), (0, 1)]
    con.executemany("INSERT INTO page_links VALUES ('web', ?, ?)", links)
    rows = [(0, "a.test", 2), (1, "b.test", None), (None, "gone.test", None)]
    con.executemany(
        "INSERT INTO targets VALUES ('web', 'pumps', 'u', ?, ?, ?)", [(p, h, d) for p, h, d in rows]
    )
    return con


def test_properties_are_of_the_targets_that_the_record_holds(con: duckdb.DuckDBPyConnection) -> None:
    found = {name: values["pumps"] for name, values in properties_of(con, "web").items()}
    # citing from other hosts: hub and fan, then hub and the other target
    assert found == {"targets": 2, "popularity": 2, "cohesion": 0.5, "distance": 2, "reachable": 0.5}
    assert found.keys() == MEANINGS.keys()


def test_another_web_of_the_same_file_does_not_count(con: duckdb.DuckDBPyConnection) -> None:
    assert all(not values for values in properties_of(con, "other").values())


def topics(values: list[float]) -> dict[str, float]:
    return {f"topic {i}": value for i, value in enumerate(values)}


def test_ranks_are_correlated_not_values() -> None:
    sizes = topics([1, 2, 3, 4, 100])
    (row,) = covariates(
        {"targets": sizes}, {"dom": topics([0.1, 0.2, 0.3, 0.4, 0.5]), "flat": topics([0.5] * 5)}
    )
    assert row.correlations["dom"].rho == pytest.approx(1)
    assert row.quartiles == (2, 3, 4)
    assert math.isnan(row.correlations["flat"].rho)


def test_p_values_are_corrected_for_all_correlations_of_the_table() -> None:
    rising, mixed = topics([1, 2, 3, 4, 5, 6, 7]), topics([3, 1, 4, 7, 5, 2, 6])
    alone = covariates({"targets": rising}, {"dom": rising})[0].correlations["dom"].holm_p
    beside = covariates({"targets": rising, "distance": mixed}, {"dom": rising})[0].correlations["dom"].holm_p
    alike = covariates({"targets": mixed}, {"dom": rising})[0].correlations["dom"].holm_p
    several = covariates({"targets": mixed, "distance": mixed}, {"dom": rising})[0].correlations["dom"].holm_p
    assert alone == beside == pytest.approx(0)
    assert several == pytest.approx(min(1, 2 * alike))


def test_strategies_on_too_few_topics_are_left_out() -> None:
    sizes = topics([float(i) for i in range(LEAST_TOPICS)])
    few = dict(list(sizes.items())[1:])
    (row,) = covariates({"targets": sizes}, {"dom": sizes, "short": few})
    assert list(row.correlations) == ["dom"]
    assert covariates({"targets": sizes}, {"short": few}) == []
    assert covariates({"targets": {}}, {}) == []


def test_a_report_shows_them_bold_where_they_hold_against_chance(tmp_path: Path) -> None:
    sizes = topics([1, 2, 3, 4, 5, 6, 7])
    table = covariates({"targets": sizes}, {"dom": sizes, "oracle": topics([2, 1, 3, 7, 5, 6, 4])})
    report = WebReport("a web", "0" * 64, 5, 7, 3_000, [], [], [], covariates=table)
    page = html([report], "Bed")
    assert "with recall at 3,000" in page
    assert "<td><b>1.00</b></td>" in page
    assert '<tr class="bound"><td>oracle</td><td>0.64</td></tr>' in page
    assert "4.00 <small>[2.50, 5.50]</small>" in page
    write_markdown([report], tmp_path / "r.md", "Bed")
    text = (tmp_path / "r.md").read_text()
    assert (
        "| dom | **1.00** |\n| oracle | 0.64 |\n| *median of topics [quartiles]* | 4.00 [2.50, 5.50] |\n"
        in text
    )
    assert f"- targets: {MEANINGS['targets']}\n" in text
    assert "what makes topics hard" not in html([replace(report, covariates=[])], "Bed")
